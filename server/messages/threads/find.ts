// Finds a thread that a caller may see, with its messages.
import { setTimeout as delay } from "node:timers/promises";
import { and, desc, eq, isNull, lt, sql } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { inboxes, messages, threads } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { readCursor, toPage } from "../../base/cursor.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId } from "../../base/ids.ts";
import { canBeRead, ensureParsed } from "../../receiving/parse.ts";
import { isOwn, type MessageRow } from "../columns.ts";
import { COUNTED_MESSAGES } from "./schema.ts";

/** Octets of bodies in one answer, which always has at least one message. */
const BODIES_BYTES = 16 * 1024 * 1024;
const PARSES_MAX = 4;
/** Messages that are not parsed by then are shown unparsed. */
const PARSE_WAIT_MS = 5_000;

export type Counts = { message_count: number; unread_count: number };
export type ThreadRow = Omit<typeof threads.$inferSelect, "organization_id"> & Counts & Pick<MessageRow, "inbox">;
/** `message_count` and `unread_count` of a row of `threads`. */
export function counts() {
  return sql`lateral (
    select count(*)::int as message_count, (count(*) filter (where not read))::int as unread_count
    from (select ${messages.read} from ${messages} where ${messages.thread_id} = ${threads.id} and ${messages.quarantine} is null
      order by ${messages.id} desc limit ${COUNTED_MESSAGES}) newest) counts`;
}

/**
 * A thread of a live mailbox that the caller may see.
 * @throws ServiceError `thread_not_found`, also if it belongs to another organization
 */
export async function findThread(ctx: Ctx<Caller>, wireId: string): Promise<ThreadRow> {
  const id = decodeId("thr", wireId);
  const [row] = id
    ? await ctx.db.execute<ThreadRow>(sql`
        select ${threads.id}, ${threads.inbox_id}, ${inboxes.address} as inbox, ${threads.subject}, ${threads.last_message_id},
          ${threads.created_at}, message_count, unread_count
        from ${threads} join ${inboxes} on ${inboxes.id} = ${threads.inbox_id} and ${inboxes.status} = 'live'
        cross join ${counts()}
        where ${and(eq(threads.id, id), isOwn(ctx, threads))}`)
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
  input: { id: string; limit: number; cursor?: string | undefined; include_spam?: boolean | undefined },
): Promise<{ thread: ThreadRow; messages: MessageRow[]; next_cursor: string | null }> {
  const thread = await findThread(ctx, input.id);
  const list = `thread:${thread.id}${input.include_spam ? ":spam" : ""}`;
  const before = input.cursor === undefined ? undefined : lt(messages.id, readCursor(ctx, list, input.cursor));
  const named = await ctx.db
    .select({ id: messages.id, status: messages.status, reading: messages.reading })
    .from(messages)
    .where(and(eq(messages.thread_id, thread.id), before, input.include_spam ? undefined : isNull(messages.quarantine)))
    .orderBy(desc(messages.id))
    .limit(input.limit + 1);
  const page = named.slice(0, input.limit).map(({ id }) => id);
  await parseAll(
    ctx,
    named.slice(0, input.limit).flatMap((each) => (canBeRead(each) ? [] : each.id)),
  );
  const fitting = await fittingOf(ctx, page);
  const { next_cursor } = toPage(ctx, list, named, fitting);
  const { organizationId } = ctx.actor;
  const shown = await ctx.messageStatements.page.execute({ ids: page.slice(0, fitting), organizationId });
  return { thread, messages: shown, next_cursor };
}

/** Parses a few concurrently, and waits for those already in progress; after the time, the rest goes on without this caller. */
export async function parseAll(ctx: Ctx<Caller>, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const left = ids.values();
  const ended = new AbortController();
  async function slot(): Promise<void> {
    for (const id of left) {
      if (ended.signal.aborted) return;
      await ensureParsed(ctx, id);
    }
  }
  const timeUp = delay(PARSE_WAIT_MS, undefined, { signal: ended.signal }).catch(() => undefined);
  try {
    await ctx.outOfTurn(() => Promise.race([Promise.all(Array.from({ length: PARSES_MAX }, slot)), timeUp]));
  } finally {
    ended.abort();
  }
}

/** How many messages, from the first, fit into an answer. */
async function fittingOf({ db }: Ctx<Caller>, ids: string[]): Promise<number> {
  const { text, html, safe_text, extracted_text } = messages;
  const bytes = sql`coalesce(octet_length(${text}), 0) + coalesce(octet_length(${html}), 0)
    + coalesce(octet_length(${safe_text}), 0) + coalesce(octet_length(${extracted_text}), 0)`.mapWith(Number);
  const sizes = await db.select({ id: messages.id, bytes }).from(messages).where(anyOf(messages.id, ids));
  const bytesOf = new Map(sizes.map((row) => [row.id, row.bytes]));
  let sum = 0;
  const firstTooLarge = ids.findIndex((id, i) => {
    sum += bytesOf.get(id) ?? 0;
    return i > 0 && sum > BODIES_BYTES;
  });
  return firstTooLarge < 0 ? ids.length : firstTooLarge;
}
