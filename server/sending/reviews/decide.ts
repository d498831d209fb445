// Decides on a held message, with the message and its review locked: of concurrent decisions only the first takes effect.
import { and, eq } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { inboxes, messageRecipients, messages } from "#db/schema/mail.ts";
import { approvedRecipients, reviews } from "#db/schema/reviews.ts";
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { encodeId } from "../../base/ids.ts";
import { type InboxRow, inboxColumns } from "../../base/tenancy.ts";
import { refuseNotReady } from "../../domains/ready.ts";
import type { Recorded } from "../../events/event-log.ts";
import { type NewEvent, newEvent } from "../../events/record.ts";
import type { EventBody } from "../../events/schema.ts";
import { lockThread, requireNewest } from "../../messages/threads/newest.ts";
import { requireNotPaused, targetsOf } from "../../pauses/find.ts";
import { takeSend } from "../../recipients/limits/send-cap.ts";
import { requireAllowed } from "../../recipients/lists/check.ts";
import { requireUnsuppressed } from "../../recipients/suppressions/check.ts";
import { scheduleApproved } from "../scheduled/schedule.ts";
import { contentHash, hashFiles } from "./content-hash.ts";

export type Act = { decision: "approve" | "reject"; by: string; reason?: string | undefined };
export type ReviewRow = typeof reviews.$inferSelect;
/** `hash` in hex: the content that was read before the decision. */
export type Seen = { organizationId: string; messageId: string; hash: string };
export type Decision = { status: "approved" | "rejected" | "expired"; by: string | null; reason: string | null };
type Held = { review: ReviewRow; message: typeof messages.$inferSelect; inbox: InboxRow };

const MOVED_ON = { fix: "Reject the message, so that its agent reads the newer messages and writes again." };

/**
 * For a member, or for the person who holds the link of an email.
 * @throws ServiceError `message_not_found`, `already_decided`, `review_changed`; for an approval also
 * `domain_not_ready`, `recipient_blocked`, `recipient_suppressed`, `thread_moved_on`, `daily_send_cap_exceeded`, `sending_paused`:
 * then the message still waits
 */
export async function decideOn(ctx: Services, seen: Seen, { decision, by, reason }: Act): Promise<void> {
  const recorded = await ctx.db.transaction(async (tx) => {
    if (decision === "approve") return approve(ctx, tx, seen, by);
    const { review } = await lockPending(tx, seen, ctx.now());
    return reject(ctx, tx, review, { status: "rejected", by, reason: reason || null });
  });
  ctx.eventLog.announce(recorded);
  if (decision === "approve") ctx.signals.raise("outbound");
}

export function noReview(): ServiceError {
  return new ServiceError("message_not_found", "There is no message with this id that was held for approval.");
}

/** In the order of all locks: mailbox, thread, message; then the review. Undefined if there is none. */
export async function lockReviewed(
  tx: Transaction,
  { organizationId, messageId }: Pick<Seen, "organizationId" | "messageId">,
): Promise<Held | undefined> {
  const { inbox_id, thread_id } = messages;
  const isThis = and(eq(messages.id, messageId), eq(messages.organization_id, organizationId));
  const [found] = await tx.select({ inbox_id, thread_id }).from(messages).where(isThis);
  if (!found) return;
  const [inbox] = await tx.select(inboxColumns).from(inboxes).where(eq(inboxes.id, found.inbox_id)).for("share");
  await lockThread(tx, found.thread_id);
  const [message] = await tx.select().from(messages).where(isThis).for("update");
  const [review] = await tx.select().from(reviews).where(eq(reviews.message_id, messageId)).for("update");
  return inbox && message && review && { inbox, message, review };
}

/** @throws ServiceError `message_not_found`, also for a deleted mailbox, `already_decided`, `review_changed` */
export async function lockPending(tx: Transaction, seen: Seen, now: Date): Promise<Held> {
  const held = await lockReviewed(tx, seen);
  if (held?.inbox.status !== "live") throw noReview();
  const { review, message } = held;
  const isLate = review.status === "pending" && review.expires_at <= now;
  if (review.status !== "pending" || isLate) {
    const status = isLate ? "expired" : review.status;
    throw new ServiceError(
      "already_decided",
      `This message is ${status} already${review.decided_by === null ? "" : `, by ${review.decided_by}`}.`,
    );
  }
  if (message.status !== "held") throw noReview();
  if (review.hash.toString("hex") === seen.hash) return held;
  throw new ServiceError(
    "review_changed",
    `The message was changed since you read it: it is at revision ${review.revision}.`,
  );
}

