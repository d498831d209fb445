// Worker job: makes sender identities due that are scheduled later than any schedule allows, for example after a wrong
// clock.
import { and, desc, gt, inArray, sql } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Ctx, System } from "../base/context.ts";
import { RETRY_AFTER_MAX_MS } from "./identities.ts";

const ROWS_MAX = 1_000;

/** @returns how many identities were scheduled too late */
export async function advanceIdentities({ db, now }: Ctx<System>): Promise<number> {
  const latest = new Date(now().getTime() + RETRY_AFTER_MAX_MS);
  const { id, identity_status, identity_next_attempt_at } = inboxes;
  const late = db
    .select({ id })
    .from(inboxes)
    .where(and(asInIndex(inArray(identity_status, ["opening", "closing"])), gt(identity_next_attempt_at, latest)))
    .orderBy(desc(identity_next_attempt_at))
    .limit(ROWS_MAX)
    .for("update", { skipLocked: true });
  const { count } = await db
    .update(inboxes)
    .set({ identity_next_attempt_at: now() })
    .where(sql`${id} = any(array${late})`);
  return count;
}
