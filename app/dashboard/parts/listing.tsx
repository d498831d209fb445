// <Listing>: a list of the service with its states: a skeleton while it loads, what happened if that failed, what to do if
// it is empty, its rows, and a button for the next page. It takes a query of pages, or one that has all rows:
// const list = useInfiniteQuery(trpc.keys.list.infiniteQueryOptions({ limit: 50 }, PAGED));
// const rows = rowsOf(list.data);
// <Listing list={list} rows={rows} what="keys" empty={<EmptyState … />}><DataTable rows={rows} … /></Listing>
"use client";
import { Button, Group, Text, VisuallyHidden } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Problem } from "./problem.tsx";
import { type Query, Unloaded } from "./unloaded.tsx";

/** How often a page reads its data again where no event says that it changed. Only while the page is visible. */
export const LOOK_AGAIN_MS = 15_000;
/** Each reading loads all pages of a list again. */
const LOOK_AGAIN_PAGES_MAX = 2;

export function nextCursor(page: { next_cursor: string | null }): string | null {
  return page.next_cursor;
}

export function rowsOf<Row>(data: { pages: { data: Row[] }[] } | undefined): Row[] {
  return data?.pages.flatMap((page) => page.data) ?? [];
}

/** For `refetchInterval` of a list that loads more rows on request. */
export function lookAgainAtList({ state }: { state: { data: { pages: unknown[] } | undefined } }): number | false {
  return (state.data?.pages.length ?? 0) <= LOOK_AGAIN_PAGES_MAX ? LOOK_AGAIN_MS : false;
}

/** Options of a list that is read again while it is short. */
export const PAGED = { getNextPageParam: nextCursor, refetchInterval: lookAgainAtList };

type Paged = {
  data: { pages: unknown[] } | undefined;
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => unknown;
};
type Pages = Query & Paged & { isFetchingNextPage: boolean };
type ListingProps = {
  list: Pages | (Query & { hasNextPage?: never });
  rows: unknown[];
  /** Plural: "webhooks". */
  what: string;
  empty: ReactNode;
  /** The columns and rows of the skeleton. */
  shape?: { columns?: number; rows?: number };
  children: ReactNode;
};

export function Listing({ list, rows, what, empty, shape, children }: ListingProps) {
  if (list.data === undefined) return <Unloaded query={list} what={what} {...shape} />;
  return (
    <>
      {/* Read out when a search, a filter or the next page changes it. */}
      <VisuallyHidden role="status">
        {what}: {rows.length || "none"} shown
      </VisuallyHidden>
      {rows.length > 0 ? children : !list.hasNextPage && empty}
      {list.hasNextPage !== undefined && <LoadMore list={list} what={what} />}
    </>
  );
}
/**
 * The next page of a list, for a button. A refresh of the list, as after an event, cancels a page that is being loaded: it is
 * then asked for again, so that no press is lost.
 */
export function useNextPage({ data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage }: Paged) {
  const loaded = data?.pages.length ?? 0;
  const [wanted, setWanted] = useState(0);
  const isLoading = hasNextPage && loaded < wanted && !isFetchNextPageError;
  const isCancelled = isLoading && !isFetching;
  useEffect(() => {
    if (isCancelled) void fetchNextPage();
  }, [isCancelled, fetchNextPage]);
  return {
    isLoading,
    load() {
      setWanted(loaded + 1);
      void fetchNextPage();
    },
  };
}

export function LoadMore({ list, what }: { list: Pages; what: string }) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error } = list;
  const next = useNextPage(list);
  const end = useRef<HTMLParagraphElement>(null);
  const isAtEnd = !hasNextPage && (list.data?.pages.length ?? 0) > 1;
  // The button had the focus, and is gone.
  useEffect(() => {
    if (isAtEnd && document.activeElement === document.body) end.current?.focus({ preventScroll: true });
  }, [isAtEnd]);
  if (isFetchNextPageError) {
    return (
      <Problem error={error} what={`More ${what} could not be loaded`} retry={next.load} busy={isFetchingNextPage} />
    );
  }
  if (isAtEnd) {
    return (
      <Text ref={end} tabIndex={-1} size="sm" c="dimmed" ta="center" mt="md">
        These are all {what}.
      </Text>
    );
  }
  if (!hasNextPage) return null;
  const isLoading = next.isLoading || isFetchingNextPage;
  // Not `disabled`, with which the button would lose the focus.
  return (
    <Group justify="center" mt="md">
      <Button
        variant="default"
        data-disabled={isLoading || undefined}
        aria-disabled={isLoading}
        onClick={() => !isLoading && next.load()}
      >
        Show more {what}
      </Button>
      {isLoading && (
        <Text role="status" size="sm" c="dimmed">
          Reading more {what}…
        </Text>
      )}
    </Group>
  );
}
