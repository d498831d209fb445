// Reads stored mail after it was accepted, its bodies and who really sent it: in the background, or because somebody waits.
import { setTimeout as delay } from "node:timers/promises";
import type { Authentication } from "#db/message-parts.ts";
import { createAuthenticateThread } from "../authentication/authenticate-thread.ts";
import type { Ctx, Services, System } from "../context.ts";
import { groupCommit, oncePerService } from "../group-commit.ts";
import { readHeaders } from "./headers.ts";
import { createParseThread } from "./parse-thread.ts";
import { type Body, type Read, writeReads } from "./parse-write.ts";
import { hasManyFroms } from "./reading.ts";
import { mailsUnderWay } from "./receive.ts";

const BATCH_MAILS = 20;
/** Raw octets read from the database at once; a larger mail comes alone. */
const READ_BYTES = 4 * 1024 * 1024;
const LEASE_MS = 120_000;
/** A mail that is still unread after so many tries took the whole process down with it. */
const ATTEMPTS = 5;
/** Between two mails while others are being accepted: reading bodies can wait, senders cannot. */
const GIVE_WAY_MS = 10;
/** Longer than a mail may hold the parser. */
const WAIT_MS = 12_000;
/** Most mail is read within a few milliseconds, here or elsewhere. */
const LOOK_FIRST_MS = 4;
const LOOK_AGAIN_MS = 50;
/** Whoever waits takes a mail over from a process that is still at it, or dead. */
const TAKE_OVER_MS = 5_000;
const CLAIMS_IN_FLIGHT = 4;
const WRITES_IN_FLIGHT = 2;
const WRITE_CHARS = 8 * 1024 * 1024;

type Claimed = {
  id: string;
  size: number;
  attempts: number;
  from_address: string;
  envelope_from: string;
  remote_ip: string | null;
  helo: string | null;
};
const readersOf = oncePerService((services) => ({
  parser: createParseThread(),
  judge: createAuthenticateThread(services.dns, services.settings.SMTP_HOSTNAME),
  /** Mails that this process has claimed, and whether they are read. */
  underWay: new Map<string, PromiseWithResolvers<void>>(),
  /** Of these, those that somebody waits for; they go first. */
  wanted: new Set<string>(),
  /** Resolved, and made anew, when one comes to be wanted. */
  hurry: Promise.withResolvers<void>(),
  /** The background's claim, while it is being made: what it takes is under way in a moment. */
  claiming: Promise.resolve() as Promise<unknown>,
  writes: groupCommit((reads: Read[]) => writeReads(services, reads), {
    items: BATCH_MAILS,
    weight: WRITE_CHARS,
    inFlight: WRITES_IN_FLIGHT,
    weigh: ({ body }) => (body?.text?.length ?? 0) + (body?.html?.length ?? 0),
  }),
  /** Somebody waits for each of these. */
  claims: groupCommit((ids: string[]) => startNamed(services, ids), {
    items: BATCH_MAILS,
    weight: BATCH_MAILS,
    inFlight: CLAIMS_IN_FLIGHT,
    weigh: () => 1,
  }),
}));

async function claim(ctx: Services, which: ReturnType<Services["sql"]>, takeOver = false): Promise<Claimed[]> {
  const at = ctx.now();
  const { underWay } = readersOf(ctx);
  const due = takeOver ? new Date(at.getTime() + LEASE_MS - TAKE_OVER_MS) : at;
  const mails = await ctx.sql<Claimed[]>`
    update messages set next_attempt_at = ${new Date(at.getTime() + LEASE_MS)}, attempts = attempts + 1
    where id = any(array(
      select id from messages where status = 'received' and next_attempt_at <= ${due} ${which} for update skip locked))
    returning id, size, attempts, from_address, envelope_from, remote_ip, helo`;
  for (const { id } of mails) {
    const entry = Promise.withResolvers<void>();
    // Whoever waits for it hears of a failure; nobody may.
    entry.promise.catch(() => undefined);
    underWay.set(id, entry);
  }
  return mails;
}

/** Runs of mails that are read together. */
function slices(mails: Claimed[]): Claimed[][] {
  const all: Claimed[][] = [];
  let size = 0;
  for (const mail of mails) {
    size += mail.size;
    const current = all.at(-1);
    if (current && size <= READ_BYTES) current.push(mail);
    else {
      all.push([mail]);
      size = mail.size;
    }
  }
  return all;
}

function judgeSender(ctx: Services, mail: Claimed, raw: Buffer): Promise<Authentication> {
  const { remote_ip: remoteIp, helo, envelope_from: envelopeFrom, from_address: from } = mail;
  return readersOf(ctx).judge.authenticate({ raw, remoteIp, helo, envelopeFrom, from });
}

function unreadable(raw: Buffer, reason: string): Body {
  const security = {
    multiple_from: hasManyFroms(readHeaders(raw)),
    hidden_text: false,
    hiding: "none" as const,
    instructions: "none" as const,
    suspicious_links: [],
  };
  return { body: null, error: `body not readable: ${reason}`.replaceAll("\0", ""), security };
}

async function readBody(ctx: Services, id: string, raw: Buffer): Promise<Body> {
  const answer = await readersOf(ctx).parser.parse(raw);
  if ("body" in answer) return { body: answer.body, error: null, security: answer.body.reading.security };
  ctx.log.warn({ message: id, reason: answer.error }, "body not readable; the raw mail is kept");
  return unreadable(raw, answer.error);
}

async function readMail(ctx: Services, mail: Claimed, raw: Buffer): Promise<Read> {
  const { id } = mail;
  if (mail.attempts > ATTEMPTS) return { id, ...unreadable(raw, "too many tries"), authentication: null };
  const [body, authentication] = await Promise.all([readBody(ctx, id, raw), judgeSender(ctx, mail, raw)]);
  return { id, ...body, authentication };
}

