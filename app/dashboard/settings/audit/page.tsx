// The audit log: what members did, newest first, for admins and owners.
"use client";
import { IconHistory, IconLock } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { EmptyState } from "../../empty-state.tsx";
import { LoadMore, nextCursor, rowsOf } from "../../load-more.tsx";
import { useMayAct } from "../../member.tsx";
import { PageHeader } from "../../page-header.tsx";
import { Problem } from "../../problem.tsx";
import { TableSkeleton } from "../../table-skeleton.tsx";
import { useTRPC } from "../../trpc.ts";
import { AuditTable } from "./audit-table.tsx";

const PAGE_ENTRIES = 50;

export default function AuditPage() {
  const mayRead = useMayAct("admin");
  return (
    <>
      <PageHeader
        title="Audit log"
        description="What people of the team changed, and what they were refused. It is kept for good."
      />
      {mayRead ? (
        <Log />
      ) : (
        <EmptyState icon={IconLock} title="For admins and owners">
          You are a member. What you do here is in the log as well: ask an admin or owner when you need to look
          something up.
        </EmptyState>
      )}
    </>
  );
}

function Log() {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.team.audit.infiniteQueryOptions({ limit: PAGE_ENTRIES }, { getNextPageParam: nextCursor }),
  );
  const rows = rowsOf(list.data);
  if (list.isPending) return <TableSkeleton label="Reading the audit log" columns={4} rows={8} />;
  if (!list.data) {
    const retry = () => void list.refetch();
    return <Problem error={list.error} what="The audit log could not be read" retry={retry} busy={list.isFetching} />;
  }
  if (rows.length === 0) {
    return (
      <EmptyState icon={IconHistory} title="Nothing was changed yet">
        Joining, signing in, and whatever a member changes is written here. What agents do with their keys is not.
      </EmptyState>
    );
  }
  return (
    <>
      <AuditTable entries={rows} />
      <LoadMore list={list} what="entries" />
    </>
  );
}
