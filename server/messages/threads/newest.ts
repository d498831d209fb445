// The newest messages of a thread, with the thread locked.
import { and, desc, eq, isNull, ne, notInArray } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { messages, threads } from "#db/schema/mail.ts";
import { ServiceError } from "../../base/errors.ts";
import { encodeId } from "../../base/ids.ts";

/** The thread's messages except the one that is being queued. */
export type Others = { threadId: string; messageId: string };

/** Own messages that have not left. */
const NOT_LEFT: (typeof messages.$inferSelect.status)[] = ["scheduled", "held", "rejected"];

/** Without messages that wait for their time or for a member, or that a member rejected. */
export function newestOf(tx: Transaction, { threadId, messageId }: Others, limit: number) {
  return tx
    .select({ id: messages.id, created_at: messages.created_at })
    .from(messages)
    .where(
      and(
        eq(messages.thread_id, threadId),
        ne(messages.id, messageId),
        notInArray(messages.status, NOT_LEFT),
        isNull(messages.quarantine),
      ),
    )
    .orderBy(desc(messages.id))
    .limit(limit);
}

/**
 * @param advice `fix`: what to do in place of sending again
 * @throws ServiceError `thread_moved_on`
 */
export async function requireNewest(
  tx: Transaction,
  others: Others,
  expected: string,
  advice: { fix?: string } = {},
): Promise<void> {
  const [newest] = await newestOf(tx, others, 1);
  if (newest?.id === expected) return;
  const what = newest ? `its newest message is ${encodeId("msg", newest.id)}` : "its messages were deleted";
  throw new ServiceError("thread_moved_on", `The thread has changed: ${what}.`, advice);
}

/** False if the thread does not exist. */
export async function lockThread(tx: Transaction, threadId: string): Promise<boolean> {
  const rows = await tx.select({ id: threads.id }).from(threads).where(eq(threads.id, threadId)).for("update");
  return rows.length > 0;
}
