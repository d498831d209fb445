// Worker job: makes payment checks due that are scheduled later than any schedule allows, for example after a wrong
// clock.
import type { Ctx, System } from "../base/context.ts";
import { PAUSE_ENDED_MAX_MS } from "./recover.ts";

const ROWS_MAX = 1_000;

/** @returns how many checks were scheduled too late */
export async function advancePayments({ sql, now }: Ctx<System>): Promise<number> {
  const latest = new Date(now().getTime() + PAUSE_ENDED_MAX_MS);
  const { count } = await sql`
    update payments set next_look_at = ${now()}
    where id = any(array(
      select id from payments where next_look_at > ${latest}
      order by next_look_at desc limit ${ROWS_MAX} for update skip locked))`;
  return count;
}
