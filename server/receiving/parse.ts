// Parses stored mail after it was accepted: bodies and sender authentication, from memory, in the background, or because a
// caller waits.
import { setTimeout as delay } from "node:timers/promises";
import { and, eq, isNull, lte, sql } from "drizzle-orm";
import type { Database } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import type { Reading } from "#db/message-parts.ts";
import { messages } from "#db/schema/mail.ts";
import { type GroupCommit, groupCommit } from "../base/batching/group-commit.ts";
import { isIn } from "../base/client-address.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import { DatabaseLate } from "../base/errors.ts";
import { FIRST_ID } from "../base/id-range.ts";
import { writeWork } from "../base/log.ts";
import type { Span } from "../base/ports/tracing.ts";
import {
  addTraces,
  type Leased,
  leaseInTurns,
  leaseNamed,
  putBack,
  RENEW_EVERY_MS,
  renewLeases,
  takeOverBefore,
} from "./parse-lease.ts";
import { endThreads, NOT_CHECKED, readMail, readRaws, slices } from "./parse-mail.ts";
import { createMemory, forget, holdFresh, leasedOf, type Memory } from "./parse-memory.ts";
import { prepareWrites, type Read, writeReads } from "./parse-write.ts";
import type { PlannedMessage } from "./receive-plan.ts";

declare module "../base/context.ts" {
  interface Services {
    parsing: Parsing;
  }
}

const BATCH_MAILS = 60;
/** Mails that take longer continue beside the next batch, which leaves out their organizations. */
const SLOW_MS = 200;
/** A verdict on the sender that takes longer, because DNS does not answer, comes after the words. */
const VERDICT_MS = 300;
/** How long a caller waits for a mail to be parsed. */
const WAIT_MS = 12_000;
/**
 * After that, the database has this long to answer whether the mail is parsed: less than a query timeout, so that the
 * whole call stays within its limit.
 */
const LAST_LOOK_MS = 3_000;
/** Most mail is parsed within a few milliseconds, here or in another process. */
const LOOK_FIRST_MS = 4;
const LOOK_AGAIN_MS = 50;
const LEASES_IN_FLIGHT = 4;
const WRITES_IN_FLIGHT = 2;
const WRITE_CHARS = 8 * 1024 * 1024;

/** The state of parsing in this process. */
type Parsing = {
  /** Mails leased by this process; resolves when the mail can be read, or when the work on it has ended without that. */
  underWay: Map<string, PromiseWithResolvers<boolean>>;
  renewing: NodeJS.Timeout | undefined;
  /** Organizations whose mail the background is parsing. */
  busy: Set<string>;
  /** The organization that had the last turn of the background. */
  after: string;
  /** Mails in progress that a caller waits for; they have priority. */
  wanted: Set<string>;
  /** New mail that this process parses from memory. */
  memory: Memory;
  /** Counts the new mails that this process will parse, whose rows are inserted as leased. */
  hold(mails: PlannedMessage[]): Set<PlannedMessage>;
  /** Parses them once they are stored. */
  take(mails: Iterable<PlannedMessage>): void;
  /** They were not stored. */
  drop(mails: Iterable<PlannedMessage>): void;
  /** The running lease query of the background: when it ends, its mails are in progress. */
  leasing: Promise<unknown>;
  writes: GroupCommit<Read, undefined>;
  releases: GroupCommit<Leased, undefined>;
  /** A caller waits for each of these. */
  leases: GroupCommit<string, undefined>;
  look: ReturnType<typeof prepareLook>;
};

type Parts = Pick<
  Services,
  | "sql"
  | "db"
  | "blobs"
  | "now"
  | "log"
  | "secrets"
  | "settings"
  | "mailThreads"
  | "threadPool"
  | "metrics"
  | "tracing"
  | "signals"
>;
type Needs = Parts & { parsing: Parsing };

