// Worker job: deletes events past RETENTION_DAYS_EVENTS.
import { lt, sql } from "drizzle-orm";
import { events } from "#db/schema/events.ts";
import type { Ctx, System } from "../base/context.ts";

const DAY_MS = 86_400_000;
const EVENTS_PER_STEP = 1_000;

/** Runs one batch; returns how many events it deleted, 0 if none was old enough. */
export async function pruneEvents({ db, now, settings }: Ctx<System>): Promise<number> {
  const before = new Date(now().getTime() - settings.RETENTION_DAYS_EVENTS * DAY_MS);
  const old = db
    .select({ id: events.id })
    .from(events)
    .where(lt(events.created_at, before))
    .orderBy(events.created_at)
    .limit(EVENTS_PER_STEP);
  const { count } = await db.delete(events).where(sql`${events.id} = any(array${old})`);
  return count;
}
