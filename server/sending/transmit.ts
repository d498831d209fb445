// Worker job: sends queued messages through the outbound provider, several concurrently, and records the results.
import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { messages } from "#db/schema/mail.ts";
import { type WriteBehind, writeBehind } from "../base/batching/write-behind.ts";
import type { Ctx, System } from "../base/context.ts";
import { createFairQueue, type FairQueue } from "../base/fair-queue.ts";
import { keepRenewing, leaseEnd } from "../base/lease.ts";
import { writeWork } from "../base/log.ts";
import type { OutboundMail, SendOutcome } from "../base/ports/outbound.ts";
import type { Span } from "../base/ports/tracing.ts";
import { erasedAmong } from "../recipients/outcomes/erased.ts";
import { type Outcome, recordOutcomes } from "../recipients/outcomes/record.ts";
import { type Leased, leaseQueued } from "./lease-queued.ts";
import { failed, interrupted, isUncertain, paused, putBack, type Settled, settle } from "./transmit-outcome.ts";
import { type PauseWatch, watchPauses } from "./watch-pauses.ts";

const CONCURRENCY = 20;
/** The most that one organization may have running: its slow messages leave places for the others. */
const ORGANIZATION_CONCURRENCY = 16;
/** Leased messages that may wait for a slot when the next batch is leased. */
const LEASE_AHEAD = 16;
/** A message with less lease time left is not sent: its lease was not renewed. */
const LEASE_LEFT_MIN_MS = 20_000;
/** How often to look for new messages while a slow send keeps this run from ending. */
const LOOK_MS = 500;
const IDENTITY_WAIT_MS = 1_000;
const LOOK_FAILED_WAIT_MS = 1_000;
/** The time for running sends when the process stops; all other messages return to the queue immediately. */
const STOP_MS = 6_000;
const RECORD_MS = 1_500;
const NOTHING_LEFT: SendOutcome = { outcome: "sent", providerMessageId: null, recipients: [] };

/**
 * Sends all due messages, including those that become due during the run.
 * @param stop when it aborts, no new send starts: running ones get 6 s, all others return to the queue
 * @returns how many messages were processed; 0 if none was due
 */
export async function transmitQueued(ctx: Ctx<System>, stop?: AbortSignal): Promise<number> {
  const outcomes = writeBehind<Settled>((rows) => record(ctx, rows), ctx.log);
  const queue = createSendQueue(ctx, outcomes, stop);
  const stopRenewing = renewLeases(ctx, queue.held);
  const pauses = watchPauses(ctx, queue.held);
  const outOfTime = Promise.withResolvers<undefined>();
  let over = false;
  const onStop = () => {
    queue.wake();
    setTimeout(() => outOfTime.resolve(undefined), STOP_MS).unref();
  };
  const unsubscribe = ctx.signals.on("outbound", queue.wake);
  stop?.addEventListener("abort", onStop, { once: true });

  async function slot(): Promise<void> {
    for (let leased = await queue.next(); leased; leased = await queue.next()) {
      const row = await handOver(ctx, pauses, leased);
      queue.done(leased);
      if (!over) outcomes.add(row);
    }
  }
  const slots = Promise.allSettled(Array.from({ length: CONCURRENCY }, slot));
  const ended = await Promise.race([slots, outOfTime.promise]);
  unsubscribe();
  stop?.removeEventListener("abort", onStop);

  const now = ctx.now();
  const { waiting, underWay, leasedInAll } = await queue.end();
  // A send that ended during the last lease is written with its result; what is under way from here on is interrupted.
  over = true;
  for (const leased of waiting) outcomes.add(putBack(leased, now));
  for (const leased of underWay) outcomes.add(interrupted(leased, now));
  stopRenewing();
  pauses.close();
  let unwritten = await outcomes.flush(RECORD_MS);
  while (unwritten > 0 && stop && !stop.aborted) unwritten = await outcomes.flush(RECORD_MS);
  if (unwritten > 0) ctx.log.warn({ messages: unwritten }, "could not write the results of some messages yet");
  const broken = ended?.find((result) => result.status === "rejected");
  if (broken) throw broken.reason;
  return leasedInAll;
}

