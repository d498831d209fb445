// The list of held messages: those that wait, or those that were decided.
"use client";
import { SegmentedControl, Table } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { IconCircleCheck } from "../../design/icons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { LoadMore, nextCursor, rowsOf } from "../parts/load-more.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Problem } from "../parts/problem.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { Time } from "../parts/time.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./approvals.module.css";
import { StateBadge } from "./state-badge.tsx";

const PAGE_ROWS = 50;
/** New messages appear without a reload. */
const LOOK_AGAIN_MS = 15_000;

type Held = Outputs["reviews"]["list"]["data"][number];

export function Queue() {
  const [decided, setDecided] = useState(false);
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.reviews.list.infiniteQueryOptions(
      { limit: PAGE_ROWS, decided },
      { getNextPageParam: nextCursor, placeholderData: keepPreviousData, refetchInterval: LOOK_AGAIN_MS },
    ),
  );
  const rows = rowsOf(list.data);
  return (
    <>
      <PageHeader
        title="Approvals"
        description="Messages of agents that leave only after a member approved them. Settings say which ones wait."
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
      {list.isPending && <TableSkeleton label="Loading approvals" />}
      {list.isLoadingError && (
        <Problem
          error={list.error}
          what="The approvals could not be loaded"
          retry={list.refetch}
          busy={list.isFetching}
        />
      )}
      {list.data !== undefined && rows.length === 0 && (
        <EmptyState icon={IconCircleCheck} title={decided ? "No decisions yet" : "Nothing waits for approval"}>
          An admin chooses under Settings which messages of agents wait: none, those to new addresses, or all.
        </EmptyState>
      )}
      {rows.length > 0 && <HeldTable messages={rows} />}
      {list.data && <LoadMore list={list} what="messages" />}
    </>
  );
}

function HeldTable({ messages }: { messages: Held[] }) {
  return (
    <Table.ScrollContainer minWidth={640} type="native" className={classes.framed}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Message</Table.Th>
            <Table.Th>From</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Sent</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {messages.map((message) => (
            <Row key={message.id} message={message} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({ message: { id, inbox, subject, recipients, status, created_at } }: { message: Held }) {
  const [first, ...others] = recipients;
  return (
    <Table.Tr>
      <Table.Td className={classes.words}>
        <Link href={`/dashboard/approvals?id=${id}`} className={classes.subject}>
          {subject || "(no subject)"}
        </Link>
        <span className={classes.soft}>
          {first}
          {others.length > 0 && ` and ${others.length} more`}
        </span>
      </Table.Td>
      <Table.Td className={classes.words}>{inbox}</Table.Td>
      <Table.Td>
        <StateBadge status={status} />
      </Table.Td>
      <Table.Td>
        <Time at={created_at} plain />
      </Table.Td>
    </Table.Tr>
  );
}
