// Worker job: makes domains due that are scheduled later than any schedule allows, for example after a wrong clock.
import { gt, sql } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import type { Ctx, System } from "../base/context.ts";
import { PAUSE_MAX_MS } from "./next-check.ts";

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