/** @param options `fromMemory`: this process has a worker, which parses the mail that the process receives */
export function createParsing(services: Parts, options: { fromMemory: boolean }): Parsing {
  const memory = createMemory(!options.fromMemory);
  const statements = prepareWrites(services.db);
  const batches = { items: BATCH_MAILS, weight: BATCH_MAILS, weigh: () => 1 };
  const parsing: Parsing = {
    underWay: new Map(),
    renewing: undefined,
    busy: new Set(),
    after: FIRST_ID,
    look: prepareLook(services.db),
    wanted: new Set(),
    memory,
    hold: (mails) => holdFresh(memory, mails),
    take: (mails) => void takeFresh({ ...services, parsing }, [...mails]),
    drop(mails) {
      for (const mail of mails) forget(memory, mail);
    },
    leasing: Promise.resolve(),
    writes: groupCommit(services, (reads: Read[]) => writeReads(services, statements, reads), {
      items: BATCH_MAILS,
      weight: WRITE_CHARS,
      inFlight: WRITES_IN_FLIGHT,
      weigh: ({ row }) => row.length,
    }),
    releases: groupCommit(services, (mails: Leased[]) => putBack(services, mails), { ...batches, inFlight: 1 }),
    leases: groupCommit(services, (ids: string[]) => startNamed({ ...services, parsing }, ids), {
      ...batches,
      inFlight: LEASES_IN_FLIGHT,
    }),
  };
  return parsing;
}

function begin(ctx: Needs, mails: Leased[]): Leased[] {
  const parsing = ctx.parsing;
  for (const { id } of mails) parsing.underWay.set(id, Promise.withResolvers());
  parsing.renewing ??= setInterval(() => keepLeases(ctx), RENEW_EVERY_MS).unref();
  return mails;
}

function keepLeases(ctx: Needs): void {
  const parsing = ctx.parsing;
  if (parsing.underWay.size > 0) {
    renewLeases(ctx, [...parsing.underWay.keys()]).catch((error) => {
      ctx.log.warn({ error }, "could not renew the leases of mail in progress");
    });
    return;
  }
  clearInterval(parsing.renewing);
  parsing.renewing = undefined;
}

function endWork(ctx: Needs, id: string, isRead: boolean): void {
  const { underWay, wanted } = ctx.parsing;
  underWay.get(id)?.resolve(isRead);
  underWay.delete(id);
  wanted.delete(id);
}

/** Parses one leased mail and writes the result, or releases it. Never rejects. */
async function finish(ctx: Needs, mail: Leased, raw?: Buffer): Promise<void> {
  const began = performance.now();
  const span = ctx.tracing?.start({ name: "parse", kind: "consumer", parent: mail.traceparent });
  let read: Read | undefined;
  try {
    read = await readWhole(ctx, mail, raw);
    await (read ? ctx.parsing.writes.add(read) : ctx.parsing.releases.add(mail));
    if (read && mail.quarantine === "pending") ctx.signals.raise("quarantine");
  } catch (error) {
    read = undefined;
    ctx.log.warn({ error, message: mail.id }, "could not parse a mail; will retry when its lease ends");
  }
  noteParse(ctx, mail, read, { ms: performance.now() - began, span });
  endWork(ctx, mail.id, read !== undefined);
}

/** @returns undefined if the mail must be retried. What a late verdict keeps waiting can be read before. */
async function readWhole(ctx: Needs, mail: Leased, raw: Buffer | undefined): Promise<Read | undefined> {
  const { body, judging } = await readMail(ctx, mail, raw);
  if (!body) return;
  const { id, from_address: from, rfc_message_id: messageId, in_reply_to: inReplyTo, references } = mail;
  const { remote_ip: ip } = mail;
  // A filter in front is no sending server.
  const isOfFilter = ip !== null && isIn(ctx.settings.SPAM_FILTERS, ip);
  const isRemote = ip !== null && !isOfFilter;
  const isImported = mail.envelope_from === null;
  const read = { id, from, messageId, inReplyTo, references, isRemote, isOfFilter, isImported, ...body };
  const late = new AbortController();
  const isLate = delay(VERDICT_MS, true, { signal: late.signal }).catch(() => false);
  if ((await Promise.race([judging, isLate])) === true) {
    await ctx.parsing.writes.add({ ...read, authentication: null });
    ctx.parsing.underWay.get(id)?.resolve(true);
  }
  late.abort();
  const authentication = await judging;
  return authentication && { ...read, authentication };
}

