// Records what became of outbound messages for their recipients, from any source: the relay's reply, a bounce, a
// complaint, an event of a provider. Writes the events and the suppressions that follow.
import { and, asc, eq, sql } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import type { RecipientStatus } from "#db/message-parts.ts";
import { inboxes, messageRecipients, messages } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import type { Recorded } from "../../events/event-log.ts";
import { type NewEvent, newEvent } from "../../events/record.ts";
import type { EventBody } from "../../events/schema.ts";
import { type CountedOutcome, countOutcome } from "../limits/sending-pause.ts";
import { BY_SERVICE, type NewSuppression, suppress } from "../suppressions/suppress.ts";
import { type Codes, isAddressAtFault, printable } from "./codes.ts";
import { lockErased } from "./erased.ts";

// Creates the recipients of an outbound message, in the transaction that queues it.
type Message = { id: string; organization_id: string; inbox_id: string };

/** In the order in which adapters send: To, Cc, Bcc. */
export async function insertRecipients(
  tx: Transaction,
  { id, organization_id, inbox_id }: Message,
  { to, cc, bcc }: { to: string[]; cc: string[]; bcc: string[] },
): Promise<void> {
  const own = { message_id: id, organization_id, inbox_id, status: "queued" as const };
  const addresses = [...to, ...cc, ...bcc];
  await tx.insert(messageRecipients).values(addresses.map((address, index) => ({ ...own, index, address })));
}

/** `delayed` changes only the reason, which it is put before, and the codes. */
export type Outcome = Codes & {
  /** UUID of the message, and the recipient's index in `message_recipients`. */
  messageId: string;
  index: number;
  status: RecipientStatus | "delayed";
  /** The words of the server. */
  reason: string | null;
  /** Whether a bounce means that the address will never work. Undefined: its codes say it. */
  permanent?: boolean | undefined;
  at: Date;
  /** The span that brought it. Undefined: its event belongs to the call that stored the message. */
  traceparent?: string | undefined;
};

/**
 * A later stage replaces an earlier one, and nothing else does. So each recipient bounces once: everybody who got the mail has its return
 * path, and could report by turns that it was delivered and that it bounced. Of the final stages, only a newer outcome counts.
 */
const STAGES = { queued: 0, sent: 1, suppressed: 2, failed: 2, delivered: 3, bounced: 4, complained: 5 };
const FINAL_STAGE = STAGES.suppressed;

/** `thread_id` null: the message was erased. Then the outcome counts and suppresses, and makes no event. */
type Recipient = Omit<typeof messageRecipients.$inferSelect, "counted_at"> & {
  thread_id: string | null;
  subject: string | null;
  inbox: string;
  inbox_status: "reserved" | "live" | "deleted";
  traceparent: string | null;
};
type Change = { before: Recipient; after: Outcome };
type Needs = Pick<Services, "eventLog" | "now" | "metrics">;

/**
 * Records one outcome in the caller's transaction, as its last statements. Idempotent: an outcome that is known, older,
 * or of an earlier stage changes nothing.
 * @returns what `ctx.eventLog.announce` needs after the commit
 */
export function recordOutcome(ctx: Needs, tx: Transaction, outcome: Outcome): Promise<Recorded> {
  return recordOutcomes(ctx, tx, [outcome]);
}

/**
 * Like `recordOutcome`, for any number of recipients.
 * @param settled more messages whose status becomes that of their recipients
 * @param sent messages that have just left
 */
export async function recordOutcomes(
  ctx: Needs,
  tx: Transaction,
  given: Outcome[],
  settled: Iterable<string> = [],
  sent: string[] = [],
): Promise<Recorded> {
  const outcomes = given.map((each) => ({ ...each, reason: storedReason(each) }));
  const ids = [...new Set([...settled, ...outcomes.map(({ messageId }) => messageId)])];
  if (ids.length === 0) return { events: [], deliveries: 0 };
  const recipients = await lockRecipients(tx, ids);
  const byKey = new Map(recipients.map((each) => [`${each.message_id} ${each.index}`, each]));
  const changes = outcomes.flatMap((after) => {
    const before = byKey.get(`${after.messageId} ${after.index}`);
    return before && isNews(before, after) ? [{ before, after }] : [];
  });
  if (changes.length > 0) await writeRecipients(tx, changes);
  for (const { after } of changes) ctx.metrics.recipientOutcomes.inc({ outcome: after.status });
  await writeStatuses(tx, ids);
  const paused = await countOutcome(tx, changes.flatMap(countedOf), ctx.now());
  const suppressed = await suppress(tx, changes.flatMap(suppressionOf), ctx.now());
  const left = sentEvents(sent, changes, recipients);
  const events = [...left, ...eventsOf(changes, recipients), ...suppressed.events, ...paused];
  return ctx.eventLog.record(plainOf(tx), events, ctx.now());
}

