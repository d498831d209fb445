// Reads stored mail after it was accepted, its bodies and who really sent it: in the background, or because a caller waits.
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx, Services, System } from "../../base/context.ts";
import { DatabaseLate } from "../../base/errors.ts";
import { type GroupCommit, groupCommit } from "../../base/group-commit.ts";
import { FIRST_ID } from "../../base/id-range.ts";
import {
  type Claimed,
  claimInTurns,
  claimNamed,
  putBack,
  RENEW_EVERY_MS,
  renewLeases,
  takeOverBefore,
} from "./parse-claim.ts";
import { endThreads, readMail } from "./parse-mail.ts";
import { type Read, writeReads } from "./parse-write.ts";

declare module "../../base/context.ts" {
  interface Services {
    reading: Reading;
  }
}

const BATCH_MAILS = 20;
/** Raw octets read from the database at once. A larger mail is read when a thread is free for it. */
const READ_BYTES = 1024 * 1024;
/** Between two mails while others are being accepted: reading bodies can wait, senders cannot. */
const GIVE_WAY_MS = 10;
/** Mails that take longer are finished beside the next batch, which leaves out their organizations. */
const SLOW_MS = 200;
/** How long a caller waits for a mail to be read. */
const WAIT_MS = 12_000;
/** After that the database has this long to say whether it is read: less than a query may take, for the caller's whole answer. */
const LAST_LOOK_MS = 3_000;
/** Most mail is read within a few milliseconds, here or elsewhere. */
const LOOK_FIRST_MS = 4;
const LOOK_AGAIN_MS = 50;
const CLAIMS_IN_FLIGHT = 4;
const WRITES_IN_FLIGHT = 2;
const WRITE_CHARS = 8 * 1024 * 1024;

/** What this process is reading. */
type Reading = {
  /** Mails that this process has leased; resolves when its work on the mail has ended: whether the mail was read. */
  underWay: Map<string, PromiseWithResolvers<boolean>>;
  renewing: NodeJS.Timeout | undefined;
  /** Organizations whose mail the background is reading. */
  busy: Set<string>;
  /** The organization that had the last turn of the background. */
  after: string;
  /** Mails under way that a caller waits for; they go first. */
  wanted: Set<string>;
  /** Resolved, and replaced, when a mail becomes wanted. */
  hurry: PromiseWithResolvers<void>;
  /** The background's claim while it runs: its mails are under way when it has ended. */
  claiming: Promise<unknown>;
  writes: GroupCommit<Read, undefined>;
  /** A caller waits for each of these. */
  claims: GroupCommit<string, undefined>;
};

type Parts = Pick<Services, "sql" | "now" | "log" | "settings" | "mailThreads" | "intake">;
type Needs = Parts & { reading: Reading };

export function createReading(services: Parts): Reading {
  const reading: Reading = {
    underWay: new Map(),
    renewing: undefined,
    busy: new Set(),
    after: FIRST_ID,
    wanted: new Set(),
    hurry: Promise.withResolvers(),
    claiming: Promise.resolve(),
    writes: groupCommit(services, (reads: Read[]) => writeReads(services, reads), {
      items: BATCH_MAILS,
      weight: WRITE_CHARS,
      inFlight: WRITES_IN_FLIGHT,
      weigh: ({ body }) => (body?.text?.length ?? 0) + (body?.html?.length ?? 0),
    }),
    claims: groupCommit(services, (ids: string[]) => startNamed({ ...services, reading }, ids), {
      items: BATCH_MAILS,
      weight: BATCH_MAILS,
      inFlight: CLAIMS_IN_FLIGHT,
      weigh: () => 1,
    }),
  };
  return reading;
}

function begin(ctx: Needs, mails: Claimed[]): Claimed[] {
  const readers = ctx.reading;
  for (const { id } of mails) readers.underWay.set(id, Promise.withResolvers());
  readers.renewing ??= setInterval(() => keepLeases(ctx), RENEW_EVERY_MS).unref();
  return mails;
}

function keepLeases(ctx: Needs): void {
  const readers = ctx.reading;
  if (readers.underWay.size > 0) {
    renewLeases(ctx, [...readers.underWay.keys()]).catch((error) => {
      ctx.log.warn({ error }, "leases of mail under way were not renewed");
    });
    return;
  }
  clearInterval(readers.renewing);
  readers.renewing = undefined;
}

function endWork(ctx: Needs, id: string, isRead: boolean): void {
  const { underWay, wanted } = ctx.reading;
  underWay.get(id)?.resolve(isRead);
  underWay.delete(id);
  wanted.delete(id);
}

/** Reads one leased mail and writes what was found, or gives it back. Never rejects. */
async function finish(ctx: Needs, mail: Claimed, raw?: Buffer): Promise<void> {
  let read: Read | undefined;
  try {
    read = await readMail(ctx, mail, raw);
    await (read ? ctx.reading.writes.add(read) : putBack(ctx, mail));
  } catch (error) {
    read = undefined;
    ctx.log.warn({ error, message: mail.id }, "a mail was not read; it is tried again when its lease ends");
  }
  endWork(ctx, mail.id, read !== undefined);
}

/** Runs of mails whose raw bytes are read together. */
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

async function readRaws({ sql }: Needs, mails: Claimed[]): Promise<Map<string, Buffer | undefined>> {
  const [first] = mails;
  if (mails.length === 1 && first && first.size > READ_BYTES) return new Map([[first.id, undefined]]);
  const raws = await sql<{ message_id: string; bytes: Buffer }[]>`
    select message_id, bytes from raw_messages where message_id = any(${mails.map(({ id }) => id)}::uuid[])`;
  return new Map(raws.map(({ message_id, bytes }) => [message_id, bytes]));
}

