// A message that is to be queued, and the row that it becomes.
import type { Transaction } from "#db/client.ts";
import type { AttachmentInfo, RecipientNames } from "#db/message-parts.ts";
import type { messages } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import type { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { InboxRow } from "../base/tenancy.ts";
import { keysOf } from "../pauses/find.ts";
import { ownMessageId } from "../recipients/limits/correspondents.ts";
import { shownNames } from "./content/sendable.ts";
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

export type Outgoing = {
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  /** Names of recipients, also of some that no list has. The first of an address counts. */
  names: RecipientNames;
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
  /** Headers of its author, by name. */
  headers?: Record<string, string> | undefined;
  /** When it leaves; undefined: immediately. */
  sendAt?: Date | undefined;
  /** Until when a reply is expected; undefined: none is. */
  replyBy?: Date | undefined;
  /** Why the message must not be sent. */
  refusal?: ServiceError | undefined;
};

/** Bytes of the bodies and attachments. */
export function sizeOf({ text, html, files }: Pick<Outgoing, "text" | "html" | "files">): number {
  const bodies = Buffer.byteLength(text ?? "") + Buffer.byteLength(html ?? "");
  return files.reduce((sum, { bytes }) => sum + bytes.length, bodies);
}

export function messageRow(inbox: InboxRow, outgoing: Outgoing, files: (OutboundFile & { id: string })[], id: string) {
  return {
    id,
    organization_id: inbox.organization_id,
    inbox_id: inbox.id,
    direction: "outbound" as const,
    from_address: inbox.address,
    from_name: outgoing.fromName ?? (inbox.display_name || null),
    to_addresses: outgoing.to,
    cc_addresses: outgoing.cc,
    bcc_addresses: outgoing.bcc,
    reply_to: outgoing.replyTo,
    recipient_names: shownNames(outgoing),
    subject: outgoing.subject,
    in_reply_to: outgoing.conversation?.inReplyTo ?? outgoing.inReplyTo ?? null,
    references: outgoing.conversation?.references ?? (outgoing.inReplyTo === undefined ? [] : [outgoing.inReplyTo]),
    headers: headersOf(outgoing),
    text: outgoing.text,
    html: outgoing.html,
    read: true,
    list_unsubscribe: outgoing.listUnsubscribe ?? false,
    attachments: files.map(infoOf),
    labels: [...new Set(outgoing.labels)],
    size: sizeOf(outgoing),
  };
}

/** Null: none, as of messages of earlier versions. */
function headersOf({ headers = {} }: Outgoing): [string, string][] | null {
  const lines = Object.entries(headers);
  return lines.length > 0 ? lines : null;
}

export function plannedOf(messageId: string, outgoing: Outgoing): Planned {
  const expectedLast = outgoing.conversation?.expectedLast ?? null;
  return { messageId, recipients: allRecipients(outgoing), sendAt: outgoing.sendAt, expectedLast };
}

export function allRecipients({ to, cc, bcc }: Outgoing): string[] {
  return [...to, ...cc, ...bcc];
}

type MessageRow = typeof messages.$inferSelect;
/** The columns of a plain row that are stored as they are, with their types. */
export const PLAIN_COLUMNS = {
  id: "uuid",
  organization_id: "uuid",
  inbox_id: "uuid",
  thread_id: "uuid",
  from_address: "text",
  from_name: "text",
  to_addresses: "text[]",
  cc_addresses: "text[]",
  bcc_addresses: "text[]",
  reply_to: "text[]",
  recipient_names: "jsonb",
  subject: "text",
  headers: "jsonb",
  text: "text",
  html: "text",
  list_unsubscribe: "boolean",
  size: "bigint",
  rfc_message_id: "text",
  idempotency_key: "text",
  sent_by: "uuid[]",
} satisfies Partial<Record<keyof MessageRow, string>>;

/** A message that starts a thread and has no attachments. */
export type PlainRow = Pick<MessageRow, keyof typeof PLAIN_COLUMNS> & {
  /** Hexadecimal. */
  fingerprint: string | null;
  /** For the search index. */
  words: string;
  /** Each once, in the order in which they are sent to. */
  recipients: string[];
  traceparent: string | undefined;
};

/** Whether it starts a thread and has a body, recipients and nothing else. */
export function isPlain(
  { actor }: Ctx<Caller>,
  { files, conversation, inReplyTo, sendAt, replyBy, labels = [] }: Outgoing,
): boolean {
  const isBare = files.length === 0 && labels.length === 0 && !replyBy && inReplyTo === undefined;
  return isBare && !conversation && !sendAt && (actor.kind === "member" || actor.budgetKeyIds.length === 0);
}

export function plainRow(
  ctx: Ctx<Caller>,
  inbox: InboxRow,
  outgoing: Outgoing,
  { key, fingerprint, words }: Made,
): PlainRow {
  const id = newId();
  return {
    ...messageRow(inbox, outgoing, [], id),
    thread_id: newId(),
    rfc_message_id: ownMessageId(ctx.secrets, id, inbox.domain),
    idempotency_key: key,
    fingerprint: fingerprint?.toString("hex") ?? null,
    words,
    recipients: allRecipients(outgoing),
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
