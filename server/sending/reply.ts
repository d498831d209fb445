// POST /v1/messages/{id}/reply: replies to a message in its thread.
import { withoutRepeats } from "../base/addresses.ts";
import type { Caller, Ctx } from "../base/context.ts";
import type { Share } from "../base/limiter.ts";
import { automaticRefusal, findAnswered } from "./answered.ts";
import { readRecipients, requireBody, requireFew } from "./content/sendable.ts";
import { continueThread } from "./conversation.ts";
import { readTimes } from "./expected-replies.ts";
import { readFiles } from "./files.ts";
import type { Queued } from "./outgoing.ts";
import { type Prepared, queueOnce } from "./queue.ts";
import { replyNames, replyRecipients } from "./recipients.ts";
import type { ReplyInput } from "./schema.ts";
import { replySubject } from "./subject.ts";

/**
 * Adds nothing to the bodies: the caller quotes if it wants to.
 * @returns UUIDs of the queued message and its thread; those of the first reply if the idempotency key is repeated
 * @throws ServiceError `message_not_found`, `invalid_request`, `idempotency_conflict`, `reply_refused`,
 * `thread_moved_on`, `daily_send_cap_exceeded`
 */
export async function replyToMessage(ctx: Ctx<Caller>, input: ReplyInput): Promise<Queued> {
  return queueOnce(ctx, await prepareReply(ctx, input));
}

/** @throws ServiceError `message_not_found`, `invalid_request` */
export async function prepareReply(ctx: Ctx<Caller>, input: ReplyInput): Promise<Prepared> {
  const answered = await findAnswered(ctx, input.id);
  const further = readRecipients({ to: [], cc: input.cc ?? [], bcc: input.bcc ?? [], reply_to: input.reply_to });
  requireBody(input);
  const { message, inbox } = answered;
  const { id: _id, idempotency_key: key, ...content } = input;
  const compose = async (share: Share) => {
    const { to, cc } = replyRecipients(message, inbox.address, input.reply_all);
    const recipients = withoutRepeats({ ...further, to, cc: [...cc, ...further.cc] });
    requireFew(recipients);
    return {
      ...recipients,
      names: [...further.names, ...replyNames(answered)],
      subject: replySubject(message.subject),
      text: input.text ?? null,
      html: input.html ?? null,
      labels: input.labels,
      headers: input.headers,
      refusal: automaticRefusal(answered),
      ...readTimes(ctx, input),
      conversation: continueThread(ctx, answered, {
        recipients: [...recipients.to, ...recipients.cc, ...recipients.bcc],
        expectedLast: input.expected_last_message_id,
      }),
      files: await readFiles(ctx, input.attachments, share),
    };
  };
  return { inbox, request: { key, content: ["reply", message.id, content] }, compose };
}