/** Writes results with the outcomes of their recipients, and what follows from those. */
async function record(ctx: Ctx<System>, rows: Settled[]): Promise<void> {
  const recorded = await ctx.db.transaction(async (tx) => {
    const held = await writeSettled(tx, rows);
    const others = rows.filter(({ id }) => !held.has(id));
    const erased = await erasedAmong(
      tx,
      others.map(({ id }) => id),
    );
    const outcomes = rows.filter(({ id }) => held.has(id) || erased.has(id)).flatMap((row) => row.outcomes);
    const sent = rows.filter(({ id, status }) => status === "sent" && held.has(id)).map(({ id }) => id);
    return recordOutcomes(ctx, tx, outcomes, held, sent);
  });
  ctx.eventLog.announce(recorded);
}

/** @returns the ids of the rows that this process still held */
async function writeSettled(tx: Transaction, settled: Settled[]): Promise<Set<string>> {
  const rows = settled.map(({ outcomes: _, ...row }) => row);
  const byId = anyOf(
    messages.id,
    rows.map(({ id }) => id),
  );
  // The lease identifies this process's hold: a row that was leased again must not be settled here.
  const held = sql`${messages.id} = s.id and ${messages.next_attempt_at} = any(s.leases)`;
  const written = await tx
    .update(messages)
    .set({
      status: sql`s.status`,
      attempts: sql`s.attempts`,
      next_attempt_at: sql`s.next_attempt_at`,
      sent_at: sql`coalesce(s.sent_at, ${messages.sent_at})`,
      provider_message_id: sql`coalesce(s.provider_message_id, ${messages.provider_message_id})`,
      error: sql`s.error`,
    })
    .from(sql`json_to_recordset(${JSON.stringify(rows)}::text::json) as s(
      id uuid, leases timestamptz[], attempts int, status text, next_attempt_at timestamptz, sent_at timestamptz,
      provider_message_id text, error text)`)
    .where(and(byId, held, eq(messages.status, "sending")))
    .returning({ id: messages.id });
  return new Set(written.map(({ id }) => id));
}

/** Why this message must not be sent now; undefined if it may be. */
function withheld(ctx: Ctx<System>, leased: Leased): Settled | undefined {
  const now = ctx.now();
  // Every recipient has a result: only the status of the message is missing.
  if (leased.recipients.length === 0) return settle(leased, NOTHING_LEFT, now, true);
  if (leased.stop.signal.aborted) return putBack(leased, null);
  if (leased.isChanged) return failed(leased, "This is not the message that was approved.", now);
  if (leased.inbox_status === "deleted") return failed(leased, "The mailbox was deleted before this was sent.", now);
  if (leased.isGivenUp) return failed(leased, "The organization no longer holds the domain of the mailbox.", now);
  if (leased.unread) {
    return settle(leased, { outcome: "retry", error: leased.unread }, now, ctx.outbound.recognisesRepeats);
  }
  if (ctx.outbound.identities && leased.identity_status === "opening") {
    if (leased.identity_error) return failed(leased, `The sender identity was refused: ${leased.identity_error}`, now);
    return putBack(leased, new Date(now.getTime() + IDENTITY_WAIT_MS));
  }
  if (Number(leased.leases[0]) - now.getTime() < LEASE_LEFT_MIN_MS) return putBack(leased, now);
}

/**
 * Takes suppressed recipients out of the message. A provider that recognizes repeats by their content gets an uncertain
 * message unchanged, because it may have accepted it already.
 * @returns the outcomes of those left out
 */
function leaveOutSuppressed({ now, outbound }: Ctx<System>, leased: Leased): Outcome[] {
  const { recipients, mail } = leased;
  if (outbound.recognisesRepeats && isUncertain(leased)) return [];
  const gone = recipients.filter(({ suppressed }) => suppressed !== null);
  if (gone.length === 0) return [];
  leased.recipients = recipients.filter(({ suppressed }) => suppressed === null);
  leased.mail = without(mail, new Set(gone.map(({ address }) => address)));
  const none = { smtp_code: null, enhanced_code: null, at: now() };
  return gone.map(({ index, suppressed }) => {
    return { messageId: leased.id, index, status: "suppressed", ...none, reason: suppressed };
  });
}

/** With envelopes, the headers stay the same for all recipients. */
function without(mail: OutboundMail, gone: Set<string>): OutboundMail {
  if (mail.envelopes) return { ...mail, envelopes: mail.envelopes.filter((envelope) => !gone.has(envelope.to)) };
  const left = (list: string[]) => list.filter((address) => !gone.has(address));
  const [to, cc, bcc] = [left(mail.to), left(mail.cc), left(mail.bcc)];
  return { ...mail, ...withTo(mail.from.address, { to, cc, bcc }) };
}

