// The mailboxes of the organization: unread counts, latest message; creating and deleting them.
"use client";
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { IconPlus } from "../../design/icons.tsx";
import { IconInbox } from "../../design/shell-icons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { Listing, PAGED, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { SearchField, useSearch } from "../parts/search-field.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { useTRPC } from "../trpc.ts";
import { NoInboxes } from "./no-inboxes.tsx";

const CreateInbox = later(() => import("./create-inbox.tsx"));
// The menus of its rows are a fifth of the script.
const InboxTable = later(
  () => import("./inbox-table.tsx"),
  () => <TableSkeleton label="Loading inboxes" columns={4} />,
);
const PAGE_INBOXES = 50;

export default function InboxesPage() {
  return (
    <Suspense fallback={<TableSkeleton label="Loading inboxes" columns={4} />}>
      <Inboxes />
    </Suspense>
  );
}

function Inboxes() {
  const [creating, create] = useDisclosure(false);
  const search = useSearch("q");
  const q = search.text;
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.inboxes.summaries.infiniteQueryOptions(
      { limit: PAGE_INBOXES, ...(q && { q }) },
      { ...PAGED, placeholderData: keepPreviousData },
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
      {(!isEmpty || q || search.typed) && (
        <SearchField
          search={search}
          label="Find an inbox"
          placeholder="Find by address or name"
          clear="Show all inboxes"
        />
      )}
      <Listing
        list={list}
        rows={rows}
        what="inboxes"
        empty={q ? <NotFound q={q} onClear={search.clear} /> : <NoInboxes onCreate={create.open} />}
      >
        <InboxTable inboxes={rows} />
      </Listing>
      {creating && <CreateInbox onClose={create.close} />}
    </>
  );
}

function NotFound({ q, onClear }: { q: string; onClear: () => void }) {
  const all = (
    <Button variant="default" onClick={onClear}>
      Show all inboxes
    </Button>
  );
  return (
    <EmptyState icon={IconInbox} title="Inbox not found" action={all}>
      No inbox address or name contains “{q}”. Deleted inboxes are not searched.
    </EmptyState>
  );
}
