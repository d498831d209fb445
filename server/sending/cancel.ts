// POST /v1/messages/{id}/cancel, and `send_at` of PATCH /v1/messages/{id}: cancels and moves mail that has not left. The message is locked: of
// a concurrent release, transmission or decision and this call, only the first takes effect.
import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { inboxes, messageRecipients, messages } from "#db/schema/mail.ts";
import { scheduledSends } from "#db/schema/outbox.ts";
import { reviews } from "#db/schema/reviews.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { invalidField, ServiceError } from "../base/errors.ts";
import { decodeId, encodeId } from "../base/ids.ts";
import type { Recorded } from "../events/event-log.ts";
import { isOwn } from "../messages/columns.ts";
import { noMessage } from "../messages/find.ts";
import { CANCELLED } from "../messages/message-schema.ts";
import { lockThread } from "../messages/threads/newest.ts";
import { reject } from "./reviews/decide.ts";
import { readSendAt } from "./scheduled/schedule.ts";

const NOT_UNSET = "must be a time; POST /v1/messages/{id}/cancel cancels the message";
const STAYS_CANCELLED = "A cancelled message is not sent by an undo.";

type Locked = Pick<typeof messages.$inferSelect, "id" | "status" | "attempts" | "error">;

/**
 * The message stays in its thread with the status `cancelled`. Cancelling it again changes nothing.
 * @returns the UUID of the message
 * @throws ServiceError `message_not_found`, `already_left`
 */
export async function cancelMessage(ctx: Ctx<Caller>, wireId: string): Promise<string> {
  const { id, recorded } = await ctx.db.transaction(async (tx) => {
    const message = await lockOwn(ctx, tx, wireId);
    const isOver = message.status === "rejected" && message.error?.startsWith(CANCELLED);
    if (isOver) return { id: message.id };
    const recorded = await cancel(ctx, tx, message);
    const changed = { before: { status: message.status }, after: { status: "cancelled" } };
    await record(ctx, tx, [{ kind: "send", id: message.id, ...changed, final: STAYS_CANCELLED }]);
    return { id: message.id, recorded };
  });
  if (recorded) ctx.eventLog.announce(recorded);
  return id;
}

/** The recipients of a queued message stay counted against the daily cap. */
async function cancel(ctx: Ctx<Caller>, tx: Transaction, message: Locked): Promise<Recorded | undefined> {
  const { id, status } = message;
  const by = ctx.actor.kind === "agent" ? `key ${encodeId("akey", ctx.actor.keyId)}` : ctx.actor.name;
  const error = `${CANCELLED} by ${by}`;
  const isOfMessage = eq(messageRecipients.message_id, id);
  const [review] =
    status === "held" ? await tx.select().from(reviews).where(eq(reviews.message_id, id)).for("update") : [];
  // After an attempt, a copy may have left for some recipients.
  const isUntried = status === "queued" && message.attempts === 0;
  if (review?.status !== "pending" && status !== "scheduled" && !isUntried) throw hasLeft(message);
  const recorded =
    review && (await reject(ctx, tx, review, { status: "rejected", by, reason: "cancelled by its sender" }));
  await tx.update(messages).set({ status: "rejected", error, next_attempt_at: null }).where(eq(messages.id, id));
  await tx.update(messageRecipients).set({ status: "failed", reason: error, at: ctx.now() }).where(isOfMessage);
  await tx.update(scheduledSends).set({ due_at: null }).where(eq(scheduledSends.message_id, id));
  return recorded;
}

/**
 * Moves a message that is scheduled, or held with a time.
 * @throws ServiceError `message_not_found`, `already_left`, `invalid_request`, `insufficient_scope`
 */
export async function moveMessage(ctx: Ctx<Caller>, wireId: string, text: string | null): Promise<void> {
  if (ctx.actor.kind === "agent" && !ctx.actor.scopes.includes("mailbox:send")) {
    throw new ServiceError(
      "insufficient_scope",
      "This key does not have the scope mailbox:send, which `send_at` needs.",
    );
  }
  if (text === null) throw invalidField("send_at", NOT_UNSET);
  await ctx.db.transaction(async (tx) => {
    const message = await lockOwn(ctx, tx, wireId);
    const sendAt = readSendAt(ctx, text);
    const { message_id, due_at } = scheduledSends;
    const isThis = eq(message_id, message.id);
    const [before] = await tx
      .select({ send_at: scheduledSends.send_at })
      .from(scheduledSends)
      .where(isThis)
      .for("update");
    const { count } = await tx
      .update(scheduledSends)
      .set({
        send_at: sendAt,
        due_at: sql`case when ${isNotNull(due_at)} then ${sendAt?.toISOString()}::timestamptz end`,
      })
      .where(and(isThis, sql`${["scheduled", "held"].includes(message.status)}::boolean`));
    if (count === 0 || !before) throw hasLeft(message);
    const changed = { before: { send_at: before.send_at }, after: { send_at: sendAt } };
    await record(ctx, tx, [{ kind: "send", id: message.id, ...changed }]);
  });
}

/** In the order of all locks: mailbox, thread, message. @throws ServiceError `message_not_found` */
async function lockOwn(ctx: Ctx<Caller>, tx: Transaction, wireId: string): Promise<Locked> {
  const id = decodeId("msg", wireId);
  const isThis = and(eq(messages.id, id ?? ""), eq(messages.direction, "outbound"), isOwn(ctx, messages));
  const { inbox_id, thread_id } = messages;
  const [found] = id ? await tx.select({ inbox_id, thread_id }).from(messages).where(isThis) : [];
  const isLive = and(eq(inboxes.id, found?.inbox_id ?? ""), eq(inboxes.status, "live"));
  const [inbox] = found ? await tx.select({ id: inboxes.id }).from(inboxes).where(isLive).for("share") : [];
  if (!found || !inbox) throw noMessage();
  await lockThread(tx, found.thread_id);
  const { status, attempts, error } = messages;
  const [message] = await tx
    .select({ id: messages.id, status, attempts, error })
    .from(messages)
    .where(isThis)
    .for("update");
  if (!message) throw noMessage();
  return message;
}

function hasLeft({ status, attempts, error }: Locked): ServiceError {
  const shown = status === "rejected" && error?.startsWith(CANCELLED) ? "cancelled" : status;
  const words = status === "queued" && attempts > 0 ? "was tried already, so copies may have left" : `is \`${shown}\``;
  return new ServiceError("already_left", `The message ${words}.`);
}
