// Messages that have not left yet: scheduled ones, and drafts.
"use client";
import { useInfiniteQuery } from "@tanstack/react-query";
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
  const isPending = scheduled.isPending || drafts.isPending;
  // Stays true while a list that failed is asked for again: an opened draft is below.
  const isAnswered = scheduled.isFetched && drafts.isFetched;
  const isLoaded = scheduled.data !== undefined && drafts.data !== undefined;
  const count = rowsOf(scheduled.data).length + rowsOf(drafts.data).length;
  return (
    <>
      <PageHeader
        title="Outbox"
        description="Drafts and scheduled messages: they have not left yet. Agents and members write them; members can change, send and cancel them."
      />
      {isPending && <TableSkeleton label="Loading the outbox" />}
      {scheduled.isLoadingError && (
        <Problem error={scheduled.error} what="The scheduled messages could not be loaded" retry={scheduled.refetch} />
      )}
      {drafts.isLoadingError && (
        <Problem error={drafts.error} what="The drafts could not be loaded" retry={drafts.refetch} />
      )}
      {isLoaded && count === 0 && (
        <EmptyState icon={IconMailClock} title="No drafts and no scheduled messages">
          A message with a time of sending waits here until then. Drafts that agents write for you to check are here
          too.
        </EmptyState>
      )}
      {isAnswered && count > 0 && <OutboxTables scheduled={scheduled} drafts={drafts} />}
    </>
  );
}
