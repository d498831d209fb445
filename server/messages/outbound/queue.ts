// Queues an outbound message of any kind in one transaction: once per idempotency key, counted against the daily cap,
// with its thread, search words and attachments.
import { hash } from "node:crypto";
import { and, eq } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { attachments, inboxes, messages } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { InboxRow } from "../../base/tenancy.ts";
import { refuseNotReady } from "../../domains/ready.ts";
import { searchVector } from "../inbound/search-index.ts";
import { ownMessageId } from "../limits/own-message-ids.ts";
import { takeSend, takeStorage } from "../limits/send-cap.ts";
import { insertRecipients } from "../outcomes/insert.ts";
import { requireUnsuppressed } from "../suppressions/check.ts";
import { beginThread, joinThread, noMessage } from "./conversation.ts";
import { type Draft, messageRow, type OutboundFile, type Queued, wordsOf } from "./draft.ts";

/** `content`: everything that identifies the request, as JSON; without the key itself. */
export type Request = { key: string | undefined; content: unknown };

/**
 * @param compose builds the message; not called if the idempotency key is repeated
 * @returns those of the first time if the idempotency key is repeated
 * @throws ServiceError `idempotency_conflict`, `domain_not_ready`, `daily_send_cap_exceeded`, `sending_paused`, `storage_quota_exceeded`, `unavailable`;
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
  await refuseNotReady(ctx, inbox.domain);
  const draft = await compose();
  const made: Made = { key: key ?? null, fingerprint, words: wordsOf(inbox, draft) };
  const queued = await ctx.db.transaction(async (tx) => {
    await requireUnsuppressed(tx, inbox, allRecipients(draft));
    const message = await insert(ctx, tx, { inbox, draft }, made);
    if (message) await takeSend(ctx, tx, inbox, { messageId: message.id, recipients: allRecipients(draft) });
    if (message) await takeStorage(ctx, tx, inbox, message.size);
    return message;
  });
  if (!queued) return queuedMeanwhile(ctx, key, fingerprint);
  ctx.signals.raise("outbound");
  return { id: queued.id, thread_id: queued.thread_id };
}

function allRecipients({ to, cc, bcc }: Draft): string[] {
  return [...to, ...cc, ...bcc];
}

async function queuedBefore({ actor, db }: Ctx<Caller>, key: string | undefined, fingerprint: Buffer | null) {
  if (key === undefined || !fingerprint) return;
  const [row] = await db
    .select({ id: messages.id, thread_id: messages.thread_id, idempotency_hash: messages.idempotency_hash })
    .from(messages)
    .where(and(eq(messages.organization_id, actor.organizationId), eq(messages.idempotency_key, key)));
  if (row && !row.idempotency_hash?.equals(fingerprint)) {
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
  tx: Transaction,
  { inbox, draft }: { inbox: InboxRow; draft: Draft },
  { key, fingerprint, words }: Made,
): Promise<(Queued & { size: number }) | undefined> {
  const { conversation } = draft;
  const isLive = and(eq(inboxes.id, inbox.id), eq(inboxes.status, "live"));
  const [live] = await tx.select({ id: inboxes.id }).from(inboxes).where(isLive).for("share");
  if (!live) throw conversation ? noMessage() : new ServiceError("inbox_not_found", "The inbox does not exist.");
  const id = newId();
  const threadId = conversation?.threadId ?? newId();
  const files = draft.files.map((file) => ({ ...file, id: newId() }));
  const fields = { ...messageRow(inbox, draft, files, id), thread_id: threadId, ...queueFields(ctx, key, fingerprint) };
  const rfc_message_id = ownMessageId(ctx.secrets, id, inbox.domain);
  const row = { ...fields, rfc_message_id, search: searchVector(inbox.id, words) };
  // Before the thread is locked: a repeated request waits here for the first, and must not find the thread changed by
  // it.
  const inserted = await tx.insert(messages).values(row).onConflictDoNothing();
  if (inserted.count === 0) return;
  if (conversation) await joinThread(tx, conversation, id);
  else await beginThread(ctx, tx, { inbox, subject: draft.subject, threadId, id });
  await insertRecipients(tx, fields, draft);
  await insertFiles(tx, inbox.organization_id, id, files);
  return { id, thread_id: threadId, size: fields.size };
}

function queueFields({ now }: Ctx<Caller>, key: string | null, fingerprint: Buffer | null) {
  const at = now();
  return {
    status: "queued" as const,
    idempotency_key: key,
    idempotency_hash: fingerprint,
    next_attempt_at: at,
    created_at: at,
  };
}

async function insertFiles(
  tx: Transaction,
  organizationId: string,
  messageId: string,
  files: (OutboundFile & { id: string })[],
): Promise<void> {
  if (files.length === 0) return;
  const rows = files.map(({ id, bytes }) => ({ id, organization_id: organizationId, message_id: messageId, bytes }));
  await tx.insert(attachments).values(rows);
}
