// Worker job: deletes the service's own mail past its retention, whether sent or failed.
import type { Ctx, System } from "../base/context.ts";

const KEPT_MS = 30 * 86_400_000;
const NOTICES_PER_STEP = 1_000;

/** Runs one batch; returns how many notices it deleted, 0 if none was old enough. Pending ones stay. */
export async function pruneNotices({ sql, now }: Ctx<System>): Promise<number> {
  const before = new Date(now().getTime() - KEPT_MS);
  const { count } = await sql`
    delete from notices where next_attempt_at is null and id = any(array(
      select id from notices where next_attempt_at is null and coalesce(sent_at, created_at) < ${before}
      limit ${NOTICES_PER_STEP}))`;
  return count;
}