/** Messages are locked before their recipients everywhere, so that two outcomes of a message wait for each other. */
async function lockRecipients(tx: Transaction, ids: string[]): Promise<Recipient[]> {
  const ofMessages = anyOf(messages.id, ids);
  const { id } = messages;
  const found = await tx.select({ id }).from(messages).where(ofMessages).orderBy(asc(id)).for("no key update");
  if (found.length < ids.length) await lockErased(tx, ids);
  return tx
    .select({
      message_id: messageRecipients.message_id,
      index: messageRecipients.index,
      organization_id: messageRecipients.organization_id,
      inbox_id: messageRecipients.inbox_id,
      address: messageRecipients.address,
      status: messageRecipients.status,
      smtp_code: messageRecipients.smtp_code,
      enhanced_code: messageRecipients.enhanced_code,
      reason: messageRecipients.reason,
      at: messageRecipients.at,
      thread_id: messages.thread_id,
      subject: messages.subject,
      inbox: inboxes.address,
      inbox_status: inboxes.status,
      traceparent: messages.traceparent,
    })
    .from(messageRecipients)
    .leftJoin(messages, eq(messages.id, messageRecipients.message_id))
    .innerJoin(inboxes, eq(inboxes.id, messageRecipients.inbox_id))
    .where(anyOf(messageRecipients.message_id, ids));
}

/** As the column has it, so that a repeated outcome is the same. */
function storedReason({ status, reason }: Outcome): string | null {
  // The API documents these words, and the dashboard looks for them.
  if (status === "delayed") return printable(`delayed: ${reason ?? ""}`);
  return reason === null ? null : printable(reason);
}

function isNews(before: Recipient, after: Outcome): boolean {
  const stage = STAGES[before.status];
  if (after.status === "delayed") return stage < FINAL_STAGE && before.reason !== after.reason;
  const next = STAGES[after.status];
  if (stage < FINAL_STAGE || next === STAGES.complained) return next > stage;
  return next > stage && (before.at === null || after.at > before.at);
}

async function writeRecipients(tx: Transaction, changes: Change[]): Promise<void> {
  const rows = changes.map(({ before, after }) => ({
    message_id: before.message_id,
    index: before.index,
    status: after.status === "delayed" ? before.status : after.status,
    smtp_code: after.smtp_code,
    enhanced_code: after.enhanced_code,
    reason: after.reason,
    at: after.at,
  }));
  const ids = [...new Set(rows.map(({ message_id }) => message_id))];
  const isRow = sql`${messageRecipients.message_id} = c.message_id and ${messageRecipients.index} = c.index`;
  await tx
    .update(messageRecipients)
    .set({
      status: sql`c.status`,
      smtp_code: sql`c.smtp_code`,
      enhanced_code: sql`c.enhanced_code`,
      reason: sql`c.reason`,
      at: sql`c.at`,
    })
    .from(sql`json_to_recordset(${JSON.stringify(rows)}::text::json) as c(
      message_id uuid, index int, status text, smtp_code int, enhanced_code text, reason text, at timestamptz)`)
    .where(and(anyOf(messageRecipients.message_id, ids), isRow));
}

/** The worst of the recipients, for messages that no longer wait: `delivered` only if all of them are. */
async function writeStatuses(tx: Transaction, ids: string[]): Promise<void> {
  const { status } = messageRecipients;
  await tx
    .update(messages)
    .set({ status: sql`worst.status` })
    .from(sql`(
      select ${messageRecipients.message_id} as id, case
        when bool_or(${status} = 'failed') then 'failed' when bool_or(${status} = 'bounced') then 'bounced'
        when bool_or(${status} = 'complained') then 'complained' when bool_or(${status} = 'suppressed') then 'suppressed'
        when bool_and(${status} = 'delivered') then 'delivered' else 'sent' end as status
      from ${messageRecipients} where ${anyOf(messageRecipients.message_id, ids)} group by 1) worst`)
    .where(
      and(
        anyOf(messages.id, ids),
        sql`${messages.id} = worst.id`,
        // A row that has it already is not written again.
        sql`${messages.status} <> worst.status`,
        sql`${messages.status} not in ('queued', 'sending')`,
      ),
    );
}

