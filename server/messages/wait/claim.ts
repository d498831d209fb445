// Claims a message for one of several waiters.
import { and, eq, isNull } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { messages } from "#db/schema/mail.ts";
import { record } from "../../activity/record.ts";
import type { Agent, Ctx, Services } from "../../base/context.ts";

const CLAIMED = "The message was claimed, and its code may have been used.";

/** Whether the caller now has the message; false: another waiter has it, or it was deleted. */
export async function claimMessage(ctx: Ctx<Agent>, id: string): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const { count } = await tx
      .update(messages)
      .set({ claimed_at: ctx.now() })
      .where(and(eq(messages.id, id), isNull(messages.claimed_at)));
    if (count === 0) return false;
    await record(ctx, tx, [{ kind: "message", id, before: {}, after: {}, final: CLAIMED }]);
    return true;
  });
}

/** The first of these messages that no waiter has. */
export async function findUnclaimed({ db }: Ctx, ids: string[]): Promise<string | undefined> {
  const [row] = await db
    .select({ id: messages.id })
    .from(messages)
    .where(and(anyOf(messages.id, ids), isNull(messages.claimed_at)))
    .orderBy(messages.id)
    .limit(1);
  return row?.id;
}

/** Releases the claim of a caller that disconnected before the answer. */
export async function releaseMessage({ db, log }: Services, id: string): Promise<void> {
  try {
    await db.update(messages).set({ claimed_at: null }).where(eq(messages.id, id));
  } catch (error) {
    log.warn({ error, message: id }, "could not release the claim of a disconnected caller");
  }
}
