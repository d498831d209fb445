// Worker job: makes deliveries due that are scheduled later than any schedule allows, for example after a wrong clock.
import type { Ctx, System } from "../base/context.ts";
import { LEASE_MS } from "../base/lease.ts";
import { PAUSE_MAX_MS } from "./delivery/schedule.ts";

const ROWS_MAX = 1_000;

/** @returns how many deliveries, and extra attempts of deliveries, were scheduled too late */
export async function advanceDeliveries({ sql, now }: Ctx<System>): Promise<number> {
  const at = now().getTime();
  const retries = await sql`
    update deliveries set next_attempt_at = ${now()}
    where id = any(array(
      select id from deliveries where status = 'pending' and next_attempt_at > ${new Date(at + PAUSE_MAX_MS)}
      order by next_attempt_at desc limit ${ROWS_MAX} for update skip locked))`;
  const extra = await sql`
    update deliveries set resend_at = ${now()}
    where id = any(array(
      select id from deliveries where status = 'pending' and resend_at > ${new Date(at + LEASE_MS)}
      order by resend_at desc limit ${ROWS_MAX} for update skip locked))`;
  return retries.count + extra.count;
}
