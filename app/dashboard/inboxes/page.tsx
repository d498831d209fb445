// The mailboxes of the organization: unread counts, latest message; creating and deleting them.
"use client";
import { Button, CloseButton, TextInput } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { Suspense, useEffect, useState } from "react";
import { IconPlus } from "../../design/icons.tsx";
import { IconInbox, IconSearch } from "../../design/shell-icons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { LoadMore, nextCursor, rowsOf } from "../parts/load-more.tsx";
import { lookAgainAtList } from "../parts/look-again.ts";
import { PageHeader } from "../parts/page-header.tsx";
import { Problem } from "../parts/problem.tsx";
import { setQuery } from "../parts/query-filters.ts";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { useTRPC } from "../trpc.ts";
import classes from "./inboxes.module.css";
import { NoInboxes } from "./no-inboxes.tsx";

const CreateInbox = later(() => import("./create-inbox.tsx"));
// The menus of its rows are a fifth of the script.
const InboxTable = later(
  () => import("./inbox-table.tsx"),
  () => <TableSkeleton label="Loading inboxes" columns={4} />,
);
const PAGE_INBOXES = 50;
const TYPING_MS = 250;

export default function InboxesPage() {
  return (
    <Suspense fallback={<TableSkeleton label="Loading inboxes" columns={4} />}>
      <Inboxes />
    </Suspense>
  );
}

function Inboxes() {
  const [creating, create] = useDisclosure(false);
  const parameters = useSearchParams();
  const [typed, setTyped] = useState(parameters.get("q") ?? "");
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS);
  useEffect(() => setQuery({ q }), [q]);
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.inboxes.summaries.infiniteQueryOptions(
      { limit: PAGE_INBOXES, ...(q && { q }) },
      { getNextPageParam: nextCursor, placeholderData: keepPreviousData, refetchInterval: lookAgainAtList },
    ),
  );
  const rows = rowsOf(list.data);
  const isEmpty = list.data !== undefined && rows.length === 0;

  return (
    <>
      <PageHeader
        title="Inboxes"
        description="The mailboxes that your agents and your team created."
        actions={
          <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={create.open}>
            Create inbox
          </Button>
        }
      />
      {(!isEmpty || q || typed) && (
        <TextInput
          className={classes.search}
          type="search"
          aria-label="Find an inbox"
          placeholder="Find by address or name"
          leftSection={<IconSearch size={17} aria-hidden />}
          rightSection={typed && <CloseButton size="sm" aria-label="Show all inboxes" onClick={() => setTyped("")} />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      {list.isPending && <TableSkeleton label="Loading inboxes" columns={4} />}
      {list.isError && !list.data && (
        <Problem
          error={list.error}
          what="The inboxes could not be loaded"
          retry={() => void list.refetch()}
          busy={list.isFetching}
        />
      )}
      {isEmpty && !q && <NoInboxes onCreate={create.open} />}
      {isEmpty && q && (
        <EmptyState
          icon={IconInbox}
          title="Inbox not found"
          action={
            <Button variant="default" onClick={() => setTyped("")}>
              Show all inboxes
            </Button>
          }
        >
          No inbox address or name contains “{q}”. Deleted inboxes are not searched.
        </EmptyState>
      )}
      {rows.length > 0 && <InboxTable inboxes={rows} />}
      <LoadMore list={list} what="inboxes" />
      {creating && <CreateInbox onClose={create.close} />}
    </>
  );
}
