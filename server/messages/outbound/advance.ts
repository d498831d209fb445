// A worker job: makes queued messages due that no schedule can have put where they are, as after a clock that was wrong.
import { and, desc, gt, inArray, sql } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { messages } from "#db/schema/mail.ts";
import type { Ctx, System } from "../../base/context.ts";
import { PAUSE_MAX_MS } from "./transmit-outcome.ts";

const ROWS_MAX = 1_000;

/** @returns how many messages to be sent were due too late */
export async function advanceQueued({ db, now }: Ctx<System>): Promise<number> {
  const latest = new Date(now().getTime() + PAUSE_MAX_MS);
  const late = db
    .select({ id: messages.id })
    .from(messages)
    .where(and(asInIndex(inArray(messages.status, ["queued", "sending"])), gt(messages.next_attempt_at, latest)))
    .orderBy(desc(messages.next_attempt_at))
    .limit(ROWS_MAX)
    .for("update", { skipLocked: true });
  const { count } = await db
    .update(messages)
    .set({ next_attempt_at: now() })
    .where(sql`${messages.id} = any(array${late})`);
  return count;
}
