// What the message endpoints take and give on the wire.
import { z } from "zod";
import { ServiceError } from "../errors.ts";
import { addr, line, moment, pageInput, prose } from "../fields.ts";

const RECIPIENTS_MAX = 50;
const ADDRESS_CHARS = 400;
const SUBJECT_CHARS = 998;
const BODY_CHARS = 10_485_760;
const ATTACHMENTS_MAX = 100;
const IDEMPOTENCY_KEY_CHARS = 256;
/** A send's whole JSON body, attachments in base64 included. */
export const MAX_SEND_BYTES = 26_214_400;

const recipient = line(ADDRESS_CHARS).min(1);
const messageId = z.string().max(100).meta({ example: "msg_01jd3m9v5sf0b8j3mgz7qk2x4c" });

const idempotencyKey = line(IDEMPOTENCY_KEY_CHARS).min(1);

/**
 * The Idempotency-Key header under the rule of the field.
 * @throws ServiceError `invalid_request`
 */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  const read = idempotencyKey.optional().safeParse(header);
  if (read.success) return read.data;
  const message = `1 to ${IDEMPOTENCY_KEY_CHARS} characters in one line`;
  throw new ServiceError("invalid_request", `Idempotency-Key: ${message}`, {
    issues: [{ path: "idempotency_key", message }],
  });
}

const attachmentInput = z.object({
  filename: line(255).min(1),
  content_type: z
    .string()
    .max(255)
    .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/, "a media type such as application/pdf"),
  content_base64: z.base64(),
});

export const sendInput = z.object({
  addr,
  to: z
    .union([recipient, z.array(recipient).min(1).max(RECIPIENTS_MAX)])
    .meta({ description: `Recipient(s); at most ${RECIPIENTS_MAX} in to, cc and bcc together.` }),
  subject: line(SUBJECT_CHARS).default(""),
  text: prose(BODY_CHARS).optional().meta({ description: "Plain-text body; `text`, `html` or both." }),
  html: prose(BODY_CHARS).optional().meta({ description: "HTML body." }),
  cc: z.array(recipient).max(RECIPIENTS_MAX).default([]),
  bcc: z.array(recipient).max(RECIPIENTS_MAX).default([]),
  reply_to: recipient.optional(),
  attachments: z.array(attachmentInput).max(ATTACHMENTS_MAX).default([]),
  idempotency_key: idempotencyKey.optional().meta({
    description: "The same key with the same content is the same message. The header `Idempotency-Key` does the same.",
  }),
});
export type SendInput = z.infer<typeof sendInput>;

export const sendOutput = z.object({ id: messageId, status: z.literal("queued"), thread_id: z.string() });

export const sendLimitOutput = z.object({
  limit: z.int().meta({ description: "Sends allowed on this UTC day." }),
  used: z.int(),
  remaining: z.int(),
  resets_at: moment().meta({ description: "The next UTC midnight." }),
  step: z.int().meta({ description: "Step of the ramp, from 1." }),
  next_step_at: moment().nullable().meta({ description: "When the limit grows; null at the last step." }),
});

const summaryFields = {
  id: messageId,
  thread_id: z.string(),
  inbox: z.string().meta({ description: "Address of the mailbox." }),
  direction: z.enum(["inbound", "outbound"]),
  status: z.enum(["received", "parsed", "unparsed", "queued", "sending", "sent", "failed"]).meta({
    description: "Inbound: received, then parsed or unparsed. Outbound: queued, sending, then sent or failed.",
  }),
  from: z.string(),
  to: z.array(z.string()),
  subject: z.string(),
  received_at: moment().optional().meta({ description: "Inbound only." }),
  created_at: moment().optional().meta({ description: "Outbound only." }),
  size: z.int().meta({ description: "Octets." }),
};

export const message = z.object({
  ...summaryFields,
  from_name: z.string().nullable(),
  cc: z.array(z.string()),
  bcc: z.array(z.string()).optional().meta({ description: "Outbound only." }),
  reply_to: z.array(z.string()),
  text: z.string().nullable(),
  html: z.string().nullable(),
  attachments: z.array(
    z.object({
      id: z.string(),
      filename: z.string().nullable(),
      content_type: z.string(),
      size: z.int(),
      inline: z.boolean(),
    }),
  ),
  headers: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .meta({ description: "Header lines as received, in order; empty for outbound." }),
  sent_at: moment().nullable().optional().meta({ description: "Outbound only." }),
  recipients: z
    .array(
      z.object({
        address: z.string(),
        outcome: z.enum(["delivered", "accepted", "captured", "refused"]),
        detail: z.string().optional(),
      }),
    )
    .optional()
    .meta({ description: "Outbound only: what became of it at each recipient, once it was handed over." }),
  error: z
    .string()
    .nullable()
    .optional()
    .meta({ description: "Outbound only: why it failed, or why it is tried again." }),
});

export const listMessagesInput = z.object({ addr, ...pageInput });
export const listMessagesOutput = z.object({
  data: z.array(z.object(summaryFields)),
  next_cursor: z.string().nullable(),
});
export const messageIdInput = z.object({ id: messageId });