/**
 * Puts the message into the queue, and counts its recipients now.
 * @throws ServiceError like `lockPending` and the checks of a send
 */
async function approve(ctx: Services, tx: Transaction, seen: Seen, by: string): Promise<Recorded> {
  const now = ctx.now();
  const { review, message, inbox } = await lockPending(tx, seen, now);
  if (!contentHash(message, await hashFiles(tx, message.id)).equals(review.hash)) {
    throw new ServiceError(
      "review_changed",
      "The message is not the one that was shown: another version of the service changed it.",
      {
        fix: "Change the message again in the dashboard, then approve it.",
      },
    );
  }
  const recipients = [...message.to_addresses, ...message.cc_addresses, ...message.bcc_addresses];
  await refuseNotReady({ ...ctx, db: tx }, inbox);
  await requireNotPaused(tx, targetsOf(message));
  await requireAllowed(tx, inbox, recipients);
  await requireUnsuppressed(tx, inbox, recipients);
  // A scheduled message is counted, and its thread checked, when it leaves.
  const isLater = await scheduleApproved(tx, message.id, now);
  let paused: NewEvent[] = [];
  if (!isLater) {
    const others = { threadId: message.thread_id, messageId: message.id };
    const expected = review.expected_last_message_id;
    if (expected !== null) await requireNewest(tx, others, expected, MOVED_ON);
    if (!review.counted) paused = await takeSend(ctx, tx, inbox, { messageId: message.id, recipients });
  }
  const next = isLater ? ({ status: "scheduled" } as const) : ({ status: "queued", next_attempt_at: now } as const);
  await tx.update(messages).set(next).where(eq(messages.id, message.id));
  const known = [...new Set(recipients.map((address) => address.toLowerCase()))].sort();
  const own = { organization_id: inbox.organization_id, inbox_id: inbox.id, created_at: now };
  await tx
    .insert(approvedRecipients)
    .values(known.map((address) => ({ ...own, address })))
    .onConflictDoNothing();
  return settle(ctx, tx, review, { status: "approved", by, reason: null }, paused);
}

/** Ends a review without sending the message. */
export async function reject(
  ctx: Services,
  tx: Transaction,
  review: ReviewRow,
  decision: Decision & { status: "rejected" | "expired" },
): Promise<Recorded> {
  const at = ctx.now();
  const words =
    decision.status === "expired"
      ? "because no one decided in time"
      : `by ${decision.by}${decision.reason === null ? "" : `: ${decision.reason}`}`;
  const error = `rejected, ${words}`;
  const isHeld = and(eq(messages.id, review.message_id), eq(messages.status, "held"));
  await tx.update(messages).set({ status: "rejected", error }).where(isHeld);
  await tx
    .update(messageRecipients)
    .set({ status: "failed", reason: error, at })
    .where(and(eq(messageRecipients.message_id, review.message_id), eq(messageRecipients.status, "queued")));
  return settle(ctx, tx, review, decision);
}

/** @param others events that are recorded with the decision's */
async function settle(
  ctx: Services,
  tx: Transaction,
  review: ReviewRow,
  decision: Decision,
  others: NewEvent[] = [],
): Promise<Recorded> {
  const now = ctx.now();
  await tx
    .update(reviews)
    .set({ status: decision.status, decided_by: decision.by, reason: decision.reason, decided_at: now })
    .where(eq(reviews.message_id, review.message_id));
  const [row] = await tx
    .select({ thread_id: messages.thread_id, inbox: inboxes.address })
    .from(messages)
    .innerJoin(inboxes, and(eq(inboxes.id, messages.inbox_id), eq(inboxes.status, "live")))
    .where(eq(messages.id, review.message_id));
  if (!row) return { events: [], deliveries: 0 };
  const { organization_id, inbox_id, message_id } = review;
  const message = {
    id: encodeId("msg", message_id),
    thread_id: encodeId("thr", row.thread_id),
    revision: review.revision,
    sha256: review.hash.toString("hex"),
    reason: decision.status === "expired" ? "expired" : decision.reason,
  };
  const event = decision.status === "approved" ? ("message.approved" as const) : ("message.rejected" as const);
  const body: EventBody = { event, inbox: row.inbox, message };
  const written = newEvent({ organization_id, inbox_id, message_id }, body);
  return ctx.eventLog.record(plainOf(tx), [written, ...others], now);
}
