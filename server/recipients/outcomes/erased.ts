// Recipients of erased messages: those who may have got their message stay without it, so that a later bounce or complaint
// still suppresses the address and counts for the pause of sending.
import { and, asc, eq, gt, inArray, isNotNull } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { messageRecipients, messages } from "#db/schema/mail.ts";
import { countedAt } from "../limits/sending-pause.ts";

const { message_id, index, counted_at, status } = messageRecipients;
const isErased = isNotNull(counted_at);

/** Keeps the recipients to whom a message may have left, without the words of their servers. The caller holds the messages. */
export async function keepReached(tx: Transaction, ids: string[]): Promise<void> {
  const mayHaveLeft = and(gt(messages.attempts, 0), inArray(status, ["queued", "sent", "delivered"]));
  await tx
    .update(messageRecipients)
    .set({ counted_at: countedAt, smtp_code: null, enhanced_code: null, reason: null })
    .from(messages)
    .where(and(anyOf(messages.id, ids), eq(messages.id, message_id), eq(messages.direction, "outbound"), mayHaveLeft));
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
