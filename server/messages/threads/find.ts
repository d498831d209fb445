// Finds threads that a caller may see: one with its messages, or a page of a mailbox.
import type { Sql } from "postgres";
import type { Caller, Ctx } from "../../base/context.ts";
import { readCursor, toPage } from "../../base/cursor.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId } from "../../base/ids.ts";
import { findInbox } from "../../base/tenancy.ts";
import { type MessageRow, messageColumns } from "../columns.ts";
import { ensureParsed } from "../inbound/parse.ts";
import { type SummaryRow, summaryColumns } from "../list.ts";
import { COUNTED_MESSAGES } from "./schema.ts";

/** Octets of bodies in one answer, which always has at least one message. */
const BODIES_BYTES = 16 * 1024 * 1024;
const PARSES_AT_ONCE = 4;
/** Messages that are not parsed by then are shown unparsed. */
const PARSE_WAIT_MS = 5_000;

export type ThreadRow = {
  id: string;
  inbox_id: string;
  inbox: string;
  subject: string;
  last_message_id: string;
  created_at: Date;
  message_count: number;
  unread_count: number;
};
/** A thread in a list: its own columns and those of its newest message. */
export type ThreadSummaryRow = SummaryRow & {
  thread_subject: string;
  thread_created_at: Date;
  message_count: number;
  unread_count: number;
};

/** `message_count` and `unread_count` of `threads t`. */
function counts(sql: Sql) {
  return sql`lateral (
    select count(*)::int as message_count, (count(*) filter (where not read))::int as unread_count
    from (select read from messages where thread_id = t.id order by id desc limit ${COUNTED_MESSAGES}) newest) counts`;
}

/**
 * GET /v1/inboxes/{addr}/threads: lists threads, the one with the newest message first.
 * @throws ServiceError `inbox_not_found`, `invalid_cursor`
 */
export async function listThreads(
  ctx: Ctx<Caller>,
  input: { addr: string; limit: number; cursor?: string | undefined },
): Promise<{ rows: ThreadSummaryRow[]; next_cursor: string | null }> {
  const { sql } = ctx;
  const inbox = await findInbox(ctx, input.addr);
  const list = `threads:${inbox.id}`;
  const before = input.cursor === undefined ? undefined : readCursor(ctx, list, input.cursor);
  // The limits restrict each thread's lookups to its own rows.
  const rows = await sql<ThreadSummaryRow[]>`
    select last.*, t.subject as thread_subject, t.created_at as thread_created_at, message_count, unread_count
    from (select * from threads where inbox_id = ${inbox.id} ${before ? sql`and last_message_id < ${before}` : sql``}
      order by last_message_id desc limit ${input.limit + 1}) t
    cross join lateral (
      select ${summaryColumns(sql, inbox.address)} from messages where id = t.last_message_id limit 1) last
    cross join ${counts(sql)}
    order by t.last_message_id desc`;
  return toPage(ctx, list, rows, input.limit);
}

/**
 * A thread of a live mailbox that the caller may see.
 * @throws ServiceError `thread_not_found`, also if it belongs to another organization
 */
export async function findThread({ actor, sql }: Ctx<Caller>, wireId: string): Promise<ThreadRow> {
  const id = decodeId("thr", wireId);
  const [row] = id
    ? await sql<ThreadRow[]>`
        select t.id, t.inbox_id, i.address as inbox, t.subject, t.last_message_id, t.created_at, message_count, unread_count
        from threads t join inboxes i on i.id = t.inbox_id and i.status = 'live' cross join ${counts(sql)}
        where t.id = ${id} and t.organization_id = ${actor.organizationId}
          ${actor.inboxIds ? sql`and t.inbox_id = any(${actor.inboxIds as string[]})` : sql``}`
    : [];
  if (!row) throw new ServiceError("thread_not_found", "The thread does not exist.");
  return row;
}

/**
 * GET /v1/threads/{id}: returns the thread and a page of its messages: the newest page first, the messages in it oldest
 * first.
 * @throws ServiceError `thread_not_found`, `invalid_cursor`
 */
export async function readThread(
  ctx: Ctx<Caller>,
  input: { id: string; limit: number; cursor?: string | undefined },
): Promise<{ thread: ThreadRow; messages: MessageRow[]; next_cursor: string | null }> {
  const { sql } = ctx;
  const thread = await findThread(ctx, input.id);
  const list = `thread:${thread.id}`;
  const before = input.cursor === undefined ? undefined : readCursor(ctx, list, input.cursor);
  const named = await sql<{ id: string; status: string }[]>`
    select id, status from messages where thread_id = ${thread.id} ${before ? sql`and id < ${before}` : sql``}
    order by id desc limit ${input.limit + 1}`;
  const page = named.slice(0, input.limit).map(({ id }) => id);
  await parseAll(
    ctx,
    named.slice(0, input.limit).flatMap(({ id, status }) => (status === "received" ? id : [])),
  );
  const fitting = await fittingOf(sql, page);
  const { next_cursor } = toPage(ctx, list, named, fitting);
  const messages = await sql<MessageRow[]>`
    select ${messageColumns(sql)} from messages m join inboxes i on i.id = m.inbox_id
    where m.id = any(${page.slice(0, fitting)}::uuid[]) order by m.id`;
  return { thread, messages, next_cursor };
}

/** Parses a few concurrently, and waits for those already in progress. */
async function parseAll(ctx: Ctx<Caller>, ids: string[]): Promise<void> {
  const began = performance.now();
  async function slot(): Promise<void> {
    for (let id = ids.shift(); id && performance.now() - began < PARSE_WAIT_MS; id = ids.shift()) {
      await ensureParsed(ctx, id);
    }
  }
  await Promise.all(Array.from({ length: PARSES_AT_ONCE }, slot));
}

/** How many messages, from the first, fit into an answer. */
async function fittingOf(sql: Sql, ids: string[]): Promise<number> {
  const sizes = await sql<{ id: string; bytes: number }[]>`
    select id, coalesce(octet_length(text), 0) + coalesce(octet_length(html), 0) + coalesce(octet_length(safe_text), 0)
      + coalesce(octet_length(extracted_text), 0) as bytes
    from messages where id = any(${ids}::uuid[])`;
  const bytesOf = new Map(sizes.map(({ id, bytes }) => [id, bytes]));
  let sum = 0;
  const over = ids.findIndex((id, i) => {
    sum += bytesOf.get(id) ?? 0;
    return i > 0 && sum > BODIES_BYTES;
  });
  return over < 0 ? ids.length : over;
}
