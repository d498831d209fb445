// Messages that have not left yet: waiting for approval, queued, scheduled, and drafts.
"use client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { IconMailClock } from "../../design/shell-icons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { PAGED, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Problem } from "../parts/problem.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { useTRPC } from "../trpc.ts";

const PAGE_ROWS = 50;
/** No event says that a message left. */
const LOOK_AGAIN_MS = 10_000;
const OutboxTables = later(
  () => import("./outbox-tables.tsx"),
  () => <TableSkeleton label="Loading the outbox" />,
);

export default function OutboxPage() {
  return (
    <Suspense fallback={<TableSkeleton label="Loading the outbox" />}>
      <Outbox />
    </Suspense>
  );
}

function Outbox() {
  const trpc = useTRPC();
  const scheduled = useInfiniteQuery(trpc.messages.listScheduled.infiniteQueryOptions({ limit: PAGE_ROWS }, PAGED));
  const drafts = useInfiniteQuery(trpc.drafts.list.infiniteQueryOptions({ limit: PAGE_ROWS }, PAGED));
  const held = useInfiniteQuery(
    trpc.reviews.list.infiniteQueryOptions(
      { limit: PAGE_ROWS, decided: false },
      { ...PAGED, refetchInterval: LOOK_AGAIN_MS },
    ),
  );
  const queued = useQuery(trpc.messages.listQueued.queryOptions({}, { refetchInterval: LOOK_AGAIN_MS }));
  const lists = [
    { list: held, what: "messages that wait for approval" },
    { list: queued, what: "queued messages" },
    { list: scheduled, what: "scheduled messages" },
    { list: drafts, what: "drafts" },
  ];
  const isPending = lists.some(({ list }) => list.isPending);
  // Stays true while a list that failed is asked for again: an opened draft is below.
  const isAnswered = lists.every(({ list }) => list.isFetched);
  const isLoaded = lists.every(({ list }) => list.data !== undefined);
  const paged = [held.data, scheduled.data, drafts.data].flatMap((pages) => rowsOf<unknown>(pages));
  const count = paged.length + (queued.data?.data.length ?? 0);
  return (
    <>
      <PageHeader
        title="Outbox"
        description="Messages that have not left yet, and drafts. Agents and members write them; members approve, change, send and cancel them."
      />
      {isPending && <TableSkeleton label="Loading the outbox" />}
      {lists.map(
        ({ list, what }) =>
          list.isLoadingError && (
            <Problem key={what} error={list.error} what={`The ${what} could not be loaded`} retry={list.refetch} />
          ),
      )}
      {isLoaded && count === 0 && (
        <EmptyState icon={IconMailClock} title="Nothing waits to be sent">
          A message that waits for approval, for its turn or for its time is here until it leaves. Drafts that agents
          write for you to check are here too.
        </EmptyState>
      )}
      {isAnswered && count > 0 && (
        <OutboxTables held={held} queued={queued.data?.data ?? []} scheduled={scheduled} drafts={drafts} />
      )}
    </>
  );
}
