// What reply and forward take on the wire. They give what send gives.
import { z } from "zod";
import { strictBoolean } from "../../base/fields.ts";
import { messageIdInput, sendInput } from "../schema.ts";

const { text, html, attachments, idempotency_key, to, cc, bcc } = sendInput.shape;

const common = {
  ...messageIdInput.shape,
  text,
  html,
  attachments,
  idempotency_key,
  expected_last_message_id: z.string().max(100).optional().meta({
    description:
      "Go on only while this is the thread's newest message, in either direction; else `409 thread_moved_on`, which names the newest.",
    example: "msg_01jd3m9v5sf0b8j3mgz7qk2x4c",
  }),
};

export const replyInput = z.object({
  ...common,
  reply_all: strictBoolean()
    .default(false)
    .meta({ description: "Also to everybody in To and Cc of the message, as cc." }),
});
export type ReplyInput = z.infer<typeof replyInput>;

export const forwardInput = z.object({ ...common, to, cc, bcc });
export type ForwardInput = z.infer<typeof forwardInput>;
