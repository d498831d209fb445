// The procedures that continue a conversation: reply and forward.
import { callerProcedure, type Meta, router } from "../../procedures/procedures.ts";
import { MAX_SEND_BYTES, sendOutput, withIdempotencyKey } from "../schema.ts";
import { queuedView } from "../view.ts";
import { forwardMessage } from "./forward.ts";
import { replyToMessage } from "./reply.ts";
import { forwardInput, replyInput } from "./schema.ts";

const tags = ["messages"];
/** What both are, as far as their answers go. */
const queues = {
  status: 202,
  maxBodyBytes: MAX_SEND_BYTES,
  errors: [
    "insufficient_scope",
    "message_not_found",
    "idempotency_conflict",
    "thread_moved_on",
    "reply_refused",
    "daily_send_cap_exceeded",
    "storage_quota_exceeded",
  ],
} satisfies Omit<Meta, "openapi">;

export const repliesRouter = router({
  reply: callerProcedure("mailbox:send", "member")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/messages/{id}/reply",
        tags,
        summary: "Reply to a message",
        description:
          "Goes to Reply-To, else From, never to the mailbox itself, in the thread of the message; an own message is continued. Subject, In-Reply-To and References are set here, nothing is quoted. Automatic mail (RFC 3834) is not answered, and a fast exchange between mailboxes of this service stops at ten mails within ten minutes.",
        successDescription: "The reply is queued and durable.",
      },
      ...queues,
    })
    .input(replyInput)
    .output(sendOutput)
    .mutation(async ({ ctx, input }) =>
      queuedView(await replyToMessage(ctx, withIdempotencyKey(input, ctx.request.idempotencyKey))),
    ),

  forward: callerProcedure("mailbox:send", "member")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/messages/{id}/forward",
        tags,
        summary: "Forward a message",
        description:
          "What the caller writes goes first, then who wrote the message when and to whom, its text and HTML, and all its attachments before the caller's. A message whose body could not be read goes along as a file. It stays in the thread of the message.",
        successDescription: "The forward is queued and durable.",
      },
      ...queues,
    })
    .input(forwardInput)
    .output(sendOutput)
    .mutation(async ({ ctx, input }) =>
      queuedView(await forwardMessage(ctx, withIdempotencyKey(input, ctx.request.idempotencyKey))),
    ),
});
