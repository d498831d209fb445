// The allow and block lists: of the organization, or of one inbox (`?direction=receive&list=allow&inbox=`).
"use client";
import { CloseButton, Group, SegmentedControl, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { Suspense, useState } from "react";
import { IconPlus } from "../../design/icons.tsx";
import { IconBan } from "../../design/shell-icons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { Listing, nextCursor, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { setQuery } from "../parts/query-filters.ts";
import { useSearch } from "../parts/search-field.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { useTRPC, useTRPCClient } from "../trpc.ts";
import { EntryTable } from "./entry-table.tsx";
import { type Direction, type List, WORDS } from "./list-words.ts";
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
  const direction: Direction = query.get("direction") === "receive" ? "receive" : "send";
  const list: List = query.get("list") === "allow" ? "allow" : "block";
  const search = useSearch("inbox");
  const inbox = search.text;
  const [adding, setAdding] = useState(false);
  const named = { direction, list, ...(inbox && { inbox }) };
  const add = (
    <AdminButton what="change lists" leftSection={<IconPlus size={17} aria-hidden />} onClick={() => setAdding(true)}>
      Add an entry
    </AdminButton>
  );
  return (
    <>
      <PageHeader
        title="Lists"
        description="To whom your inboxes may write, and from whom they get mail. An inbox's own lists decide first."
        actions={add}
      />
      <Group className={classes.choice}>
        <SegmentedControl
          aria-label="Direction"
          data={[
            { value: "send", label: "Recipients" },
            { value: "receive", label: "Senders" },
          ]}
          value={direction}
          onChange={(value) => setQuery({ direction: value === "send" ? "" : value })}
        />
        <SegmentedControl
          aria-label="List"
          data={[
            { value: "block", label: "Blocked" },
            { value: "allow", label: "Allowed" },
          ]}
          value={list}
          onChange={(value) => setQuery({ list: value === "block" ? "" : value })}
        />
        <TextInput
          className={classes.inbox}
          aria-label="Of one inbox"
          placeholder="Of one inbox: its address"
          rightSection={
            search.typed && <CloseButton size="sm" aria-label="Show the organization's" onClick={search.clear} />
          }
          value={search.typed}
          onChange={(event) => search.setTyped(event.currentTarget.value)}
        />
      </Group>
      <Entries key={[direction, list, inbox].join()} named={named} />
      {adding && <AddEntry named={named} onClose={() => setAdding(false)} />}
    </>
  );
}

function Entries({ named }: { named: { direction: Direction; list: List; inbox?: string } }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  // Not by tRPC's options for infinite queries: they replace the input `direction` by that of the paging.
  const entries = useInfiniteQuery({
    queryKey: [...trpc.lists.pathKey(), named],
    queryFn: ({ pageParam: cursor }) =>
      client.lists.list.query({ limit: PAGE_ROWS, ...named, ...(cursor !== null && { cursor }) }),
    initialPageParam: null as string | null,
    getNextPageParam: nextCursor,
  });
  const rows = rowsOf(entries.data);
  const words = WORDS[named.direction][named.list];
  return (
    <Listing
      list={entries}
      rows={rows}
      what="entries"
      empty={
        <EmptyState icon={IconBan} title={words.empty}>
          {words.explanation}
        </EmptyState>
      }
    >
      <EntryTable named={named} entries={rows} />
    </Listing>
  );
}