/** Reads one claimed mail and writes what was found; tells those who wait for it. Never rejects. */
async function finish(ctx: Services, mail: Claimed, raw: Buffer): Promise<void> {
  const { underWay, wanted, writes } = readersOf(ctx);
  const entry = underWay.get(mail.id);
  try {
    await writes.add(await readMail(ctx, mail, raw));
    entry?.resolve();
  } catch (error) {
    ctx.log.warn({ error, message: mail.id }, "a mail was not read; it is tried again when its lease ends");
    entry?.reject(error);
  }
  underWay.delete(mail.id);
  wanted.delete(mail.id);
}

/**
 * Begins on claimed mails: their raw bytes are read, then each is parsed in turn and judged meanwhile.
 * @param givesWay to mails that are being accepted, unless somebody waits for one
 */
async function start(ctx: Services, mails: Claimed[], givesWay: boolean): Promise<void> {
  const readers = readersOf(ctx);
  const all: Promise<void>[] = [];
  for (const slice of slices(mails)) {
    const claimed = new Map(slice.map((mail) => [mail.id, mail]));
    const raws = await ctx.sql<{ message_id: string; bytes: Buffer }[]>`
      select message_id, bytes from raw_messages where message_id = any(${[...claimed.keys()]}::uuid[])`;
    const left = new Map(raws.map(({ message_id, bytes }) => [message_id, bytes]));
    while (left.size > 0) {
      const urgent = left.keys().find((id) => readers.wanted.has(id));
      if (givesWay && !urgent && mailsUnderWay(ctx) > 0) {
        await Promise.race([delay(GIVE_WAY_MS), readers.hurry.promise]);
      }
      const [id = ""] = urgent ? [urgent] : left.keys();
      const [mail, raw] = [claimed.get(id), left.get(id)];
      left.delete(id);
      if (!mail || !raw) continue;
      const done = finish(ctx, mail, raw);
      all.push(done);
      if (givesWay && !urgent) await done;
    }
  }
  await Promise.all(all);
}

/** Those that are gone since, or were not read because the database went away, are nobody's any more. */
async function startClaimed(ctx: Services, mails: Claimed[], givesWay: boolean): Promise<void> {
  const { underWay } = readersOf(ctx);
  try {
    await start(ctx, mails, givesWay);
  } finally {
    for (const { id } of mails) {
      underWay.get(id)?.resolve();
      underWay.delete(id);
    }
  }
}

async function startNamed(ctx: Services, ids: string[]): Promise<undefined[]> {
  const mails = await claim(ctx, ctx.sql`and id = any(${ids}::uuid[])`, true);
  startClaimed(ctx, mails, false).catch((error) => {
    ctx.log.warn({ error }, "mail that somebody waits for was not read");
  });
  return ids.map(() => undefined);
}

/**
 * Reads up to 20 mails that nobody is at: rows `received` become `parsed`, or `unparsed` when a mail ends the parser (2 s,
 * 512 MiB) or defeats it. Raw bytes and event stay as they are either way.
 * @returns how many it took on; 0: nothing is due
 */
export async function parseBodies(ctx: Ctx<System>): Promise<number> {
  const claiming = claim(ctx, ctx.sql`order by next_attempt_at limit ${BATCH_MAILS}`);
  readersOf(ctx).claiming = Promise.allSettled([claiming]);
  const mails = await claiming;
  await startClaimed(ctx, mails, true);
  return mails.length;
}

/** Whether this process is at it; then it goes first from now on. */
function hurry(ctx: Services, messageId: string): Promise<void> | undefined {
  const readers = readersOf(ctx);
  const entry = readers.underWay.get(messageId);
  if (!entry) return;
  readers.wanted.add(messageId);
  readers.hurry.resolve();
  readers.hurry = Promise.withResolvers();
  return entry.promise;
}

/**
 * Settles once the message has been read, by this call or by whoever is at it; after 12 s at the latest, read or not.
 * @param messageId UUID; one that is no inbound message settles at once
 */
export async function ensureParsed(ctx: Services, messageId: string): Promise<void> {
  const { claims, claiming } = readersOf(ctx);
  const until = performance.now() + WAIT_MS;
  const timeUp = delay(WAIT_MS, undefined, { ref: false });
  let abandoned = true;
  for (let pause = LOOK_FIRST_MS; performance.now() < until; pause = Math.min(2 * pause, LOOK_AGAIN_MS)) {
    if (abandoned && !hurry(ctx, messageId))
      await Promise.race([Promise.all([claims.add(messageId), claiming]), timeUp]);
    const here = hurry(ctx, messageId);
    if (here) return void (await Promise.race([here, timeUp]));
    // Read meanwhile, or another process is at it.
    const takeOver = new Date(ctx.now().getTime() + LEASE_MS - TAKE_OVER_MS);
    const [row] = await ctx.sql<{ abandoned: boolean }[]>`
      select next_attempt_at <= ${takeOver} as abandoned from messages where id = ${messageId} and status = 'received'`;
    if (!row) return;
    abandoned = row.abandoned;
    await delay(pause);
  }
}

/**
 * The bytes of a stored mail's attachments.
 * @param places in its list of attachments
 * @throws Error when the mail cannot be parsed (any more)
 */
export async function readFiles(ctx: Services, raw: Buffer, places: number[]): Promise<Buffer[]> {
  const answer = await readersOf(ctx).parser.files(raw, places);
  if ("error" in answer) throw new Error(`attachments not readable: ${answer.error}`);
  return answer.files.map((bytes) => Buffer.from(bytes.buffer));
}

/** Ends the threads. */
export async function stopReading(ctx: Services): Promise<void> {
  await readersOf(ctx).judge.close();
}
