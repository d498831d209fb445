// The procedures of stored mail: list, read, mark, delete.

import { encodeId } from "../base/ids.ts";
import { callerProcedure, memberProcedure, router } from "../procedures/procedures.ts";
import { findMessage } from "./find.ts";
import { listMessages } from "./list.ts";
import { removeMessage } from "./remove.ts";
import {
  listMessagesInput,
  listMessagesOutput,
  message,
  messageIdInput,
  removeMessageOutput,
  shownHtmlOutput,
  updateMessageInput,
} from "./schema.ts";
import { shownHtml } from "./shown-html.ts";
import { updateMessage } from "./update.ts";
import { messageView, summaryView } from "./view.ts";

const tags = ["messages"];

export const messagesRouter = router({
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
