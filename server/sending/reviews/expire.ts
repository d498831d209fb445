// Worker job: rejects held messages on which no one decided in time.
import { and, asc, eq, lte } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { reviews } from "#db/schema/reviews.ts";
import type { Ctx, System } from "../../base/context.ts";
import { lockReviewed, reject } from "./decide.ts";

const ROWS_MAX = 50;

/**
 * Runs one batch.
 * @returns how many messages it rejected
 */
export async function expireReviews(ctx: Ctx<System>): Promise<number> {
  const isDue = and(asInIndex(eq(reviews.status, "pending")), lte(reviews.expires_at, ctx.now()));
  const due = await ctx.db
    .select({ messageId: reviews.message_id, organizationId: reviews.organization_id })
    .from(reviews)
    .where(isDue)
    .orderBy(asc(reviews.expires_at))
    .limit(ROWS_MAX);
  for (const row of due) await expire(ctx, row);
  return due.length;
}

async function expire(ctx: Ctx<System>, due: { messageId: string; organizationId: string }): Promise<void> {
  const recorded = await ctx.db.transaction(async (tx) => {
    const { review } = (await lockReviewed(tx, due)) ?? {};
    // Decided or deleted since.
    if (review?.status !== "pending") return;
    return reject(ctx, tx, review, { status: "expired", by: null, reason: null });
  });
  if (recorded) ctx.eventLog.announce(recorded);
}
