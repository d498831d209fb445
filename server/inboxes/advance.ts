// Worker job: makes sender identities due that are scheduled later than any schedule allows, for example after a wrong
// clock.
import type { Ctx, System } from "../base/context.ts";
import { RETRY_AFTER_MAX_MS } from "./identities.ts";

const ROWS_MAX = 1_000;

/** @returns how many identities were scheduled too late */
export async function advanceIdentities({ sql, now }: Ctx<System>): Promise<number> {
  const latest = new Date(now().getTime() + RETRY_AFTER_MAX_MS);
  const { count } = await sql`
    update inboxes set identity_next_attempt_at = ${now()}
    where id = any(array(
      select id from inboxes where identity_status in ('opening', 'closing') and identity_next_attempt_at > ${latest}
      order by identity_next_attempt_at desc limit ${ROWS_MAX} for update skip locked))`;
  return count;
}
