// A message that is to be queued, and the row that it becomes.
import type { Transaction } from "#db/client.ts";
import type { AttachmentInfo } from "#db/message-parts.ts";
import type { messages } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import type { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { InboxRow } from "../base/tenancy.ts";
import { keysOf } from "../pauses/find.ts";
import { ownMessageId } from "../recipients/limits/correspondents.ts";
import type { PlainRow } from "./batch.ts";
import { firstAttempt } from "./first-attempt.ts";
import type { Planned } from "./scheduled/schedule.ts";

/** UUIDs of the message and its thread, and whether the message waits for its time or for a member. */
export type Queued = Pick<typeof messages.$inferSelect, "id" | "thread_id"> & {
  status: "queued" | "scheduled" | "held";
  /** An earlier call had queued it. */
  replayed?: true;
};

/** The idempotency key with the hash of the request, and the words for the search index. */
export type Made = { key: string | null; fingerprint: Buffer | null; words: string };

/** `bytes` as recipients must receive them. */
export type OutboundFile = Pick<AttachmentInfo, "filename" | "content_type" | "content_id"> & { bytes: Buffer };

/** What is stored of a file beside its bytes. A file that HTML names is shown in its place. */
export function infoOf({
  id,
  filename,
  content_type,
  content_id,
  bytes,
}: OutboundFile & { id: string }): AttachmentInfo {
  const inHtml = content_id === undefined ? { inline: false } : { inline: true, content_id };
  return { id, filename, content_type, size: bytes.length, ...inHtml };
}

/** The thread that a message continues. */
export type Conversation = {
  threadId: string;
  /** The message that must be its newest when this one leaves; null: any may be. */
  expectedLast: string | null;
  /** Message-IDs without angle brackets; references oldest first. */
  inReplyTo: string | null;
  references: string[];
  /** Called with the thread locked, so that no message is added during the checks; each throws if the message is refused. */
  checks: ((tx: Transaction, messageId: string) => Promise<void>)[];
};

export type Draft = {
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  /** Undefined: the display name of the mailbox. */
  fromName?: string | undefined;
  subject: string;
  text: string | null;
  html: string | null;
  files: OutboundFile[];
  /** Adds a one-click unsubscribe link for the only recipient. */
  listUnsubscribe?: boolean;
  /** Undefined: the message starts a new thread. */
  conversation?: Conversation;
  /** A Message-ID, without angle brackets, of mail that the mailbox does not have. */
  inReplyTo?: string;
  labels?: string[] | undefined;
  /** When it leaves; undefined: immediately. */
  sendAt?: Date | undefined;
  /** Until when a reply is expected; undefined: none is. */
  replyBy?: Date | undefined;
  /** Why the message must not be sent. */
  refusal?: ServiceError | undefined;
};

/** Bytes of the bodies and attachments. */
export function sizeOf({ text, html, files }: Pick<Draft, "text" | "html" | "files">): number {
  const bodies = Buffer.byteLength(text ?? "") + Buffer.byteLength(html ?? "");
  return files.reduce((sum, { bytes }) => sum + bytes.length, bodies);
}

export function messageRow(inbox: InboxRow, draft: Draft, files: (OutboundFile & { id: string })[], id: string) {
  return {
    id,
    organization_id: inbox.organization_id,
    inbox_id: inbox.id,
    direction: "outbound" as const,
    from_address: inbox.address,
    from_name: draft.fromName ?? (inbox.display_name || null),
    to_addresses: draft.to,
    cc_addresses: draft.cc,
    bcc_addresses: draft.bcc,
    reply_to: draft.replyTo,
    subject: draft.subject,
    in_reply_to: draft.conversation?.inReplyTo ?? draft.inReplyTo ?? null,
    references: draft.conversation?.references ?? (draft.inReplyTo === undefined ? [] : [draft.inReplyTo]),
    text: draft.text,
    html: draft.html,
    read: true,
    list_unsubscribe: draft.listUnsubscribe ?? false,
    attachments: files.map(infoOf),
    labels: [...new Set(draft.labels)],
    size: sizeOf(draft),
  };
}

export function plannedOf(messageId: string, draft: Draft): Planned {
  const expectedLast = draft.conversation?.expectedLast ?? null;
  return { messageId, recipients: allRecipients(draft), sendAt: draft.sendAt, expectedLast };
}

export function allRecipients({ to, cc, bcc }: Draft): string[] {
  return [...to, ...cc, ...bcc];
}

/** Whether it starts a thread and has a body, recipients and nothing else. */
export function isPlain(
  { actor }: Ctx<Caller>,
  { files, conversation, inReplyTo, sendAt, replyBy, labels = [] }: Draft,
): boolean {
  const isBare = files.length === 0 && labels.length === 0 && !replyBy && inReplyTo === undefined;
  return isBare && !conversation && !sendAt && (actor.kind === "member" || actor.budgetKeyIds.length === 0);
}

export function plainRow(ctx: Ctx<Caller>, inbox: InboxRow, draft: Draft, { key, fingerprint, words }: Made): PlainRow {
  const id = newId();
  return {
    ...messageRow(inbox, draft, [], id),
    thread_id: newId(),
    rfc_message_id: ownMessageId(ctx.secrets, id, inbox.domain),
    idempotency_key: key,
    fingerprint: fingerprint?.toString("hex") ?? null,
    words,
    recipients: allRecipients(draft),
    sent_by: keysOf(ctx.actor),
    traceparent: ctx.facts.traceparent(),
  };
}

export function queueFields(
  ctx: Ctx<Caller>,
  { id: inbox_id, organization_id }: InboxRow,
  status: Queued["status"],
  { key, fingerprint }: Omit<Made, "words">,
) {
  const at = ctx.now();
  const sent_by = keysOf(ctx.actor);
  return {
    status,
    sent_by,
    idempotency_key: key,
    idempotency_hash: fingerprint,
    next_attempt_at: status === "queued" ? firstAttempt({ inbox_id, organization_id, sent_by }, at) : null,
    created_at: at,
    traceparent: ctx.facts.traceparent(),
  };
}
