// Messages that have not left yet: scheduled ones, and drafts.
"use client";
import { Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { Suspense } from "react";
import { IconMailClock } from "../../design/shell-icons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { LoadMore, nextCursor, rowsOf } from "../parts/load-more.tsx";
import { lookAgainAtList } from "../parts/look-again.ts";
import { PageHeader } from "../parts/page-header.tsx";
import { patient } from "../parts/patient.ts";
import { Problem } from "../parts/problem.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { useTRPC } from "../trpc.ts";
import classes from "./outbox.module.css";

const PAGE_ROWS = 50;
const loading = () => <TableSkeleton label="Loading the outbox" />;
const DraftTable = dynamic(() => patient(() => import("./draft-table.tsx").then((module) => module.DraftTable)), {
  loading,
});
const ScheduledTable = dynamic(
  () => patient(() => import("./scheduled-table.tsx").then((module) => module.ScheduledTable)),
  { loading },
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
  const page = { getNextPageParam: nextCursor, refetchInterval: lookAgainAtList };
  const scheduled = useInfiniteQuery(trpc.messages.listScheduled.infiniteQueryOptions({ limit: PAGE_ROWS }, page));
  const drafts = useInfiniteQuery(trpc.drafts.list.infiniteQueryOptions({ limit: PAGE_ROWS }, page));
  const isLoaded = scheduled.data !== undefined && drafts.data !== undefined;
  const [waiting, written] = [rowsOf(scheduled.data), rowsOf(drafts.data)];
  return (
    <>
      <PageHeader
        title="Outbox"
        description="Drafts and scheduled messages: they have not left yet. Agents and members write them; members can change, send and cancel them."
      />
      {(scheduled.isPending || drafts.isPending) && <TableSkeleton label="Loading the outbox" />}
      {scheduled.isLoadingError && (
        <Problem error={scheduled.error} what="The scheduled messages could not be loaded" retry={scheduled.refetch} />
      )}
      {drafts.isLoadingError && (
        <Problem error={drafts.error} what="The drafts could not be loaded" retry={drafts.refetch} />
      )}
      {isLoaded && waiting.length + written.length === 0 && (
        <EmptyState icon={IconMailClock} title="No drafts and no scheduled messages">
          A message with a time of sending waits here until then. Drafts that agents write for you to check are here
          too.
        </EmptyState>
      )}
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
