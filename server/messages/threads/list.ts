// GET /v1/threads and GET /v1/inboxes/{addr}/threads: lists threads, the one with the newest message first.
import { type SQL, sql } from "drizzle-orm";
import { messages, threads } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { readCursor } from "../../base/cursor.ts";
import { LAST_ID } from "../../base/id-range.ts";
import { readSelection } from "../../base/tenancy.ts";
import type { PageInput } from "../schema.ts";
import { type SummaryRow, summaryColumns } from "../summary.ts";
import { firstOfIndex, isSelected, listName, type Reached, scopeOf, toWalkedPage, walkFirst, walkOn } from "../walk.ts";
import { type Counts, counts, type ThreadRow } from "./find.ts";
import { COUNTED_MESSAGES } from "./schema.ts";

/** A thread in a list: its own columns and those of its newest message. */
export type ThreadSummaryRow = SummaryRow &
  Counts & { thread_subject: ThreadRow["subject"]; thread_created_at: ThreadRow["created_at"] } & {
    last_sender: { from: string; from_name: string | null } | null;
  };

const { last_message_id, subject, created_at } = threads;

/**
 * @param addr the mailbox; undefined: all mailboxes that the caller may see
 * @returns a page, which may be short, as those of messages are
 * @throws ServiceError `inbox_not_found`, `invalid_cursor`
 */
export async function listThreads(ctx: Ctx<Caller>, addr: string | undefined, { limit, cursor }: PageInput) {
  const selection = await readSelection(ctx, addr);
  const scope = await scopeOf(ctx, selection);
  const list = listName("threads", selection);
  const before = cursor === undefined ? LAST_ID : readCursor(ctx, list, cursor);
  const { id, thread_id, quarantine, direction, from_address, from_name } = messages;
  const received = sql`select json_build_object('from', from_address, 'from_name', from_name) as last_sender
    from (select ${direction}, ${from_address}, ${from_name} from ${messages}
      where ${thread_id} = ${threads.id} and ${quarantine} is null order by ${id} desc limit ${COUNTED_MESSAGES}) newest
    where direction = 'inbound' limit 1`;
  const last = sql`select ${summaryColumns} from ${messages} where ${messages.id} = ${last_message_id} limit 1`;
  const walk = {
    table: threads,
    position: last_message_id,
    ordered: firstOfIndex(scope, threads),
    lanes: scope.lanes,
    rest: isSelected(selection, threads),
    // The limits restrict each thread's lookups to its own rows.
    joins: sql`cross join lateral (${last}) last cross join ${counts()} left join lateral (${received}) received on true`,
    columns: sql`last.*, last_sender, ${subject} as thread_subject, ${created_at} as thread_created_at, message_count, unread_count`,
    run: (step: SQL) => ctx.db.execute<ThreadSummaryRow & Reached>(step),
  };
  const first = await walkFirst(walk, { before, rows: limit + 1 });
  return toWalkedPage(ctx, list, await walkOn(walk, limit + 1, first), limit);
}
