// Worker job: makes notices due that are scheduled later than any schedule allows, for example after a wrong clock.
import type { Ctx, System } from "../base/context.ts";
import { GIVEN_UP_AFTER_MS } from "./send.ts";

const ROWS_MAX = 1_000;

/** @returns how many notices were scheduled too late */
export async function advanceNotices({ sql, now }: Ctx<System>): Promise<number> {
  const latest = new Date(now().getTime() + GIVEN_UP_AFTER_MS);
  const { count } = await sql`
    update notices set next_attempt_at = ${now()}
    where id = any(array(
      select id from notices where next_attempt_at > ${latest}
      order by next_attempt_at desc limit ${ROWS_MAX} for update skip locked))`;
  return count;
}
