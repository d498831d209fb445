// Pauses a mailbox when too many of its last recipients bounced or complained, and counts both by day. The counts are in
// rows of their own, so that deleting messages does not change them.
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { inboxes, messageRecipients, messages, sendUsage } from "#db/schema/mail.ts";
import { scheduledSends } from "#db/schema/outbox.ts";
import { reviews } from "#db/schema/reviews.ts";
import { sendingStates } from "#db/schema/sending.ts";
import { ServiceError } from "../../base/errors.ts";
import type { NewEvent } from "../../events/record.ts";
import { pauseEvent } from "../../pauses/pause.ts";
import { dayOf, type Mailbox } from "./ramp.ts";

/**
 * When the recipients of an outbound message were counted: at its time if it was scheduled, with the approval if a member approved it
 * that was not counted before, otherwise when it was stored.
 */
export const countedAt = sql`coalesce(
  (select ${scheduledSends.released_at} from ${scheduledSends} where ${scheduledSends.message_id} = ${messages.id}),
  (select ${reviews.decided_at} from ${reviews} where ${reviews.message_id} = ${messages.id} and ${reviews.status} = 'approved'
    and not ${reviews.counted}),
  ${messages.created_at})`.mapWith(messages.created_at);

/** The recipients that are looked at. */
export const WINDOW_RECIPIENTS = 100;
/** With fewer recipients, sending is never paused. */
export const PAUSE_RECIPIENTS_MIN = 20;
/** Sending pauses if one of so many recipients bounced (10 %) or complained (0.5 %). */
const PAUSE_BOUNCE_OF = 10;
const PAUSE_COMPLAINT_OF = 200;

type State = typeof sendingStates.$inferSelect;
type Window = Pick<State, "recent" | "bounced" | "complained">;
type Figures = { recipients: number; bounced: number; complained: number };

/** What became of one recipient of an outbound message. */
export type CountedOutcome = { messageId: string; kind: "bounced" | "complained" };

/** The marks whose recipients are still among the last ones. */
function marksIn(recent: string[], marks: string[]): string[] {
  const left = new Map<string, number>();
  for (const id of recent) left.set(id, (left.get(id) ?? 0) + 1);
  return marks.filter((id) => {
    const count = left.get(id) ?? 0;
    left.set(id, count - 1);
    return count > 0;
  });
}

function figuresOf({ recent, bounced, complained }: Window): Figures {
  const count = (marks: string[]) => marksIn(recent, marks).length;
  return { recipients: recent.length, bounced: count(bounced), complained: count(complained) };
}

function isTooHigh({ recipients, bounced, complained }: Figures): boolean {
  if (recipients < PAUSE_RECIPIENTS_MIN) return false;
  return bounced * PAUSE_BOUNCE_OF >= recipients || complained * PAUSE_COMPLAINT_OF >= recipients;
}

function pausedFields({ recipients, bounced, complained }: Figures, at: Date) {
  return {
    paused_at: at,
    paused_recipients: recipients,
    paused_bounced: bounced,
    paused_complained: complained,
  };
}

/**
 * Adds the recipients of a message to the last recipients of its mailbox, in the transaction that queues it.
 * @returns the event of a pause that this began, for the end of the transaction
 * @throws ServiceError `sending_paused`
 */
