// A worker job: makes unread messages due that no schedule can have put where they are, as after a clock that was wrong.
import { and, desc, eq, gt, sql } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { messages } from "#db/schema/mail.ts";
import type { Ctx, System } from "../../base/context.ts";

const ROWS_MAX = 1_000;
/** Longer than the backoff and the lease of a parse (parse-lease.ts). */
const PAUSE_MAX_MS = 600_000;

/** @returns how many messages to be parsed were due too late */
export async function advanceReceived({ db, now }: Ctx<System>): Promise<number> {
  const latest = new Date(now().getTime() + PAUSE_MAX_MS);
  const late = db
    .select({ id: messages.id })
    .from(messages)
    .where(and(asInIndex(eq(messages.status, "received")), gt(messages.next_attempt_at, latest)))
    .orderBy(desc(messages.next_attempt_at))
    .limit(ROWS_MAX)
    .for("update", { skipLocked: true });
  const { count } = await db
    .update(messages)
    .set({ next_attempt_at: now() })
    .where(sql`${messages.id} = any(array${late})`);
  return count;
}
