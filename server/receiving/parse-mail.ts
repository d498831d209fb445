// Parses one inbound mail in threads that can be terminated: its body, its sender authentication, and its attachments.
import { sql } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import type { Authentication } from "#db/message-parts.ts";
import { rawMessages } from "#db/schema/content.ts";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { createJob } from "../base/threads/thread-pool.ts";
import { blobProblem } from "../blobs/failure.ts";
import { loadRaw } from "../blobs/load.ts";
import { readHeaders } from "../mime/headers.ts";
import { type AuthenticateThread, createAuthenticateThread } from "./authentication/authenticate-thread.ts";
import { loadEarlier } from "./earlier.ts";
import { createLanes, type Lanes } from "./parse-lanes.ts";
import type { Leased } from "./parse-lease.ts";
import type { ParseQuestion, Places } from "./parse-worker.ts";
import { type Body, unreadable } from "./parse-write.ts";
import { type Earlier, parsedRow } from "./reading.ts";

declare module "../base/context.ts" {
  interface Services {
    mailThreads: MailThreads;
  }
}

/** CPU time of a thread for one mail: an attachment of 25 MiB takes about 0.7 s. */
const MAIL_CPU_MS = 2_000;
const MIB_CPU_MS = 100;
const MIB = 1024 * 1024;
/** After this many terminated threads, by CPU time or memory, a mail becomes `unparsed`. */
const FAULTS_MAX = 2;
/** Raw octets read from the database in one query. A larger mail is read when a thread is free for it. */
const READ_BYTES = 1024 * 1024;

/** What threads start with. It belongs to no organization, and needs no DNS. */
const EMPTY_MAIL = Buffer.from("\r\n");
const NOBODY = "";
export const NOT_CHECKED: Authentication = {
  spf: "none",
  dkim: "none",
  dmarc: "none",
  arc: "none",
  aligned_from: false,
};

const program = new URL("./parse-worker.ts", import.meta.url);
export const parseMail = createJob<typeof import("./parse-worker.ts")>({ name: "mail", kind: "mail", program });
const extractFiles = createJob<typeof import("./parse-worker.ts")>({ name: "files", kind: "file", program });

export type MailThreads = {
  /** Small mails, by several together. */
  lanes: Lanes;
  judge: AuthenticateThread;
  /** Starts the threads of new mail, if they never ran, so that the first mail does not wait for them. */
  warm(): void;
};

type Needs = Pick<Services, "db" | "log" | "blobs" | "mailThreads" | "threadPool">;

export function createMailThreads({
  dns,
  settings,
  now,
  threadPool,
}: Pick<Services, "dns" | "settings" | "now" | "threadPool">): MailThreads {
  const judge = createAuthenticateThread(dns, { hostname: settings.SMTP_HOSTNAME, now: () => now().getTime() });
  let isWarm = false;
  return {
    lanes: createLanes(threadPool, parseMail),
    judge,
    warm() {
      if (isWarm) return;
      isWarm = true;
      void parseMail(threadPool, {
        organizationId: NOBODY,
        cpuMs: MAIL_CPU_MS,
        question: () => questionOf(EMPTY_MAIL),
        transfer,
      });
      const sent = { remoteIp: null, helo: null, envelopeFrom: "", from: "" };
      void judge.authenticate(NOBODY, { ...sent, raw: Buffer.from(EMPTY_MAIL) });
    },
  };
}

function budgetOf(size: number): number {
  return MAIL_CPU_MS + (size / MIB) * MIB_CPU_MS;
}

/** @throws ServiceError `message_not_found`, `content_unreadable` */
export async function readRaw(ctx: Pick<Needs, "db" | "log" | "blobs">, id: string): Promise<Buffer> {
  const raw = await loadRaw(ctx, id);
  if (!raw) throw new ServiceError("message_not_found", "The message does not exist.");
  return raw;
}

