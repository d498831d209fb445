// The procedures of stored mail: list, read, mark, delete.
import { encodeId } from "../base/ids.ts";
import { callerProcedure, memberProcedure, rest, router } from "../procedures/procedures.ts";
import { dismissFailures } from "./dismiss-failures.ts";
import { findMessage } from "./find.ts";
import { listMessages } from "./list.ts";
import { message } from "./message-schema.ts";
import { previewMessages } from "./previews.ts";
import { removeMessage } from "./remove.ts";
import {
  chosenMessagesInput,
  chosenMessagesOutput,
  getMessageInput,
  listMessagesInput,
  listMessagesOutput,
  messageIdInput,
  previewsOutput,
  removeMessageInput,
  removeMessageOutput,
  searchMessagesInput,
  updateMessagesInput,
  updateMessagesOutput,
} from "./schema.ts";
import { markRead, updateMessages } from "./update.ts";
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
          "Returns the whole message. `text` and `html` are as the mail contains them; neither is derived from the other. `max_chars` and `offset` read long bodies in pieces. Does not mark the message as read.",
        successDescription: "The message.",
        mcp: "get_message",
        errors: ["insufficient_scope", "message_not_found"],
      }),
    )
    .input(getMessageInput)
    .output(message)
    .query(async ({ ctx, input }) => messageView(await findMessage(ctx, input.id), input)),

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

  dismissFailures: memberProcedure("member")
    .input(messageIdInput)
    .output(messageIdInput)
    .mutation(async ({ ctx, input }) => {
      await dismissFailures(ctx, input.id);
      return input;
    }),

  updateMany: callerProcedure("mailbox:read", "member")
    .meta(
      rest("PATCH /v1/messages", "updateMessages", {
        tags,
        summary: "Update messages",
        description: "Marks messages as read or unread and changes their labels. Omitted fields stay as they are.",
        successDescription: "Which messages were updated.",
        mcp: "update_messages",
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
          "Moves the message to the trash, and ends its thread if it was the last message there. For 30 days (RETENTION_DAYS_TRASH) POST /v1/messages/{id}/restore returns it; it counts against the storage quota until it is erased. A scheduled or queued message is not sent; a message in transmission may still be sent. Its idempotency key becomes free; a queued message still counts against the daily cap. The event log keeps its event for 30 days.",
        successDescription: "The message is deleted.",
        errors: ["insufficient_scope", "message_not_found"],
      }),
    )
    .input(removeMessageInput)
    .output(removeMessageOutput)
    .mutation(async ({ ctx, input }) => ({
      id: encodeId("msg", await removeMessage(ctx, input.id, input)),
      deleted: true as const,
    })),
});
