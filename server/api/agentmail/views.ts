// AgentMail's messages and drafts, as their lists and answers show ours.

import { readRecipient, writeRecipient } from "../../base/addresses.ts";
import { ServiceError } from "../../base/errors.ts";
import { ownText } from "../../extraction/html/own-text.ts";
import { oneLine } from "../../messages/summary.ts";
import { type Output, withNames } from "../compat/route.ts";
import { labelsOf, present } from "./parts.ts";

export type Message = Output<"messages", "get">;
export type Summary = Output<"messages", "list">["data"][number];
export type Draft = Output<"drafts", "get">;

export const timeOf = ({ received_at, created_at }: Pick<Summary, "received_at" | "created_at">) =>
  received_at ?? created_at ?? "";
export const senderOf = ({ from_name, from }: Pick<Summary, "from_name" | "from">) =>
  writeRecipient({ address: from, name: from_name ?? "" });

/** A scheduled message that was cancelled is a draft that is gone. */
export const isThere = ({ status }: Pick<Summary, "status">) => status !== "cancelled";

/** The addresses in To and Cc, and all that the message was sent to. */
export const recipientsOf = ({ to, cc, recipients = [] }: Pick<Summary, "to" | "cc" | "recipients">) => [
  ...to,
  ...cc,
  ...recipients.map(({ address }) => address),
];

/** What a filter by people looks for: of an address with a name before it, the address alone. */
export const soughtPeople = (given: string[] = []) => given.map((text) => readRecipient(text)?.address ?? text);

function commonView(message: Summary | Message) {
  const at = timeOf(message);
  return {
    inbox_id: message.inbox,
    thread_id: message.thread_id,
    message_id: message.id,
    labels: labelsOf(message),
    timestamp: at,
    from: senderOf(message),
    to: withNames(message.to, message, "to"),
    cc: withNames(message.cc, message, "cc"),
    subject: message.subject,
    attachments: message.attachments.map(attachmentView),
    size: message.size,
    updated_at: at,
    created_at: at,
  };
}

export function itemView({ highlights, ...summary }: Summary) {
  return {
    ...commonView(summary),
    preview: summary.preview,
    ...(highlights && { highlights: highlightsOf(highlights) }),
  };
}

const FOUND_IN = { from: ["from", "from_name"], recipients: ["to"], subject: ["subject"], text: ["text"] };

/** Of each field with a match, the fragments, with the matches between `**`. */
export function highlightsOf(highlights: NonNullable<Summary["highlights"]>) {
  return Object.fromEntries(
    Object.entries(FOUND_IN).flatMap(([name, fields]) => {
      const found = highlights.filter(({ field, parts }) => fields.includes(field) && parts.some(isMatch));
      const texts = found.map(({ parts }) => parts.map((each) => (isMatch(each) ? `**${each.text}**` : each.text)));
      return texts.length > 0 ? [[name, texts.map((parts) => parts.join("").trim())]] : [];
    }),
  );
}
const isMatch = ({ match }: { match: boolean }) => match;

export function attachmentView(file: Message["attachments"][number]) {
  const { id, filename, content_type, size, inline, content_id } = file;
  return {
    attachment_id: id,
    ...(filename !== null && { filename }),
    size,
    content_type,
    content_disposition: inline ? "inline" : "attachment",
    ...(content_id !== undefined && { content_id }),
  };
}

const bracketed = (id: string) => `<${id}>`;

export function messageView(message: Message) {
  const headers = Object.fromEntries(message.headers.map(({ name, value }) => [name, value]));
  const ownId = message.rfc_message_id === null ? {} : { "Message-ID": bracketed(message.rfc_message_id) };
  const { in_reply_to: answered, references } = message;
  return {
    ...commonView(message),
    ...(message.bcc && { bcc: message.bcc }),
    reply_to: withNames(message.reply_to, message, "reply-to"),
    preview: message.direction === "inbound" ? previewOf(message.extracted_text ?? message.text) : ownPreview(message),
    ...present({
      text: message.text ?? undefined,
      html: message.html ?? undefined,
      extracted_text: message.extracted_text ?? undefined,
      in_reply_to: answered === null ? undefined : bracketed(answered),
      references: references.length > 0 ? references.map(bracketed) : undefined,
    }),
    headers: message.direction === "inbound" && message.headers.length > 0 ? headers : { ...ownId, ...headers },
  };
}

const PREVIEW_CHARS = 200;
/** Read from HTML that has no text beside it, from its beginning on. */
const HTML_CHARS = 65_536;
const previewOf = (text: string | null) => oneLine(text ?? "", PREVIEW_CHARS);

/** Of what a caller wrote. */
function ownPreview({ text, html }: Pick<Draft, "text" | "html">): string {
  return previewOf(text || ownText((html ?? "").slice(0, HTML_CHARS)));
}

export function draftView(draft: Draft) {
  const { text, html, subject, in_reply_to, reply_to } = draft;
  return {
    inbox_id: draft.inbox,
    draft_id: draft.id,
    labels: ["draft", ...draft.labels],
    // Of a reply without a recipient: whom it answers.
    to: draft.to.length > 0 ? draft.to : draft.recipients.filter((address) => !draft.cc.includes(address)),
    cc: draft.cc,
    bcc: draft.bcc,
    ...(reply_to !== null && { reply_to: [reply_to] }),
    ...present({
      text: text ?? undefined,
      html: html ?? undefined,
      subject: subject ?? undefined,
      in_reply_to: in_reply_to ?? undefined,
    }),
    preview: ownPreview(draft),
    attachments: draft.attachments.map(draftFileView),
    updated_at: draft.updated_at,
    created_at: draft.created_at,
  };
}

export function draftFileView({ id, filename, content_type, size }: Draft["attachments"][number]) {
  return { attachment_id: id, ...(filename !== null && { filename }), content_type, size };
}

const SEND_STATUS = {
  scheduled: "scheduled",
  held: "scheduled",
  queued: "sending",
  sending: "sending",
  failed: "failed",
  rejected: "failed",
} as const satisfies Partial<Record<Message["status"], string>>;

/** A message that is a draft with a time: it has not left. */
export type Scheduled = Message & { send_at: string; status: keyof typeof SEND_STATUS };

export function isScheduled(message: Message): message is Scheduled {
  const { direction, send_at, status } = message;
  return direction === "outbound" && typeof send_at === "string" && Object.hasOwn(SEND_STATUS, status);
}

export function scheduledView(message: Scheduled) {
  const { send_at, created_at = "" } = message;
  const { inbox_id, to, cc, bcc, subject, preview, text, html, reply_to, attachments } = messageView(message);
  return {
    ...present({ inbox_id, draft_id: message.id, to, cc, bcc, subject, preview, text, html, reply_to, attachments }),
    labels: ["draft", "scheduled", ...message.labels],
    send_status: SEND_STATUS[message.status],
    send_at,
    updated_at: created_at,
    created_at,
  };
}

export const noDraft = () => new ServiceError("draft_not_found", "The draft does not exist.");