/**
 * Ends mails whose raw bytes are gone, so that they are not leased again. A deleted mail has no row, and stays quiet.
 */
async function endLost(ctx: Needs, mails: Leased[]): Promise<void> {
  const ids = mails.map(({ id }) => id);
  const reading: Reading = { complete: false, notes: ["part_unreadable"] };
  const ended = await ctx.db
    .update(messages)
    .set({
      // One that only waited for the verdict on its sender keeps what was read.
      status: sql`case when ${messages.reading} is null then 'unparsed' else 'parsed' end`,
      error: sql`case when ${messages.reading} is null then 'the raw mail is gone' end`,
      reading: sql`coalesce(${messages.reading}, ${JSON.stringify(reading)}::jsonb)`,
      authentication: sql`coalesce(${messages.authentication}, ${JSON.stringify(NOT_CHECKED)}::jsonb)`,
      next_attempt_at: null,
    })
    .where(and(anyOf(messages.id, ids), eq(messages.status, "received")))
    .returning({ message: messages.id, organization: messages.organization_id, quarantine: messages.quarantine });
  for (const { message, organization } of ended)
    ctx.log.error({ message, organization }, "the raw bytes of a mail are gone; it stays without its body");
  if (ended.some(({ quarantine }) => quarantine === "pending")) ctx.signals.raise("quarantine");
}

/** Parses leased mails, those first that a caller waits for. */
async function work(ctx: Needs, mails: Leased[]): Promise<void> {
  const { wanted } = ctx.parsing;
  const left = new Set(slices(mails));
  while (left.size > 0) {
    const isUrgent = (slice: Leased[]) => slice.some(({ id }) => wanted.has(id));
    const slice = left.values().find(isUrgent) ?? left.values().next().value ?? [];
    left.delete(slice);
    const raws = await readRaws(ctx, slice);
    const lost = slice.filter(({ id }) => !raws.has(id));
    if (lost.length > 0) await endLost(ctx, lost);
    await Promise.all(slice.flatMap((mail) => (raws.has(mail.id) ? finish(ctx, mail, raws.get(mail.id)) : [])));
  }
}

/** Never rejects. The mails are stored, and their rows are leased. */
async function takeFresh(ctx: Needs, mails: PlannedMessage[]): Promise<void> {
  const leased = begin(ctx, mails.map(leasedOf));
  await Promise.all(
    mails.map(async (mail, n) => {
      await finish(ctx, leased[n] as Leased, mail.raw);
      forget(ctx.parsing.memory, mail);
    }),
  );
}

/**
 * Never rejects. Mails that were deleted, or not parsed because the database failed, are no longer in progress
 * afterwards.
 */
async function workOn(ctx: Needs, mails: Leased[]): Promise<void> {
  try {
    if (ctx.tracing) await addTraces(ctx, mails);
    await work(ctx, mails);
  } catch (error) {
    ctx.log.warn({ error }, "could not parse leased mail; will retry when its lease ends");
  }
  for (const { id } of mails) endWork(ctx, id, false);
}

async function startNamed(ctx: Needs, ids: string[]): Promise<undefined[]> {
  void workOn(ctx, begin(ctx, await leaseNamed(ctx, ids)));
  return ids.map(() => undefined);
}

async function workInBackground(ctx: Needs, organizationId: string, mails: Leased[]): Promise<void> {
  const { busy } = ctx.parsing;
  busy.add(organizationId);
  await workOn(ctx, mails);
  busy.delete(organizationId);
}

/**
 * Leases up to 60 due mails, of organizations in turn, and parses them: rows `received` become `parsed`, or `unparsed`
 * if the parser rejects a mail, the mail has ended its thread twice, or its raw bytes are gone. Other failures are retried later. Raw bytes and
 * events never change.
 * @returns how many it has leased, when they are parsed or after 200 ms; 0: nothing is due
 */
