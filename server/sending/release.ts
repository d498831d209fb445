// Worker job: queues scheduled messages when their time comes, after the checks of a send.
import { and, eq, isNotNull, isNull, lte, type SQL, sql } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { inboxes, messageRecipients, messages } from "#db/schema/mail.ts";
import { scheduledSends } from "#db/schema/outbox.ts";
import { reviews } from "#db/schema/reviews.ts";
import type { Ctx, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { leaseEnd } from "../base/lease.ts";
import { type InboxRow, inboxColumns } from "../base/tenancy.ts";
import { refuseNotReady } from "../domains/ready.ts";
import type { Recorded } from "../events/event-log.ts";
import type { NewEvent } from "../events/record.ts";
import { lockThread, requireNewest } from "../messages/threads/newest.ts";
import { readPauses, targetsOf } from "../pauses/find.ts";
import { takeSend } from "../recipients/limits/send-cap.ts";
import { requireAllowed } from "../recipients/lists/check.ts";
import { printable } from "../recipients/outcomes/codes.ts";
import { recordOutcomes } from "../recipients/outcomes/record.ts";
import { heldEvent, holdAccepted, policyFor } from "./reviews/hold.ts";
import { readPolicy } from "./reviews/policy.ts";

const ROWS_MAX = 64;
/** Organizations that take turns. */
const ORGANIZATIONS_MAX = 10_000;
const CONCURRENCY = 8;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A message that the cap or a pause holds back fails so long after its time. */
const WAIT_MAX_MS = 7 * DAY_MS;
const SERVER_ERROR = 500;

type Due = typeof scheduledSends.$inferSelect;
type MessageRow = typeof messages.$inferSelect;
type Message = Pick<MessageRow, keyof typeof columns>;

const { id, organization_id, inbox_id, sent_by, thread_id, to_addresses, cc_addresses, bcc_addresses } = messages;
const columns = { id, organization_id, inbox_id, sent_by, thread_id, to_addresses, cc_addresses, bcc_addresses };

/** @returns how many messages were due; 0 if none was */
export async function releaseDue(ctx: Ctx<System>): Promise<number> {
  const due = await leaseDue(ctx);
  const left = [...due];
  const slot = async () => {
    for (let row = left.shift(); row; row = left.shift()) await release(ctx, row);
  };
  const slots = await Promise.allSettled(Array.from({ length: CONCURRENCY }, slot));
  if (due.length > 0) ctx.signals.raise("outbound");
  const broken = slots.find((result) => result.status === "rejected");
  if (broken) throw broken.reason;
  return due.length;
}

/**
 * Of each organization in turn the longest due first: many are scheduled for the same moment. Another process takes over the rows of a
 * process that died, after the lease.
 */
async function leaseDue({ db, now }: Ctx<System>): Promise<Due[]> {
  const at = now();
  const isDue = and(isNotNull(scheduledSends.due_at), lte(scheduledSends.due_at, at));
  const some = db
    .select({ message_id: scheduledSends.message_id })
    .from(scheduledSends)
    .where(isDue)
    .limit(ROWS_MAX + 1);
  // Without a crowd, all of them are leased.
  const due =
    (await some).length > ROWS_MAX
      ? inTurns(at)
      : sql`select ${scheduledSends.message_id} from ${scheduledSends} where ${isDue} order by ${scheduledSends.due_at}`;
  const leased = sql`${due} limit ${ROWS_MAX} for update of scheduled_sends skip locked`;
  return db
    .update(scheduledSends)
    .set({ due_at: leaseEnd(at) })
    .where(sql`${scheduledSends.message_id} = any(array(${leased}))`)
    .returning();
}

/** The due rows of each organization, one after the other: each organization is found by a look into the index behind the one before. */
function inTurns(at: Date): SQL {
  const { message_id, due_at, organization_id: owner } = scheduledSends;
  return sql`
    with recursive organizations as (
      (select ${owner} as id, 1 as n from ${scheduledSends} where ${isNotNull(due_at)} order by ${owner} limit 1)
      union all
      (select next.id, o.n + 1 from organizations o cross join lateral (
        select ${owner} as id from ${scheduledSends} where ${isNotNull(due_at)} and ${owner} > o.id order by ${owner} limit 1) next
      where o.n < ${ORGANIZATIONS_MAX})
    ), turns as materialized (
      select each.id, row_number() over (partition by o.id order by each.since, each.id) as turn, each.since
      from organizations o cross join lateral (
        select ${message_id} as id, ${due_at} as since from ${scheduledSends}
        where ${owner} = o.id and ${and(isNotNull(due_at), lte(due_at, at))} order by ${due_at} limit ${ROWS_MAX}) each
    )
    select ${message_id} from turns join ${scheduledSends} on ${message_id} = turns.id and ${lte(due_at, at)}
    order by turns.turn, turns.since`;
}

async function release(ctx: Ctx<System>, due: Due): Promise<void> {
  const recorded = await ctx.db.transaction(async (tx) => {
    const { inbox, message } = await lock(tx, due);
    if (!message) return;
    const waits = inbox && (await holdsBack(ctx, tx, { inbox, message, due }));
    if (waits) return ctx.eventLog.record(plainOf(tx), waits === "held" ? [heldEvent(inbox, message)] : [], ctx.now());
    const paused: NewEvent[] = [];
    const refusal = inbox
      ? await refusalOf(ctx, tx, { inbox, message, due }, paused)
      : new ServiceError("inbox_not_found", "The mailbox was deleted before this was sent.");
    const again = refusal && retryAt(ctx, due, refusal);
    if (again) return void (await change(tx, due, { due_at: again }));
    if (refusal) return fail(ctx, tx, due, refusal);
    const at = ctx.now();
    await tx.update(messages).set({ status: "queued", next_attempt_at: at }).where(eq(messages.id, message.id));
    await change(tx, due, { due_at: null, released_at: at });
    return ctx.eventLog.record(plainOf(tx), paused, at);
  });
  if (recorded) ctx.eventLog.announce(recorded);
}

/** In the order of all locks: mailbox, thread, message. No message: it was cancelled, or another process released it. */
async function lock(
  tx: Transaction,
  due: Due,
): Promise<{ inbox?: InboxRow | undefined; message?: Message | undefined }> {
  const isLive = and(eq(inboxes.id, due.inbox_id), eq(inboxes.status, "live"));
  const [inbox] = await tx.select(inboxColumns).from(inboxes).where(isLive).for("share");
  const isScheduled = and(eq(id, due.message_id), eq(messages.status, "scheduled"));
  const [found] = await tx.select({ thread_id }).from(messages).where(isScheduled);
  if (found && due.expected_last_message_id !== null) await lockThread(tx, found.thread_id);
  const [message] = await tx.select(columns).from(messages).where(isScheduled).for("update");
  // Its time was changed since it was leased.
  const { message_id, due_at } = scheduledSends;
  const isLeased = and(eq(message_id, due.message_id), due.due_at ? eq(due_at, due.due_at) : isNull(due_at));
  return (await tx.$count(scheduledSends, isLeased)) > 0 ? { inbox, message } : {};
}

type Ready = { inbox: InboxRow; message: Message; due: Due };

/** Whether a pause or a member must be waited for. A paused message waits as long as the pause. */
async function holdsBack(
  ctx: Ctx<System>,
  tx: Transaction,
  { inbox, message, due }: Ready,
): Promise<"paused" | "held" | undefined> {
  const isApproved = and(eq(reviews.message_id, message.id), eq(reviews.status, "approved"));
  const approved = (await tx.$count(reviews, isApproved)) > 0;
  const causes = (await readPauses(tx, targetsOf(message))).map(({ cause }) => cause);
  const isRevoked = causes.includes("revocation") && !approved;
  if (!isRevoked && causes.some((cause) => cause !== "revocation")) {
    await change(tx, due, { due_at: new Date(ctx.now().getTime() + HOUR_MS) });
    return "paused";
  }
  const recipients = [...message.to_addresses, ...message.cc_addresses, ...message.bcc_addresses];
  const policy = isRevoked
    ? await readPolicy(tx, inbox.organization_id, inbox.id)
    : message.sent_by && !approved
      ? await policyFor(tx, inbox, recipients)
      : undefined;
  if (!policy) return;
  const cause = isRevoked ? ("key_revoked" as const) : ("policy" as const);
  await change(tx, due, { due_at: null });
  await holdAccepted(
    ctx,
    tx,
    { mailbox: inbox, policy, expectedLast: due.expected_last_message_id, cause },
    message.id,
  );
  return "held";
}

/** Why the message may not leave now; `paused` gets the event of a pause that it began. Suppressed recipients are left out when it is transmitted. */
async function refusalOf(
  ctx: Ctx<System>,
  tx: Transaction,
  { inbox, message, due }: Ready,
  paused: NewEvent[],
): Promise<ServiceError | undefined> {
  const { id: messageId, thread_id: threadId, to_addresses: to, cc_addresses: cc, bcc_addresses: bcc } = message;
  const expected = due.expected_last_message_id;
  const recipients = [...to, ...cc, ...bcc];
  try {
    await refuseNotReady({ ...ctx, db: tx }, inbox);
    await requireAllowed(tx, inbox, recipients);
    if (expected !== null) await requireNewest(tx, { threadId, messageId }, expected);
    paused.push(...(await tx.transaction((inner) => takeSend(ctx, inner, inbox, { messageId, recipients }))));
  } catch (error) {
    if (error instanceof ServiceError && error.status < SERVER_ERROR) return error;
    throw error;
  }
  return undefined;
}

/** The cap is another one on the next UTC day, and a member may end a pause. Undefined: the refusal is final. */
function retryAt({ now }: Ctx<System>, { send_at }: Due, { code }: ServiceError): Date | undefined {
  const at = now().getTime();
  if (at > send_at.getTime() + WAIT_MAX_MS) return;
  if (code === "sending_paused") return new Date(at + HOUR_MS);
  if (code === "daily_send_cap_exceeded") return new Date((Math.floor(at / DAY_MS) + 1) * DAY_MS);
}

async function fail(ctx: Ctx<System>, tx: Transaction, due: Due, refusal: ServiceError): Promise<Recorded> {
  const { message_id: messageId } = due;
  const reason = printable(`${refusal.code}: ${refusal.message}`);
  await tx.update(messages).set({ status: "failed", error: reason }).where(eq(messages.id, messageId));
  await change(tx, due, { due_at: null });
  const { index } = messageRecipients;
  const recipients = await tx
    .select({ index })
    .from(messageRecipients)
    .where(eq(messageRecipients.message_id, messageId));
  const same = { messageId, status: "failed" as const, smtp_code: null, enhanced_code: null, reason, at: ctx.now() };
  return recordOutcomes(
    ctx,
    tx,
    recipients.map((each) => ({ ...each, ...same })),
  );
}

async function change(tx: Transaction, due: Due, set: Partial<Due>): Promise<void> {
  await tx.update(scheduledSends).set(set).where(eq(scheduledSends.message_id, due.message_id));
}
