// GET /v1/lists/{direction}/{list}: lists the entries of an allow or block list, newest first.
import { and, desc, eq, lt } from "drizzle-orm";
import { listEntries } from "#db/schema/lists.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { readCursor, toPage } from "../../base/cursor.ts";
import { readEntry } from "./entry.ts";
import { findOwner, type ListName, listCondition } from "./owner.ts";

const { id, entry, reason, set_by, set_by_key, created_at } = listEntries;
export const entryColumns = { id, entry, reason, set_by, set_by_key, created_at };
export type EntryRow = Pick<typeof listEntries.$inferSelect, keyof typeof entryColumns>;

/** @throws ServiceError `inbox_not_found`, `insufficient_scope`, `invalid_cursor`, `invalid_request` */
export async function listEntriesOf(
  ctx: Ctx<Caller>,
  input: ListName & { entry?: string | undefined; limit: number; cursor?: string | undefined },
) {
  const owner = await findOwner(ctx, input.inbox);
  const wanted = input.entry === undefined ? undefined : readEntry(input.entry);
  const { organizationId } = ctx.actor;
  const name = ["lists", organizationId, owner.id, input.direction, input.list, wanted ?? ""].join(":");
  const before = input.cursor === undefined ? undefined : readCursor(ctx, name, input.cursor);
  const rows: EntryRow[] = await ctx.db
    .select(entryColumns)
    .from(listEntries)
    .where(
      and(
        listCondition(ctx, owner, input),
        wanted === undefined ? undefined : eq(entry, wanted),
        before === undefined ? undefined : lt(id, before),
      ),
    )
    .orderBy(desc(id))
    .limit(input.limit + 1);
  return toPage(ctx, name, rows, input.limit);
}
