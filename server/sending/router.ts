// The procedures that send mail (send, reply, forward), change a message (PATCH, cancel) and return its raw bytes.
import { encodeId } from "../base/ids.ts";
import { message } from "../messages/message-schema.ts";
import { MAX_SEND_BYTES, messageIdInput, sendInput, sendOutput, updateMessageInput } from "../messages/schema.ts";
import { updateMessage } from "../messages/update.ts";
import { messageView, queuedView } from "../messages/view.ts";
import {
  callerProcedure,
  downloadOutput,
  type Meta,
  noteReplayed,
  rest,
  router,
  withKey,
} from "../procedures/procedures.ts";
import { cancelMessage, moveMessage } from "./cancel.ts";
import { FILE_REFUSALS } from "./files.ts";
import { forwardMessage } from "./forward.ts";
import { rawOf } from "./raw.ts";
import { replyToMessage } from "./reply.ts";
import { cancelOutput, forwardInput, replyInput, SEND_REFUSALS } from "./schema.ts";
import { sendMessage } from "./send.ts";

const tags = ["messages"];
const REFUSALS = [...SEND_REFUSALS, ...FILE_REFUSALS];
/** The meta that replies and forwards share. */
const replyOrForward = {
  status: 202,
  maxBodyBytes: MAX_SEND_BYTES,
  errors: [...REFUSALS, "thread_moved_on", "reply_refused"],
} satisfies Omit<Meta, "openapi">;

export const sendingRouter = router({
  // Here and not with the other reads, because sent mail is composed again as it left.
  raw: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/messages/{id}/raw", "getRawMessage", {
        tags,
        summary: "Download a message as received or sent",
        description:
          "Returns the exact bytes that the service received. Sent mail is composed again as it left, without DKIM signature and Bcc; it has none while it is held or scheduled, and where a mail provider composes it (OUTBOUND=resend).",
        successDescription: "The mail (RFC 5322).",
        produces: "message/rfc822",
        errors: ["insufficient_scope", "message_not_found", "content_unreadable"],
      }),
    )
    .input(messageIdInput)
    .output(downloadOutput)
    .query(async ({ ctx, input }) => ctx.request.send(await rawOf(ctx, input.id))),

  send: callerProcedure("mailbox:send", "member")
    .meta(
      rest("POST /v1/inboxes/{addr}/send", "sendMessage", {
        tags,
        summary: "Send a message",
        description:
          "Stores the message and queues it for transmission. Each recipient counts against the mailbox's daily cap, which rises with the age of the mailbox. Recipients who provably wrote to the mailbox before count separately, up to ten times the cap.",
        successDescription: "The message is stored and queued.",
        idempotency: "field",
        mcp: "send_email",
        status: 202,
        maxBodyBytes: MAX_SEND_BYTES,
        errors: [...REFUSALS, "inbox_not_found", "reply_refused"],
      }),
    )
    .input(sendInput)
    .output(sendOutput)
    .mutation(async ({ ctx, input }) =>
      queuedView(noteReplayed(ctx, await sendMessage(ctx, withKey(ctx, input, "idempotency_key")))),
    ),

  reply: callerProcedure("mailbox:send", "member")
    .meta(
      rest("POST /v1/messages/{id}/reply", "replyToMessage", {
        tags,
        summary: "Reply to a message",
        description:
          "Queues a reply in the thread of the message. It goes to the Reply-To addresses, otherwise to From; a reply to an outbound message goes to its recipients. The service sets Subject, In-Reply-To and References and quotes nothing. It refuses replies to automatic mail (RFC 3834), and more than ten messages in ten minutes between two mailboxes of this service.",
        successDescription: "The reply is stored and queued.",
        idempotency: "field",
        mcp: "reply_to_email",
        ...replyOrForward,
      }),
    )
    .input(replyInput)
    .output(sendOutput)
    .mutation(async ({ ctx, input }) =>
      queuedView(noteReplayed(ctx, await replyToMessage(ctx, withKey(ctx, input, "idempotency_key")))),
    ),

  forward: callerProcedure("mailbox:send", "member")
    .meta(
      rest("POST /v1/messages/{id}/forward", "forwardMessage", {
        tags,
        summary: "Forward a message",
        description:
          "Queues a forward in the thread of the message: your text, then the message's sender, date, recipients, text and HTML. The attachments of the message come before yours. A message that could not be parsed is attached as a file.",
        successDescription: "The forward is stored and queued.",
        idempotency: "field",
        mcp: "forward_email",
        ...replyOrForward,
      }),
    )
    .input(forwardInput)
    .output(sendOutput)
    .mutation(async ({ ctx, input }) =>
      queuedView(noteReplayed(ctx, await forwardMessage(ctx, withKey(ctx, input, "idempotency_key")))),
    ),

  // The scope of reading: marks are the reader's own. A new time needs the scope of sending.
  update: callerProcedure("mailbox:read", "member")
    .meta(
      rest("PATCH /v1/messages/{id}", "updateMessage", {
        tags,
        summary: "Update a message",
        description:
          "Marks the message as read or unread, replaces its labels, and moves it to another `send_at` if it has not left (scope mailbox:send). Omitted fields stay as they are.",
        successDescription: "The updated message.",
        // Reading a mail marks it as read, which is no act.
        isAct: (input) =>
          typeof input === "object" &&
          input !== null &&
          Object.keys(input).some((name) => name === "send_at" || name.endsWith("labels")),
        errors: ["insufficient_scope", "message_not_found", "already_left"],
      }),
    )
    .input(updateMessageInput)
    .output(message)
    .mutation(async ({ ctx, input: { send_at, ...marks } }) => {
      if (send_at !== undefined) await moveMessage(ctx, marks.id, send_at);
      return messageView(await updateMessage(ctx, marks));
    }),

  cancel: callerProcedure("mailbox:send", "member")
    .meta(
      rest("POST /v1/messages/{id}/cancel", "cancelMessage", {
        tags,
        summary: "Cancel a message",
        description:
          "Cancels a message that is `scheduled`, `held`, or `queued` and not tried yet. It stays in its thread as `cancelled`. A repeated call returns the same.",
        successDescription: "The message is cancelled.",
        mcp: "cancel_message",
        errors: ["insufficient_scope", "message_not_found", "already_left"],
      }),
    )
    .input(messageIdInput)
    .output(cancelOutput)
    .mutation(async ({ ctx, input }) => ({
      id: encodeId("msg", await cancelMessage(ctx, input.id)),
      status: "cancelled" as const,
    })),
});
