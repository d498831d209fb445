// Queues an outbound message of any kind in one transaction: once per idempotency key, counted against the daily cap,
// with its thread, search words and attachments.
import { hash } from "node:crypto";
import type { TransactionSql } from "postgres";
import type { AttachmentInfo } from "#db/message-parts.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { encodeId, newId } from "../../base/ids.ts";
import type { InboxRow } from "../../base/tenancy.ts";
import { readHtml } from "../../extraction/html/html.ts";
import { OUTBOUND_TEXT_CHARS, searchText, searchVector } from "../../extraction/search.ts";
import { countStorage, isOverQuota, storageQuotas, storedBytes } from "../../inboxes/storage.ts";
import { takeSend } from "./send-cap.ts";

/** UUIDs of the message and its thread. */
export type Queued = { id: string; thread_id: string };

/** `bytes` as recipients must receive them. */
export type OutboundFile = { filename: string | null; content_type: string; bytes: Buffer };

/** The thread that a message continues. */
export type Conversation = {
  threadId: string;
  /** Message-IDs without angle brackets; references oldest first. */
  inReplyTo: string | null;
  references: string[];
  /** Called with the thread locked, so that no message is added during the check; throws if the message is refused. */
  check(tx: TransactionSql, messageId: string): Promise<void>;
};

export type Draft = {
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  subject: string;
  text: string | null;
  html: string | null;
  files: OutboundFile[];
  /** Undefined: the message starts a new thread. */
  conversation?: Conversation;
};

/** `content`: everything that identifies the request, as JSON; without the key itself. */
export type Request = { key: string | undefined; content: unknown };

/**
 * @param compose builds the message; not called if the idempotency key is repeated
 * @returns those of the first time if the idempotency key is repeated
 * @throws ServiceError `idempotency_conflict`, `daily_send_cap_exceeded`, `storage_quota_exceeded`, `unavailable`;
 * `inbox_not_found` if the mailbox was deleted, for a reply `message_not_found` if mailbox or thread was; and errors of
 * `compose` and `check`
 */
export async function queueOnce(
  ctx: Ctx<Caller>,
  inbox: InboxRow,
  { key, content }: Request,
  compose: () => Draft | Promise<Draft>,
): Promise<Queued> {
  const fingerprint = key === undefined ? null : hash("sha256", JSON.stringify(content), "buffer");
  const before = await queuedBefore(ctx, key, fingerprint);
  if (before) return before;
  const draft = await compose();
  const made: Made = { key: key ?? null, fingerprint, words: wordsOf(inbox, draft) };
  const queued = await ctx.sql.begin(async (tx) => {
    const message = await insert(ctx, tx, inbox, draft, made);
    if (message) await takeSend(ctx, tx, inbox, [...draft.to, ...draft.cc, ...draft.bcc]);
    if (message) await takeStorage(ctx, tx, inbox, message.size);
    return message;
  });
  if (!queued) return queuedMeanwhile(ctx, key, fingerprint);
  ctx.signals.raise("outbound");
  return { id: queued.id, thread_id: queued.thread_id };
}

async function queuedBefore({ actor, sql }: Ctx<Caller>, key: string | undefined, fingerprint: Buffer | null) {
  if (key === undefined || !fingerprint) return;
  const [row] = await sql<(Queued & { idempotency_hash: Buffer })[]>`
    select id, thread_id, idempotency_hash from messages
    where organization_id = ${actor.organizationId} and idempotency_key = ${key}`;
  if (row && !row.idempotency_hash.equals(fingerprint)) {
    throw new ServiceError("idempotency_conflict", "This idempotency key was used for another message.");
  }
  return row && { id: row.id, thread_id: row.thread_id };
}

async function queuedMeanwhile(ctx: Ctx<Caller>, key: string | undefined, fingerprint: Buffer | null): Promise<Queued> {
  const winner = await queuedBefore(ctx, key, fingerprint);
  if (winner) return winner;
  // The message that held the key was refused (cap) or deleted.
  throw new ServiceError("unavailable", "Another request with this idempotency key is in progress.", {
    headers: { "Retry-After": "1" },
  });
}

type Made = { key: string | null; fingerprint: Buffer | null; words: string };

