// The rows of the list: a mailbox's threads, or the search results, one row per thread.
"use client";
import { keepPreviousData, useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { lookAgainAtList, nextCursor, rowsOf } from "../../parts/listing.tsx";
import { shortRecipients, shortSender } from "../../parts/short-sender.ts";
import { type Outputs, useTRPC, useTRPCClient } from "../../trpc.ts";
import type { Filters } from "../place.ts";
import { messageState, type State } from "../status.ts";
import { readFilters } from "./search.ts";
import type { Warning } from "./warning-tag.tsx";

const PAGE_ROWS = 50;
/** A search of a large mailbox may give empty pages before the first match. So many are read for one page. */
const EMPTY_PAGES_MAX = 20;
/** Previews are loaded again until their mail is parsed, at most this often. */
const PREVIEWS_MAX = 6;
const PREVIEW_AGAIN_MS = 1_500;
/** No event says that a message was queued or that a mail server took it. */
const LOOK_AGAIN_SOON_MS = 2_000;
const LOOK_AGAIN_MS = 5_000;

type Thread = Outputs["threads"]["list"]["data"][number];
type Message = Outputs["messages"]["list"]["data"][number];
type Preview = Outputs["messages"]["previews"]["data"][number];

export type Row = {
  /** Of quarantined mail, which is in no thread yet, its own id. */
  threadId: string;
  messageId: string;
  subject: string;
  who: string;
  at: string;
  unread: boolean;
  messages: number;
  labels: string[];
  files: number;
  /** What became of sent mail. */
  state: State | undefined;
  spam: "no" | "marked" | "quarantined";
  warning: Warning | undefined;
};

function rowOf(message: Message): Omit<Row, "messages"> {
  const { direction } = message;
  return {
    threadId: message.quarantined ? message.id : message.thread_id,
    messageId: message.id,
    subject: message.subject,
    who: direction === "outbound" ? shortRecipients(message) : shortSender(message),
    at: message.received_at ?? message.created_at ?? "",
    unread: !message.read,
    labels: message.labels,
    files: message.attachment_count,
    state: messageState(message),
    spam: message.quarantined ? "quarantined" : message.spam_verdict === "spam" ? "marked" : "no",
    warning: message.warning ?? undefined,
  };
}

function threadRow({ last_message, last_sender, message_count, unread_count, subject }: Thread): Row {
  const row = rowOf(last_message);
  // A reply does not take the place of the person who wrote.
  const who = last_sender ? shortSender(last_sender) : row.who;
  return { ...row, who, subject, messages: message_count, unread: unread_count > 0 };
}

/** The newest matching message represents its thread. */
function oncePerThread(messages: Message[]): Row[] {
  const rows = new Map<string, Row>();
  for (const message of messages) {
    const row = rowOf(message);
    const known = rows.get(row.threadId);
    if (known) known.unread ||= row.unread;
    else rows.set(row.threadId, { ...row, messages: 1 });
  }
  return [...rows.values()];
}

type MessagePage = Outputs["messages"]["list"];

/** The first page from `cursor` that has messages. */
export async function filledPage(read: (cursor: string) => Promise<MessagePage>, cursor: string): Promise<MessagePage> {
  let page = await read(cursor);
  for (let pages = 1; pages < EMPTY_PAGES_MAX && page.data.length === 0 && page.next_cursor !== null; pages += 1) {
    page = await read(page.next_cursor);
  }
  return page;
}

/** Whether the list shows mail that is being sent. */
function isOnItsWay(loaded: { pages: Outputs["threads"]["list"][] } | undefined): boolean {
  const shown = rowsOf(loaded).map(({ last_message }) => last_message.status);
  return shown.some((status) => status === "queued" || status === "sending");
}

export function useThreadRows(inbox: string, filters: Filters) {
  const { q, show, label } = filters;
  const trpc = useTRPC();
  const client = useTRPCClient();
  const filtered = q !== "" || show !== "all" || label !== "";
  const wanted = { addr: inbox, limit: PAGE_ROWS };
  const threads = useInfiniteQuery(
    trpc.threads.list.infiniteQueryOptions(wanted, {
      getNextPageParam: nextCursor,
      enabled: !filtered,
      refetchInterval: ({ state }) =>
        isOnItsWay(state.data) ? LOOK_AGAIN_SOON_MS : lookAgainAtList({ state }) && LOOK_AGAIN_MS,
    }),
  );
  const search = { ...wanted, ...readFilters(filters) };
  // Not infiniteQueryOptions: tRPC would add its own `direction` (forward), which here means inbound or outbound.
  const messages = useInfiniteQuery({
    queryKey: trpc.messages.list.infiniteQueryKey(search),
    queryFn: ({ pageParam }) =>
      filledPage((cursor) => client.messages.list.query({ ...search, ...(cursor && { cursor }) }), pageParam),
    initialPageParam: "",
    getNextPageParam: nextCursor,
    enabled: filtered,
    placeholderData: keepPreviousData,
    // No event says that mail is in quarantine.
    refetchInterval: show === "quarantine" ? LOOK_AGAIN_MS : false,
  });
  const pages: Message[][] = filtered
    ? (messages.data?.pages.map(({ data }) => data) ?? [])
    : (threads.data?.pages.map(({ data }) => data.map(({ last_message }) => last_message)) ?? []);
  const previews = usePreviews(pages);
  return filtered
    ? { list: messages, rows: oncePerThread(rowsOf(messages.data)), filtered, previews }
    : { list: threads, rows: rowsOf(threads.data).map(threadRow), filtered, previews };
}

/** The previews of each loaded page, by message. */
export function usePreviews(pages: Message[][]): ReadonlyMap<string, Preview> {
  const trpc = useTRPC();
  return useQueries({
    queries: pages
      .filter((page) => page.length > 0)
      .map((page) =>
        trpc.messages.previews.queryOptions(
          { ids: page.map(({ id }) => id) },
          {
            placeholderData: keepPreviousData,
            staleTime: Number.POSITIVE_INFINITY,
            refetchInterval: ({ state }) =>
              page.some(({ status }) => status === "received") && state.dataUpdateCount < PREVIEWS_MAX
                ? PREVIEW_AGAIN_MS
                : false,
          },
        ),
      ),
    combine: (loaded) => new Map(loaded.flatMap(({ data }) => data?.data ?? []).map((each) => [each.id, each])),
  });
}
