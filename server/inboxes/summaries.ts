// Lists mailboxes for the dashboard: with unread counts and the latest message.
import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import type { Ctx, Member } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { encodeId } from "../base/ids.ts";
import { findInbox } from "../base/tenancy.ts";
import { COUNTED_UNREAD, type SummariesInput } from "./schema.ts";

/** A part of an address is searched in so many of the newest mailboxes; a whole address in all. */
const SEARCHED_INBOXES = 20_000;

type MessageRow = typeof messages.$inferSelect;
/** `last_id` null: the mailbox has no message. */
type SummaryRow = Pick<typeof inboxes.$inferSelect, "id" | "address" | "display_name" | "catch_all" | "created_at"> & {
  unread: number;
  last_id: MessageRow["id"] | null;
  last_direction: MessageRow["direction"];
  last_from: MessageRow["from_address"];
  last_from_name: MessageRow["from_name"];
  last_subject: MessageRow["subject"];
  last_at: MessageRow["created_at"];
};

/**
 * Newest first.
 * @throws ServiceError `invalid_cursor`, `inbox_not_found` for `addr`
 */
export async function summarizeInboxes(ctx: Ctx<Member>, { limit, cursor, q, addr }: SummariesInput) {
  const { actor } = ctx;
  const one = addr === undefined ? undefined : await findInbox(ctx, addr);
  const part = q?.toLowerCase() ?? "";
  const list = `inbox-summaries:${actor.organizationId}:${one?.id ?? ""}:${part}`;
  const isMine = and(
    eq(inboxes.organization_id, actor.organizationId),
    asInIndex(eq(inboxes.status, "live")),
    one && eq(inboxes.id, one.id),
    cursor === undefined ? undefined : lt(inboxes.id, readCursor(ctx, list, cursor)),
  );
  const rows = await selectSummaries(ctx, isMine, part, limit + 1);
  const page = toPage(ctx, list, rows, limit);
  return { data: page.rows.map(summaryView), next_cursor: page.next_cursor };
}

function selectSummaries({ db }: Ctx<Member>, isMine: SQL | undefined, part: string, limit: number) {
  const newest = sql`select * from ${inboxes} where ${isMine} order by ${inboxes.id} desc`;
  const found = sql`
    (select * from (${newest} limit ${SEARCHED_INBOXES}) searched where strpos(address, ${part}) > 0
      or strpos(lower(display_name), ${part}) > 0)
    union (select * from ${inboxes} where ${eq(inboxes.address, part)} and ${isMine})`;
  const { id, inbox_id, direction, from_address, from_name, subject, created_at, read, quarantine } = messages;
  // The limits restrict each mailbox's lookups to its own rows.
  return db.execute<SummaryRow>(sql`
    select i.id, i.address, i.display_name, i.catch_all, i.created_at, unread, last.*
    from (select * from (${part === "" ? newest : found}) found order by id desc limit ${limit}) i
    cross join lateral (
      select count(*)::int as unread
      from (select 1 from ${messages} where ${inbox_id} = i.id and not ${read} and ${quarantine} is null limit ${COUNTED_UNREAD}) counted) unread
    left join lateral (
      select ${id} as last_id, ${direction} as last_direction, ${from_address} as last_from,
        ${from_name} as last_from_name, ${subject} as last_subject, ${created_at} as last_at
      from ${messages} where ${inbox_id} = i.id and ${quarantine} is null order by ${id} desc limit 1) last on true
    order by i.id desc`);
}

function summaryView(row: SummaryRow) {
  return {
    id: encodeId("inb", row.id),
    address: row.address,
    display_name: row.display_name,
    catch_all: row.catch_all,
    created_at: row.created_at.toISOString(),
    unread: row.unread,
    last_message:
      row.last_id === null
        ? null
        : {
            id: encodeId("msg", row.last_id),
            direction: row.last_direction,
            from: row.last_from,
            from_name: row.last_from_name,
            subject: row.last_subject,
            at: row.last_at.toISOString(),
          },
  };
}
