// The rows of the list: a mailbox's threads, or the search results, one row per thread.
"use client";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { nextCursor, rowsOf } from "../../parts/load-more.tsx";
import { type Outputs, useTRPC, useTRPCClient } from "../../trpc.ts";

const PAGE_ROWS = 30;
/** A search of a large mailbox may give empty pages before the first match. So many are read for one page. */
const EMPTY_PAGES_MAX = 20;

export type Filters = { q: string; unread: boolean; label: string };
type Thread = Outputs["threads"]["list"]["data"][number];
type Message = Outputs["messages"]["list"]["data"][number];

export type Row = {
  threadId: string;
  subject: string;
  who: string;
  at: string;
  unread: boolean;
  messages: number;
  labels: string[];
  files: number;
  /** Why sent mail did not arrive. */
  problem: string | undefined;
};

const PROBLEMS: Record<string, string> = {
  failed: "Not sent",
  bounced: "Bounced",
  complained: "Reported as spam",
  suppressed: "Suppressed",
};

function isSet({ q, unread, label }: Filters): boolean {
  return q !== "" || unread || label !== "";
}

function rowOf(message: Message): Omit<Row, "messages"> {
  const { direction, from, from_name, to } = message;
  return {
    threadId: message.thread_id,
    subject: message.subject,
    who: direction === "outbound" ? `To ${to.join(", ") || "nobody"}` : (from_name ?? from),
    at: message.received_at ?? message.created_at ?? "",
    unread: !message.read,
    labels: message.labels,
    files: message.attachment_count,
    problem: PROBLEMS[message.status],
  };
}

function threadRow({ last_message, message_count, unread_count, subject }: Thread): Row {
  return { ...rowOf(last_message), subject, messages: message_count, unread: unread_count > 0 };
}

/** The newest matching message represents its thread. */
function oncePerThread(messages: Message[]): Row[] {
  const rows = new Map<string, Row>();
  for (const message of messages) {
    const known = rows.get(message.thread_id);
    if (known) known.unread ||= !message.read;
    else rows.set(message.thread_id, { ...rowOf(message), messages: 1 });
  }
  return [...rows.values()];
}

type MessagePage = Outputs["messages"]["list"];

/** The first page from `cursor` that has messages. */
async function filledPage(read: (cursor: string) => Promise<MessagePage>, cursor: string): Promise<MessagePage> {
  let page = await read(cursor);
  for (let pages = 1; pages < EMPTY_PAGES_MAX && page.data.length === 0 && page.next_cursor !== null; pages += 1) {
    page = await read(page.next_cursor);
  }
  return page;
}

export function useThreadRows(inbox: string, filters: Filters) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const filtered = isSet(filters);
  const { q, unread, label } = filters;
  const wanted = { addr: inbox, limit: PAGE_ROWS };
  const threads = useInfiniteQuery(
    trpc.threads.list.infiniteQueryOptions(wanted, { getNextPageParam: nextCursor, enabled: !filtered }),
  );
  const search = { ...wanted, ...(q && { q }), ...(unread && { unread }), ...(label && { label }) };
  // Not infiniteQueryOptions: tRPC would add its own `direction` (forward), which here means inbound or outbound.
  const messages = useInfiniteQuery({
    queryKey: trpc.messages.list.infiniteQueryKey(search),
    queryFn: ({ pageParam }) =>
      filledPage((cursor) => client.messages.list.query({ ...search, ...(cursor && { cursor }) }), pageParam),
    initialPageParam: "",
    getNextPageParam: nextCursor,
    enabled: filtered,
    placeholderData: keepPreviousData,
  });
  return filtered
    ? { list: messages, rows: oncePerThread(rowsOf(messages.data)), filtered }
    : { list: threads, rows: rowsOf(threads.data).map(threadRow), filtered };
}
