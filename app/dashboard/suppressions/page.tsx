// The suppressed addresses: searching by a part (`?address=`), adding and lifting them.
"use client";
import { Button } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useState } from "react";
import { IconFilterOff, IconPlus } from "../../design/icons.tsx";
import { IconMailOff } from "../../design/shell-icons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { Listing, PAGED, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { SearchField, useSearch } from "../parts/search-field.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { useTRPC } from "../trpc.ts";

const PAGE_ROWS = 50;
const SuppressionTable = later(
  () => import("./suppression-table.tsx"),
  () => <TableSkeleton label="Loading suppressions" />,
);
const AddSuppression = later(() => import("./add-suppression.tsx"));

export default function SuppressionsPage() {
  return (
    <Suspense fallback={<TableSkeleton label="Loading suppressions" />}>
      <Suppressions />
    </Suspense>
  );
}

function Suppressions() {
  const trpc = useTRPC();
  const [adding, setAdding] = useState(false);
  const search = useSearch("address");
  const address = search.text;
  const list = useInfiniteQuery(
    trpc.suppressions.list.infiniteQueryOptions(
      { limit: PAGE_ROWS, ...(address && { contains: address }) },
      { ...PAGED, placeholderData: keepPreviousData },
    ),
  );
  const rows = rowsOf(list.data);
  const isEmpty = list.data !== undefined && rows.length === 0;
  const add = (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={() => setAdding(true)}>
      Suppress an address
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Suppressions"
        description="Addresses that your inboxes do not send to. Permanent bounces and spam reports add them."
        actions={(!isEmpty || search.typed) && add}
      />
      {(!isEmpty || search.typed) && (
        <SearchField
          search={search}
          label="Find an address"
          placeholder="Part of an address"
          clear="Show all addresses"
        />
      )}
      <Listing
        list={list}
        rows={rows}
        what="suppressions"
        empty={address ? <NotFound address={address} onClear={search.clear} /> : <NoSuppressions action={add} />}
      >
        <SuppressionTable suppressions={rows} />
      </Listing>
      {adding && <AddSuppression onClose={() => setAdding(false)} />}
    </>
  );
}

function NoSuppressions({ action }: { action: ReactNode }) {
  return (
    <EmptyState icon={IconMailOff} title="No suppressed addresses" action={action}>
      When mail to an address bounces permanently, or its owner reports it as spam, the address appears here, and sends
      to it are refused. That protects the reputation of your domain.
    </EmptyState>
  );
}

function NotFound({ address, onClear }: { address: string; onClear: () => void }) {
  const all = (
    <Button variant="default" onClick={onClear}>
      Show all addresses
    </Button>
  );
  return (
    <EmptyState icon={IconFilterOff} title="Not suppressed" action={all}>
      No suppressed address contains “{address}”.
    </EmptyState>
  );
}
