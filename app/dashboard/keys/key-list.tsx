// All enrollment keys, the revoked ones last: how full each is, and how many agents and inboxes use it.
"use client";
import { Anchor } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { IconPlus } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import shared from "../../design/shared.module.css";
import { IconKey } from "../../design/shell-icons.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { Listing, PAGED, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Time } from "../parts/time.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import { liveInboxes } from "./counted.ts";
import { KeyStatus } from "./key-status.tsx";
import { keyHref } from "./places.ts";
import { UsageBar } from "./usage-bar.tsx";

type Key = Outputs["keys"]["list"]["data"][number];

const TABLE_MIN_REM = 43;
const PAGE_ROWS = 50;
const IssueKey = later(() => import("./issue-key.tsx"));

export default function KeyList() {
  const trpc = useTRPC();
  const [issuing, setIssuing] = useState(false);
  const list = useInfiniteQuery(trpc.keys.list.infiniteQueryOptions({ limit: PAGE_ROWS }, PAGED));
  const loaded = rowsOf(list.data);
  const isRevoked = ({ status }: Key) => status === "revoked";
  const rows = [...loaded.filter((key) => !isRevoked(key)), ...loaded.filter(isRevoked)];
  const isEmpty = list.data !== undefined && rows.length === 0;
  const issue = (
    <AdminButton what="issue keys" leftSection={<IconPlus size={17} aria-hidden />} onClick={() => setIssuing(true)}>
      Issue key
    </AdminButton>
  );
  return (
    <>
      <PageHeader
        title="Keys"
        description="An enrollment key lets agents enroll. It sets how many mailboxes they can create and on which domains."
        actions={!isEmpty && issue}
      />
      <Listing
        list={list}
        rows={rows}
        what="keys"
        shape={{ columns: 5 }}
        empty={
          <EmptyState icon={IconKey} title="No keys yet" action={issue}>
            Issue a key and give it to your agents. Each agent redeems it for its own agent key, then creates a mailbox.
            Every mailbox counts against the quota that you set.
          </EmptyState>
        }
      >
        <DataTable label="Keys" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} minWidth={TABLE_MIN_REM} />
      </Listing>
      {issuing && <IssueKey onClose={() => setIssuing(false)} />}
    </>
  );
}

const COLUMNS: Column<Key>[] = [
  {
    name: "Key",
    kind: "title",
    show: ({ id, name }) => (
      <Anchor component={NearLink} href={keyHref(id)} size="sm" fw={550}>
        {name || id}
      </Anchor>
    ),
  },
  { name: "Status", minWidth: 9, show: (key) => <Standing enrollment={key} /> },
  { name: "Mailboxes created", minWidth: 11, show: (key) => <UsageBar usage={key} /> },
  { name: "Agents", kind: "number", show: ({ agents }) => agents.toLocaleString("en") },
  { name: "Live inboxes", kind: "number", show: liveInboxes },
  { name: "Last used", show: ({ agents, last_used_at }) => <LastUse agents={agents} at={last_used_at} /> },
];

function Standing({ enrollment: { status, expires_at, revoked_at } }: { enrollment: Key }) {
  const [word, at] = revoked_at === null ? [status === "expired" ? "" : "expires ", expires_at] : ["", revoked_at];
  return (
    <>
      <KeyStatus status={status} />
      {at !== null && (
        <span className={shared.hint}>
          {word}
          <Time at={at} plain />
        </span>
      )}
    </>
  );
}

function LastUse({ agents, at }: { agents: number; at: string | null }) {
  return agents > 0 && at === null ? <>–</> : <Time at={at} plain />;
}
