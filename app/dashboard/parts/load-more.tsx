// Helpers for lists with cursor pages:
// const list = useInfiniteQuery(trpc.webhooks.list.infiniteQueryOptions({ limit: 50 }, { getNextPageParam: nextCursor
// }));
// rowsOf(list.data) are all loaded rows; <LoadMore list={list} what="webhooks" /> goes below the table.
"use client";
import { Button, Group, Text } from "@mantine/core";
import { Problem } from "./problem.tsx";

export function nextCursor(page: { next_cursor: string | null }): string | null {
  return page.next_cursor;
}

export function rowsOf<Row>(data: { pages: { data: Row[] }[] } | undefined): Row[] {
  return data?.pages.flatMap((page) => page.data) ?? [];
}

type Props = {
  list: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: unknown;
    fetchNextPage: () => unknown;
  };
  /** Plural: "webhooks". */
  what: string;
};

export function LoadMore({ list, what }: Props) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = list;
  if (isFetchNextPageError) {
    return (
      <Problem
        error={error}
        what={`More ${what} could not be loaded`}
        retry={fetchNextPage}
        busy={isFetchingNextPage}
      />
    );
  }
  if (!hasNextPage) return null;
  return (
    <Group justify="center" mt="md">
      <Button variant="default" onClick={() => fetchNextPage()} loading={isFetchingNextPage}>
        Show more {what}
      </Button>
      {isFetchingNextPage && (
        <Text role="status" size="sm" c="dimmed">
          Reading more {what}…
        </Text>
      )}
    </Group>
  );
}