/** Providers need someone in To. Only one of several Bcc recipients there would be shown to the others. */
function withTo(sender: string, { to, cc, bcc }: Pick<OutboundMail, "to" | "cc" | "bcc">) {
  if (to.length > 0) return { to, cc, bcc };
  if (cc.length > 0) return { to: cc, cc: [], bcc };
  return bcc.length === 1 ? { to: bcc, cc, bcc: [] } : { to: [sender], cc, bcc };
}

async function handOver(ctx: Ctx<System>, pauses: PauseWatch, leased: Leased): Promise<Settled> {
  try {
    await pauses.lookFor(leased);
  } catch (error) {
    ctx.log.warn({ error, message: leased.mail.id }, "could not look for pauses of sending");
    return putBack(leased, new Date(ctx.now().getTime() + LOOK_FAILED_WAIT_MS));
  }
  const early = withheld(ctx, leased);
  if (early) return early;
  const suppressed = leaveOutSuppressed(ctx, leased);
  if (leased.recipients.length === 0)
    return failed(leased, "Every recipient was suppressed before this was sent.", ctx.now(), suppressed);
  const began = performance.now();
  const span = ctx.tracing?.start({ name: "hand-over", kind: "client", parent: leased.traceparent });
  let outcome: SendOutcome;
  try {
    outcome = await ctx.outbound.send(leased.mail, (result) => leased.results.push(result), leased.stop.signal);
  } catch (error) {
    ctx.log.error({ error, message: leased.mail.id }, "an outbound adapter threw");
    outcome = { outcome: "retry", error: `internal: ${error instanceof Error ? error.message : error}` };
  }
  const unknown = outcome.outcome === "retry" && outcome.mayHaveLeft;
  const result = unknown ? "unknown" : outcome.outcome;
  ctx.metrics.sends.inc({ outcome: result });
  const isStopped = outcome.outcome === "retry" && !outcome.mayHaveLeft && leased.stop.signal.aborted;
  const row = isStopped
    ? paused(leased, outcome, ctx.now())
    : settle(leased, outcome, ctx.now(), ctx.outbound.recognisesRepeats);
  noteHandOver(ctx, leased, { result, row, ms: performance.now() - began, span });
  const outcomes = [...suppressed, ...row.outcomes.map((each) => ({ ...each, traceparent: span?.traceparent }))];
  return { ...row, outcomes };
}

type HandedOver = { result: string; row: Settled; ms: number; span: Span | undefined };

/** The words of the relay stay out: they may hold addresses and parts of the mail. */
function noteHandOver(ctx: Ctx<System>, leased: Leased, { result: outcome, row, ms, span }: HandedOver): void {
  const { id: message, organization_id: organization, inbox_id: inbox, recipients } = leased;
  const facts = { attempt: row.attempts, status: row.status, recipients: recipients.length };
  const spanFacts = { "mailberth.attempt": row.attempts, "mailberth.recipients": recipients.length };
  writeWork(ctx.log, "info", { kind: "hand_over", organization, inbox, message, outcome, ms, span, spanFacts, facts });
}

/** Results are written before more is leased: after an outage longer than a lease, messages would be sent again. */
async function writeLate(outcomes: WriteBehind<Settled>, stop: AbortSignal | undefined): Promise<void> {
  while (outcomes.isLate() && !stop?.aborted) await outcomes.flush(RECORD_MS);
}

type State = {
  ctx: Ctx<System>;
  outcomes: WriteBehind<Settled>;
  stop: AbortSignal | undefined;
  /** By organization. */
  waiting: FairQueue<Leased>;
  underWay: Set<Leased>;
  leasing: Promise<void> | undefined;
  /** When the last lease began, on the clock of `performance`. */
  leasedAt: number;
  changed: PromiseWithResolvers<void>;
  looking: NodeJS.Timeout | undefined;
  leasedInAll: number;
};

/**
 * The leased messages of one run: free slots take the next one, of each organization in turn, which leases ahead, until
 * nothing is due or running.
 */
