// Takes back what a key did with mail that had not left: sends are cancelled, and chosen times return.
import { and, eq, inArray } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { inboxes, messageRecipients, messages, trashedMessages } from "#db/schema/mail.ts";
import { scheduledSends } from "#db/schema/outbox.ts";
import { reviews } from "#db/schema/reviews.ts";
import { CHANGED_SINCE, GONE_SINCE, type Net, type Reasons, type TakeBack } from "../activity/net.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { isOwn } from "../messages/columns.ts";
import { CANCELLED } from "../messages/message-schema.ts";
import { reject } from "./reviews/decide.ts";

const TRIED = "It was tried before it was cancelled: copies may have left.";
const ERASED = "It was erased. Whether it left is not known any more.";
const TRASHED = "It was deleted before it left, and is in the trash.";
const TIME_PASSED = "Its earlier time has passed.";
const UNDONE = `${CANCELLED} by an undo`;

type Sent = Pick<typeof messages.$inferSelect, "id" | "status" | "attempts" | "sent_at" | "error">;

/** Sends of the key are cancelled, and times that it changed return. Nothing is sent again. */
export const takeBackSends: TakeBack = async (ctx, tx, nets, isDry) => {
  const reasons: Reasons = new Map();
  const made = nets.filter(({ was }) => was === null);
  const sent = await lockSent(
    ctx,
    tx,
    made.map(({ id }) => id),
    isDry,
  );
  const waiting: Sent[] = [];
  for (const { id } of made) {
    const message = sent.get(id);
    const reason = message === undefined ? ERASED : message === "trashed" ? TRASHED : reasonOf(message);
    if (reason) reasons.set(id, reason);
    if (typeof message === "object" && canCancel(message)) waiting.push(message);
  }
  if (!isDry) await cancelAll(ctx, tx, waiting);
  for (const net of nets.filter(({ was }) => was !== null)) {
    const reason = net.final ?? (await moveBack(ctx, tx, net, isDry));
    if (reason) reasons.set(net.id, reason);
  }
  return reasons;
};

/** Whether a message that a key sent did not leave, or does not once its key is undone. */
export function isKeptBack(message: Sent): boolean {
  return canCancel(message) ? message.attempts === 0 : reasonOf(message) === undefined;
}

function canCancel({ status }: Sent): boolean {
  return ["held", "scheduled", "queued"].includes(status);
}

function reasonOf(message: Sent): string | undefined {
  const { status, attempts, sent_at } = message;
  if (canCancel(message)) return attempts > 0 ? TRIED : undefined;
  if (status === "sending") return "It is being sent.";
  if (status === "rejected" || (status === "failed" && attempts === 0 && sent_at === null)) return undefined;
  return `It left: its status is \`${status}\`.`;
}

/** In the order of all locks: mailboxes, messages. */
async function lockSent(ctx: Ctx<Caller>, tx: Transaction, ids: string[], isDry: boolean) {
  const found = new Map<string, Sent | "trashed">();
  if (ids.length === 0) return found;
  const { id, inbox_id, status, attempts, sent_at, error } = messages;
  const own = and(anyOf(id, ids), isOwn(ctx, messages));
  if (!isDry) {
    const places = tx.select({ inbox_id }).from(messages).where(own);
    await tx
      .select({ id: inboxes.id })
      .from(inboxes)
      .where(inArray(inboxes.id, places))
      .orderBy(inboxes.id)
      .for("share");
    await tx.select({ id }).from(messages).where(own).orderBy(id).for("update");
  }
  const rows = await tx.select({ id, status, attempts, sent_at, error }).from(messages).where(own);
  const trashed = await tx
    .select({ id: trashedMessages.id })
    .from(trashedMessages)
    .where(and(anyOf(trashedMessages.id, ids), isOwn(ctx, trashedMessages)));
  for (const row of rows) found.set(row.id, row);
  for (const row of trashed) found.set(row.id, "trashed");
  return found;
}

/** The recipients stay counted against the daily cap, as when one message is cancelled (cancel.ts). */
async function cancelAll(ctx: Ctx<Caller>, tx: Transaction, waiting: Sent[]): Promise<void> {
  if (waiting.length === 0) return;
  const ids = waiting.map(({ id }) => id);
  const pending = await tx
    .select()
    .from(reviews)
    .where(and(anyOf(reviews.message_id, ids), eq(reviews.status, "pending")))
    .orderBy(reviews.message_id)
    .for("update");
  for (const review of pending) {
    await reject(ctx, tx, review, { status: "rejected", by: "an undo", reason: "its key was undone" });
  }
  const at = ctx.now();
  await tx
    .update(messages)
    .set({ status: "rejected", error: UNDONE, next_attempt_at: null })
    .where(and(anyOf(messages.id, ids), isOwn(ctx, messages)));
  const { message_id, status } = messageRecipients;
  await tx
    .update(messageRecipients)
    .set({ status: "failed", reason: UNDONE, at })
    .where(and(anyOf(message_id, ids), eq(status, "queued")));
  await tx.update(scheduledSends).set({ due_at: null }).where(anyOf(scheduledSends.message_id, ids));
}

/** A message of another caller that the key moved to another time. @returns why not */
async function moveBack(ctx: Ctx<Caller>, tx: Transaction, net: Net, isDry: boolean): Promise<string | undefined> {
  const isThis = and(eq(messages.id, net.id), isOwn(ctx, messages));
  const [message] = await tx
    .select({ status: messages.status, send_at: scheduledSends.send_at, due_at: scheduledSends.due_at })
    .from(messages)
    .innerJoin(scheduledSends, eq(scheduledSends.message_id, messages.id))
    .where(isThis)
    .for("update");
  if (!message) return GONE_SINCE;
  const [was, is] = [net.was?.send_at, net.is?.send_at].map((time) => new Date(String(time)));
  if (!was || message.send_at.getTime() !== is?.getTime()) return CHANGED_SINCE;
  if (!["scheduled", "held"].includes(message.status)) return `Its status is \`${message.status}\`.`;
  if (was <= ctx.now()) return TIME_PASSED;
  if (isDry) return;
  await tx
    .update(scheduledSends)
    .set({ send_at: was, due_at: message.due_at && was })
    .where(eq(scheduledSends.message_id, net.id));
}
