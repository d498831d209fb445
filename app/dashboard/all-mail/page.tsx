// Mail of all inboxes, received and sent, newest first, with filters.
"use client";
import { Button } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { Suspense } from "react";
import { IconFilterOff, IconMailOpened } from "../../design/icons.tsx";
import { filledPage, usePreviews } from "../mail/list/thread-rows.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { describeFailure } from "../parts/failure.ts";
import { later } from "../parts/later.ts";
import { Listing, PAGED, rowsOf } from "../parts/listing.tsx";
import { NoMatch } from "../parts/no-match.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { useReadAfterEvents } from "../session/team-events.ts";
import { useTRPC, useTRPCClient } from "../trpc.ts";
import { clearFilters, type Filters, MailFilters, useMailFilters } from "./mail-filters.tsx";

const PAGE_ROWS = 50;
const MailTable = later(
  () => import("./mail-table.tsx"),
  () => <TableSkeleton label="Loading mail" columns={5} />,
);

export default function AllMailPage() {
  return (
    <Suspense fallback={<TableSkeleton label="Loading mail" columns={5} />}>
      <AllMail />
    </Suspense>
  );
}

function AllMail() {
  const filters = useMailFilters();
  return (
    <>
      <PageHeader title="All mail" description="What all inboxes received and sent, the newest first." />
      <MailFilters />
      <Messages filters={filters} />
    </>
  );
}

function Messages({ filters }: { filters: Filters }) {
  const search = useSearchParams().toString();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const wanted = { limit: PAGE_ROWS, ...filters };
  // Not infiniteQueryOptions: tRPC would add its own `direction` (forward), which here means inbound or outbound.
  const list = useInfiniteQuery({
    queryKey: trpc.messages.search.infiniteQueryKey(wanted),
    queryFn: ({ pageParam }) =>
      filledPage((cursor) => client.messages.search.query({ ...wanted, ...(cursor && { cursor }) }), pageParam),
    initialPageParam: "",
    placeholderData: keepPreviousData,
    ...PAGED,
  });
  useReadAfterEvents([trpc.messages.search.pathFilter()]);
  const previews = usePreviews(list.data?.pages.map(({ data }) => data) ?? []);
  const rows = rowsOf(list.data);
  const unknown = list.error ? describeFailure(list.error).issues.q : undefined;
  if (unknown !== undefined) return <Unreadable what={unknown} />;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Listing
      list={list}
      rows={rows}
      what="messages"
      shape={{ columns: 5, rows: 8 }}
      empty={<None isFiltered={isFiltered} />}
    >
      <MailTable messages={rows} previews={previews} search={search} />
    </Listing>
  );
}

/** A search with an operator that does not exist, or with a value that it does not take. */
function Unreadable({ what }: { what: string }) {
  return (
    <div role="alert">
      <EmptyState
        icon={IconFilterOff}
        title="The search cannot be read"
        action={
          <Button variant="default" onClick={clearFilters}>
            Show all mail
          </Button>
        }
      >
        {what}.
      </EmptyState>
    </div>
  );
}

function None({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <EmptyState icon={IconMailOpened} title="No mail yet">
        What an inbox receives or sends appears here. Deleted mail is in the trash, and spam in quarantine under State.
      </EmptyState>
    );
  }
  return (
    <NoMatch of="mail" onClear={clearFilters}>
      No message matches every filter.
    </NoMatch>
  );
}
