// POST /v1/inboxes/{addr}/send: queues a message, counted against the mailbox's daily cap, once for each idempotency key.
import { hash } from "node:crypto";
import type { TransactionSql } from "postgres";
import type { AttachmentInfo } from "#db/message-parts.ts";
import { readRecipient } from "../addresses.ts";
import type { Agent, Ctx } from "../context.ts";
import { type Issue, ServiceError } from "../errors.ts";
import { encodeId, newId } from "../ids.ts";
import { findInbox, type InboxRow } from "../tenancy.ts";
import type { SendInput } from "./schema.ts";
import { takeSend } from "./send-cap.ts";

const RECIPIENTS_MAX = 50;

type Queued = { id: string; thread_id: string };
type Recipients = { to: string[]; cc: string[]; bcc: string[]; replyTo: string[] };

/**
 * @returns UUIDs of the queued message and its thread; those of the first send when the idempotency key is repeated
 * @throws ServiceError `inbox_not_found`, `invalid_request`, `idempotency_conflict`, `daily_send_cap_exceeded`
 */
export async function sendMessage(ctx: Ctx<Agent>, input: SendInput): Promise<Queued> {
  const inbox = await findInbox(ctx, input.addr);
  const recipients = readRecipients(input);
  const fingerprint = fingerprintOf(inbox, input);
  const before = await sentBefore(ctx, input.idempotency_key, fingerprint);
  if (before) return before;
  const queued = await ctx.sql.begin(async (tx) => {
    const message = await queue(ctx, tx, inbox, input, recipients, fingerprint);
    if (message) await takeSend(ctx, tx, inbox, await isReply(tx, inbox, recipients));
    return message;
  });
  if (!queued) return repeatedMeanwhile(ctx, input.idempotency_key, fingerprint);
  ctx.signals.raise("outbound");
  return queued;
}

/** Everything that makes two sends the same one; the key itself is not part of it. */
function fingerprintOf(inbox: InboxRow, { addr: _addr, idempotency_key: _key, ...content }: SendInput): Buffer {
  return hash("sha256", JSON.stringify([inbox.id, content]), "buffer");
}

async function sentBefore({ actor, sql }: Ctx<Agent>, key: string | undefined, fingerprint: Buffer) {
  if (key === undefined) return;
  const [row] = await sql<(Queued & { idempotency_hash: Buffer })[]>`
    select id, thread_id, idempotency_hash from messages
    where organization_id = ${actor.organizationId} and idempotency_key = ${key}`;
  if (row && !row.idempotency_hash.equals(fingerprint)) {
    throw new ServiceError("idempotency_conflict", "This idempotency key was used for another message.");
  }
  return row && { id: row.id, thread_id: row.thread_id };
}

async function repeatedMeanwhile(ctx: Ctx<Agent>, key: string | undefined, fingerprint: Buffer): Promise<Queued> {
  const winner = await sentBefore(ctx, key, fingerprint);
  if (winner) return winner;
  // The one that held the key was refused (cap) or is gone again.
  throw new ServiceError("unavailable", "The same message was being sent at the same time.", {
    headers: { "Retry-After": "1" },
  });
}

function readRecipients(input: SendInput): Recipients {
  const issues: Issue[] = [];
  const read = (field: string, texts: string[]) =>
    texts.flatMap((text, i) => {
      const address = readRecipient(text);
      if (!address) issues.push({ path: `${field}.${i}`, message: "not a mail address" });
      return address ?? [];
    });
  const to = read("to", [input.to].flat());
  const cc = read("cc", input.cc);
  const bcc = read("bcc", input.bcc);
  const replyTo = read("reply_to", input.reply_to === undefined ? [] : [input.reply_to]);
  if (to.length + cc.length + bcc.length > RECIPIENTS_MAX) {
    issues.push({ path: "to", message: `at most ${RECIPIENTS_MAX} recipients in all` });
  }
  if (!input.text && !input.html) issues.push({ path: "text", message: "`text`, `html` or both are needed" });
  const [first] = issues;
  if (first) throw new ServiceError("invalid_request", `${first.path}: ${first.message}`, { issues });
  return { to, cc, bcc, replyTo };
}

/** Inserts thread, message and attachments; undefined when the idempotency key was taken a moment ago. */
async function queue(
  ctx: Ctx<Agent>,
  tx: TransactionSql,
  inbox: InboxRow,
  input: SendInput,
  { to, cc, bcc, replyTo }: Recipients,
  fingerprint: Buffer,
): Promise<Queued | undefined> {
  const id = newId();
  const threadId = newId();
  const now = ctx.now();
  const files = input.attachments.map((file) => ({
    ...file,
    id: newId(),
    bytes: Buffer.from(file.content_base64, "base64"),
  }));
  const infos: AttachmentInfo[] = files.map(({ id: fileId, filename, content_type, bytes }) => {
    return { id: fileId, filename, content_type, size: bytes.length, inline: false };
  });
  const bodies = Buffer.byteLength(input.text ?? "") + Buffer.byteLength(input.html ?? "");
  const [live] = await tx`select 1 from inboxes where id = ${inbox.id} and status = 'live' for share`;
  if (!live) throw new ServiceError("inbox_not_found", "There is no such inbox.");
  const inserted = await tx`insert into messages ${tx({
    id,
    organization_id: inbox.organization_id,
    inbox_id: inbox.id,
    thread_id: threadId,
    direction: "outbound",
    status: "queued",
    from_address: inbox.address,
    from_name: inbox.display_name || null,
    to_addresses: to,
    cc_addresses: cc,
    bcc_addresses: bcc,
    reply_to: replyTo,
    subject: input.subject,
    rfc_message_id: `${encodeId("msg", id)}@${inbox.domain}`,
    references_ids: [],
    text: input.text ?? null,
    html: input.html ?? null,
    attachments: tx.json(infos),
    size: infos.reduce((sum, file) => sum + file.size, bodies),
    idempotency_key: input.idempotency_key ?? null,
    idempotency_hash: input.idempotency_key === undefined ? null : fingerprint,
    next_attempt_at: now,
    created_at: now,
  })} on conflict do nothing`;
  if (inserted.count === 0) return;
  const thread = {
    id: threadId,
    organization_id: inbox.organization_id,
    inbox_id: inbox.id,
    subject: input.subject,
    created_at: now,
  };
  const bytes = files.map((file) => ({
    id: file.id,
    organization_id: inbox.organization_id,
    message_id: id,
    bytes: file.bytes,
  }));
  await Promise.all([
    tx`insert into threads ${tx(thread)}`,
    ...(bytes.length > 0 ? [tx`insert into attachments ${tx(bytes)}`] : []),
  ]);
  return { id, thread_id: threadId };
}

/** Whether everyone it goes to has written to this mailbox before. */
async function isReply(tx: TransactionSql, inbox: InboxRow, { to, cc, bcc }: Recipients): Promise<boolean> {
  const everyone = [...new Set([...to, ...cc, ...bcc].map((address) => address.toLowerCase()))];
  const [row] = await tx<[{ known: number }]>`
    select count(distinct lower(from_address))::int as known from messages
    where inbox_id = ${inbox.id} and direction = 'inbound' and lower(from_address) = any(${everyone})`;
  return row.known === everyone.length;
}
