// A worker job: makes messages due that no schedule can have put where they are, as after a clock that was wrong.
import type { Ctx, System } from "../../base/context.ts";
import { PAUSE_MAX_MS } from "./transmit-outcome.ts";

const ROWS_MAX = 1_000;
/** Longer than the backoff and the lease of a parse (parse-claim.ts). */
const PARSE_PAUSE_MAX_MS = 600_000;

/** @returns how many messages, to be sent or parsed, were due too late */
export async function advanceMessages({ sql, now }: Ctx<System>): Promise<number> {
  const at = now().getTime();
  const outbound = await sql`
    update messages set next_attempt_at = ${now()}
    where id = any(array(
      select id from messages
      where status in ('queued', 'sending') and next_attempt_at > ${new Date(at + PAUSE_MAX_MS)}
      order by next_attempt_at desc limit ${ROWS_MAX} for update skip locked))`;
  const inbound = await sql`
    update messages set next_attempt_at = ${now()}
    where id = any(array(
      select id from messages where status = 'received' and next_attempt_at > ${new Date(at + PARSE_PAUSE_MAX_MS)}
      order by next_attempt_at desc limit ${ROWS_MAX} for update skip locked))`;
  return outbound.count + inbound.count;
}