/** What the pause of sending counts. */
function countedOf({ before, after }: Change): CountedOutcome[] {
  const { status: kind } = after;
  return kind === "bounced" || kind === "complained" ? [{ messageId: before.message_id, kind }] : [];
}

/** Permanent bounces and complaints suppress the address for the organization. */
function suppressionOf({ before, after }: Change): NewSuppression[] {
  const isBounce = after.status === "bounced" && (after.permanent ?? isAddressAtFault(after, before.address));
  if (!isBounce && after.status !== "complained") return [];
  const { organization_id, address, message_id } = before;
  return [{ organization_id, inbox_id: null, address, reason: after.status, message_id, ...BY_SERVICE }];
}

/** The status that events report: a recipient that was suppressed after the message was queued failed. */
function reportedStatus({ status }: Outcome) {
  return status === "suppressed" ? "failed" : status;
}

const KINDS = {
  delivered: "message.delivered",
  bounced: "message.bounced",
  complained: "message.complained",
  failed: "message.failed",
} as const;

function isReported(status: Outcome["status"]): status is keyof typeof KINDS {
  return status in KINDS;
}

/** Of messages that left for one of their recipients at least. */
function sentEvents(sent: string[], changes: Change[], recipients: Recipient[]): NewEvent[] {
  if (sent.length === 0) return [];
  const keyOf = ({ message_id, index }: Pick<Recipient, "message_id" | "index">) => `${message_id} ${index}`;
  const changed = new Map(changes.map(({ before, after }) => [keyOf(before), after.status]));
  const hasLeft = (each: Recipient) => {
    const status = changed.get(keyOf(each)) ?? each.status;
    return status !== "bounced" && status !== "failed" && status !== "suppressed";
  };
  const left = Map.groupBy(recipients.filter(hasLeft), (each) => each.message_id);
  return sent.flatMap((messageId) => {
    const own = left.get(messageId) ?? [];
    const [recipient] = own;
    if (!recipient || recipient.thread_id === null || recipient.inbox_status !== "live") return [];
    const ids = { id: encodeId("msg", messageId), thread_id: encodeId("thr", recipient.thread_id) };
    const subject = recipient.subject ?? undefined;
    const message = {
      ...ids,
      subject,
      recipients: own.sort((a, b) => a.index - b.index).map(({ address }) => address),
    };
    const event = newEvent(recipient, { event: "message.sent", inbox: recipient.inbox, message });
    return [{ ...event, traceparent: recipient.traceparent ?? undefined }];
  });
}

/** One event for each recipient; one for the message if it failed for all of them. */
function eventsOf(changes: Change[], recipients: Recipient[]): NewEvent[] {
  const sizes = new Map([...Map.groupBy(recipients, (each) => each.message_id)].map(([id, all]) => [id, all.length]));
  return [...Map.groupBy(changes, ({ before }) => before.message_id)].flatMap(([id, own]) => {
    const hasFailed = own.length === sizes.get(id) && own.every(({ after }) => reportedStatus(after) === "failed");
    const [first] = own;
    return hasFailed && first ? eventOf(first, null) : own.flatMap((each) => eventOf(each, each.before.address));
  });
}

function eventOf({ before, after }: Change, recipient: string | null): NewEvent[] {
  const { smtp_code, enhanced_code } = after;
  const status = reportedStatus(after);
  if (!isReported(status) || before.inbox_status !== "live" || before.thread_id === null) return [];
  const { organization_id, inbox_id, message_id, inbox } = before;
  const words = after.status === "suppressed" ? `suppressed: ${after.reason}` : after.reason;
  const reason = words === null ? null : printable(words);
  const ids = { id: encodeId("msg", message_id), thread_id: encodeId("thr", before.thread_id) };
  const subject = before.subject ?? undefined;
  const message = { ...ids, subject, recipient, status, smtp_code, enhanced_code, reason };
  const body: EventBody = { event: KINDS[status], inbox, message };
  const traceparent = after.traceparent ?? before.traceparent ?? undefined;
  return [{ ...newEvent({ organization_id, inbox_id, message_id }, body), traceparent }];
}
