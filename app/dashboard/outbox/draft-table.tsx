// The table of drafts, each with a button that opens it.
"use client";
import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { BrokenUrl } from "../parts/broken-url.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { later } from "../parts/later.ts";
import { Time } from "../parts/time.tsx";
import type { Outputs } from "../trpc.ts";

type DraftRow = Outputs["drafts"]["list"]["data"][number];

const EditDraft = later(() => import("./edit-draft.tsx"));

export function DraftTable({ drafts }: { drafts: DraftRow[] }) {
  const [opened, setOpened] = useState<string>();
  const columns: Column<DraftRow>[] = [
    {
      name: "Subject",
      kind: "title",
      show: ({ subject, in_reply_to }) => subject || (in_reply_to ? "(a reply)" : "(no subject)"),
    },
    { name: "To", show: ({ to, in_reply_to }) => <Recipients to={to} isReply={in_reply_to !== null} /> },
    { name: "From", show: ({ inbox }) => <BrokenUrl text={inbox} /> },
    { name: "Changed", show: ({ updated_at }) => <Time at={updated_at} plain /> },
    {
      name: "Actions",
      kind: "actions",
      show: ({ id, subject }) => (
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={`Open ${subject || "the draft"}`}
          onClick={() => setOpened(id)}
        >
          Open
        </Button>
      ),
    },
  ];
  return (
    <>
      <DataTable label="Drafts" columns={columns} rows={drafts} keyOf={({ id }) => id} />
      {opened && <EditDraft id={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function Recipients({ to, isReply }: { to: string[]; isReply: boolean }) {
  if (to.length > 0) return to.join(", ");
  return (
    <Text span c="dimmed" inherit>
      {isReply ? "The sender" : "No recipient yet"}
    </Text>
  );
}
