// Where in the log a time is: no index has an organization's events by time.
import type { Caller, Ctx } from "../base/context.ts";
import { CLOCK_SLACK_MS } from "../base/id-range.ts";

/** How near the search comes, in events. */
const NEAR_EVENTS = 1_000;

/**
 * Positions around a time: events up to `low` are from before it, those from `high` on are not. That is as true as the log is
 * in the order of time: it is in that of commits, which differs by `CLOCK_SLACK_MS` at most.
 */
async function around({ sql, actor }: Ctx<Caller>, time: number): Promise<{ low: number; high: number }> {
  const [newest] = await sql<{ position: number }[]>`
    select position from events where organization_id = ${actor.organizationId} order by position desc limit 1`;
  const isBefore = async (position: number) => {
    const [row] = await sql<{ created_at: Date }[]>`
      select created_at from events where organization_id = ${actor.organizationId} and position >= ${position}
      order by position limit 1`;
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

/** A position that all events of a time and of later are after. */
export async function positionBefore(ctx: Ctx<Caller>, time: Date): Promise<number> {
  return (await around(ctx, time.getTime() - CLOCK_SLACK_MS)).low;
}

/** A position that all events of a time and of earlier are before. */
export async function positionAfter(ctx: Ctx<Caller>, time: Date): Promise<number> {
  return (await around(ctx, time.getTime() + CLOCK_SLACK_MS)).high;
}
