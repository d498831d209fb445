// POST /v1/inboxes/{addr}/send: queues a message that starts a thread, or joins that of the message it answers.
import { isMessageId } from "../base/addresses.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { invalidField } from "../base/errors.ts";
import type { Share } from "../base/limiter.ts";
import { findUnsubscribeHeader } from "../base/mail-headers.ts";
import { findInbox, type InboxRow } from "../base/tenancy.ts";
import { noMessage } from "../messages/find.ts";
import type { SendInput } from "../messages/schema.ts";
import { requireOneRecipient } from "../recipients/suppressions/unsubscribe.ts";
import { automaticRefusal, findAnswered, findByMessageId } from "./answered.ts";
import { readRecipients, requireBody } from "./content/sendable.ts";
import { continueThread } from "./conversation.ts";
import { readTimes } from "./expected-replies.ts";
import { readFiles } from "./files.ts";
import type { Outgoing, Queued } from "./outgoing.ts";
import { type Prepared, queueOnce } from "./queue.ts";

/** A Message-ID as headers have it. */
const BRACKETED = /^<(.*)>$/;
/**
 * @returns UUIDs of the queued message and its thread; those of the first send if the idempotency key is repeated
 * @throws ServiceError `inbox_not_found`, `invalid_request`, `message_not_found`, `reply_refused`, `idempotency_conflict`, `daily_send_cap_exceeded`,
 * `storage_quota_exceeded`
 */
export async function sendMessage(ctx: Ctx<Caller>, input: SendInput): Promise<Queued> {
  return queueOnce(ctx, await prepareSend(ctx, input));
}

/** @throws ServiceError `inbox_not_found`, `invalid_request` */
export async function prepareSend(ctx: Ctx<Caller>, input: SendInput): Promise<Prepared> {
  const inbox = await findInbox(ctx, input.addr);
  const recipients = readRecipients(input);
  requireBody(input);
  if (input.list_unsubscribe) {
    requireOneRecipient(recipients);
    requireNoUnsubscribeHeader(input.headers);
  }
  const { addr: _addr, idempotency_key: key, ...content } = input;
  const compose = async (share: Share) => ({
    ...recipients,
    subject: input.subject,
    text: input.text ?? null,
    html: input.html ?? null,
    labels: input.labels,
    headers: input.headers,
    fromName: input.from_name,
    ...readTimes(ctx, input),
    listUnsubscribe: input.list_unsubscribe ?? false,
    ...(input.in_reply_to !== undefined && (await answering(ctx, inbox, recipients, input.in_reply_to))),
    files: await readFiles(ctx, input.attachments, share),
  });
  return { inbox, request: { key, content: [inbox.id, content] }, compose };
}

/** @throws ServiceError `invalid_request` */
function requireNoUnsubscribeHeader(headers: SendInput["headers"] = {}): void {
  const name = findUnsubscribeHeader(headers);
  if (name !== undefined)
    throw invalidField(
      `headers.${name}`,
      "cannot be set with `list_unsubscribe`, which writes it; leave one of them out",
    );
}

/**
 * The thread of the message that is answered; of a Message-ID that the mailbox does not have, the header alone.
 * @throws ServiceError `invalid_request`, `message_not_found`
 */
async function answering(
  ctx: Ctx<Caller>,
  inbox: InboxRow,
  { to, cc, bcc }: Record<"to" | "cc" | "bcc", string[]>,
  given: string,
): Promise<Pick<Outgoing, "conversation" | "inReplyTo" | "refusal">> {
  const messageId = BRACKETED.exec(given)?.[1];
  if (messageId !== undefined && !isMessageId(messageId)) throw invalidField("in_reply_to", "not a Message-ID");
  const id = messageId === undefined ? given : await findByMessageId(ctx, inbox, messageId);
  if (messageId !== undefined && id === undefined) return { inReplyTo: messageId };
  const answered = await findAnswered(ctx, id ?? given);
  if (answered.inbox.id !== inbox.id) throw noMessage();
  return {
    refusal: automaticRefusal(answered),
    conversation: continueThread(ctx, answered, { recipients: [...to, ...cc, ...bcc], expectedLast: undefined }),
  };
}
