// A worker job: makes unread messages due that no schedule can have put where they are, as after a clock that was wrong.
import type { Ctx, System } from "../../base/context.ts";

const ROWS_MAX = 1_000;
/** Longer than the backoff and the lease of a parse (parse-claim.ts). */
const PAUSE_MAX_MS = 600_000;

/** @returns how many messages to be parsed were due too late */
export async function advanceReceived({ sql, now }: Ctx<System>): Promise<number> {
  const latest = new Date(now().getTime() + PAUSE_MAX_MS);
  const { count } = await sql`
    update messages set next_attempt_at = ${now()}
    where id = any(array(
      select id from messages where status = 'received' and next_attempt_at > ${latest}
      order by next_attempt_at desc limit ${ROWS_MAX} for update skip locked))`;
  return count;
}
