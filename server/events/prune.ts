// Worker job: deletes events past their retention.
import type { Ctx, System } from "../base/context.ts";

const KEPT_MS = 30 * 86_400_000;
const EVENTS_PER_STEP = 1_000;

/** Runs one batch; returns how many events it deleted, 0 if none was old enough. */
export async function pruneEvents({ sql, now }: Ctx<System>): Promise<number> {
  const before = new Date(now().getTime() - KEPT_MS);
  const { count } = await sql`
    delete from events where id = any(array(
      select id from events where created_at < ${before} order by created_at limit ${EVENTS_PER_STEP}))`;
  return count;
}
