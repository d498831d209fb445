// The API calls of a week, newest first: by key (`?id=akey_…`), by result, or the one of a request id that an error named (`?id=req_…`).
"use client";
import { NativeSelect } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { Suspense } from "react";
import { IconHistory } from "../../design/icons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { Listing, PAGED, rowsOf } from "../parts/listing.tsx";
import { NoMatch } from "../parts/no-match.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { setQuery } from "../parts/query-filters.ts";
import { SearchField, useSearch } from "../parts/search-field.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { type Inputs, useTRPC } from "../trpc.ts";
import classes from "./calls.module.css";

const PAGE_CALLS = 50;
const RESULTS = [
  { value: "succeeded", label: "Succeeded" },
  { value: "refused", label: "Refused (4xx)" },
  { value: "failed", label: "Failed (5xx)" },
] as const;
const CallTable = later(
  () => import("./call-table.tsx"),
  () => <TableSkeleton label="Loading API calls" columns={5} />,
);

export default function CallsPage() {
  return (
    <Suspense fallback={<TableSkeleton label="Loading API calls" columns={5} />}>
      <Calls />
    </Suspense>
  );
}

type Filters = Omit<Inputs["calls"]["list"], "limit" | "cursor">;

function Calls() {
  const parameters = useSearchParams();
  const search = useSearch("id");
  const result = RESULTS.find(({ value }) => value === parameters.get("result"))?.value;
  const id = search.text;
  const filters: Filters = {
    ...(id && (id.startsWith("akey_") ? { key: id } : { request_id: id })),
    ...(result && { result }),
  };
  return (
    <>
      <PageHeader
        title="API calls"
        description="Calls with agent keys in the last 7 days, without their content. Calls of members are in the audit log."
      />
      <search aria-label="API calls" className={classes.filters}>
        <SearchField
          search={search}
          label="Find by request or key id"
          placeholder="req_… or akey_…"
          clear="Show all calls"
        />
        <NativeSelect
          aria-label="Result"
          data={[{ value: "", label: "Every result" }, ...RESULTS]}
          value={result ?? ""}
          onChange={(event) => setQuery({ result: event.currentTarget.value })}
        />
      </search>
      <List
        filters={filters}
        onKey={search.setTyped}
        onClear={() => {
          search.clear();
          setQuery({ result: "" });
        }}
      />
    </>
  );
}

type ListProps = { filters: Filters; onKey: (key: string) => void; onClear: () => void };

function List({ filters, onKey, onClear }: ListProps) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.calls.list.infiniteQueryOptions(
      { limit: PAGE_CALLS, ...filters },
      { ...PAGED, placeholderData: keepPreviousData },
    ),
  );
  const rows = rowsOf(list.data);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Listing
      list={list}
      rows={rows}
      what="calls"
      shape={{ rows: 8 }}
      empty={<None isFiltered={isFiltered} onClear={onClear} />}
    >
      <CallTable calls={rows} onKey={onKey} />
    </Listing>
  );
}

function None({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered) {
    return (
      <EmptyState icon={IconHistory} title="No calls in the last 7 days">
        Each call with an agent key appears here about a second after its answer.
      </EmptyState>
    );
  }
  return (
    <NoMatch of="calls" onClear={onClear}>
      A call is kept for 7 days. Calls without a valid key, and calls of members, are not in this list.
    </NoMatch>
  );
}
