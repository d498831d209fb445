// Empties the trash of an organization, for a member who has seen how many messages it has.
import { and, count, eq, lte, max } from "drizzle-orm";
import { inboxes, trashedMessages } from "#db/schema/mail.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { isOwn } from "../columns.ts";
import { eraseTrashed } from "../erase.ts";

const MESSAGES_PER_STEP = 500;
/** More remains for the next call. */
const STEPS = 20;

/** @returns how many messages the trash has, and when the last of them was deleted; null: it is empty */
export async function sizeOfTrash(ctx: Ctx<Member>): Promise<{ count: number; deleted_until: Date | null }> {
  const [row] = await ctx.db
    .select({ count: count(), deleted_until: max(trashedMessages.deleted_at) })
    .from(trashedMessages)
    .innerJoin(inboxes, and(eq(inboxes.id, trashedMessages.inbox_id), eq(inboxes.status, "live")))
    .where(isOwn(ctx, trashedMessages));
  return row ?? { count: 0, deleted_until: null };
}

/**
 * Erases what was deleted until a time. What another transaction holds, such as a restore, stays.
 * @returns how many messages were erased, and whether more are left than one call erases
 */
export async function emptyTrash(ctx: Ctx<Member>, deletedUntil: Date): Promise<{ erased: number; more: boolean }> {
  const which = and(isOwn(ctx, trashedMessages), lte(trashedMessages.deleted_at, deletedUntil));
  let erased = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const found = await ctx.db.transaction(async (tx) => {
      const rows = await tx
        .select({ id: trashedMessages.id })
        .from(trashedMessages)
        .where(which)
        .orderBy(trashedMessages.trash_id)
        .limit(MESSAGES_PER_STEP)
        .for("update", { skipLocked: true });
      const ids = rows.map(({ id }) => id);
      return ids.length === 0 ? 0 : eraseTrashed(tx, ids);
    });
    erased += found;
    if (found < MESSAGES_PER_STEP) return { erased, more: false };
  }
  return { erased, more: true };
}