/** Undefined if a concurrent request took the idempotency key. */
async function insert(
  ctx: Ctx<Caller>,
  tx: TransactionSql,
  inbox: InboxRow,
  draft: Draft,
  { key, fingerprint, words }: Made,
): Promise<(Queued & { size: number }) | undefined> {
  const { conversation } = draft;
  const [live] = await tx`select 1 from inboxes where id = ${inbox.id} and status = 'live' for share`;
  if (!live) throw conversation ? noMessage() : new ServiceError("inbox_not_found", "The inbox does not exist.");
  const id = newId();
  const threadId = conversation?.threadId ?? newId();
  const files = draft.files.map((file) => ({ ...file, id: newId() }));
  const fields = { ...messageRow(inbox, draft, files, id), thread_id: threadId, ...queueFields(ctx, key, fingerprint) };
  const search = searchVector(tx, inbox.id, words);
  // postgres.js accepts a fragment as a value, which its types do not say.
  const row = { ...fields, attachments: tx.json(fields.attachments), search: search as unknown as string };
  // Before the thread is locked: a repeated request waits here for the first, and must not find the thread changed by
  // it.
  const inserted = await tx`insert into messages ${tx(row)} on conflict do nothing`;
  if (inserted.count === 0) return;
  if (conversation) await joinThread(tx, conversation, id);
  else await beginThread(ctx, tx, { inbox, subject: draft.subject, threadId, id });
  await insertFiles(tx, inbox.organization_id, id, files);
  return { id, thread_id: threadId, size: fields.size };
}

/** @throws ServiceError `storage_quota_exceeded` */
async function takeStorage(
  { settings }: Ctx<Caller>,
  tx: TransactionSql,
  inbox: InboxRow,
  size: number,
): Promise<void> {
  const change = { organization_id: inbox.organization_id, inbox_id: inbox.id, bytes: storedBytes(size) };
  try {
    await countStorage(tx, [change], storageQuotas(settings), tx`true`);
  } catch (error) {
    if (!isOverQuota(error)) throw error;
    throw new ServiceError(
      "storage_quota_exceeded",
      `This message has ${size} bytes and exceeds the storage quota of the mailbox or of the organization.`,
    );
  }
}

/** The words of the full-text search index. */
function wordsOf(inbox: InboxRow, { to, cc, subject, text, html }: Draft): string {
  const body = text ?? readHtml((html ?? "").slice(0, OUTBOUND_TEXT_CHARS)).text;
  const parts = { from: inbox.address, fromName: inbox.display_name || null, to: [...to, ...cc], subject, body };
  return searchText(parts, OUTBOUND_TEXT_CHARS);
}

function messageRow(inbox: InboxRow, draft: Draft, files: (OutboundFile & { id: string })[], id: string) {
  const attachments: AttachmentInfo[] = files.map(({ id: fileId, filename, content_type, bytes }) => {
    return { id: fileId, filename, content_type, size: bytes.length, inline: false };
  });
  const bodies = Buffer.byteLength(draft.text ?? "") + Buffer.byteLength(draft.html ?? "");
  return {
    id,
    organization_id: inbox.organization_id,
    inbox_id: inbox.id,
    direction: "outbound",
    from_address: inbox.address,
    from_name: inbox.display_name || null,
    to_addresses: draft.to,
    cc_addresses: draft.cc,
    bcc_addresses: draft.bcc,
    reply_to: draft.replyTo,
    subject: draft.subject,
    rfc_message_id: `${encodeId("msg", id)}@${inbox.domain}`,
    in_reply_to: draft.conversation?.inReplyTo ?? null,
    references_ids: draft.conversation?.references ?? [],
    text: draft.text,
    html: draft.html,
    read: true,
    attachments,
    size: attachments.reduce((sum, file) => sum + file.size, bodies),
  };
}

function queueFields({ now }: Ctx<Caller>, key: string | null, fingerprint: Buffer | null) {
  const at = now();
  return {
    status: "queued",
    idempotency_key: key,
    idempotency_hash: fingerprint,
    next_attempt_at: at,
    created_at: at,
  };
}

async function joinThread(tx: TransactionSql, { threadId, check }: Conversation, id: string): Promise<void> {
  const [thread] = await tx`select 1 from threads where id = ${threadId} for update`;
  if (!thread) throw noMessage();
  await check(tx, id);
  await tx`update threads set last_message_id = greatest(last_message_id, ${id}::uuid) where id = ${threadId}`;
}

async function beginThread(
  ctx: Ctx<Caller>,
  tx: TransactionSql,
  { inbox, subject, threadId, id }: { inbox: InboxRow; subject: string; threadId: string; id: string },
): Promise<void> {
  const thread = {
    id: threadId,
    organization_id: inbox.organization_id,
    inbox_id: inbox.id,
    subject,
    last_message_id: id,
    created_at: ctx.now(),
  };
  await tx`insert into threads ${tx(thread)}`;
}

async function insertFiles(
  tx: TransactionSql,
  organizationId: string,
  messageId: string,
  files: (OutboundFile & { id: string })[],
): Promise<void> {
  if (files.length === 0) return;
  const rows = files.map(({ id, bytes }) => ({ id, organization_id: organizationId, message_id: messageId, bytes }));
  await tx`insert into attachments ${tx(rows)}`;
}

function noMessage(): ServiceError {
  return new ServiceError("message_not_found", "The message does not exist.");
}
