// The table of scheduled messages, each with its time and a button to cancel it.
"use client";
import { Anchor, Button, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { NearLink } from "../../design/near-link.tsx";
import { placeHref } from "../mail/place.ts";
import { BrokenUrl } from "../parts/broken-url.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Time } from "../parts/time.tsx";
import { succeeded } from "../parts/toast.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./outbox.module.css";

type Scheduled = Outputs["messages"]["listScheduled"]["data"][number];

export function ScheduledTable({ messages }: { messages: Scheduled[] }) {
  const [cancelling, setCancelling] = useState<Scheduled>();
  const byTime = messages.toSorted((a, b) => a.send_at.localeCompare(b.send_at));
  const columns: Column<Scheduled>[] = [
    {
      name: "Subject",
      kind: "title",
      show: ({ inbox, thread_id, subject }) => (
        <Anchor component={NearLink} href={placeHref(inbox, thread_id)}>
          {subject || "(no subject)"}
        </Anchor>
      ),
    },
    { name: "To", show: ({ to }) => to.join(", ") },
    { name: "From", show: ({ inbox }) => <BrokenUrl text={inbox} /> },
    { name: "Leaves", show: ({ send_at }) => <Time at={send_at} exact /> },
    {
      name: "Actions",
      kind: "actions",
      show: (message) => (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={`Cancel ${message.subject || "the message"}`}
          onClick={() => setCancelling(message)}
        >
          Cancel
        </Button>
      ),
    },
  ];
  return (
    <>
      <DataTable label="Scheduled messages" columns={columns} rows={byTime} keyOf={({ id }) => id} />
      {cancelling && <CancelSend message={cancelling} onClose={() => setCancelling(undefined)} />}
    </>
  );
}

function CancelSend({ message, onClose }: { message: Scheduled; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const cancel = useMutation(
    trpc.messages.remove.mutationOptions({
      onSuccess() {
        succeeded("The message was cancelled");
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.messages.pathFilter()),
    }),
  );
  return (
    <FormDialog
      title="Cancel this message?"
      what="The message was not cancelled"
      acting={cancel}
      action="Cancel the message"
      color="red"
      cancel="Keep it"
      onAct={() => cancel.mutate({ id: message.id })}
      onClose={onClose}
    >
      <Text className={classes.words}>
        “{message.subject || "(no subject)"}” to {message.to.join(", ")} is deleted and not sent.
      </Text>
    </FormDialog>
  );
}
