// Helpers for lists with cursor pages:
// const list = useInfiniteQuery(trpc.webhooks.list.infiniteQueryOptions({ limit: 50 }, { getNextPageParam: nextCursor
// }));
// rowsOf(list.data) are all loaded rows; <LoadMore list={list} what="webhooks" /> goes below the table.
"use client";
import { Button, Group, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { Problem } from "./problem.tsx";

export function nextCursor(page: { next_cursor: string | null }): string | null {
  return page.next_cursor;
}

export function rowsOf<Row>(data: { pages: { data: Row[] }[] } | undefined): Row[] {
  return data?.pages.flatMap((page) => page.data) ?? [];
}

type Paged = {
  data: { pages: unknown[] } | undefined;
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => unknown;
};

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

type Props = {
  list: Paged & { isFetchingNextPage: boolean; error: unknown };
  /** Plural: "webhooks". */
  what: string;
};

export function LoadMore({ list, what }: Props) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error } = list;
  const next = useNextPage(list);
  if (isFetchNextPageError) {
    return (
      <Problem error={error} what={`More ${what} could not be loaded`} retry={next.load} busy={isFetchingNextPage} />
    );
  }
  if (!hasNextPage) return null;
  const isLoading = next.isLoading || isFetchingNextPage;
  return (
    <Group justify="center" mt="md">
      <Button variant="default" onClick={next.load} loading={isLoading}>
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
