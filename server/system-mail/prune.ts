// A worker job: lets go of mail of the service itself that was sent, or given up, longer ago than it is kept.
import type { Ctx, System } from "../base/context.ts";

const KEPT_MS = 30 * 86_400_000;
const NOTICES_PER_STEP = 1_000;

/** One step; how many notices it removed, 0 when none was old enough. What still waits stays, however old. */
export async function pruneNotices({ sql, now }: Ctx<System>): Promise<number> {
  const before = new Date(now().getTime() - KEPT_MS);
  const { count } = await sql`
    delete from notices where next_attempt_at is null and id = any(array(
      select id from notices where next_attempt_at is null and coalesce(sent_at, created_at) < ${before}
      limit ${NOTICES_PER_STEP}))`;
  return count;
}
