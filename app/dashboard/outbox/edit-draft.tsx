// The dialog of one stored draft, in the form of the mail client.
"use client";
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { afterFields } from "../mail/composer/after-fields.ts";
import { Composer } from "../mail/composer/composer.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Problem } from "../parts/problem.tsx";
import { useTRPC } from "../trpc.ts";

export default function EditDraft({ id, onClose }: { id: string; onClose: () => void }) {
  const trpc = useTRPC();
  const [opened, setOpened] = useState(1);
  // A change by another person is refused by its revision, and must not replace what is typed here.
  const draft = useQuery(trpc.drafts.get.queryOptions({ id }, { refetchOnWindowFocus: false, gcTime: 0 }));
  async function reopen() {
    await draft.refetch();
    setOpened(opened + 1);
  }
  return (
    <Dialog onClose={afterFields(onClose)} title="Draft" size="44rem">
      {draft.isPending && <Skeleton height={320} />}
      {draft.error && <Problem error={draft.error} what="The draft could not be loaded" />}
      {draft.data && (
        <Composer
          key={opened}
          writing={{ kind: "draft", place: `draft:${id}`, inbox: draft.data.inbox, stored: draft.data }}
          onSent={onClose}
          onClose={onClose}
          onReopen={() => void reopen()}
        />
      )}
    </Dialog>
  );
}
