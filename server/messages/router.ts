// The procedures of stored mail: list, read, mark, delete.
import { encodeId } from "../base/ids.ts";
import { callerProcedure, memberProcedure, rest, router } from "../procedures/procedures.ts";
import { findMessage } from "./find.ts";
import { listMessages } from "./list.ts";
import { message } from "./message-schema.ts";
import { previewMessages } from "./previews.ts";
import { removeMessage } from "./remove.ts";
import {
  chosenMessagesInput,
  chosenMessagesOutput,
  listMessagesInput,
  listMessagesOutput,
  messageIdInput,
  previewsOutput,
  removeMessageOutput,
  searchMessagesInput,
  updateMessageInput,
  updateMessagesInput,
  updateMessagesOutput,
} from "./schema.ts";
import { markRead, updateMessage, updateMessages } from "./update.ts";
import { messageView, summaryView } from "./view.ts";

const tags = ["messages"];

const changesLabels = (input: unknown) =>
  typeof input === "object" && input !== null && Object.keys(input).some((name) => name.endsWith("labels"));

export const messagesRouter = router({
  list: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/inboxes/{addr}/messages", "listMessages", {
        tags,
        summary: "List the messages of a mailbox",
        description:
          "Returns inbound and outbound messages, newest first. A message must match every filter. Repeat the filters with a cursor.",
        successDescription: "A page of messages.",
        errors: ["insufficient_scope", "inbox_not_found", "invalid_cursor"],
      }),
    )
    .input(listMessagesInput)
    .output(listMessagesOutput)
    .query(async ({ ctx, input }) => {
      const { addr, ...asked } = input;
      const page = await listMessages(ctx, addr, asked);
      return { data: page.rows.map(summaryView), next_cursor: page.next_cursor };
    }),

  search: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/messages", "searchMessages", {
        tags,
        summary: "Search messages of all mailboxes",
        description:
          "Returns messages of all mailboxes that the key may read, or of `inbox`, newest first. A message must match every filter. Repeat `inbox` and the filters with a cursor.",
        successDescription: "A page of messages.",
        mcp: "search_messages",
        errors: ["insufficient_scope", "inbox_not_found", "invalid_cursor"],
      }),
    )
    .input(searchMessagesInput)
    .output(listMessagesOutput)
    .query(async ({ ctx, input }) => {
      const { inbox, ...asked } = input;
      const page = await listMessages(ctx, inbox, asked);
      return { data: page.rows.map(summaryView), next_cursor: page.next_cursor };
    }),

  get: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/messages/{id}", "getMessage", {
        tags,
        summary: "Get a message",
        description:
          "Returns the whole message. `text` and `html` are as the mail contains them; neither is derived from the other. Does not mark the message as read.",
        successDescription: "The message.",
        mcp: "get_message",
        errors: ["insufficient_scope", "message_not_found"],
      }),
    )
    .input(messageIdInput)
    .output(message)
    .query(async ({ ctx, input }) => messageView(await findMessage(ctx, input.id))),

  previews: memberProcedure("member")
    .input(chosenMessagesInput)
    .output(previewsOutput)
    .query(async ({ ctx, input }) => ({ data: await previewMessages(ctx, input.ids) })),

  // What a member opens; one call for all that a page shows. Reading is no act.
  markRead: memberProcedure("member")
    .meta({ isAct: () => false })
    .input(chosenMessagesInput)
    .output(chosenMessagesOutput)
    .mutation(async ({ ctx, input }) => ({ messages: await markRead(ctx, input.ids) })),

  // The scope of reading: it changes nothing but the reader's own marks.
  update: callerProcedure("mailbox:read", "member")
    .meta(
      rest("PATCH /v1/messages/{id}", "updateMessage", {
        tags,
        summary: "Update a message",
        description: "Marks the message as read or unread and changes its labels. Omitted fields stay as they are.",
        successDescription: "The updated message.",
        mcp: "update_message",
        // Reading a mail marks it as read, which is no act.
        isAct: changesLabels,
        errors: ["insufficient_scope", "message_not_found"],
      }),
    )
    .input(updateMessageInput)
    .output(message)
    .mutation(async ({ ctx, input }) => messageView(await updateMessage(ctx, input))),

  updateMany: callerProcedure("mailbox:read", "member")
    .meta(
      rest("PATCH /v1/messages", "updateMessages", {
        tags,
        summary: "Update messages",
        description:
          "Marks up to 100 messages as read or unread and changes their labels, in one transaction. Omitted fields stay as they are.",
        successDescription: "Which messages were updated.",
        isAct: changesLabels,
        errors: ["insufficient_scope"],
      }),
    )
    .input(updateMessagesInput)
    .output(updateMessagesOutput)
    .mutation(({ ctx, input }) => updateMessages(ctx, input)),

  remove: callerProcedure("mailbox:delete", "member")
    .meta(
      rest("DELETE /v1/messages/{id}", "deleteMessage", {
        tags,
        summary: "Delete a message",
        description:
          "Deletes the message with its raw bytes and attachments, and its thread if it was the last message there. A scheduled or queued message is not sent; a message in transmission may still be sent. Its idempotency key becomes free; the send of a message that was queued still counts against the daily cap. The event log keeps its event for 30 days (RETENTION_DAYS_EVENTS).",
        successDescription: "The message is deleted.",
        errors: ["insufficient_scope", "message_not_found"],
      }),
    )
    .input(messageIdInput)
    .output(removeMessageOutput)
    .mutation(async ({ ctx, input }) => ({
      id: encodeId("msg", await removeMessage(ctx, input.id)),
      deleted: true as const,
    })),
});
