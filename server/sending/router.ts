// The procedures that send mail: send, reply, forward.
import type { ErrorCode } from "../base/errors/table.ts";
import { MAX_SEND_BYTES, sendInput, sendOutput, withIdempotencyKey } from "../messages/schema.ts";
import { queuedView } from "../messages/view.ts";
import { callerProcedure, type Meta, rest, router } from "../procedures/procedures.ts";
import { forwardMessage } from "./forward.ts";
import { replyToMessage } from "./reply.ts";
import { forwardInput, replyInput } from "./schema.ts";
import { sendMessage } from "./send.ts";

const tags = ["messages"];
/** What every call that sends may be refused for. */
const REFUSALS: ErrorCode[] = [
  "insufficient_scope",
  "idempotency_conflict",
  "domain_not_ready",
  "too_many_scheduled",
  "daily_send_cap_exceeded",
  "send_budget_exceeded",
  "sending_paused",
  "storage_quota_exceeded",
  "recipient_suppressed",
  "recipient_blocked",
  "too_many_held",
];
/** What both are, as far as their answers go. */
const queues = {
  status: 202,
  maxBodyBytes: MAX_SEND_BYTES,
  errors: [...REFUSALS, "message_not_found", "thread_moved_on", "reply_refused", "content_unreadable"],
} satisfies Omit<Meta, "openapi">;

export const sendingRouter = router({
  send: callerProcedure("mailbox:send", "member")
    .meta(
      rest("POST /v1/inboxes/{addr}/send", "sendMessage", {
        tags,
        summary: "Send a message",
        description:
          "Stores the message and queues it for transmission. Each recipient counts against the mailbox's daily cap, which rises with the age of the mailbox. Recipients who provably wrote to the mailbox before count separately, up to ten times the cap. If not all recipients fit, the whole message is refused.",
        successDescription: "The message is stored and queued.",
        mcp: "send_email",
        status: 202,
        maxBodyBytes: MAX_SEND_BYTES,
        errors: [...REFUSALS, "inbox_not_found"],
      }),
    )
    .input(sendInput)
    .output(sendOutput)
    .mutation(async ({ ctx, input }) =>
      queuedView(await sendMessage(ctx, withIdempotencyKey(input, ctx.request.idempotencyKey))),
    ),

  reply: callerProcedure("mailbox:send", "member")
    .meta(
      rest("POST /v1/messages/{id}/reply", "replyToMessage", {
        tags,
        summary: "Reply to a message",
        description:
          "Queues a reply in the thread of the message. It goes to the Reply-To addresses, otherwise to From; a reply to an outbound message goes to its recipients. The service sets Subject, In-Reply-To and References and quotes nothing. It refuses replies to automatic mail (RFC 3834), and more than ten messages in ten minutes between two mailboxes of this service.",
        successDescription: "The reply is stored and queued.",
        mcp: "reply_to_email",
        ...queues,
      }),
    )
    .input(replyInput)
    .output(sendOutput)
    .mutation(async ({ ctx, input }) =>
      queuedView(await replyToMessage(ctx, withIdempotencyKey(input, ctx.request.idempotencyKey))),
    ),

  forward: callerProcedure("mailbox:send", "member")
    .meta(
      rest("POST /v1/messages/{id}/forward", "forwardMessage", {
        tags,
        summary: "Forward a message",
        description:
          "Queues a forward in the thread of the message: your text, then the message's sender, date, recipients, text and HTML. The attachments of the message come before yours. A message that could not be parsed is attached as a file.",
        successDescription: "The forward is stored and queued.",
        mcp: "forward_email",
        ...queues,
      }),
    )
    .input(forwardInput)
    .output(sendOutput)
    .mutation(async ({ ctx, input }) =>
      queuedView(await forwardMessage(ctx, withIdempotencyKey(input, ctx.request.idempotencyKey))),
    ),
});
