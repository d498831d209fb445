// The messages that the palette finds, in all mailboxes: the newest ones that contain the words of the text.
"use client";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { readFilters } from "../../mail/list/search.ts";
import { foundHref, NO_FILTERS } from "../../mail/place.ts";
import { shortSender } from "../../parts/short-sender.ts";
import { useTRPC } from "../../trpc.ts";

/** Longer than for names: this searches all mail, and must not delay what is found by name. */
const TYPING_MS = 300;
const CHARS_MIN = 3;
const CHARS_MAX = 200;
const SHOWN_MAX = 5;

export function useFoundMessages(text: string) {
  const trpc = useTRPC();
  const [typed] = useDebouncedValue(text, TYPING_MS);
  const filters = readFilters({ ...NO_FILTERS, q: typed.slice(0, CHARS_MAX) });
  const enabled = typed.length >= CHARS_MIN && Object.keys(filters).length > 0;
  // Words that cannot be searched, such as `-a`, find nothing.
  const search = useQuery(
    trpc.messages.search.queryOptions(
      { ...filters, limit: SHOWN_MAX },
      { enabled, retry: false, placeholderData: keepPreviousData },
    ),
  );
  const found = enabled && !search.isError ? (search.data?.data ?? []) : [];
  const threads = new Map(found.toReversed().map((message) => [message.thread_id, message]));
  const finds = [...threads.values()].toReversed().map((message) => {
    const { inbox, subject } = message;
    return {
      name: subject || "(no subject)",
      detail: `${shortSender(message)} · ${inbox}`,
      href: foundHref(message, new URLSearchParams({ q: typed }).toString()),
    };
  });
  return { finds, isLoading: typed !== text || search.isFetching };
}
