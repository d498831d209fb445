// The table of deleted messages, each with a button to restore it and one to delete it forever.
"use client";
import { Button, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { BrokenUrl } from "../parts/broken-url.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Time } from "../parts/time.tsx";
import { failed, succeeded } from "../parts/toast.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";

type Trashed = Outputs["trash"]["list"]["data"][number];

export default function TrashTable({ messages }: { messages: Trashed[] }) {
  const [erasing, setErasing] = useState<Trashed>();
  const refresh = useRefresh();
  const trpc = useTRPC();
  const restore = useMutation(
    trpc.trash.restore.mutationOptions({
      onSuccess: ({ inbox }) => succeeded(`The message is in ${inbox} again`),
      onError: (error) => failed(error, "The message was not restored"),
      onSettled: refresh,
    }),
  );
  const columns: Column<Trashed>[] = [
    {
      name: "Subject",
      kind: "title",
      show: ({ subject, preview }) => (
        <>
          {subject || "(no subject)"}
          <Text size="sm" c="dimmed" lineClamp={1}>
            {preview}
          </Text>
        </>
      ),
    },
    {
      name: "From",
      show: ({ direction, from, to }) => <BrokenUrl text={direction === "inbound" ? from : `To ${to.join(", ")}`} />,
    },
    { name: "Inbox", show: ({ inbox }) => <BrokenUrl text={inbox} /> },
    { name: "Deleted", show: ({ deleted_at }) => <Time at={deleted_at} plain /> },
    { name: "Erased", show: ({ expires_at }) => <Time at={expires_at} plain /> },
    {
      name: "Actions",
      kind: "actions",
      show: (message) => (
        <>
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={`Restore ${message.subject || "the message"}`}
            loading={restore.isPending && restore.variables.id === message.id}
            onClick={() => restore.mutate({ id: message.id })}
          >
            Restore
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            aria-label={`Delete ${message.subject || "the message"} forever`}
            onClick={() => setErasing(message)}
          >
            Delete
          </Button>
        </>
      ),
    },
  ];
  return (
    <>
      <DataTable label="Deleted messages" columns={columns} rows={messages} keyOf={({ id }) => id} />
      {erasing && <Erase message={erasing} onClose={() => setErasing(undefined)} />}
    </>
  );
}

export function useRefresh() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return () =>
    Promise.all(
      [trpc.trash, trpc.messages, trpc.threads, trpc.inboxes].map((each) =>
        queries.invalidateQueries(each.pathFilter()),
      ),
    );
}

function Erase({ message, onClose }: { message: Trashed; onClose: () => void }) {
  const trpc = useTRPC();
  const erase = useMutation(
    trpc.messages.remove.mutationOptions({
      onSuccess() {
        succeeded("The message was erased");
        onClose();
      },
      onSettled: useRefresh(),
    }),
  );
  return (
    <FormDialog
      title="Delete this message forever?"
      what="The message was not deleted"
      acting={erase}
      action="Delete forever"
      color="red"
      cancel="Keep it"
      onAct={() => erase.mutate({ id: message.id, permanent: true })}
      onClose={onClose}
    >
      <Text>“{message.subject || "(no subject)"}” is erased with its attachments. This cannot be undone.</Text>
    </FormDialog>
  );
}
