// The list of domains, those with problems first.
"use client";
import { Anchor, Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import Link from "next/link";
import { type ReactNode, useState } from "react";
import { IconPlus, IconWorld } from "../../design/icons.tsx";
import { AdminButton } from "../parts/admin-button.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { LoadMore, nextCursor, rowsOf } from "../parts/load-more.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { patient } from "../parts/patient.ts";
import { Problem } from "../parts/problem.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { Time } from "../parts/time.tsx";
import { useTRPC } from "../trpc.ts";
import { type Domain, DomainState, isReady, PartState, problemsFirst } from "./domain-state.tsx";
import classes from "./domains.module.css";
import { domainHref } from "./places.ts";

const PAGE_ROWS = 100;
/** While the worker checks a domain that is not ready. */
const LOOK_AGAIN_MS = 15_000;
const AddDomain = dynamic(() => patient(() => import("./add-domain.tsx").then((module) => module.AddDomain)), {
  ssr: false,
});

export function DomainList() {
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
      {list.isPending && <TableSkeleton label="Loading domains" columns={5} />}
      {list.isLoadingError && (
        <Problem
          error={list.error}
          what="The domains could not be loaded"
          retry={list.refetch}
          busy={list.isFetching}
        />
      )}
      {isEmpty && <NoDomains action={add} />}
      {rows.length > 0 && <Rows domains={rows} />}
      {list.data && <LoadMore list={list} what="domains" />}
      {adding && <AddDomain onClose={() => setAdding(false)} />}
    </>
  );
}

function Rows({ domains }: { domains: Domain[] }) {
  return (
    <Table.ScrollContainer minWidth={720} type="native" className={classes.framed}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Domain</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Receiving</Table.Th>
            <Table.Th>Sending</Table.Th>
            <Table.Th>Last check</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {domains.map((domain) => (
            <Row key={domain.id} domain={domain} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({ domain }: { domain: Domain }) {
  const { id, ownership, receiving, sending, last_checked_at } = domain;
  const problem = [ownership, receiving, sending].find(({ status }) => status === "failing");
  return (
    <Table.Tr>
      <Table.Td className={classes.name}>
        <Anchor component={Link} href={domainHref(id)} fw={550}>
          {domain.domain}
        </Anchor>
        {problem && (
          <Text size="xs" c="dimmed" mt={4}>
            {problem.reason}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <DomainState domain={domain} />
      </Table.Td>
      <Table.Td>
        <PartState part={receiving} />
      </Table.Td>
      <Table.Td>
        <PartState part={sending} />
      </Table.Td>
      <Table.Td>
        <Time at={last_checked_at} plain />
      </Table.Td>
    </Table.Tr>
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