/** Groups of mails whose raw bytes are read together. */
export function slices(mails: Leased[]): Leased[][] {
  const all: Leased[][] = [];
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

/** @returns the bytes of each mail whose bytes are stored; undefined for one that is read when a thread is free for it */
export async function readRaws(
  { db }: Pick<Services, "db">,
  mails: Leased[],
): Promise<Map<string, Buffer | undefined>> {
  const ids = mails.map(({ id }) => id);
  const { message_id: id, bytes } = rawMessages;
  const isLarge = mails.some(({ size }) => size > READ_BYTES);
  const raw = isLarge ? sql<null>`null` : bytes;
  const raws = await db.select({ id, raw }).from(rawMessages).where(anyOf(id, ids));
  return new Map(raws.map((row) => [row.id, row.raw ?? undefined]));
}

/** A small Buffer is a view of a shared pool of 64 KiB, all of which would be sent. */
const questionOf = (raw: Buffer): ParseQuestion => ({ raw: new Uint8Array(raw) });

type Source = { load: () => Promise<Buffer>; earlier: Earlier[] };
const transfer = ({ raw }: ParseQuestion) => [raw.buffer];

function refused(ctx: Needs, mail: Leased, raw: Buffer, reason: string): Body {
  ctx.log.warn({ message: mail.id, reason }, "the body cannot be parsed; the raw mail is kept");
  return unreadable(readHeaders(raw), mail.from_address, reason);
}

/** The result of parsing a mail in a thread without other mails; undefined: retry later. */
async function readAlone(ctx: Needs, mail: Leased, { load, earlier }: Source): Promise<Body | undefined> {
  const outcome = await parseMail(ctx.threadPool, {
    organizationId: mail.organization_id,
    cpuMs: budgetOf(mail.size),
    question: async () => ({ ...questionOf(await load()), earlier: [earlier] }),
    transfer,
  });
  if ("answer" in outcome) {
    if (!("body" in outcome.answer)) throw new Error("the parser returned an answer of the wrong kind");
    const { body } = outcome.answer;
    return { status: "parsed", row: parsedRow(body), evidence: body.extracted.evidence };
  }
  const { ended, reason } = outcome;
  if (ended === "cpu" || ended === "memory") mail.parse_faults += 1;
  if (ended === "lost" || (ended !== "error" && mail.parse_faults < FAULTS_MAX)) {
    ctx.log.warn({ message: mail.id, reason, faults: mail.parse_faults }, "could not parse a mail; will retry");
    return;
  }
  return refused(ctx, mail, await load(), reason);
}

/** Its bytes could not be read now, which is in the log, or it was deleted. */
function laterIfUnread(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
}

/** A mail that may have ended a thread is not parsed together with others. */
async function readBody(ctx: Needs, mail: Leased, known: Buffer | undefined, source: Source) {
  const { earlier } = source;
  const parsed = known && mail.parse_faults === 0 ? await ctx.mailThreads.lanes.parse(mail, known, earlier) : undefined;
  if (!known || !parsed) return readAlone(ctx, mail, source);
  if ("error" in parsed) return refused(ctx, mail, known, parsed.error);
  return { status: "parsed", ...parsed } as const;
}

/** `judging`: the verdict on the sender; undefined if it may be found out later. */
type Judged = { body: Body | undefined; judging: Promise<Authentication | undefined> };

/**
 * The verdict may come seconds after the body, because it waits for DNS.
 * @param known its raw bytes, if they are in memory
 * @returns `body` undefined if it must be retried; `mail.parse_faults` has increased if it ended its thread
 */
export async function readMail(ctx: Needs, mail: Leased, known: Buffer | undefined): Promise<Judged> {
  const { remote_ip: remoteIp, helo, envelope_from: envelopeFrom, from_address: from, local_sender } = mail;
  let raw = known && Promise.resolve(known);
  // An imported mail has no envelope, and its signatures may have expired: nothing about its sender is checked. Mail that the
  // service itself passed here has no signature.
  let judging: Promise<Authentication | undefined> | undefined =
    local_sender !== null
      ? Promise.resolve({ ...NOT_CHECKED, local_sender })
      : envelopeFrom === null
        ? Promise.resolve(NOT_CHECKED)
        : undefined;
  const judge = (bytes: Buffer) => {
    if (envelopeFrom !== null)
      judging ??= ctx.mailThreads.judge.authenticate(mail.organization_id, {
        raw: bytes,
        remoteIp,
        helo,
        envelopeFrom,
        from,
      });
    return bytes;
  };
  // Called when a thread is free for the body, so that waiting mails are not in memory.
  const load = async () => {
    raw ??= readRaw(ctx, mail.id);
    return judge(await raw);
  };
  if (known) judge(known);
  const earlier = await loadEarlier(ctx, mail);
  const body = await readBody(ctx, mail, known, { load, earlier }).catch(laterIfUnread);
  return { body, judging: judging ?? Promise.resolve(undefined) };
}

/** The error for a message that could not be parsed in time. */
export function notRead(what = "This message has not been parsed yet."): ServiceError {
  return new ServiceError("unavailable", `${what} Repeat the request.`, { headers: { "Retry-After": "2" } });
}

type Stored = { id: string; organizationId: string; size: number };

/** Undefined, and a line in the log, if the thread was terminated. A file is undefined if the mail does not have it. */
async function askFiles(
  ctx: Needs,
  { id, organizationId, size }: Stored,
  wanted: Omit<ParseQuestion, "raw">,
): Promise<(Buffer | undefined)[] | undefined> {
  const outcome = await extractFiles(ctx.threadPool, {
    organizationId,
    cpuMs: budgetOf(size),
    question: async () => ({ ...questionOf(await readRaw(ctx, id)), ...wanted }),
    transfer,
  });
  if ("answer" in outcome && "files" in outcome.answer) {
    return outcome.answer.files.map((bytes) => bytes && Buffer.from(bytes.buffer));
  }
  ctx.log.warn({ message: id, outcome: "reason" in outcome ? outcome.reason : "" }, "could not extract attachments");
  return undefined;
}

/**
 * The bytes of a stored mail's attachments.
 * @param listed where they are in its list of attachments
 * @throws ServiceError `unavailable` if they could not be parsed, `message_not_found` if it was deleted, `content_unreadable`
 */
export async function readFiles(ctx: Needs, mail: Stored, listed: Places): Promise<Buffer[]> {
  const files = await askFiles(ctx, mail, { listed });
  if (!files) throw notRead("The attachments could not be extracted in time.");
  return files.map((bytes) => {
    if (!bytes) throw new ServiceError("content_unreadable", "The attachment was not found in the stored mail.");
    return bytes;
  });
}

/**
 * The parts of a stored mail with these content ids. Empty: there is none, or it is too large to be shown.
 * @throws ServiceError `message_not_found` if it was deleted
 */
export async function readPictures(ctx: Needs, mail: Stored, contentIds: string[]): Promise<(Buffer | undefined)[]> {
  try {
    return (await askFiles(ctx, mail, { contentIds })) ?? [];
  } catch (error) {
    // The HTML is shown without its pictures.
    if (blobProblem(error)) return [];
    throw error;
  }
}

/** Ends the threads. */
export async function endThreads({ mailThreads, threadPool }: Needs): Promise<void> {
  await Promise.all([threadPool.close(), mailThreads.judge.close()]);
}
