// The list of held messages: those that wait, or those that were decided.
"use client";
import { Anchor, SegmentedControl } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { NearLink } from "../../design/near-link.tsx";
import shared from "../../design/shared.module.css";
import { IconCircleCheck } from "../../design/shell-icons.tsx";
import { BrokenUrl } from "../parts/broken-url.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Listing, nextCursor, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Time } from "../parts/time.tsx";
import { useReadAfterEvents } from "../session/team-events.ts";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./approvals.module.css";
import { StateBadge } from "./state-badge.tsx";

const PAGE_ROWS = 50;
/** New messages appear without a reload. */
const LOOK_AGAIN_MS = 15_000;

type Held = Outputs["reviews"]["list"]["data"][number];

export default function Queue() {
  const [decided, setDecided] = useState(false);
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.reviews.list.infiniteQueryOptions(
      { limit: PAGE_ROWS, decided },
      { getNextPageParam: nextCursor, placeholderData: keepPreviousData, refetchInterval: LOOK_AGAIN_MS },
    ),
  );
  useReadAfterEvents([trpc.reviews.list.pathFilter()]);
  const rows = rowsOf(list.data);
  return (
    <>
      <PageHeader
        title="Approvals"
        description="Messages of agents that leave only after a member approved them. Settings say which ones wait; those of a revoked key always do."
      />
      <SegmentedControl
        className={classes.choice}
        aria-label="Messages"
        data={[
          { value: "waiting", label: "Waiting" },
          { value: "decided", label: "Decided" },
        ]}
        value={decided ? "decided" : "waiting"}
        onChange={(value) => setDecided(value === "decided")}
      />
      <Listing
        list={list}
        rows={rows}
        what="approvals"
        empty={
          <EmptyState icon={IconCircleCheck} title={decided ? "No decisions yet" : "Nothing waits for approval"}>
            An admin chooses in the{" "}
            <Anchor component={NearLink} href="/dashboard/settings" inherit underline="always">
              settings
            </Anchor>{" "}
            which messages of agents wait: none, those to new addresses, or all.
          </EmptyState>
        }
      >
        <DataTable label="Held messages" columns={decided ? DECIDED : WAITING} rows={rows} keyOf={({ id }) => id} />
      </Listing>
    </>
  );
}

const CAUSES: Record<Held["cause"], string> = {
  policy: "Settings ask for approval",
  key_revoked: "Its key was revoked",
};

const common: Column<Held>[] = [
  { name: "Message", kind: "title", minWidth: 14, show: (message) => <Subject message={message} /> },
  { name: "Agent", show: ({ agent, enrollment_key }) => <AgentName agent={agent} enrollmentKey={enrollment_key} /> },
  { name: "Inbox", show: ({ inbox }) => <BrokenUrl text={inbox} /> },
  { name: "Held because", minWidth: 8, show: ({ cause }) => CAUSES[cause] },
  { name: "Asked", show: ({ created_at }) => <Time at={created_at} plain /> },
];
const WAITING: Column<Held>[] = [
  ...common,
  { name: "Expires", show: ({ expires_at }) => <Time at={expires_at} plain /> },
];
const DECIDED: Column<Held>[] = [
  ...common.filter(({ name }) => name !== "Held because" && name !== "Asked"),
  { name: "Decision", show: (message) => <Decision message={message} /> },
  { name: "By", show: ({ decided_by }) => decided_by ?? "No one in time" },
  { name: "Decided", show: ({ decided_at, expires_at }) => <Time at={decided_at ?? expires_at} plain /> },
];

function Decision({ message: { status, reason } }: { message: Held }) {
  return (
    <>
      <StateBadge status={status} />
      {reason && <span className={shared.hint}>{reason}</span>}
    </>
  );
}

function AgentName({ agent, enrollmentKey }: { agent: string | null; enrollmentKey: string | null }) {
  if (agent === null) return "Not known";
  return (
    <>
      {agent}
      {enrollmentKey && <span className={shared.hint}>{enrollmentKey}</span>}
    </>
  );
}

function Subject({ message: { id, subject, recipients } }: { message: Held }) {
  const [first, ...others] = recipients;
  return (
    <>
      <NearLink href={`/dashboard/approvals?id=${id}`} className={classes.subject}>
        {subject || "(no subject)"}
      </NearLink>
      <span className={shared.hint}>
        {first}
        {others.length > 0 && ` and ${others.length} more`}
      </span>
    </>
  );
}
