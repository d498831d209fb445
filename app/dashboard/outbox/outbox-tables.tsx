// The messages that wait for approval, queued and scheduled ones, and drafts, below each other: one file, so that none appears above the other and moves it.
"use client";
import { Anchor, Button, Text, Title } from "@mantine/core";
import { type ComponentProps, type ReactNode, useState } from "react";
import { NearLink } from "../../design/near-link.tsx";
import { placeHref } from "../mail/place.ts";
import { CancelSend, MoveSend } from "../mail/waiting.tsx";
import { BrokenUrl } from "../parts/broken-url.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { later } from "../parts/later.ts";
import { LoadMore, rowsOf } from "../parts/listing.tsx";
import { Time } from "../parts/time.tsx";
import type { Outputs } from "../trpc.ts";
import classes from "./outbox.module.css";

type Scheduled = Outputs["messages"]["listScheduled"]["data"][number];

type DraftRow = Outputs["drafts"]["list"]["data"][number];

/** The service lists so many. */
const QUEUED_MAX = 100;

const EditDraft = later(() => import("./edit-draft.tsx"));

type List<Page> = ComponentProps<typeof LoadMore>["list"] & { data: { pages: Page[] } | undefined };
type Held = Outputs["reviews"]["list"]["data"][number];
type Queued = Outputs["messages"]["listQueued"]["data"][number];
type Props = {
  held: List<Outputs["reviews"]["list"]>;
  queued: Queued[];
  scheduled: List<Outputs["messages"]["listScheduled"]>;
  drafts: List<Outputs["drafts"]["list"]>;
};

export default function OutboxTables({ held, queued, scheduled, drafts }: Props) {
  const [asking, waiting, written] = [rowsOf(held.data), rowsOf(scheduled.data), rowsOf(drafts.data)];
  return (
    <>
      {asking.length > 0 && (
        <Section title="Waiting for approval">
          <DataTable label="Messages that wait for approval" columns={HELD} rows={asking} keyOf={({ id }) => id} />
          <LoadMore list={held} what="messages that wait for approval" />
        </Section>
      )}
      {queued.length > 0 && (
        <Section title="Queued">
          <DataTable label="Queued messages" columns={QUEUED} rows={queued} keyOf={({ id }) => id} />
          {queued.length >= QUEUED_MAX && (
            <Text size="sm" c="dimmed" mt="sm">
              The {QUEUED_MAX} messages that are tried next are shown. There may be more.
            </Text>
          )}
        </Section>
      )}
      {waiting.length > 0 && (
        <Section title="Scheduled">
          <ScheduledTable messages={waiting} />
          <LoadMore list={scheduled} what="scheduled messages" />
        </Section>
      )}
      {written.length > 0 && (
        <Section title="Drafts">
          <DraftTable drafts={written} />
          <LoadMore list={drafts} what="drafts" />
        </Section>
      )}
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <Title order={2} size="h4" className={classes.section}>
        {title}
      </Title>
      {children}
    </>
  );
}

const HELD: Column<Held>[] = [
  {
    name: "Subject",
    kind: "title",
    show: ({ inbox, thread_id, subject }) => <Subject inbox={inbox} threadId={thread_id} subject={subject} />,
  },
  { name: "To", minWidth: 12, show: ({ recipients }) => recipients.join(", ") },
  { name: "From", show: ({ inbox }) => <BrokenUrl text={inbox} /> },
  { name: "Expires", show: ({ expires_at }) => <Time at={expires_at} plain /> },
  {
    name: "Actions",
    kind: "actions",
    show: ({ id, subject }) => (
      <Button
        component={NearLink}
        href={`/dashboard/approvals?id=${id}`}
        size="compact-sm"
        variant="subtle"
        aria-label={`Decide on ${subject || "the message"}`}
      >
        Decide
      </Button>
    ),
  },
];

function Subject({ inbox, threadId, subject }: { inbox: string; threadId: string; subject: string }) {
  return (
    <Anchor component={NearLink} href={placeHref(inbox, threadId)} size="sm">
      {subject || "(no subject)"}
    </Anchor>
  );
}

const QUEUED: Column<Queued>[] = [
  {
    name: "Subject",
    kind: "title",
    show: ({ inbox, thread_id, subject }) => <Subject inbox={inbox} threadId={thread_id} subject={subject} />,
  },
  { name: "To", minWidth: 12, show: ({ to }) => to.join(", ") },
  { name: "From", show: ({ inbox }) => <BrokenUrl text={inbox} /> },
  { name: "Next attempt", show: ({ next_attempt_at }) => <Time at={next_attempt_at} none="now" plain /> },
  { name: "Last answer", show: ({ reason }) => reason ?? "" },
];

/** The table of drafts, each with a button that opens it. */
function DraftTable({ drafts }: { drafts: DraftRow[] }) {
  const [opened, setOpened] = useState<string>();
  const columns: Column<DraftRow>[] = [
    {
      name: "Subject",
      kind: "title",
      show: ({ id, subject, in_reply_to }) => (
        <Anchor component="button" type="button" ta="start" data-thumb onClick={() => setOpened(id)}>
          {subject || (in_reply_to ? "(a reply)" : "(no subject)")}
        </Anchor>
      ),
    },
    { name: "To", minWidth: 12, show: ({ recipients }) => <Recipients recipients={recipients} /> },
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

function Recipients({ recipients }: { recipients: string[] }) {
  if (recipients.length > 0) return recipients.join(", ");
  return (
    <Text span c="dimmed" inherit>
      No recipient yet
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
      show: ({ inbox, thread_id, subject }) => <Subject inbox={inbox} threadId={thread_id} subject={subject} />,
    },
    { name: "To", minWidth: 12, show: ({ to }) => to.join(", ") },
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