function createSendQueue(ctx: Ctx<System>, outcomes: WriteBehind<Settled>, stop: AbortSignal | undefined) {
  const queue: State = {
    ctx,
    outcomes,
    stop,
    waiting: createFairQueue(() => ({ group: ORGANIZATION_CONCURRENCY })),
    underWay: new Set<Leased>(),
    leasing: undefined,
    leasedAt: Number.NEGATIVE_INFINITY,
    changed: Promise.withResolvers<void>(),
    looking: undefined,
    leasedInAll: 0,
  };
  return {
    next: () => next(queue),
    wake: () => wake(queue),
    held: () => [...queue.waiting.all(), ...queue.underWay],
    done(leased: Leased): void {
      queue.underWay.delete(leased);
      queue.waiting.done(leased.organization_id);
      if (queue.underWay.size === 0) wake(queue);
    },
    /** What is left when the run ends, and how many messages it had. */
    async end() {
      await Promise.allSettled([queue.leasing]);
      clearTimeout(queue.looking);
      return { waiting: queue.waiting.drain(), underWay: queue.underWay, leasedInAll: queue.leasedInAll };
    },
  };
}

function wake(queue: State): void {
  clearTimeout(queue.looking);
  queue.looking = undefined;
  queue.changed.resolve();
  queue.changed = Promise.withResolvers();
}

async function lease(queue: State): Promise<void> {
  await writeLate(queue.outcomes, queue.stop);
  const leased = await leaseQueued(queue.ctx, servedOf(queue));
  queue.leasedInAll += leased.length;
  for (const each of leased) queue.waiting.add(each.organization_id, each);
}

/** The organizations that have all that they may have running, and enough waiting. */
function servedOf({ underWay, waiting }: State): string[] {
  const running = Map.groupBy(underWay, ({ organization_id }) => organization_id);
  return [...running].flatMap(([organization, { length }]) =>
    length >= ORGANIZATION_CONCURRENCY && waiting.waitingOf(organization) >= LEASE_AHEAD ? [organization] : [],
  );
}

function take(queue: State): Leased | undefined {
  const leased = queue.stop?.aborted ? undefined : queue.waiting.next();
  if (leased) queue.underWay.add(leased);
  return leased;
}

/** Leases more if little waits, or if a slot is free and nothing that waits may have it, the latter at intervals. */
function leaseMore(queue: State, isFree: boolean): void {
  const now = performance.now();
  const isLittle = queue.waiting.size < LEASE_AHEAD;
  if (!isLittle && (!isFree || now - queue.leasedAt < LOOK_MS)) return;
  queue.leasedAt = now;
  queue.leasing ??= lease(queue).finally(() => {
    queue.leasing = undefined;
  });
}

async function next(queue: State): Promise<Leased | undefined> {
  while (!queue.stop?.aborted) {
    const ready = take(queue);
    leaseMore(queue, !ready);
    // A failed lease is retried by an idle slot, which reports the failure.
    if (ready) queue.leasing?.catch(() => {});
    else await queue.leasing;
    const leased = ready ?? take(queue);
    if (leased || queue.underWay.size === 0) return leased;
    // A slow send must not delay new messages: look again until it ends.
    queue.looking ??= setTimeout(() => wake(queue), LOOK_MS);
    await queue.changed.promise;
  }
}

/** Leases are short, so that they end soon after a process dies: each is renewed while this process sends its message. */
async function renew({ db, now }: Ctx<System>, leased: Leased[]): Promise<void> {
  const until = leaseEnd(now());
  const rows = JSON.stringify(leased.map(({ id, leases }) => ({ id, leases })));
  // Added before the statement: an outcome written during the renewal, or after a lost answer, then matches the row
  // either way.
  for (const each of leased) each.leases = [...each.leases, until];
  const held = sql`${messages.id} = c.id and ${messages.next_attempt_at} = any(c.leases)`;
  const byId = anyOf(
    messages.id,
    leased.map(({ id }) => id),
  );
  const renewed = await db
    .update(messages)
    .set({ next_attempt_at: until })
    .from(sql`json_to_recordset(${rows}::text::json) as c(id uuid, leases timestamptz[])`)
    .where(and(byId, held, eq(messages.status, "sending")))
    .returning({ id: messages.id });
  const ids = new Set(renewed.map(({ id }) => id));
  for (const each of leased) if (ids.has(each.id)) each.leases = [until];
}

/**
 * Renews the leases of these messages until stopped.
 * @param held the messages that this process has leased and not settled
 * @returns a function that stops
 */
function renewLeases(ctx: Ctx<System>, held: () => Leased[]): () => void {
  return keepRenewing(async () => {
    const leased = held();
    if (leased.length > 0) await renew(ctx, leased);
  }, ctx.log);
}
