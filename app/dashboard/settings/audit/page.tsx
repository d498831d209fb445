// The audit log: what members and agents did and what was refused, newest first, for admins and owners; with filters and export.
"use client";
import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { IconDownload, IconHistory, IconLock } from "../../../design/icons.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { later } from "../../parts/later.ts";
import { Listing, nextCursor, rowsOf } from "../../parts/listing.tsx";
import { NoMatch } from "../../parts/no-match.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { TableSkeleton } from "../../parts/table-skeleton.tsx";
import { useMayAct } from "../../session/member.tsx";
import { useTRPC } from "../../trpc.ts";
import { AuditFilters, clearFilters, useAuditFilters } from "./audit-filters.tsx";
import { AuditTable } from "./audit-table.tsx";

// Its menu is a sixth of the script.
const ExportAudit = later(
  () => import("./export-audit.tsx"),
  () => (
    <Button variant="default" leftSection={<IconDownload size={17} aria-hidden />} disabled>
      Export
    </Button>
  ),
);
const PAGE_ENTRIES = 50;

export default function AuditPage() {
  const mayRead = useMayAct("admin");
  if (!mayRead) {
    return (
      <>
        <PageHeader title="Audit log" />
        <EmptyState icon={IconLock} title="For admins and owners">
          Your role is member. Your actions are in the log too. Ask an admin or owner if you need to look something up.
        </EmptyState>
      </>
    );
  }
  return (
    <Suspense fallback={<TableSkeleton label="Loading the audit log" columns={4} rows={8} />}>
      <Log />
    </Suspense>
  );
}

function Log() {
  const filters = useAuditFilters();
  return (
    <>
      <PageHeader
        title="Audit log"
        description="What members and agents changed, sign-ins, and what was refused to members. Reading is not in the log. Changes by agents are kept for 30 days, unless the operator set another time."
        actions={<ExportAudit filters={filters} />}
      />
      <AuditFilters />
      <Entries filters={filters} />
    </>
  );
}

function Entries({ filters }: { filters: ReturnType<typeof useAuditFilters> }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.team.audit.infiniteQueryOptions({ ...filters, limit: PAGE_ENTRIES }, { getNextPageParam: nextCursor }),
  );
  const rows = rowsOf(list.data);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Listing list={list} rows={rows} what="entries" shape={{ rows: 8 }} empty={<None isFiltered={isFiltered} />}>
      <AuditTable entries={rows} />
    </Listing>
  );
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <EmptyState icon={IconHistory} title="No entries yet">
        Joins, sign-ins and every change by a member or an agent appear here.
      </EmptyState>
    );
  }
  return (
    <NoMatch of="entries" onClear={clearFilters}>
      No entry has this text, person, kind, result and time. Changes by agents are kept for 30 days, unless the operator
      set another time.
    </NoMatch>
  );
}
