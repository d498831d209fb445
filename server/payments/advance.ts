// Worker job: makes payment checks due that are scheduled later than any schedule allows, for example after a wrong
// clock.
import { desc, gt, sql } from "drizzle-orm";
import { payments } from "#db/schema/payments.ts";
import type { Ctx, System } from "../base/context.ts";
import { PAUSE_ENDED_MAX_MS } from "./recover.ts";

const ROWS_MAX = 1_000;

/** @returns how many checks were scheduled too late */
export async function advancePayments({ db, now }: Ctx<System>): Promise<number> {
  const latest = new Date(now().getTime() + PAUSE_ENDED_MAX_MS);
  const late = db
    .select({ id: payments.id })
    .from(payments)
    .where(gt(payments.next_look_at, latest))
    .orderBy(desc(payments.next_look_at))
    .limit(ROWS_MAX)
    .for("update", { skipLocked: true });
  const { count } = await db
    .update(payments)
    .set({ next_look_at: now() })
    .where(sql`${payments.id} = any(array${late})`);
  return count;
}
