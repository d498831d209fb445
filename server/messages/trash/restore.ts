// POST /v1/messages/{id}/restore: returns deleted mail to its thread.
import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { inboxes, messages, threads, trashedMessages } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { decodeId, encodeId } from "../../base/ids.ts";
import { newEvent } from "../../events/record.ts";
import { DELETED, returnRecipients } from "../../recipients/outcomes/erased.ts";
import { recordOutcomes } from "../../recipients/outcomes/record.ts";
import { isOwn, type MessageRow } from "../columns.ts";
import { findMessage, noMessage } from "../find.ts";
import { lockThreadOf, settleThread } from "../remove.ts";

const { trash_id: _trash, deleted_at: _deleted, ...stored } = getTableColumns(trashedMessages);
const NOT_LEFT = ["held", "scheduled", "queued", "sending"] as const;

/**
 * The message is in its thread again, with its id, labels and state. Mail that waited to be sent when it was deleted returns as `failed`: it
 * is not sent. The last restore of several concurrent ones finds nothing.
 * @throws ServiceError `message_not_found`, also if it is not in the trash or belongs to another organization
 */
export async function restoreMessage(ctx: Ctx<Caller>, wireId: string): Promise<MessageRow> {
  const id = decodeId("msg", wireId);
  const [found] = id
    ? await ctx.db
        .select({
          thread_id: trashedMessages.thread_id,
          inbox_id: trashedMessages.inbox_id,
          inbox: inboxes.address,
        })
        .from(trashedMessages)
        .innerJoin(inboxes, and(eq(inboxes.id, trashedMessages.inbox_id), eq(inboxes.status, "live")))
        .where(and(eq(trashedMessages.id, id), isOwn(ctx, trashedMessages)))
    : [];
  if (!id || !found) throw noMessage();
  const thread = { id: found.thread_id, inbox_id: found.inbox_id };
  const recorded = await ctx.db.transaction(async (tx) => {
    await openThread(tx, id);
    if (!(await lockThreadOf(tx, thread))) throw noMessage();
    if (!(await putBack(ctx, tx, id))) throw noMessage();
    await settleThread(tx, thread);
    const about = { organization_id: ctx.actor.organizationId, inbox_id: found.inbox_id, message_id: id };
    const message = { id: encodeId("msg", id), thread_id: encodeId("thr", found.thread_id) };
    const event = newEvent(about, { event: "message.restored", inbox: found.inbox, message });
    return ctx.eventLog.record(plainOf(tx), [event], ctx.now());
  });
  ctx.eventLog.announce(recorded);
  return findMessage(ctx, wireId);
}

/** The thread of a message, with its id, if it ended with the message. */
async function openThread(tx: Transaction, id: string): Promise<void> {
  const { thread_id, organization_id, inbox_id, subject, created_at } = trashedMessages;
  await tx
    .insert(threads)
    .select(
      tx
        .select({
          id: sql<string>`${thread_id}`.as("id"),
          organization_id,
          inbox_id,
          subject,
          last_message_id: sql<string>`${trashedMessages.id}`.as("last_message_id"),
          created_at,
        })
        .from(trashedMessages)
        .where(eq(trashedMessages.id, id)),
    )
    .onConflictDoNothing();
}

/** Only into a thread of the same mailbox. @returns whether it was in the trash */
async function putBack(ctx: Ctx<Caller>, tx: Transaction, id: string): Promise<boolean> {
  const [gone] = await tx
    .select({ direction: stored.direction })
    .from(trashedMessages)
    .innerJoin(threads, and(eq(threads.id, stored.thread_id), eq(threads.inbox_id, stored.inbox_id)))
    .where(eq(stored.id, id))
    .for("update", { of: trashedMessages });
  if (!gone) return false;
  const waited = inArray(stored.status, [...NOT_LEFT]);
  await tx.insert(messages).select(
    tx
      .select({
        ...stored,
        status: sql<"failed">`case when ${waited} then 'failed' else ${stored.status} end`.as("status"),
        error: sql<string | null>`case when ${waited} then ${DELETED}::text else ${stored.error} end`.as("error"),
        // Mail that was not read yet is read now.
        next_attempt_at:
          sql<Date | null>`case when ${stored.status} = 'received' then ${ctx.now()}::timestamptz end`.as(
            "next_attempt_at",
          ),
      })
      .from(trashedMessages)
      .where(eq(stored.id, id)),
  );
  await tx.delete(trashedMessages).where(eq(stored.id, id));
  if (gone.direction === "outbound") {
    await returnRecipients(tx, id, ctx.now());
    // What was reported while it was in the trash counts.
    await recordOutcomes(ctx, tx, [], [id]);
  }
  return true;
}
