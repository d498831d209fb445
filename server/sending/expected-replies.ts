// Expects a reply to an outbound message until a time, and records the event message.unanswered if no person replied by then.
import { and, asc, eq, isNotNull, lte, notExists, notInArray, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { plainOf, type Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { inboxes, messages, trashedMessages } from "#db/schema/mail.ts";
import { expectedReplies, scheduledSends } from "#db/schema/outbox.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import { invalidField } from "../base/errors.ts";
import { encodeId } from "../base/ids.ts";
import { newEvent } from "../events/record.ts";
import type { Outgoing } from "./outgoing.ts";
import { readSendAt } from "./scheduled/schedule.ts";

const DAYS_MAX = 90;
const DAY_MS = 86_400_000;
const ROWS_MAX = 200;

/** @throws ServiceError `invalid_request` */
export function readTimes(
  ctx: Pick<Services, "now">,
  input: { send_at?: string | undefined; reply_by?: string | undefined },
): Pick<Outgoing, "sendAt" | "replyBy"> {
  const sendAt = readSendAt(ctx, input.send_at);
  return { sendAt, replyBy: readReplyBy(ctx, input.reply_by, sendAt) };
}

/** @throws ServiceError `invalid_request` if the time is past, before the message leaves, or too far ahead */
function readReplyBy(
  { now }: Pick<Services, "now">,
  text: string | undefined,
  sendAt: Date | undefined,
): Date | undefined {
  if (text === undefined) return;
  const at = new Date(text);
  const ahead = at.getTime() - now().getTime();
  if (ahead <= 0) throw invalidField("reply_by", "is in the past");
  if (ahead > DAYS_MAX * DAY_MS) throw invalidField("reply_by", `is more than ${DAYS_MAX} days ahead`);
  if (sendAt && at <= sendAt) throw invalidField("reply_by", "is not after `send_at`");
  return at;
}

/** In the transaction that stores the message. */
export async function expectReply(
  tx: Transaction,
  message: Pick<typeof expectedReplies.$inferSelect, "message_id" | "organization_id" | "inbox_id" | "thread_id">,
  { replyBy, now }: { replyBy: Date; now: Date },
): Promise<void> {
  await tx.insert(expectedReplies).values({ ...message, reply_by: replyBy, due_at: replyBy, created_at: now });
}

/**
 * Worker job: looks for the replies whose time has come, one batch. A deleted message has no row, and one that was cancelled or failed
 * gets no reply.
 * @returns how many were due
 */
export async function reportUnanswered(ctx: Ctx<System>): Promise<number> {
  const now = ctx.now();
  const { message_id, due_at } = expectedReplies;
  const { due, recorded } = await ctx.db.transaction(async (tx) => {
    const rows = await tx
      .select({ message_id })
      .from(expectedReplies)
      .where(and(isNotNull(due_at), lte(due_at, now)))
      .orderBy(asc(due_at))
      .limit(ROWS_MAX)
      .for("update", { skipLocked: true });
    const ids = rows.map((row) => row.message_id);
    if (ids.length === 0) return { due: 0, recorded: undefined };
    const unanswered = await findUnanswered(tx, ids);
    await tx.update(expectedReplies).set({ due_at: null }).where(anyOf(message_id, ids));
    const events = unanswered.map(({ inbox, thread_id, reply_by, ...about }) => {
      const message = { id: encodeId("msg", about.message_id), thread_id: encodeId("thr", thread_id) };
      const body = { event: "message.unanswered" as const, inbox, message };
      return newEvent(about, { ...body, message: { ...message, reply_by: reply_by.toISOString() } });
    });
    return { due: ids.length, recorded: await ctx.eventLog.record(plainOf(tx), events, now) };
  });
  if (recorded) ctx.eventLog.announce(recorded);
  return due;
}

/** Those without mail of a person in their thread since they left. A reply that was deleted counts. */
function findUnanswered(tx: Transaction, ids: string[]) {
  const { message_id, organization_id, inbox_id, thread_id, reply_by } = expectedReplies;
  const released = tx
    .select({ at: scheduledSends.released_at })
    .from(scheduledSends)
    .where(eq(scheduledSends.message_id, messages.id));
  const left = sql`coalesce(${released}, ${messages.created_at})`;
  const kept = alias(messages, "kept");
  const isReply = (reply: typeof kept | typeof trashedMessages) =>
    and(
      eq(reply.thread_id, expectedReplies.thread_id),
      eq(reply.direction, "inbound"),
      // No imported mail.
      isNotNull(reply.envelope_from),
      // Mail that an earlier version received has no kind.
      sql`coalesce(${reply.kind}, 'person') = 'person'`,
      sql`${reply.created_at} >= ${left}`,
      sql`${reply.quarantine} is distinct from 'spam'`,
    );
  const one = { one: sql`1` };
  return tx
    .select({ message_id, organization_id, inbox_id, thread_id, reply_by, inbox: inboxes.address })
    .from(expectedReplies)
    .innerJoin(messages, eq(messages.id, message_id))
    .innerJoin(inboxes, and(eq(inboxes.id, inbox_id), eq(inboxes.status, "live")))
    .where(
      and(
        anyOf(message_id, ids),
        notInArray(messages.status, ["rejected", "failed"]),
        notExists(tx.select(one).from(kept).where(isReply(kept))),
        notExists(tx.select(one).from(trashedMessages).where(isReply(trashedMessages))),
      ),
    );
}
