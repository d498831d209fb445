// Worker job: makes notices due that are scheduled later than any schedule allows, for example after a wrong clock.
import { desc, gt, sql } from "drizzle-orm";
import { notices } from "#db/schema/events.ts";
import type { Ctx, System } from "../base/context.ts";
import { GIVEN_UP_AFTER_MS } from "./send.ts";

const ROWS_MAX = 1_000;

/** @returns how many notices were scheduled too late */
export async function advanceNotices({ db, now }: Ctx<System>): Promise<number> {
  const latest = new Date(now().getTime() + GIVEN_UP_AFTER_MS);
  const late = db
    .select({ id: notices.id })
    .from(notices)
    .where(gt(notices.next_attempt_at, latest))
    .orderBy(desc(notices.next_attempt_at))
    .limit(ROWS_MAX)
    .for("update", { skipLocked: true });
  const { count } = await db
    .update(notices)
    .set({ next_attempt_at: now() })
    .where(sql`${notices.id} = any(array${late})`);
  return count;
}
