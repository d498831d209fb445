// What reply and forward take on the wire (they return what send returns), what cancel returns, and the refusals of a send.
import { z } from "zod";
import type { ErrorCode } from "../base/errors/table.ts";
import { givenId, id, strictBoolean } from "../base/fields.ts";
import { messageIdInput, sendInput } from "../messages/schema.ts";

/** What every call that sends may be refused for, apart from its files. */
export const SEND_REFUSALS: ErrorCode[] = [
  "insufficient_scope",
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

const { text, html, headers, attachments, labels, idempotency_key, send_at } = sendInput.shape;
const { reply_by, reply_to, to, cc, bcc } = sendInput.shape;

const common = {
  ...messageIdInput.shape,
  text,
  html,
  attachments,
  labels,
  idempotency_key,
  send_at,
  expected_last_message_id: givenId(
    "msg",
    "Sends only while this is the newest message of the thread, inbound or outbound. Otherwise the answer is `409 thread_moved_on`, which names the newest message. A message with `send_at` is checked again when it leaves, and fails with the reason `thread_moved_on`. Scheduled messages do not count.",
  ).optional(),
};

export const replyInput = z.object({
  ...common,
  headers,
  reply_by,
  cc: cc.unwrap().optional().meta({ description: "Carbon-copy recipients, in the forms of `to`." }),
  bcc: bcc.unwrap().optional().meta({ description: "Blind-copy recipients, in the forms of `to`." }),
  reply_to,
  reply_all: strictBoolean().default(false).meta({
    description: "Also sends to everyone in To and Cc of the message, as Cc.",
  }),
});
export type ReplyInput = z.infer<typeof replyInput>;

export const forwardInput = z.object({ ...common, to, cc, bcc });
export type ForwardInput = z.infer<typeof forwardInput>;

export const cancelOutput = z
  .object({
    id: id("msg", "Id of the message."),
    status: z.literal("cancelled").meta({ description: "It will not leave.", type: "string" }),
  })
  .meta({ id: "CancelledMessage" });
