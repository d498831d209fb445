// GET /v1/trash: lists deleted mail, the last deleted first.
import { and, desc, eq, lt, sql } from "drizzle-orm";
import { inboxes, trashedMessages } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { encodeCursor, readCursor } from "../../base/cursor.ts";
import { findInbox } from "../../base/tenancy.ts";
import { isOwn } from "../columns.ts";
import type { PageInput } from "../schema.ts";
import { beginningOf } from "../summary.ts";

/**
 * @param addr the mailbox; undefined: all mailboxes that the caller may see
 * @throws ServiceError `inbox_not_found`, `invalid_cursor`
 */
export async function listTrash(ctx: Ctx<Caller>, addr: string | undefined, { limit, cursor }: PageInput) {
  const inbox = addr === undefined ? undefined : await findInbox(ctx, addr);
  const { organizationId } = ctx.actor;
  const list = `trash:${organizationId}:${inbox?.id ?? ""}`;
  const { trash_id, inbox_id, attachments, deleted_at } = trashedMessages;
  const found = await ctx.db
    .select({
      id: trashedMessages.id,
      trash_id,
      thread_id: trashedMessages.thread_id,
      inbox: inboxes.address,
      direction: trashedMessages.direction,
      from_address: trashedMessages.from_address,
      from_name: trashedMessages.from_name,
      to_addresses: trashedMessages.to_addresses,
      subject: trashedMessages.subject,
      ...beginningOf(trashedMessages),
      attachment_count: sql<number>`jsonb_array_length(${attachments})`,
      size: trashedMessages.size,
      created_at: trashedMessages.created_at,
      deleted_at,
    })
    .from(trashedMessages)
    .innerJoin(inboxes, and(eq(inboxes.id, inbox_id), eq(inboxes.status, "live")))
    .where(
      and(
        isOwn(ctx, trashedMessages),
        inbox && eq(inbox_id, inbox.id),
        cursor === undefined ? undefined : lt(trash_id, readCursor(ctx, list, cursor)),
      ),
    )
    .orderBy(desc(trash_id))
    .limit(limit + 1);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next_cursor: found.length > limit && last ? encodeCursor(ctx, list, last.trash_id) : null };
}
