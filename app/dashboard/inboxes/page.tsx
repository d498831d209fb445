// The mailboxes of the organization: unread counts, latest message; creating and deleting them.
"use client";
import { Button, Select } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { Suspense } from "react";
import { IconPlus } from "../../design/icons.tsx";
import { IconInbox } from "../../design/shell-icons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { Listing, PAGED, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { setQuery } from "../parts/query-filters.ts";
import { SearchField, useSearch } from "../parts/search-field.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { type Inputs, useTRPC } from "../trpc.ts";
import classes from "./inboxes.module.css";

const CreateInbox = later(() => import("./create-inbox.tsx"));
const NoInboxes = later(() => import("./no-inboxes.tsx"));
// The menus of its rows are a fifth of the script.
const InboxTable = later(
  () => import("./inbox-table.tsx"),
  () => <TableSkeleton label="Loading inboxes" columns={4} />,
);
const PAGE_INBOXES = 50;
/** The service's count stops there. */
const COUNTED = 10_000;
type Sort = NonNullable<Inputs["inboxes"]["summaries"]["sort"]>;
const SORTS: { value: Sort; label: string }[] = [
  { value: "newest", label: "Newest first" },
  { value: "address", label: "By address" },
  { value: "sent", label: "Most sent today" },
];

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
  const asked = useSearchParams().get("sort");
  const sort = SORTS.find(({ value }) => value === asked)?.value ?? "newest";
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.inboxes.summaries.infiniteQueryOptions(
      { limit: PAGE_INBOXES, sort, ...(q && { q }) },
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
        <div className={classes.filters}>
          <SearchField
            search={search}
            label="Find an inbox"
            placeholder="Find by address or name"
            clear="Show all inboxes"
          />
          <Select
            aria-label="Order"
            mb="md"
            w="11rem"
            data={SORTS}
            value={sort}
            onChange={(value) => setQuery({ sort: value === "newest" ? "" : (value ?? "") })}
            allowDeselect={false}
          />
          <Total total={list.data?.pages[0]?.total} />
        </div>
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

function Total({ total }: { total: number | null | undefined }) {
  if (typeof total !== "number") return null;
  const shown = `${total.toLocaleString("en")}${total >= COUNTED ? " or more" : ""}`;
  return (
    <p className={classes.total}>
      {shown} {total === 1 ? "inbox" : "inboxes"}
    </p>
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