export async function parseBodies(ctx: Ctx<System>): Promise<number> {
  const parsing = ctx.parsing;
  const leasing = leaseInTurns(ctx, parsing.after, [...parsing.busy]);
  parsing.leasing = Promise.allSettled([leasing]);
  const { mails, after } = await leasing;
  parsing.after = after;
  const organizations = Map.groupBy(begin(ctx, mails), (mail) => mail.organization_id);
  const all = [...organizations].map(([id, own]) => workInBackground(ctx, id, own));
  const slow = new AbortController();
  await Promise.race([Promise.all(all), delay(SLOW_MS, undefined, { signal: slow.signal }).catch(() => undefined)]);
  slow.abort();
  return mails.length;
}

/** Whether this process is parsing the mail; it then gets priority. */
function hurry(ctx: Needs, messageId: string): Promise<boolean> | undefined {
  const parsing = ctx.parsing;
  const entry = parsing.underWay.get(messageId);
  if (!entry) return;
  parsing.wanted.add(messageId);
  ctx.mailThreads.lanes.hurry(messageId);
  return entry.promise;
}

/**
 * The statement that finds a mail `id` that cannot be read yet, and whether its lease is older than `before`. It is built once,
 * because waits run it often.
 */
function prepareLook(db: Database) {
  const abandoned = lte(messages.next_attempt_at, sql.placeholder("before")).mapWith(Boolean);
  return db
    .select({ abandoned })
    .from(messages)
    .where(and(eq(messages.id, sql.placeholder("id")), eq(messages.status, "received"), isNull(messages.reading)))
    .prepare("look");
}

/** Whether the content of a message is there. While the verdict on its sender is not, it is `received` and has a `reading`. */
export function canBeRead({ status, reading }: Pick<typeof messages.$inferSelect, "status" | "reading">): boolean {
  return status !== "received" || reading !== null;
}

/**
 * Settles when the message can be read, parsed here or in another process; after 12 s at the latest, parsed or not.
 * @param messageId UUID; one that is no inbound message settles immediately
 * @throws DatabaseLate after 15 s, if the database does not answer whether it is parsed
 */
export async function ensureParsed(ctx: Needs, messageId: string): Promise<void> {
  const { leases, leasing } = ctx.parsing;
  const until = performance.now() + WAIT_MS;
  const timeUp = delay(WAIT_MS, undefined, { ref: false });
  const late = delay(WAIT_MS + LAST_LOOK_MS, undefined, { ref: false });
  let abandoned = true;
  for (let pause = LOOK_FIRST_MS; performance.now() < until; pause = Math.min(2 * pause, LOOK_AGAIN_MS)) {
    if (abandoned && !hurry(ctx, messageId))
      await Promise.race([Promise.all([leases.add(messageId), leasing]), timeUp]);
    const here = hurry(ctx, messageId);
    if (here && (await Promise.race([here, timeUp]))) return;
    // Already parsed, released, or in progress in another process.
    const look = ctx.parsing.look.execute({ id: messageId, before: takeOverBefore(ctx) });
    const rows = await Promise.race([look, late]);
    if (!rows) throw new DatabaseLate("the database did not answer whether a mail is parsed");
    const [row] = rows;
    if (!row) return;
    abandoned = row.abandoned;
    await delay(pause);
  }
}

/** Ends the threads. Mail in progress is released. */
export async function stopReading(ctx: Needs): Promise<void> {
  const { underWay, renewing, memory } = ctx.parsing;
  memory.closed = true;
  clearInterval(renewing);
  await endThreads(ctx);
  await Promise.all([...underWay.values()].map(({ promise }) => promise));
}

// Counts the parse of a mail, and writes its line in the log.
type Work = { ms: number; span: Span | undefined };

/** @param read undefined if the mail is retried later */
function noteParse(
  { log, metrics }: Pick<Services, "log" | "metrics">,
  mail: Leased,
  read: Read | undefined,
  { ms, span }: Work,
): void {
  const outcome = read?.status ?? "retried";
  metrics.parseSeconds.observe({ result: outcome }, ms / 1000);
  const { id: message, organization_id: organization, inbox_id: inbox, attempts: attempt, size: bytes } = mail;
  writeWork(log, "info", {
    kind: "parse",
    organization,
    inbox,
    message,
    outcome,
    ms,
    span,
    facts: { attempt, bytes },
    spanFacts: { "mailberth.attempt": attempt, "mailberth.bytes": bytes },
  });
}
