// POST /v1/messages/{id}/restore: returns deleted mail to its thread.
import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { inboxes, messages, threads, trashedMessages } from "#db/schema/mail.ts";
import { record } from "../../activity/record.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId, encodeId } from "../../base/ids.ts";
import { newEvent } from "../../events/record.ts";
import { DELETED, returnRecipients } from "../../recipients/outcomes/erased.ts";
import { recordOutcomes } from "../../recipients/outcomes/record.ts";
import { isOwn, type MessageRow } from "../columns.ts";
import { findMessage, noMessage } from "../find.ts";
import { trashPlace } from "../move-to-trash.ts";
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
  if (!id || !found) {
    await findMessage(ctx, wireId);
    throw new ServiceError("message_not_found", "The message is not in the trash.", {
      fix: "GET /v1/messages/{id} returns it.",
    });
  }
  const thread = { id: found.thread_id, inbox_id: found.inbox_id };
  const recorded = await ctx.db.transaction(async (tx) => {
    await openThreads(tx, [id]);
    if (!(await lockThreadOf(tx, thread))) throw noMessage();
    const [back] = await putBack(ctx, tx, [id]);
    if (!back) throw noMessage();
    await settleThread(tx, thread);
    const before = { trash: trashPlace(back.trash_id, back.deleted_at) };
    await record(ctx, tx, [{ kind: "message", id, before, after: { trash: null } }], { inbox_id: thread.inbox_id });
    const about = { organization_id: ctx.actor.organizationId, inbox_id: found.inbox_id, message_id: id };
    const message = { id: encodeId("msg", id), thread_id: encodeId("thr", found.thread_id) };
    const event = newEvent(about, { event: "message.restored", inbox: found.inbox, message });
    // A webhook may include the message.
    return ctx.eventLog.record(plainOf(tx), back.quarantine === null ? [event] : [], ctx.now());
  });
  ctx.eventLog.announce(recorded);
  return findMessage(ctx, wireId);
}

/** The threads of messages, with their ids, if they ended with the messages. */
export async function openThreads(tx: Transaction, ids: string[]): Promise<void> {
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
        .where(anyOf(trashedMessages.id, ids))
        .orderBy(trashedMessages.id),
    )
    .onConflictDoNothing();
}

/** Only into a thread of the same mailbox; the caller holds the threads. @returns the messages that were in the trash */
export async function putBack(ctx: Ctx<Caller>, tx: Transaction, wanted: string[]) {
  const gone = await tx
    .select({
      id: stored.id,
      direction: stored.direction,
      quarantine: stored.quarantine,
      trash_id: trashedMessages.trash_id,
      deleted_at: trashedMessages.deleted_at,
    })
    .from(trashedMessages)
    .innerJoin(threads, and(eq(threads.id, stored.thread_id), eq(threads.inbox_id, stored.inbox_id)))
    .where(anyOf(stored.id, wanted))
    .orderBy(stored.id)
    .for("update", { of: trashedMessages });
  if (gone.length === 0) return gone;
  const ids = gone.map(({ id }) => id);
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
      .where(anyOf(stored.id, ids)),
  );
  await tx.delete(trashedMessages).where(anyOf(stored.id, ids));
  const sent = gone.filter(({ direction }) => direction === "outbound").map(({ id }) => id);
  if (sent.length > 0) {
    await returnRecipients(tx, sent, ctx.now());
    // What was reported while it was in the trash counts.
    await recordOutcomes(ctx, tx, [], sent);
  }
  return gone;
}
