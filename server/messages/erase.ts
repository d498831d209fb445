// Erases stored mail with all its data. Also a worker job that erases the mail of deleted mailboxes in batches.
import { and, eq, isNull } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { anyOf, asInIndex } from "#db/conditions.ts";
import { attachments, rawMessages } from "#db/schema/content.ts";
import { correspondents, dismissedFailures, inboxes, messages, threads, trashedMessages } from "#db/schema/mail.ts";
import { drafts, draftVersions, expectedReplies, scheduledSends } from "#db/schema/outbox.ts";
import { approvedRecipients, reviewRevisions, reviews } from "#db/schema/reviews.ts";
import { waitEnds } from "#db/schema/waits.ts";
import { eraseActivity } from "../activity/record.ts";
import type { Ctx, System } from "../base/context.ts";
import { markErased } from "../inboxes/remove.ts";
import { countStorage, storedBytes } from "../inboxes/storage/count.ts";
import { eraseRecipients, keepReached } from "../recipients/outcomes/erased.ts";

const MESSAGES_PER_STEP = 500;

/**
 * Erases message rows, raw mail and attachments. The event log keeps its entries until their retention ends, and the
 * recipients of mail that may have left stay for later bounces and complaints.
 * @returns how many messages there were
 */
export async function eraseMessages(tx: Transaction, ids: string[]): Promise<number> {
  const { id, organization_id, inbox_id, size } = messages;
  await leaveQueues(tx, ids);
  const erased = await tx.delete(messages).where(anyOf(id, ids)).returning({ id, organization_id, inbox_id, size });
  await eraseContent(tx, erased);
  return erased.length;
}

/** Erases mail that is in the trash. @returns how many messages there were */
export async function eraseTrashed(tx: Transaction, ids: string[]): Promise<number> {
  const { id, organization_id, inbox_id, size } = trashedMessages;
  const isNamed = anyOf(id, ids);
  const erased = await tx.delete(trashedMessages).where(isNamed).returning({ id, organization_id, inbox_id, size });
  await eraseContent(tx, erased);
  return erased.length;
}

/**
 * Locks messages, and takes them out of what waits to be sent or to be decided. Recipients to whom they may have left are marked for later
 * bounces and complaints.
 */
export async function leaveQueues(tx: Transaction, ids: string[]): Promise<void> {
  // Before their recipients, as everywhere.
  await tx.select({ id: messages.id }).from(messages).where(anyOf(messages.id, ids)).orderBy(messages.id).for("update");
  await keepReached(tx, ids);
  await Promise.all([
    tx.delete(scheduledSends).where(anyOf(scheduledSends.message_id, ids)),
    tx.delete(expectedReplies).where(anyOf(expectedReplies.message_id, ids)),
    tx.delete(reviewRevisions).where(anyOf(reviewRevisions.message_id, ids)),
    tx.delete(reviews).where(anyOf(reviews.message_id, ids)),
  ]);
}

type Erased = { id: string; organization_id: string; inbox_id: string; size: number };

async function eraseContent(tx: Transaction, erased: Erased[]): Promise<void> {
  const ids = erased.map(({ id }) => id);
  await Promise.all([
    tx.delete(rawMessages).where(anyOf(rawMessages.message_id, ids)),
    tx.delete(attachments).where(anyOf(attachments.message_id, ids)),
    tx.delete(dismissedFailures).where(anyOf(dismissedFailures.message_id, ids)),
    eraseRecipients(tx, ids),
  ]);
  const freed = erased.map(({ organization_id, inbox_id, size }) => ({
    organization_id,
    inbox_id,
    bytes: -storedBytes(size),
  }));
  const plain = plainOf(tx);
  if (freed.length > 0) await countStorage(plain, freed, undefined, plain`true`);
}

async function eraseDrafts(tx: Transaction, inboxId: string): Promise<void> {
  const erased = await tx.delete(drafts).where(eq(drafts.inbox_id, inboxId)).returning();
  const versions = await tx.delete(draftVersions).where(eq(draftVersions.inbox_id, inboxId)).returning();
  const ids = [...erased, ...versions].map(({ id }) => id);
  await tx.delete(attachments).where(anyOf(attachments.message_id, ids));
  const plain = plainOf(tx);
  const freed = [...erased.filter(({ sent_message_id }) => sent_message_id === null), ...versions].map(
    ({ organization_id, inbox_id, size }) => ({ organization_id, inbox_id, bytes: -storedBytes(size) }),
  );
  if (freed.length > 0) await countStorage(plain, freed, undefined, plain`true`);
}

/**
 * Runs one batch: some messages of one deleted mailbox, and after the last one its threads.
 * @returns how many messages and mailboxes it processed; 0 if nothing is left
 */
export async function eraseDeleted({ db, now }: Ctx<System>): Promise<number> {
  return db.transaction(async (tx) => {
    const [inbox] = await tx
      .select({ id: inboxes.id, organization_id: inboxes.organization_id })
      .from(inboxes)
      .where(and(asInIndex(eq(inboxes.status, "deleted")), isNull(inboxes.erased_at)))
      .orderBy(inboxes.deleted_at)
      .limit(1)
      .for("update", { skipLocked: true });
    if (!inbox) return 0;
    const rows = await tx
      .select({ id: messages.id })
      .from(messages)
      .where(eq(messages.inbox_id, inbox.id))
      .orderBy(messages.id)
      .limit(MESSAGES_PER_STEP);
    await eraseMessages(
      tx,
      rows.map(({ id }) => id),
    );
    if (rows.length === MESSAGES_PER_STEP) return rows.length;
    const trashed = await tx
      .select({ id: trashedMessages.id })
      .from(trashedMessages)
      .where(eq(trashedMessages.inbox_id, inbox.id))
      .limit(MESSAGES_PER_STEP);
    await eraseTrashed(
      tx,
      trashed.map(({ id }) => id),
    );
    if (trashed.length === MESSAGES_PER_STEP) return rows.length + trashed.length;
    await eraseDrafts(tx, inbox.id);
    await tx.delete(threads).where(eq(threads.inbox_id, inbox.id));
    await tx.delete(approvedRecipients).where(eq(approvedRecipients.inbox_id, inbox.id));
    await tx.delete(correspondents).where(eq(correspondents.inbox_id, inbox.id));
    await tx.delete(waitEnds).where(eq(waitEnds.inbox_id, inbox.id));
    await eraseActivity(tx, inbox.id);
    await markErased(tx, inbox.id, now());
    return rows.length + 1;
  });
}
