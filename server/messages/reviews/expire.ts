// Worker job: rejects held messages on which no one decided in time.
import { and, asc, eq, lte } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { reviews } from "#db/schema/reviews.ts";
import type { Ctx, System } from "../../base/context.ts";
import { reject } from "./decide.ts";

const ROWS_MAX = 50;

/**
 * Runs one batch.
 * @returns how many messages it rejected
 */
export async function expireReviews(ctx: Ctx<System>): Promise<number> {
  const isDue = and(asInIndex(eq(reviews.status, "pending")), lte(reviews.expires_at, ctx.now()));
  const due = await ctx.db
    .select({ message_id: reviews.message_id })
    .from(reviews)
    .where(isDue)
    .orderBy(asc(reviews.expires_at))
    .limit(ROWS_MAX);
  for (const { message_id } of due) await expire(ctx, message_id);
  return due.length;
}

async function expire(ctx: Ctx<System>, messageId: string): Promise<void> {
  const recorded = await ctx.db.transaction(async (tx) => {
    const isPending = and(eq(reviews.message_id, messageId), asInIndex(eq(reviews.status, "pending")));
    const [review] = await tx.select().from(reviews).where(isPending).for("update", { skipLocked: true });
    return review && reject(ctx, tx, review, { status: "expired", by: null, reason: null });
  });
  if (recorded) ctx.eventLog.announce(recorded);
}
