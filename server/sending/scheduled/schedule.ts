// Schedules a message, in the transaction that stores it.
import { and, eq, gt, isNotNull, isNull, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { scheduledSends } from "#db/schema/outbox.ts";
import type { Caller, Ctx, Services } from "../../base/context.ts";
import { invalidField, ServiceError } from "../../base/errors.ts";
import type { InboxRow } from "../../base/tenancy.ts";
import type { NewEvent } from "../../events/record.ts";
import { takeSendBudget } from "../../keys/issued/send-budget.ts";
import { takeSend } from "../../recipients/limits/send-cap.ts";

// Reads the time at which a message is to leave.
const DAYS_MAX = 30;
const DAY_MS = 86_400_000;

/** @throws ServiceError `invalid_request` if the time is past or too far ahead */
export function readSendAt({ now }: Pick<Services, "now">, text: string | undefined): Date | undefined {
  if (text === undefined) return;
  const at = new Date(text);
  const ahead = at.getTime() - now().getTime();
  if (ahead >= 0 && ahead <= DAYS_MAX * DAY_MS) return at;
  const message = ahead < 0 ? "is in the past" : `is more than ${DAYS_MAX} days ahead`;
  throw invalidField("send_at", message);
}

/** Scheduled messages of one mailbox. The send cap counts them only when they leave. */
const SCHEDULED_MAX = 1_000;
/** Serializes the schedules of a mailbox; the second key is derived from its id. "sch" in ASCII. */
const SCHEDULE_LOCK = 0x736368;

/** Undefined `sendAt`: the message leaves immediately. */
export type Planned = {
  messageId: string;
  recipients: string[];
  sendAt: Date | undefined;
  expectedLast: string | null;
};

/**
 * Counts the recipients of a message, or schedules it: then they count against the daily cap when it leaves.
 * @returns the event of a pause that this began, for the end of the transaction
 * @throws ServiceError `too_many_scheduled`, `send_budget_exceeded`, and those of `takeSend`
 */
export async function takeOrSchedule(
  ctx: Ctx<Caller>,
  tx: Transaction,
  inbox: InboxRow,
  { sendAt, ...planned }: Planned,
): Promise<NewEvent[]> {
  await takeSendBudget(tx, ctx.actor, planned.recipients);
  if (!sendAt) return takeSend(ctx, tx, inbox, planned);
  await schedule(tx, inbox, { ...planned, sendAt });
  return [];
}

type Schedule = Pick<Planned, "messageId" | "expectedLast"> & { sendAt: Date };

/** @throws ServiceError `too_many_scheduled` */
export async function schedule(tx: Transaction, inbox: InboxRow, planned: Schedule): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${SCHEDULE_LOCK}, hashtext(${inbox.id}))`);
  const waiting = and(eq(scheduledSends.inbox_id, inbox.id), isNotNull(scheduledSends.due_at));
  if ((await tx.$count(scheduledSends, waiting)) >= SCHEDULED_MAX) {
    throw new ServiceError("too_many_scheduled", `This mailbox has ${SCHEDULED_MAX} scheduled messages.`);
  }
  await insertSchedule(tx, inbox, planned, planned.sendAt);
}

async function insertSchedule(tx: Transaction, inbox: InboxRow, planned: Schedule, dueAt: Date | null): Promise<void> {
  await tx.insert(scheduledSends).values({
    message_id: planned.messageId,
    organization_id: inbox.organization_id,
    inbox_id: inbox.id,
    send_at: planned.sendAt,
    due_at: dueAt,
    expected_last_message_id: planned.expectedLast,
  });
}

/** Keeps the time of a message that waits for a member. @throws ServiceError `send_budget_exceeded` */
export async function scheduleHeld(
  ctx: Ctx<Caller>,
  tx: Transaction,
  inbox: InboxRow,
  { sendAt, ...planned }: Planned,
): Promise<NewEvent[]> {
  await takeSendBudget(tx, ctx.actor, planned.recipients);
  if (sendAt) await insertSchedule(tx, inbox, { ...planned, sendAt }, null);
  return [];
}

/** Schedules a message that a member approved. False if it has no time, or its time has passed. */
export async function scheduleApproved(tx: Transaction, messageId: string, now: Date): Promise<boolean> {
  const { message_id, send_at, due_at } = scheduledSends;
  const { count } = await tx
    .update(scheduledSends)
    .set({ due_at: sql`${send_at}` })
    .where(and(eq(message_id, messageId), isNull(due_at), gt(send_at, now)));
  return count > 0;
}
