// POST /v1/messages/{id}/forward: forwards a message with its attachments and the caller's text.
import { isMessageId } from "../base/addresses.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import type { Share } from "../base/limiter.ts";
import { essenceOf } from "../base/media-type.ts";
import { loadRaw } from "../blobs/load.ts";
import { findAttachments, sentType } from "../messages/files/attachments.ts";
import { MAX_SEND_BYTES } from "../messages/schema.ts";
import { type Answered, findAnswered } from "./answered.ts";
import { readRecipients } from "./content/sendable.ts";
import { continueThread } from "./conversation.ts";
import { hold, readFiles } from "./files.ts";
import { forwardedBodies } from "./forwarded-bodies.ts";
import { type OutboundFile, type Queued, sizeOf } from "./outgoing.ts";
import { type Prepared, queueOnce } from "./queue.ts";
import { readSendAt } from "./scheduled/schedule.ts";
import type { ForwardInput } from "./schema.ts";
import { forwardSubject } from "./subject.ts";

const MESSAGE_TYPE = "message/rfc822";
const UNREAD_NAME = "original.eml";

/**
 * Automatic mail may be forwarded too.
 * @returns UUIDs of the queued message and its thread, that of the forwarded one; those of the first forward if the
 * idempotency key is repeated
 * @throws ServiceError `message_not_found`, `invalid_request`, `idempotency_conflict`, `payload_too_large`,
 * `thread_moved_on`, `daily_send_cap_exceeded`; `reply_refused` if mailboxes of this service forward to each other in a
 * loop
 */
export async function forwardMessage(ctx: Ctx<Caller>, input: ForwardInput): Promise<Queued> {
  return queueOnce(ctx, await prepareForward(ctx, input));
}

/** @throws ServiceError `message_not_found`, `invalid_request` */
export async function prepareForward(ctx: Ctx<Caller>, input: ForwardInput): Promise<Prepared> {
  const answered = await findAnswered(ctx, input.id);
  const recipients = readRecipients(input);
  const { message, inbox } = answered;
  const { id, idempotency_key: key, ...content } = input;
  const compose = async (share: Share) => {
    const bodies = forwardedBodies(answered, input);
    const sendAt = readSendAt(ctx, input.send_at);
    const conversation = continueThread(ctx, answered, {
      recipients: [...recipients.to, ...recipients.cc, ...recipients.bcc],
      expectedLast: input.expected_last_message_id,
    });
    const original = await originalFiles(ctx, answered, { id, share, html: bodies.html ?? "" });
    const files = [...original, ...(await readFiles(ctx, input.attachments, share))];
    const size = sizeOf({ ...bodies, files });
    const excess = `With all attachments, the forward would have ${size} bytes; at most ${MAX_SEND_BYTES} can be sent.`;
    return {
      ...recipients,
      subject: forwardSubject(message.subject),
      ...bodies,
      files,
      labels: input.labels,
      refusal: size > MAX_SEND_BYTES ? new ServiceError("payload_too_large", excess) : undefined,
      sendAt,
      conversation,
    };
  };
  return { inbox, request: { key, content: ["forward", message.id, content] }, compose };
}

/**
 * Names and types come from received mail: they are made safe for a header here, otherwise the whole forward would fail
 * later.
 */
async function originalFiles(
  ctx: Ctx<Caller>,
  { message }: Answered,
  { id, share, html }: { id: string; share: Share; html: string },
): Promise<OutboundFile[]> {
  if (message.direction === "inbound" && message.status !== "parsed") return unreadOriginal(ctx, message, share);
  const { size, load } = await findAttachments(ctx, id);
  hold(share, size);
  const files = await load();
  return files.map(({ info, bytes }) => ({
    filename: info.filename?.replace(/\p{Cc}+/gu, " ").trim() || null,
    content_type: sentType(info),
    ...(isShown(info.content_id, html) && { content_id: info.content_id }),
    bytes: essenceOf(info.content_type) === MESSAGE_TYPE ? withCrlf(bytes) : bytes,
  }));
}

/** Whether HTML shows a file in its text: the others are listed below it. */
function isShown(contentId: string | undefined, html: string): contentId is string {
  return contentId !== undefined && isMessageId(contentId) && html.includes(`cid:${contentId}`);
}

/** The parser returns a nested mail with LF; it must be sent with CRLF (RFC 2046 §5.2.1). */
function withCrlf(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("latin1").replace(/\r?\n/g, "\r\n"), "latin1");
}

/** If the body could not be parsed, only the raw mail is available. */
async function unreadOriginal(
  ctx: Ctx<Caller>,
  { id, size }: Answered["message"],
  share: Share,
): Promise<OutboundFile[]> {
  hold(share, size);
  const bytes = await loadRaw(ctx, id);
  return bytes ? [{ filename: UNREAD_NAME, content_type: MESSAGE_TYPE, bytes }] : [];
}
