// The list of domains, those with problems first.
"use client";
import { Anchor, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { IconPlus } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import { IconWorld } from "../../design/shell-icons.tsx";
import { BrokenUrl } from "../parts/broken-url.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { Listing, nextCursor, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Time } from "../parts/time.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { useTRPC } from "../trpc.ts";
import { type Domain, DomainState, isReady, PartState, problemsFirst } from "./domain-state.tsx";
import { domainHref } from "./places.ts";

const PAGE_ROWS = 100;
/** While the worker checks a domain that is not ready. */
const LOOK_AGAIN_MS = 15_000;
const AddDomain = later(() => import("./add-domain.tsx"));

export default function DomainList() {
  const trpc = useTRPC();
  const [adding, setAdding] = useState(false);
  const list = useInfiniteQuery(
    trpc.domains.list.infiniteQueryOptions(
      { limit: PAGE_ROWS },
      {
        getNextPageParam: nextCursor,
        refetchInterval: ({ state }) => (rowsOf(state.data).every(isReady) ? false : LOOK_AGAIN_MS),
      },
    ),
  );
  const rows = problemsFirst(rowsOf(list.data));
  const isEmpty = list.data !== undefined && rows.length === 0;
  const add = (
    <AdminButton what="add domains" leftSection={<IconPlus size={17} aria-hidden />} onClick={() => setAdding(true)}>
      Add domain
    </AdminButton>
  );
  return (
    <>
      <PageHeader
        title="Domains"
        description="Domains that your organization owns, for the addresses of its inboxes."
        actions={!isEmpty && add}
      />
      <Listing list={list} rows={rows} what="domains" shape={{ columns: 5 }} empty={<NoDomains action={add} />}>
        <DataTable label="Domains" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
      </Listing>
      {adding && <AddDomain onClose={() => setAdding(false)} />}
    </>
  );
}

const COLUMNS: Column<Domain>[] = [
  { name: "Domain", kind: "title", minWidth: 14, show: (domain) => <Name domain={domain} /> },
  { name: "Status", show: (domain) => <DomainState domain={domain} /> },
  { name: "Receiving", show: ({ receiving }) => <PartState part={receiving} /> },
  { name: "Sending", show: ({ sending }) => <PartState part={sending} /> },
  { name: "Last check", show: ({ last_checked_at }) => <Time at={last_checked_at} plain /> },
];

function Name({ domain: { id, domain, ownership, receiving, sending } }: { domain: Domain }) {
  const problem = [ownership, receiving, sending].find(({ status }) => status === "failing");
  return (
    <>
      <Anchor component={NearLink} href={domainHref(id)} fw={550}>
        <BrokenUrl text={domain} />
      </Anchor>
      {problem && (
        <Text size="xs" c="dimmed" mt={4}>
          {problem.reason}
        </Text>
      )}
    </>
  );
}

function NoDomains({ action }: { action: ReactNode }) {
  const code = `curl ${location.origin}/v1/domains \\
  -H "Authorization: Bearer $AGENT_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"domain":"agents.example.com"}'`;
  return (
    <EmptyState
      icon={IconWorld}
      title="No domains yet"
      action={action}
      code={<CodeBlock samples={[{ label: "curl", code }]} what="the call that adds a domain" />}
    >
      Add a domain that you own and publish its DNS records. Then your inboxes can have addresses at it, and their mail
      is signed for it.
    </EmptyState>
  );
}