export async function takeRecipients(
  tx: Transaction,
  mailbox: Mailbox,
  { messageId, recipients }: { messageId: string; recipients: number },
  now: Date,
): Promise<NewEvent[]> {
  const added = Array.from({ length: Math.min(recipients, WINDOW_RECIPIENTS) }, () => messageId);
  const first = sql`greatest(1, cardinality(${sendingStates.recent}) + ${added.length - WINDOW_RECIPIENTS + 1}::int)`;
  const [row] = await tx
    .insert(sendingStates)
    .values({ inbox_id: mailbox.id, organization_id: mailbox.organization_id, recent: added })
    .onConflictDoUpdate({
      target: sendingStates.inbox_id,
      set: { recent: sql`(${sendingStates.recent} || excluded.recent)[${first}:]` },
      setWhere: isNull(sendingStates.paused_at),
    })
    .returning({
      recent: sendingStates.recent,
      bounced: sendingStates.bounced,
      complained: sendingStates.complained,
    });
  if (!row) throw pausedError(await readPause(tx, mailbox.id));
  if (row.bounced.length + row.complained.length === 0) return [];
  const figures = figuresOf(row);
  // This message made enough recipients for the rates to count: the next one is refused.
  if (!isTooHigh(figures)) return [];
  await tx.update(sendingStates).set(pausedFields(figures, now)).where(eq(sendingStates.inbox_id, mailbox.id));
  return [pausedEvent(mailbox, figures)];
}

function pausedEvent(mailbox: Pick<Mailbox, "id" | "organization_id" | "address">, figures: Figures): NewEvent {
  const { id, organization_id: organizationId, address } = mailbox;
  const change = { kind: "sending.paused" as const, by: "The service", reason: pauseReason(figures) };
  return pauseEvent({ scope: "inbox", id, organizationId, address }, change);
}

type Pause = { since: Date } & Figures;

/** Why sending from a mailbox is paused; undefined if it is not. */
export async function readPause(db: Database | Transaction, inboxId: string): Promise<Pause | undefined> {
  const [row] = await db
    .select({
      since: sendingStates.paused_at,
      recipients: sendingStates.paused_recipients,
      bounced: sendingStates.paused_bounced,
      complained: sendingStates.paused_complained,
    })
    .from(sendingStates)
    .where(eq(sendingStates.inbox_id, inboxId));
  return row?.since ? { ...row, since: row.since } : undefined;
}

/** One sentence with the figures. */
export function pauseReason({ recipients, bounced, complained }: Figures): string {
  const rate = (count: number) => `${count} (${Number(((100 * count) / Math.max(1, recipients)).toFixed(1))}%)`;
  return `Of its last ${recipients} recipients, ${rate(bounced)} bounced and ${rate(complained)} complained.`;
}

function pausedError(pause: Pause | undefined): ServiceError {
  const since = pause ? ` since ${pause.since.toISOString()}. ${pauseReason(pause)}` : ".";
  return new ServiceError("sending_paused", `Sending from this mailbox is paused${since}`);
}

/**
 * Counts bounces and complaints, and pauses the mailboxes that have too many, in the caller's transaction.
 * @param outcomes each recipient that bounced, and each that complained, once. Those of a deleted mailbox count for the one
 * that has its address now, or will have it.
 * @returns the events of the pauses, for the end of the transaction
 */
export async function countOutcome(tx: Transaction, outcomes: CountedOutcome[], now: Date): Promise<NewEvent[]> {
  if (outcomes.length === 0) return [];
  const ids = [...new Set(outcomes.map(({ messageId }) => messageId))];
  const { message_id } = messageRecipients;
  const read = () =>
    tx
      .selectDistinctOn([message_id], {
        id: message_id,
        organization_id: messageRecipients.organization_id,
        inbox_id: sql<string>`coalesce(${inboxes.superseded_by}, ${inboxes.id})`,
        counted_at: sql`coalesce(${messageRecipients.counted_at}, ${countedAt})`.mapWith(messages.created_at),
      })
      .from(messageRecipients)
      .innerJoin(inboxes, eq(inboxes.id, messageRecipients.inbox_id))
      .leftJoin(messages, eq(messages.id, message_id))
      .where(anyOf(message_id, ids))
      .orderBy(message_id);
  const first = new Set((await read()).map(({ inbox_id }) => inbox_id));
  const locked = await lockWindows(tx, first);
  // A new mailbox that has just taken over an address has its window too. Locked windows stay where they are.
  const sent = await read();
  const moved = sent.flatMap(({ inbox_id }) => (first.has(inbox_id) ? [] : inbox_id));
  const states = [...locked, ...(await lockWindows(tx, new Set(moved)))];
  const byId = new Map(sent.map((message) => [message.id, message]));
  const known = outcomes.flatMap((outcome) => {
    const message = byId.get(outcome.messageId);
    return message ? [{ ...outcome, message }] : [];
  });
  const paused = await markRecipients(tx, states, known, now);
  await countByDay(tx, known);
  const { id, organization_id, address } = inboxes;
  const mailboxes =
    paused.size === 0
      ? []
      : await tx
          .select({ id, organization_id, address })
          .from(inboxes)
          .where(and(anyOf(id, [...paused.keys()]), eq(inboxes.status, "live")));
  return mailboxes.flatMap((mailbox) => {
    const figures = paused.get(mailbox.id);
    return figures ? [pausedEvent(mailbox, figures)] : [];
  });
}

