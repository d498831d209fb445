// What one agent key changed, newest first, and the button that undoes it (`?id=ekey_…&agent_key=akey_…`).
"use client";
import { Anchor, Badge, Code, Group, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { IconHistory } from "../../design/icons.tsx";
import { InlineCode } from "../../design/inline-code.tsx";
import { NearLink } from "../../design/near-link.tsx";
import { Copy } from "../parts/copy.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { Listing, PAGED, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Time } from "../parts/time.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { wordsFor } from "../settings/audit/action-words.ts";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./keys.module.css";
import { keyHref } from "./places.ts";

type Entry = Outputs["keys"]["activity"]["data"][number];
type Change = Entry["changes"][number];

const PAGE_ROWS = 50;
const CHANGES_SHOWN = 3;
const VALUE_CHARS = 120;
const UndoKey = later(
  () => import("./undo-key.tsx"),
  () => null,
);

export default function KeyActivity({ keyId, agentKeyId }: { keyId: string; agentKeyId: string }) {
  return (
    <>
      <PageHeader
        title="Activity of a key"
        back={{ href: keyHref(keyId), label: "Key" }}
        description={
          <Group component="span" gap={4} wrap="nowrap">
            <Code>{agentKeyId}</Code>
            <Copy text={agentKeyId} what="the key’s id" />
          </Group>
        }
        actions={<UndoButton agentKeyId={agentKeyId} />}
      />
      <KeyChanges agentKeyId={agentKeyId} />
    </>
  );
}

export function UndoButton({ agentKeyId }: { agentKeyId: string }) {
  const [isUndoing, setUndoing] = useState(false);
  return (
    <>
      <AdminButton what="undo what a key did" variant="light" color="red" onClick={() => setUndoing(true)}>
        Undo…
      </AdminButton>
      {isUndoing && <UndoKey agentKeyId={agentKeyId} onClose={() => setUndoing(false)} />}
    </>
  );
}

export function KeyChanges({ agentKeyId }: { agentKeyId: string }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(trpc.keys.activity.infiniteQueryOptions({ id: agentKeyId, limit: PAGE_ROWS }, PAGED));
  const entries = rowsOf(list.data);
  return (
    <Listing
      list={list}
      rows={entries}
      what="changes"
      empty={
        <EmptyState icon={IconHistory} title="No changes" order={2}>
          Each change that this key makes stands here for weeks, as the operator set it. Reading is not recorded.
        </EmptyState>
      }
    >
      <DataTable label="Changes" columns={COLUMNS} rows={entries} keyOf={({ id }) => id} />
    </Listing>
  );
}

const COLUMNS: Column<Entry>[] = [
  { name: "Change", kind: "title", isTall: true, show: (entry) => <Changes entry={entry} /> },
  { name: "Inbox", show: ({ inbox }) => inbox ?? "–" },
  { name: "When", show: ({ created_at }) => <Time at={created_at} plain /> },
  { name: "Undo", show: (entry) => <Standing entry={entry} /> },
];

function Changes({ entry: { verb, changes, change_count, inbox } }: { entry: Entry }) {
  return (
    <>
      <span className={classes.verb} title={verb}>
        {wordsFor(verb)}
      </span>
      {changes.slice(0, CHANGES_SHOWN).map((change) => (
        <OneChange key={`${change.kind} ${change.id} ${change.name}`} change={change} inbox={inbox} />
      ))}
      {change_count > CHANGES_SHOWN && (
        <Text size="xs" c="dimmed">
          and {(change_count - CHANGES_SHOWN).toLocaleString("en")} more
        </Text>
      )}
    </>
  );
}

/** The thing, and each field from what it was to what it is. */
function OneChange({ change, inbox }: { change: Change; inbox: string | null }) {
  const { before, after } = change;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <div className={classes.change}>
      <Thing change={change} inbox={inbox} />
      {names.map((name) => (
        <Text key={name} size="xs" c="dimmed" className={classes.fromTo}>
          {name}: {before && <s>{shown(before[name])}</s>}
          {before && after && " → "}
          {after && <span>{shown(after[name])}</span>}
        </Text>
      ))}
    </div>
  );
}

const KINDS: Record<Change["kind"], string> = {
  message: "Message",
  send: "Outgoing message",
  draft: "Draft",
  upload: "Upload",
  inbox: "Inbox",
  list_entry: "List entry",
  suppression: "Suppression",
  webhook: "Webhook",
  key: "Agent key",
  domain: "Domain",
  pause: "Pause of sending",
  payment: "Payment",
};

/** The page that shows the thing, if it still exists. */
function hrefOf({ kind, id, name, thread_id }: Change, inbox: string | null): string | undefined {
  if (thread_id !== null && inbox !== null)
    return `/dashboard/mail?${new URLSearchParams({ inbox, thread: thread_id })}`;
  if (kind === "inbox" && name !== null) return `/dashboard/mail?${new URLSearchParams({ inbox: name })}`;
  return kind === "webhook" && id !== null ? `/dashboard/webhooks?${new URLSearchParams({ id })}` : undefined;
}

function Thing({ change, inbox }: { change: Change; inbox: string | null }) {
  const { kind, id, name, before, after } = change;
  const href = after === null ? undefined : hrefOf(change, inbox);
  const did = before === null && after !== null ? " (new)" : after === null && before !== null ? " (deleted)" : "";
  const text = name ?? id ?? "";
  return (
    <Text size="sm">
      {KINDS[kind]}
      {did}:{" "}
      {href === undefined ? (
        text
      ) : (
        <Anchor component={NearLink} size="sm" underline="always" href={href}>
          {text}
        </Anchor>
      )}
    </Text>
  );
}

/** A value as text: lists without brackets, and words where there is nothing. */
function shown(value: unknown): string {
  const isList = Array.isArray(value) && value.every((each) => typeof each === "string");
  if (value === null || value === undefined || (isList && value.length === 0)) return "none";
  const text = isList ? value.join(", ") : typeof value === "string" ? value : JSON.stringify(value);
  return text.length > VALUE_CHARS ? `${text.slice(0, VALUE_CHARS)}…` : text || "(empty)";
}

function Standing({ entry: { undone_at, not_undone, changes } }: { entry: Entry }) {
  if (undone_at === null) {
    const finals = changes.flatMap(({ final }) => final ?? []);
    return finals.length > 0 ? (
      <Text size="xs" c="dimmed">
        <InlineCode text={finals[0] ?? ""} />
      </Text>
    ) : null;
  }
  if (not_undone.length === 0) {
    return (
      <Badge color="green" variant="light">
        Undone
      </Badge>
    );
  }
  return (
    <>
      <Badge color="yellow" variant="light">
        Not undone
      </Badge>
      <Text size="xs" c="dimmed">
        <InlineCode text={not_undone[0]?.reason ?? ""} />
      </Text>
    </>
  );
}
