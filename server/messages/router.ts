// The procedures of mail: send, how much may be sent, list, read, mark, delete.

import { addrInput } from "../base/fields.ts";
import { encodeId } from "../base/ids.ts";
import { findInbox } from "../base/tenancy.ts";
import { callerProcedure, memberProcedure, router } from "../procedures/procedures.ts";
import { findMessage } from "./find.ts";
import { listMessages } from "./list.ts";
import { sendMessage } from "./outbound/send.ts";
import { sendLimit } from "./outbound/send-cap.ts";
import { removeMessage } from "./remove.ts";
import {
  listMessagesInput,
  listMessagesOutput,
  MAX_SEND_BYTES,
  message,
  messageIdInput,
  removeMessageOutput,
  sendInput,
  sendLimitOutput,
  sendOutput,
  shownHtmlOutput,
  updateMessageInput,
  withIdempotencyKey,
} from "./schema.ts";
import { shownHtml } from "./shown-html.ts";
import { updateMessage } from "./update.ts";
import { messageView, queuedView, summaryView } from "./view.ts";

const tags = ["messages"];

export const messagesRouter = router({
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

  list: callerProcedure("mailbox:read", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/inboxes/{addr}/messages",
        tags,
        summary: "List a mailbox's messages",
        description:
          "Both directions, newest first. Filters are combined; a cursor is good for the filters it was given for.",
        successDescription: "A page of messages; a null `next_cursor` means there is no further page.",
      },
      errors: ["insufficient_scope", "inbox_not_found", "invalid_cursor"],
    })
    .input(listMessagesInput)
    .output(listMessagesOutput)
    .query(async ({ ctx, input }) => {
      const page = await listMessages(ctx, input);
      return { data: page.rows.map(summaryView), next_cursor: page.next_cursor };
    }),

  get: callerProcedure("mailbox:read", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/messages/{id}",
        tags,
        summary: "Read a message",
        description:
          "`text` and `html` are what the mail holds, never made from each other. Reading does not mark it as read.",
        successDescription: "The whole message.",
      },
      errors: ["insufficient_scope", "message_not_found"],
    })
    .input(messageIdInput)
    .output(message)
    .query(async ({ ctx, input }) => messageView(await findMessage(ctx, input.id))),

  // The HTML itself is not here but at /mail-html/{id}, as a document with a policy of its own.
  shownHtml: memberProcedure("member")
    .input(messageIdInput)
    .output(shownHtmlOutput)
    .query(async ({ ctx, input }) => {
      const { remote, shortened } = await shownHtml(ctx, input.id);
      return { remote, shortened };
    }),

  // The scope of reading: it changes nothing but the reader's own marks.
  update: callerProcedure("mailbox:read", "member")
    .meta({
      openapi: {
        method: "PATCH",
        path: "/v1/messages/{id}",
        tags,
        summary: "Mark a message",
        description: "As read or not, and with labels. What is omitted stays as it is.",
        successDescription: "The whole message as it is now.",
      },
      errors: ["insufficient_scope", "message_not_found"],
    })
    .input(updateMessageInput)
    .output(message)
    .mutation(async ({ ctx, input }) => messageView(await updateMessage(ctx, input))),

  remove: callerProcedure("mailbox:delete", "member")
    .meta({
      openapi: {
        method: "DELETE",
        path: "/v1/messages/{id}",
        tags,
        summary: "Delete a message",
        description:
          "Erases it with its raw bytes and attachments, and the thread with its last message. A queued message is withdrawn, one that is being handed over may still leave; its idempotency key is free again, what it counted stays counted. The event log keeps what was announced for as long as it keeps events.",
        successDescription: "The message is gone.",
      },
      errors: ["insufficient_scope", "message_not_found"],
    })
    .input(messageIdInput)
    .output(removeMessageOutput)
    .mutation(async ({ ctx, input }) => ({
      id: encodeId("msg", await removeMessage(ctx, input.id)),
      deleted: true as const,
    })),
});
