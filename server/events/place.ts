// Finds the position of a time in the event log by binary search, because events have no index by time.
import { and, desc, eq, gte } from "drizzle-orm";
import { events } from "#db/schema/events.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { CLOCK_SLACK_MS } from "../base/id-range.ts";

/** The precision of the search, in events. */
const NEAR_EVENTS = 1_000;

/**
 * Bounds for the position of a time: events up to `low` are older, events from `high` on are not. The log is in the
 * order of commits, which differs from the order of times by at most `CLOCK_SLACK_MS`.
 */
async function around({ db, actor }: Ctx<Caller>, time: number): Promise<{ low: number; high: number }> {
  const isOwn = eq(events.organization_id, actor.organizationId);
  const [newest] = await db
    .select({ position: events.position })
    .from(events)
    .where(isOwn)
    .orderBy(desc(events.position))
    .limit(1);
  const isBefore = async (position: number) => {
    const [row] = await db
      .select({ created_at: events.created_at })
      .from(events)
      .where(and(isOwn, gte(events.position, position)))
      .orderBy(events.position)
      .limit(1);
    return row !== undefined && row.created_at.getTime() < time;
  };
  let [low, high] = [0, (newest?.position ?? 0) + 1];
  while (high - low > NEAR_EVENTS) {
    const middle = Math.floor((low + high) / 2);
    if (await isBefore(middle)) low = middle;
    else high = middle;
  }
  return { low, high };
}

/** A position before all events at or after a time. */
export async function positionBefore(ctx: Ctx<Caller>, time: Date): Promise<number> {
  return (await around(ctx, time.getTime() - CLOCK_SLACK_MS)).low;
}

/** A position after all events at or before a time. */
export async function positionAfter(ctx: Ctx<Caller>, time: Date): Promise<number> {
  return (await around(ctx, time.getTime() + CLOCK_SLACK_MS)).high;
}
