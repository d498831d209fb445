// Worker job: makes domains and their removals due that are scheduled later than any schedule allows, for example after a
// wrong clock.
import { gt, sql } from "drizzle-orm";
import { domains, providerRemovals } from "#db/schema/domains.ts";
import type { Ctx, System } from "../base/context.ts";
import { PAUSE_MAX_MS } from "./next-check.ts";
import { REMOVAL_PAUSE_MAX_MS } from "./provider/remove.ts";

const ROWS_MAX = 1_000;

/** @returns how many domains were scheduled too late */
export async function advanceDomains({ db, now }: Ctx<System>): Promise<number> {
  const late = db
    .select({ id: domains.id })
    .from(domains)
    .where(gt(domains.next_check_at, new Date(now().getTime() + PAUSE_MAX_MS)))
    .limit(ROWS_MAX)
    .for("update", { skipLocked: true });
  const moved = await db
    .update(domains)
    .set({ next_check_at: now() })
    .where(sql`${domains.id} = any(array(${late}))`)
    .returning({ id: domains.id });
  return moved.length;
}

/** @returns how many removals at the mail provider were scheduled too late */
export async function advanceRemovals({ db, now }: Ctx<System>): Promise<number> {
  const late = db
    .select({ id: providerRemovals.id })
    .from(providerRemovals)
    .where(gt(providerRemovals.next_attempt_at, new Date(now().getTime() + REMOVAL_PAUSE_MAX_MS)))
    .limit(ROWS_MAX)
    .for("update", { skipLocked: true });
  const { count } = await db
    .update(providerRemovals)
    .set({ next_attempt_at: now() })
    .where(sql`${providerRemovals.id} = any(array(${late}))`);
  return count;
}