/**
 * Works on leased mails of one organization (in the background) or of any.
 * @param givesWay to mails that are being accepted, unless a caller waits for one
 */
async function work(ctx: Needs, mails: Claimed[], givesWay: boolean): Promise<void> {
  const readers = ctx.reading;
  const all: Promise<void>[] = [];
  for (const slice of slices(mails)) {
    const claimed = new Map(slice.map((mail) => [mail.id, mail]));
    const left = await readRaws(ctx, slice);
    while (left.size > 0) {
      const urgent = left.keys().find((id) => readers.wanted.has(id));
      if (givesWay && !urgent && ctx.intake.mails.size > 0) {
        // Together the organizations give as much way as one.
        await Promise.race([delay(GIVE_WAY_MS * Math.max(1, readers.busy.size)), readers.hurry.promise]);
      }
      const [id = ""] = urgent ? [urgent] : left.keys();
      const [mail, raw] = [claimed.get(id), left.get(id)];
      left.delete(id);
      if (!mail) continue;
      const done = finish(ctx, mail, raw);
      all.push(done);
      if (givesWay && !urgent) await done;
    }
  }
  await Promise.all(all);
}

/** Never rejects. Mails that are gone, or were not read because the database went away, are no longer under way afterwards. */
async function workOn(ctx: Needs, mails: Claimed[], givesWay: boolean): Promise<void> {
  try {
    await work(ctx, mails, givesWay);
  } catch (error) {
    ctx.log.warn({ error }, "leased mail was not read; it is tried again when its lease ends");
  }
  for (const { id } of mails) endWork(ctx, id, false);
}

async function startNamed(ctx: Needs, ids: string[]): Promise<undefined[]> {
  void workOn(ctx, begin(ctx, await claimNamed(ctx, ids)), false);
  return ids.map(() => undefined);
}

async function workInBackground(ctx: Needs, organizationId: string, mails: Claimed[]): Promise<void> {
  const { busy } = ctx.reading;
  busy.add(organizationId);
  await workOn(ctx, mails, true);
  busy.delete(organizationId);
}

/**
 * Leases up to 20 due mails, of organizations in turn, and reads them: rows `received` become `parsed`, or `unparsed` when the
 * parser refuses a mail or the mail has ended its thread twice. A mail that got no answer for another reason is tried again
 * later. Raw bytes and event stay as they are either way.
 * @returns how many it has leased, when they are read or after 200 ms; 0: nothing is due
 */
export async function parseBodies(ctx: Ctx<System>): Promise<number> {
  const readers = ctx.reading;
  const claiming = claimInTurns(ctx, readers.after, [...readers.busy]);
  readers.claiming = Promise.allSettled([claiming]);
  const { mails, after } = await claiming;
  readers.after = after;
  const organizations = Map.groupBy(begin(ctx, mails), (mail) => mail.organization_id);
  const all = [...organizations].map(([id, own]) => workInBackground(ctx, id, own));
  const slow = new AbortController();
  await Promise.race([Promise.all(all), delay(SLOW_MS, undefined, { signal: slow.signal }).catch(() => undefined)]);
  slow.abort();
  return mails.length;
}

/** Whether this process is at it; then it goes first from now on. */
function hurry(ctx: Needs, messageId: string): Promise<boolean> | undefined {
  const readers = ctx.reading;
  const entry = readers.underWay.get(messageId);
  if (!entry) return;
  readers.wanted.add(messageId);
  readers.hurry.resolve();
  readers.hurry = Promise.withResolvers();
  return entry.promise;
}

/**
 * Settles when the message has been read, by this call or by another; after 12 s at the latest, read or not.
 * @param messageId UUID; one that is no inbound message settles immediately
 * @throws DatabaseLate after 15 s, when the database does not say whether it is read
 */
export async function ensureParsed(ctx: Needs, messageId: string): Promise<void> {
  const { claims, claiming } = ctx.reading;
  const until = performance.now() + WAIT_MS;
  const timeUp = delay(WAIT_MS, undefined, { ref: false });
  const late = delay(WAIT_MS + LAST_LOOK_MS, undefined, { ref: false });
  let abandoned = true;
  for (let pause = LOOK_FIRST_MS; performance.now() < until; pause = Math.min(2 * pause, LOOK_AGAIN_MS)) {
    if (abandoned && !hurry(ctx, messageId))
      await Promise.race([Promise.all([claims.add(messageId), claiming]), timeUp]);
    const here = hurry(ctx, messageId);
    if (here && (await Promise.race([here, timeUp]))) return;
    // Read by now, given back, or another process is at it.
    const look = ctx.sql<{ abandoned: boolean }[]>`
      select next_attempt_at <= ${takeOverBefore(ctx)} as abandoned from messages
      where id = ${messageId} and status = 'received'`;
    const rows = await Promise.race([look, late]);
    if (!rows) throw new DatabaseLate("the database did not say whether a mail is read");
    const [row] = rows;
    if (!row) return;
    abandoned = row.abandoned;
    await delay(pause);
  }
}

/** Ends the threads. Mail under way is given back. */
export async function stopReading(ctx: Needs): Promise<void> {
  const { underWay, renewing } = ctx.reading;
  clearInterval(renewing);
  await endThreads(ctx.mailThreads);
  await Promise.all([...underWay.values()].map(({ promise }) => promise));
}
