// Claims a message for one of several waiters.
import { and, eq, isNull } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { messages } from "#db/schema/mail.ts";
import type { Ctx, Services } from "../base/context.ts";

/** Whether the caller now has the message; false: another waiter has it, or it was deleted. */
export async function claimMessage({ db, now }: Ctx, id: string): Promise<boolean> {
  const { count } = await db
    .update(messages)
    .set({ claimed_at: now() })
    .where(and(eq(messages.id, id), isNull(messages.claimed_at)));
  return count > 0;
}

/** Claims the first of these messages that no waiter has. */
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
