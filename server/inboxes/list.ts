// GET /v1/inboxes: lists the live mailboxes that a caller may see, newest first, or searches them.
import { and, desc, eq, lt, sql } from "drizzle-orm";
import { anyOf, asInIndex } from "#db/conditions.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { encodeId } from "../base/ids.ts";

/** `q` is looked for in so many of the newest mailboxes. */
const SEARCHED_INBOXES = 20_000;

type Asked = { limit: number; cursor?: string | undefined; q?: string | undefined };

/** @throws ServiceError `invalid_cursor` */
export async function listInboxes(ctx: Ctx<Caller>, input: Asked) {
  const { actor, db } = ctx;
  const part = input.q?.toLowerCase() ?? "";
  const list = `inboxes:${actor.organizationId}:${actor.madeBy ?? ""}:${actor.inboxIds?.join() ?? ""}${part && `:${part}`}`;
  const before = input.cursor === undefined ? undefined : lt(inboxes.id, readCursor(ctx, list, input.cursor));
  const allowed = actor.inboxIds ? anyOf(inboxes.id, actor.inboxIds) : undefined;
  const made = actor.madeBy === null ? undefined : eq(inboxes.agent_id, actor.madeBy);
  const mine = and(
    eq(inboxes.organization_id, actor.organizationId),
    asInIndex(eq(inboxes.status, "live")),
    before,
    allowed,
    made,
  );
  const { id, address, display_name } = inboxes;
  const newest = db.select({ id, address, display_name }).from(inboxes).where(mine).orderBy(desc(id));
  const searched = newest.limit(part === "" ? input.limit + 1 : SEARCHED_INBOXES).as("searched");
  const hasPart = sql`strpos(${searched.address}, ${part}) > 0 or strpos(lower(${searched.display_name}), ${part}) > 0`;
  const rows = await db
    .select({ id: searched.id, address: searched.address })
    .from(searched)
    .where(part === "" ? undefined : hasPart)
    .orderBy(desc(searched.id))
    .limit(input.limit + 1);
  const page = toPage(ctx, list, rows, input.limit);
  const data = page.rows.map((row) => ({ id: encodeId("inb", row.id), address: row.address, status: "live" as const }));
  return { data, next_cursor: page.next_cursor };
}
