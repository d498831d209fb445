// GET /v1/inboxes: lists the live mailboxes that a caller may see, newest first.
import type { Caller, Ctx } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { encodeId } from "../base/ids.ts";

/** @throws ServiceError `invalid_cursor` */
export async function listInboxes(ctx: Ctx<Caller>, input: { limit: number; cursor?: string | undefined }) {
  const { actor, sql } = ctx;
  const list = `inboxes:${actor.organizationId}:${actor.inboxIds?.join() ?? ""}`;
  const before = input.cursor === undefined ? undefined : readCursor(ctx, list, input.cursor);
  const rows = await sql<{ id: string; address: string }[]>`
    select id, address from inboxes
    where organization_id = ${actor.organizationId} and status = 'live'
      ${before ? sql`and id < ${before}` : sql``}
      ${actor.inboxIds ? sql`and id = any(${actor.inboxIds as string[]})` : sql``}
    order by id desc limit ${input.limit + 1}`;
  const page = toPage(ctx, list, rows, input.limit);
  const data = page.rows.map((row) => ({ id: encodeId("inb", row.id), address: row.address, status: "live" as const }));
  return { data, next_cursor: page.next_cursor };
}
