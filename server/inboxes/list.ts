// GET /v1/inboxes: lists the live mailboxes that a caller may see, newest first.
import { and, desc, eq, lt } from "drizzle-orm";
import { anyOf, asInIndex } from "#db/conditions.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { encodeId } from "../base/ids.ts";

/** @throws ServiceError `invalid_cursor` */
export async function listInboxes(ctx: Ctx<Caller>, input: { limit: number; cursor?: string | undefined }) {
  const { actor, db } = ctx;
  const list = `inboxes:${actor.organizationId}:${actor.inboxIds?.join() ?? ""}`;
  const before = input.cursor === undefined ? undefined : lt(inboxes.id, readCursor(ctx, list, input.cursor));
  const allowed = actor.inboxIds ? anyOf(inboxes.id, actor.inboxIds) : undefined;
  const rows = await db
    .select({ id: inboxes.id, address: inboxes.address })
    .from(inboxes)
    .where(
      and(eq(inboxes.organization_id, actor.organizationId), asInIndex(eq(inboxes.status, "live")), before, allowed),
    )
    .orderBy(desc(inboxes.id))
    .limit(input.limit + 1);
  const page = toPage(ctx, list, rows, input.limit);
  const data = page.rows.map((row) => ({ id: encodeId("inb", row.id), address: row.address, status: "live" as const }));
  return { data, next_cursor: page.next_cursor };
}
