// Reads the bodies of stored mail, after it was accepted: in the background, or because a reader is waiting for one.
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx, Services, System } from "../context.ts";
import { oncePerService } from "../group-commit.ts";
import { createParseThread } from "./parse-thread.ts";
import type { ParsedBody } from "./parse-worker.ts";
import { mailsUnderWay } from "./receive.ts";

const BATCH_MAILS = 20;
/** Raw octets read from the database at once; a larger mail comes alone. */
const READ_BYTES = 4 * 1024 * 1024;
const LEASE_MS = 120_000;
/** A mail that is still unread after so many tries took the whole process down with it. */
const ATTEMPTS = 3;
/** Between two mails while others are being accepted: reading bodies can wait, senders cannot. */
const GIVE_WAY_MS = 10;
/** So that nobody who waits for one mail waits for the slow one behind it. */
const WRITE_EVERY_MS = 50;
const WAIT_MS = 5_000;
const LOOK_AGAIN_MS = 50;

type Claimed = { id: string; size: number; attempts: number };
type Read = { id: string; body: ParsedBody | null; error: string | null };

const threadOf = oncePerService(createParseThread);

async function claim(ctx: Services): Promise<Claimed[]> {
  const now = ctx.now();
  return ctx.sql<Claimed[]>`
    update messages set next_attempt_at = ${new Date(now.getTime() + LEASE_MS)}, attempts = attempts + 1
    where id = any(array(
      select id from messages where status = 'received' and next_attempt_at <= ${now}
      order by next_attempt_at limit ${BATCH_MAILS} for update skip locked))
    returning id, size, attempts`;
}

async function claimOne(ctx: Services, id: string): Promise<Claimed[]> {
  const now = ctx.now();
  return ctx.sql<Claimed[]>`
    update messages set next_attempt_at = ${new Date(now.getTime() + LEASE_MS)}, attempts = attempts + 1
    where id = ${id} and status = 'received' and next_attempt_at <= ${now}
    returning id, size, attempts`;
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

async function readOne(ctx: Services, id: string, raw: Buffer): Promise<Read> {
  if (mailsUnderWay(ctx) > 0) await delay(GIVE_WAY_MS);
  const answer = await threadOf(ctx).parse(raw);
  if ("body" in answer) return { id, body: answer.body, error: null };
  ctx.log.warn({ message: id, reason: answer.error }, "body not readable; the raw mail is kept");
  return { id, body: null, error: `body not readable: ${answer.error}`.replaceAll("\0", "") };
}

async function write(ctx: Services, reads: Read[]): Promise<void> {
  const rows = reads.map(({ id, body, error }) => ({
    id,
    error,
    status: body ? "parsed" : "unparsed",
    headers: body?.headers ?? null,
    to_addresses: body?.to ?? null,
    cc_addresses: body?.cc ?? null,
    reply_to: body?.replyTo ?? null,
    text: body?.text ?? null,
    html: body?.html ?? null,
    attachments: body?.attachments ?? [],
  }));
  await ctx.sql`
    update messages m set status = r.status, error = r.error, headers = r.headers, text = r.text, html = r.html,
      attachments = r.attachments, to_addresses = coalesce(r.to_addresses, m.to_addresses),
      cc_addresses = coalesce(r.cc_addresses, m.cc_addresses), reply_to = coalesce(r.reply_to, m.reply_to),
      next_attempt_at = null
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, status text, error text, headers jsonb,
      text text, html text, attachments jsonb, to_addresses text[], cc_addresses text[], reply_to text[])
    where m.id = any(${rows.map(({ id }) => id)}::uuid[]) and m.id = r.id and m.status = 'received'`;
}

async function parseClaimed(ctx: Services, mails: Claimed[]): Promise<void> {
  for (const slice of slices(mails)) {
    const ids = slice.map(({ id }) => id);
    const raws = await ctx.sql<{ message_id: string; bytes: Buffer }[]>`
      select message_id, bytes from raw_messages where message_id = any(${ids}::uuid[])`;
    const hopeless = new Set(slice.filter(({ attempts }) => attempts > ATTEMPTS).map(({ id }) => id));
    const reads: Read[] = [...hopeless].map((id) => ({ id, body: null, error: "body not readable: too many tries" }));
    let since = performance.now();
    for (const { message_id, bytes } of raws) {
      if (hopeless.has(message_id)) continue;
      reads.push(await readOne(ctx, message_id, bytes));
      if (performance.now() - since < WRITE_EVERY_MS) continue;
      await write(ctx, reads.splice(0));
      since = performance.now();
    }
    if (reads.length > 0) await write(ctx, reads);
  }
}

/**
 * Reads the bodies of up to 20 mails that nobody is at: rows `received` become `parsed`, or `unparsed` when a mail ends the
 * parser (2 s, 512 MiB) or defeats it. Raw bytes and event stay as they are either way.
 * @returns how many it took on; 0: nothing is due
 */
export async function parseBodies(ctx: Ctx<System>): Promise<number> {
  const mails = await claim(ctx);
  await parseClaimed(ctx, mails);
  return mails.length;
}

/**
 * Settles once the message's body has been read, by this call or by whoever is at it; after 5 s at the latest, read or not.
 * @param messageId UUID; one that is no inbound message settles at once
 */
export async function ensureParsed(ctx: Services, messageId: string): Promise<void> {
  const timeout = AbortSignal.timeout(WAIT_MS);
  const own = parseClaimed(ctx, await claimOne(ctx, messageId));
  await Promise.race([own, once(timeout, "abort")]);
  while (!timeout.aborted) {
    const rows = await ctx.sql`select 1 from messages where id = ${messageId} and status = 'received'`;
    if (rows.length === 0) return;
    await delay(LOOK_AGAIN_MS);
  }
}
