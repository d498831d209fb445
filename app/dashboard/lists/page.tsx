// The allow and block lists of the organization and of its inboxes, all entries together (`?list=receive:block&inbox=` a part of an
// entry or of an inbox).
"use client";
import { NativeSelect } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { Suspense, useState } from "react";
import { IconFilterOff, IconPlus } from "../../design/icons.tsx";
import { IconBan } from "../../design/shell-icons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { Listing, nextCursor, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { setQuery } from "../parts/query-filters.ts";
import { SearchField, useSearch } from "../parts/search-field.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { useTRPC, useTRPCClient } from "../trpc.ts";
import { EntryTable } from "./entry-table.tsx";
import { LISTS, type Named } from "./list-words.ts";
import classes from "./lists.module.css";

const PAGE_ROWS = 50;
const AddEntry = later(() => import("./add-entry.tsx"));

export default function ListsPage() {
  return (
    <Suspense fallback={<TableSkeleton label="Loading lists" />}>
      <Lists />
    </Suspense>
  );
}

function Lists() {
  const query = useSearchParams();
  const chosen = query.get("list") ?? "";
  const list = chosen in LISTS ? chosen : "";
  const search = useSearch("inbox");
  const [adding, setAdding] = useState(false);
  return (
    <>
      <PageHeader
        title="Lists"
        description="To whom your inboxes may write, and from whom they get mail. An inbox's own lists decide first."
        actions={
          <AdminButton
            what="change lists"
            leftSection={<IconPlus size={17} aria-hidden />}
            onClick={() => setAdding(true)}
          >
            Add an entry
          </AdminButton>
        }
      />
      <div className={classes.filters}>
        <SearchField
          search={search}
          label="Find an entry"
          placeholder="Part of an entry or of an inbox"
          clear="Show all entries"
        />
        <NativeSelect
          aria-label="List"
          mb="md"
          data={[
            { value: "", label: "All lists" },
            ...Object.entries(LISTS).map(([value, { name }]) => ({ value, label: `${name}s` })),
          ]}
          value={list}
          onChange={(event) => setQuery({ list: event.currentTarget.value })}
        />
      </div>
      <Entries list={list} part={search.text} />
      {adding && <AddEntry first={list} onClose={() => setAdding(false)} />}
    </>
  );
}

function Entries({ list, part }: { list: string; part: string }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [direction, name] = list.split(":") as [Named["direction"] | "", Named["list"] | undefined];
  const filters = { ...(direction && name && { direction, list: name }), ...(part && { contains: part }) };
  // Not by tRPC's options for infinite queries: they replace the input `direction` by that of the paging.
  const entries = useInfiniteQuery({
    queryKey: [...trpc.lists.pathKey(), filters],
    queryFn: ({ pageParam: cursor }) =>
      client.lists.all.query({ limit: PAGE_ROWS, ...filters, ...(cursor !== null && { cursor }) }),
    initialPageParam: null as string | null,
    getNextPageParam: nextCursor,
    placeholderData: keepPreviousData,
  });
  const rows = rowsOf(entries.data);
  const isFiltered = list !== "" || part !== "";
  return (
    <Listing
      list={entries}
      rows={rows}
      what="entries"
      empty={
        isFiltered ? (
          <EmptyState icon={IconFilterOff} title="No such entries">
            No entry of the lists matches.
          </EmptyState>
        ) : (
          <EmptyState icon={IconBan} title="No entries">
            Your inboxes may write to everybody and get mail from everybody. Add addresses or domains to block, or the
            only ones to allow.
          </EmptyState>
        )
      }
    >
      <EntryTable entries={rows} />
    </Listing>
  );
}
