// Worker job: deletes finished deliveries and attempts past their retention.
import type { Ctx, System } from "../base/context.ts";

const KEPT_MS = 30 * 86_400_000;
const ROWS_PER_STEP = 1_000;

/** Runs one batch; returns how many rows it deleted, 0 if none was old enough. Pending deliveries stay. */
export async function pruneDeliveries({ sql, now }: Ctx<System>): Promise<number> {
  const before = new Date(now().getTime() - KEPT_MS);
  const attempts = await sql`
    delete from delivery_attempts where id = any(array(
      select id from delivery_attempts where started_at < ${before} order by started_at limit ${ROWS_PER_STEP}))`;
  const deliveries = await sql`
    delete from deliveries where status <> 'pending' and id = any(array(
      select id from deliveries
      where created_at < ${before} and completed_at < ${before} and status <> 'pending'
      order by created_at limit ${ROWS_PER_STEP}))`;
  return attempts.count + deliveries.count;
}
