// Worker job: makes deliveries due that are scheduled later than any schedule allows, for example after a wrong clock.
import { and, desc, eq, gt, sql } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { deliveries } from "#db/schema/events.ts";
import type { Ctx, System } from "../base/context.ts";
import { LEASE_MS } from "../base/lease.ts";
import { PAUSE_MAX_MS } from "./delivery/schedule.ts";

const ROWS_MAX = 1_000;

/** @returns how many deliveries, and extra attempts of deliveries, were scheduled too late */
export async function advanceDeliveries(ctx: Ctx<System>): Promise<number> {
  const retries = await advance(ctx, "next_attempt_at", PAUSE_MAX_MS);
  const extra = await advance(ctx, "resend_at", LEASE_MS);
  return retries + extra;
}

/** Makes deliveries due whose `column` is more than `afterMs` ahead. */
async function advance({ db, now }: Ctx<System>, column: "next_attempt_at" | "resend_at", afterMs: number) {
  const at = now();
  const isLate = gt(deliveries[column], new Date(at.getTime() + afterMs));
  const late = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(asInIndex(eq(deliveries.status, "pending")), isLate))
    .orderBy(desc(deliveries[column]))
    .limit(ROWS_MAX)
    .for("update", { skipLocked: true });
  const { count } = await db
    .update(deliveries)
    .set({ [column]: at })
    .where(sql`${deliveries.id} = any(array${late})`);
  return count;
}
