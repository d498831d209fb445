// The procedures that send mail: send, how much may be sent, reply, forward.
import { addrInput } from "../../base/fields.ts";
import { findInbox } from "../../base/tenancy.ts";
import { callerProcedure, type Meta, router } from "../../procedures/procedures.ts";
import { MAX_SEND_BYTES, sendInput, sendLimitOutput, sendOutput, withIdempotencyKey } from "../schema.ts";
import { queuedView } from "../view.ts";
import { forwardMessage } from "./forward.ts";
import { replyToMessage } from "./reply.ts";
import { forwardInput, replyInput } from "./schema.ts";
import { sendMessage } from "./send.ts";
import { sendLimit } from "./send-cap.ts";

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

export const sendingRouter = router({
  send: callerProcedure("mailbox:send", "member")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/inboxes/{addr}/send",
        tags,
        summary: "Send a message",
        description:
          "Queued at once, handed over by a worker. Counts against the mailbox's ramping daily cap; where every recipient has written to the mailbox before, apart from it, up to ten times as many.",
        successDescription: "The message is queued and durable.",
      },
      status: 202,
      maxBodyBytes: MAX_SEND_BYTES,
      errors: [
        "insufficient_scope",
        "inbox_not_found",
        "idempotency_conflict",
        "daily_send_cap_exceeded",
        "storage_quota_exceeded",
      ],
    })
    .input(sendInput)
    .output(sendOutput)
    .mutation(async ({ ctx, input }) =>
      queuedView(await sendMessage(ctx, withIdempotencyKey(input, ctx.request.idempotencyKey))),
    ),

  sendLimit: callerProcedure("mailbox:read", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/inboxes/{addr}/send-limit",
        tags,
        summary: "How much a mailbox may send",
        description: "Without the mail to people who wrote to it before, which counts apart: up to ten times `limit`.",
        successDescription: "The daily cap, what is used of it, and when it grows.",
      },
      errors: ["insufficient_scope", "inbox_not_found"],
    })
    .input(addrInput)
    .output(sendLimitOutput)
    .query(async ({ ctx, input }) => sendLimit(ctx, await findInbox(ctx, input.addr))),

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
