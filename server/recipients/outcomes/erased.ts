// Recipients of erased messages: those who may have got their message stay without it, so that a later bounce or complaint
// still suppresses the address and counts for the pause of sending.
import { and, asc, eq, gt, inArray, isNotNull, isNull } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { messageRecipients, messages } from "#db/schema/mail.ts";
import { countedAt } from "../limits/sending-pause.ts";

const { message_id, index, counted_at, status } = messageRecipients;
const isErased = isNotNull(counted_at);
/** Why a message that returned from the trash did not leave. */
export const DELETED = "It was deleted before it was known to have left.";

/**
 * Marks the recipients to whom messages may have left, so that they stay without them. The caller holds the messages, which are still
 * there.
 */
export async function keepReached(tx: Transaction, ids: string[]): Promise<void> {
  const mayHaveLeft = and(gt(messages.attempts, 0), inArray(status, ["queued", "sent", "delivered"]));
  await tx
    .update(messageRecipients)
    .set({ counted_at: countedAt })
    .from(messages)
    .where(and(anyOf(messages.id, ids), eq(messages.id, message_id), eq(messages.direction, "outbound"), mayHaveLeft));
}

/** Removes the recipients of erased messages, and of those that stay the words of their servers. */
export async function eraseRecipients(tx: Transaction, ids: string[]): Promise<void> {
  await tx.delete(messageRecipients).where(and(anyOf(message_id, ids), isNull(counted_at)));
  await tx
    .update(messageRecipients)
    .set({ smtp_code: null, enhanced_code: null, reason: null })
    .where(and(anyOf(message_id, ids), isErased));
}

/** The recipients of messages that returned from the trash: who waited for them gets nothing any more. */
export async function returnRecipients(tx: Transaction, messageIds: string[], at: Date): Promise<void> {
  const ofMessages = anyOf(message_id, messageIds);
  await tx.update(messageRecipients).set({ counted_at: null }).where(and(ofMessages, isErased));
  await tx
    .update(messageRecipients)
    .set({ status: "failed", reason: DELETED, at })
    .where(and(ofMessages, eq(status, "queued")));
}

/** @returns those of the messages that were erased and have recipients left */
export async function erasedAmong(db: Database | Transaction, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectDistinct({ message_id })
    .from(messageRecipients)
    .where(and(anyOf(message_id, ids), isErased));
  return new Set(rows.map((row) => row.message_id));
}

/** Locks them in one order, as messages are locked, so that two outcomes wait for each other. */
export async function lockErased(tx: Transaction, ids: string[]): Promise<void> {
  await tx
    .select({ message_id })
    .from(messageRecipients)
    .where(and(anyOf(message_id, ids), isErased))
    .orderBy(asc(message_id), asc(index))
    .for("no key update");
}
