// The procedures of mail: send, how much may be sent, list, read.
import { agentProcedure, router } from "../api/trpc.ts";
import { addrInput } from "../fields.ts";
import { encodeId } from "../ids.ts";
import { findInbox } from "../tenancy.ts";
import { findMessage, listMessages } from "./find.ts";
import {
  listMessagesInput,
  listMessagesOutput,
  MAX_SEND_BYTES,
  message,
  messageIdInput,
  readIdempotencyKey,
  sendInput,
  sendLimitOutput,
  sendOutput,
} from "./schema.ts";
import { sendMessage } from "./send.ts";
import { sendLimit } from "./send-cap.ts";
import { messageView, summaryView } from "./view.ts";

const tags = ["messages"];

export const messagesRouter = router({
  send: agentProcedure("mailbox:send")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/inboxes/{addr}/send",
        tags,
        summary: "Send a message",
        description: "Queued at once, handed over by a worker. Counts against the mailbox's ramping daily cap.",
        successDescription: "The message is queued and durable.",
      },
      status: 202,
      maxBodyBytes: MAX_SEND_BYTES,
      errors: ["insufficient_scope", "inbox_not_found", "idempotency_conflict", "daily_send_cap_exceeded"],
    })
    .input(sendInput)
    .output(sendOutput)
    .mutation(async ({ ctx, input }) => {
      const idempotency_key = input.idempotency_key ?? readIdempotencyKey(ctx.idempotencyKey);
      const queued = await sendMessage(ctx, { ...input, idempotency_key });
      return {
        id: encodeId("msg", queued.id),
        status: "queued" as const,
        thread_id: encodeId("thr", queued.thread_id),
      };
    }),

  sendLimit: agentProcedure("mailbox:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/inboxes/{addr}/send-limit",
        tags,
        summary: "How much a mailbox may send",
        successDescription: "The daily cap, what is used of it, and when it grows.",
      },
      errors: ["insufficient_scope", "inbox_not_found"],
    })
    .input(addrInput)
    .output(sendLimitOutput)
    .query(async ({ ctx, input }) => sendLimit(ctx, await findInbox(ctx, input.addr))),

  list: agentProcedure("mailbox:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/inboxes/{addr}/messages",
        tags,
        summary: "List a mailbox's messages",
        description: "Both directions, newest first.",
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

  get: agentProcedure("mailbox:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/messages/{id}",
        tags,
        summary: "Read a message",
        description: "`text` and `html` are what the mail holds, never made from each other.",
        successDescription: "The whole message.",
      },
      errors: ["insufficient_scope", "message_not_found"],
    })
    .input(messageIdInput)
    .output(message)
    .query(async ({ ctx, input }) => messageView(await findMessage(ctx, input.id))),
});
