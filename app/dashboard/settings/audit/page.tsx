// The audit log: what members did, newest first, for admins and owners.
"use client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconHistory, IconLock } from "../../../design/icons.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { LoadMore, nextCursor, rowsOf } from "../../parts/load-more.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Problem } from "../../parts/problem.tsx";
import { TableSkeleton } from "../../parts/table-skeleton.tsx";
import { useMayAct } from "../../session/member.tsx";
import { useTRPC } from "../../trpc.ts";
import { AuditTable } from "./audit-table.tsx";

const PAGE_ENTRIES = 50;

export default function AuditPage() {
  const mayRead = useMayAct("admin");
  return (
    <>
      <PageHeader
        title="Audit log"
        description="What team members changed, with refused attempts. Entries are never deleted."
      />
      {mayRead ? (
        <Log />
      ) : (
        <EmptyState icon={IconLock} title="For admins and owners">
          Your role is member. Your actions are in the log too. Ask an admin or owner if you need to look something up.
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
  if (list.isPending) return <TableSkeleton label="Loading the audit log" columns={4} rows={8} />;
  if (!list.data) {
    const retry = () => void list.refetch();
    return <Problem error={list.error} what="The audit log could not be loaded" retry={retry} busy={list.isFetching} />;
  }
  if (rows.length === 0) {
    return (
      <EmptyState icon={IconHistory} title="No entries yet">
        Joins, sign-ins and every change by a member appear here. Actions of agents do not.
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