/** In one order everywhere, so that two transactions never wait for each other. */
function lockWindows(tx: Transaction, inboxIds: Set<string>): Promise<State[]> {
  return tx
    .select()
    .from(sendingStates)
    .where(anyOf(sendingStates.inbox_id, [...inboxIds]))
    .orderBy(asc(sendingStates.inbox_id))
    .for("no key update");
}

type Known = CountedOutcome & {
  message: Pick<typeof messages.$inferSelect, "organization_id" | "inbox_id"> & { counted_at: Date };
};

/** @returns the mailboxes that it paused, with their figures */
async function markRecipients(
  tx: Transaction,
  states: State[],
  outcomes: Known[],
  now: Date,
): Promise<Map<string, Figures>> {
  const paused = new Map<string, Figures>();
  const byInbox = Map.groupBy(outcomes, ({ message }) => message.inbox_id);
  for (const state of states) {
    const own = byInbox.get(state.inbox_id) ?? [];
    const marks = (kind: CountedOutcome["kind"]) => {
      const added = own.filter((outcome) => outcome.kind === kind).map(({ messageId }) => messageId);
      return marksIn(state.recent, [...state[kind], ...added]);
    };
    const window = { recent: state.recent, bounced: marks("bounced"), complained: marks("complained") };
    const figures = figuresOf(window);
    const pauses = state.paused_at === null && isTooHigh(figures);
    if (pauses) paused.set(state.inbox_id, figures);
    const { bounced, complained } = window;
    await tx
      .update(sendingStates)
      .set({ bounced, complained, ...(pauses && pausedFields(figures, now)) })
      .where(eq(sendingStates.inbox_id, state.inbox_id));
  }
  return paused;
}

async function countByDay(tx: Transaction, outcomes: Known[]): Promise<void> {
  const keyOf = ({ message }: Known) => `${message.inbox_id} ${dayOf(message.counted_at)}`;
  const groups = [...Map.groupBy(outcomes, keyOf).values()].sort((a, b) =>
    keyOf(a[0] as Known) < keyOf(b[0] as Known) ? -1 : 1,
  );
  const rows = groups.flatMap((group) => {
    const [first] = group;
    const count = (kind: CountedOutcome["kind"]) => group.filter((outcome) => outcome.kind === kind).length;
    if (!first) return [];
    const { organization_id, inbox_id, counted_at } = first.message;
    const none = { organization_id, inbox_id, counted: 0, replies: 0 };
    return [{ ...none, day: dayOf(counted_at), bounced: count("bounced"), complained: count("complained") }];
  });
  if (rows.length === 0) return;
  await tx
    .insert(sendUsage)
    .values(rows)
    .onConflictDoUpdate({
      target: [sendUsage.inbox_id, sendUsage.day],
      set: {
        bounced: sql`${sendUsage.bounced} + excluded.bounced`,
        complained: sql`${sendUsage.complained} + excluded.complained`,
      },
    });
}
