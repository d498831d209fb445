// The scheduled messages and the drafts, below each other: one file, so that none appears above the other and moves it.
"use client";
import { Anchor, Button, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { useState } from "react";
import { NearLink } from "../../design/near-link.tsx";
import { DAYS_MAX, localTime } from "../mail/composer/send-later.tsx";
import { placeHref } from "../mail/place.ts";
import { BrokenUrl } from "../parts/broken-url.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { later } from "../parts/later.ts";
import { LoadMore, rowsOf } from "../parts/listing.tsx";
import { Time } from "../parts/time.tsx";
import { succeeded } from "../parts/toast.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./outbox.module.css";

type Scheduled = Outputs["messages"]["listScheduled"]["data"][number];

type DraftRow = Outputs["drafts"]["list"]["data"][number];

const EditDraft = later(() => import("./edit-draft.tsx"));

type List<Page> = ComponentProps<typeof LoadMore>["list"] & { data: { pages: Page[] } | undefined };
type Props = {
  scheduled: List<Outputs["messages"]["listScheduled"]>;
  drafts: List<Outputs["drafts"]["list"]>;
};

export default function OutboxTables({ scheduled, drafts }: Props) {
  const [waiting, written] = [rowsOf(scheduled.data), rowsOf(drafts.data)];
  return (
    <>
      {waiting.length > 0 && (
        <>
          <Title order={2} size="h4" className={classes.section}>
            Scheduled
          </Title>
          <ScheduledTable messages={waiting} />
          <LoadMore list={scheduled} what="scheduled messages" />
        </>
      )}
      {written.length > 0 && (
        <>
          <Title order={2} size="h4" className={classes.section}>
            Drafts
          </Title>
          <DraftTable drafts={written} />
          <LoadMore list={drafts} what="drafts" />
        </>
      )}
    </>
  );
}

/** The table of drafts, each with a button that opens it. */
function DraftTable({ drafts }: { drafts: DraftRow[] }) {
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

/** The table of scheduled messages, each with its time, and buttons to move and to cancel it. */
function ScheduledTable({ messages }: { messages: Scheduled[] }) {
  const [cancelling, setCancelling] = useState<Scheduled>();
  const [moving, setMoving] = useState<Scheduled>();
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
        <>
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={`Move ${message.subject || "the message"}`}
            onClick={() => setMoving(message)}
          >
            Move
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            aria-label={`Cancel ${message.subject || "the message"}`}
            onClick={() => setCancelling(message)}
          >
            Cancel
          </Button>
        </>
      ),
    },
  ];
  return (
    <>
      <DataTable label="Scheduled messages" columns={columns} rows={byTime} keyOf={({ id }) => id} />
      {moving && <MoveSend message={moving} onClose={() => setMoving(undefined)} />}
      {cancelling && <CancelSend message={cancelling} onClose={() => setCancelling(undefined)} />}
    </>
  );
}

function MoveSend({ message, onClose }: { message: Scheduled; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [time, setTime] = useState(localTime(new Date(message.send_at)));
  const move = useMutation(
    trpc.messages.update.mutationOptions({
      onSuccess() {
        succeeded("The message was moved");
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.messages.pathFilter()),
    }),
  );
  return (
    <FormDialog
      title="Move this message?"
      what="The message was not moved"
      acting={move}
      action="Move the message"
      cancel="Keep its time"
      disabled={time === ""}
      onAct={() => move.mutate({ id: message.id, send_at: new Date(time).toISOString() })}
      onClose={onClose}
    >
      <Text className={classes.words}>
        “{message.subject || "(no subject)"}” to {message.to.join(", ")} leaves at the new time.
      </Text>
      <TextInput
        type="datetime-local"
        label="New time"
        description={`At most ${DAYS_MAX} days ahead`}
        min={localTime(new Date())}
        required
        value={time}
        onChange={(event) => setTime(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function CancelSend({ message, onClose }: { message: Scheduled; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const cancel = useMutation(
    trpc.messages.cancel.mutationOptions({
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
        “{message.subject || "(no subject)"}” to {message.to.join(", ")} is not sent. It stays in its conversation as
        cancelled.
      </Text>
    </FormDialog>
  );
}
