// The procedures of threads: list, read, delete.
import { encodeId } from "../../base/ids.ts";
import { callerProcedure, memberProcedure, rest, router } from "../../procedures/procedures.ts";
import type { MessageRow } from "../columns.ts";
import { messageView, type Piece, summaryView } from "../view.ts";
import { digestThread } from "./digest.ts";
import { readThread, type ThreadRow } from "./find.ts";
import { listThreads, type ThreadSummaryRow } from "./list.ts";
import { markThreads } from "./mark.ts";
import { removeThread, removeThreads } from "./remove.ts";
import {
  chosenThreadsInput,
  chosenThreadsOutput,
  digest,
  digestInput,
  getThreadInput,
  listAllThreadsInput,
  listThreadsInput,
  listThreadsOutput,
  markThreadsInput,
  removeThreadInput,
  removeThreadOutput,
  thread,
} from "./schema.ts";

// Formats threads for the API.
function threadSummaryView(row: ThreadSummaryRow) {
  return {
    id: encodeId("thr", row.thread_id),
    inbox: row.inbox,
    subject: row.thread_subject,
    message_count: row.message_count,
    unread_count: row.unread_count,
    last_message_id: encodeId("msg", row.id),
    created_at: row.thread_created_at.toISOString(),
    last_message: summaryView(row),
    last_sender: row.last_sender,
  };
}

function threadView(row: ThreadRow, messages: MessageRow[], piece: Piece) {
  return {
    id: encodeId("thr", row.id),
    inbox: row.inbox,
    subject: row.subject,
    message_count: row.message_count,
    unread_count: row.unread_count,
    last_message_id: encodeId("msg", row.last_message_id),
    created_at: row.created_at.toISOString(),
    messages: messages.map((each) => messageView(each, piece)),
  };
}

const tags = ["threads"];

export const threadsRouter = router({
  list: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/inboxes/{addr}/threads", "listThreads", {
        tags,
        summary: "List the threads of a mailbox",
        description: "Returns threads, the one with the newest message first.",
        successDescription: "A page of threads.",
        errors: ["insufficient_scope", "inbox_not_found", "invalid_cursor"],
      }),
    )
    .input(listThreadsInput)
    .output(listThreadsOutput)
    .query(async ({ ctx, input }) => {
      const { addr, ...asked } = input;
      const page = await listThreads(ctx, addr, asked);
      return { data: page.rows.map(threadSummaryView), next_cursor: page.next_cursor };
    }),

  listAll: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/threads", "listAllThreads", {
        tags,
        summary: "List the threads of all mailboxes",
        description:
          "Returns threads of all mailboxes that the key may read, or of `inbox`, the one with the newest message first. Repeat `inbox` with a cursor.",
        successDescription: "A page of threads.",
        mcp: "list_threads",
        errors: ["insufficient_scope", "inbox_not_found", "invalid_cursor"],
      }),
    )
    .input(listAllThreadsInput)
    .output(listThreadsOutput)
    .query(async ({ ctx, input }) => {
      const { inbox, ...asked } = input;
      const page = await listThreads(ctx, inbox, asked);
      return { data: page.rows.map(threadSummaryView), next_cursor: page.next_cursor };
    }),

  get: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/threads/{id}", "getThread", {
        tags,
        summary: "Get a thread",
        description:
          "Returns the newest `limit` messages of the thread, whole and oldest first. Large bodies can make a page shorter. `cursor` leads to older messages.",
        successDescription: "The thread with its messages.",
        errors: ["insufficient_scope", "thread_not_found", "invalid_cursor"],
      }),
    )
    .input(getThreadInput)
    .output(thread)
    .query(async ({ ctx, input }) => {
      const page = await readThread(ctx, input);
      return { ...threadView(page.thread, page.messages, input), next_cursor: page.next_cursor };
    }),

  digest: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/threads/{id}/digest", "getThreadDigest", {
        tags,
        summary: "Get a conversation in few characters",
        description:
          "Returns what each message adds: without quotes, signatures, notices and repeated texts. If that is too long, sentences with numbers, addresses, prices and questions come first, then the newest message. Every cut is marked.",
        successDescription: "The conversation.",
        mcp: "get_thread",
        errors: ["insufficient_scope", "thread_not_found"],
      }),
    )
    .input(digestInput)
    .output(digest)
    .query(({ ctx, input }) => digestThread(ctx, input)),

  remove: callerProcedure("mailbox:delete", "member")
    .meta(
      rest("DELETE /v1/threads/{id}", "deleteThread", {
        tags,
        summary: "Delete a thread",
        description:
          "Moves all messages of the thread to the trash, as DELETE /v1/messages/{id} does. A later reply starts a new thread.",
        successDescription: "The thread is deleted.",
        errors: ["insufficient_scope", "thread_not_found"],
      }),
    )
    .input(removeThreadInput)
    .output(removeThreadOutput)
    .mutation(async ({ ctx, input }) => ({
      id: encodeId("thr", await removeThread(ctx, input.id, input)),
      deleted: true as const,
    })),

  // Reading is no act.
  mark: memberProcedure("member")
    .meta({ isAct: (input) => typeof input === "object" && input !== null && !("read" in input) })
    .input(markThreadsInput)
    .output(chosenThreadsOutput)
    .mutation(async ({ ctx, input }) => ({ threads: await markThreads(ctx, input) })),

  removeMany: memberProcedure("member")
    .input(chosenThreadsInput)
    .output(chosenThreadsOutput)
    .mutation(async ({ ctx, input }) => ({ threads: await removeThreads(ctx, input.ids) })),
});
