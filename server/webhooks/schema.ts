// What the webhook endpoints take and give on the wire (specification §2 and §4).
import { z } from "zod";
import { addr, moment, pageInput, strictBoolean } from "../base/fields.ts";
import { PER_CALL_MAX, WINDOW_MAX_DAYS } from "./replay.ts";

const URL_CHARS = 2048;
const ID_CHARS = 100;
const TIME_CHARS = 40;
const CURSOR_CHARS = 100;

const id = z.string().max(ID_CHARS).meta({ example: "whk_01jd3m9v5sf0b8j3mgz7qk2x4c" });
const url = z
  .string()
  .max(URL_CHARS)
  .meta({ description: "Delivery endpoint.", example: "https://agent.example/hooks/mail" });
const events = z.array(z.literal("message.received"));

export const registerInput = z.object({
  url,
  events: events.min(1).meta({ description: "Event kinds to subscribe to." }),
  address: addr.optional().meta({ description: "Scopes the webhook to one mailbox; all mailboxes when omitted." }),
});
export const registerOutput = z.object({
  id,
  url,
  events,
  secret: z.string().meta({ description: "Signs the deliveries. Shown only here: store it at once." }),
});

export const webhook = z.object({
  id,
  url,
  events,
  address: z.string().nullable().meta({ description: "The one mailbox it covers; null: all." }),
  active: z.boolean().meta({ description: "False: nothing is sent to it, and new mail owes it nothing." }),
  disabled_reason: z.string().nullable(),
  disabled_at: moment().nullable(),
  failing_since: moment().nullable().meta({
    description: "The first failed attempt since the last success; null: it is well, or has not been used.",
  }),
  previous_secret_expires_at: moment()
    .nullable()
    .meta({ description: "Until then the secret before the last rotation signs as well; null: one secret signs." }),
  created_at: moment(),
});
export const webhookIdInput = z.object({ id });
export const listWebhooksInput = z.object(pageInput);
export const listWebhooksOutput = z.object({ data: z.array(webhook), next_cursor: z.string().nullable() });
export const removeWebhookOutput = z.object({ id, deleted: z.literal(true) });

export const updateWebhookInput = z.object({
  id,
  url: url.optional(),
  active: strictBoolean().optional().meta({
    description: "`false` disables it; `true` enables it again, once its endpoint has accepted a test event.",
  }),
});

export const rotateSecretOutput = z.object({
  id,
  secret: z.string().meta({ description: "Signs the deliveries from now on. Shown only here: store it at once." }),
  previous_secret_expires_at: moment().meta({ description: "Until then the secret before signs as well." }),
});

export const testOutput = z.object({
  delivered: z.boolean().meta({ description: "The endpoint answered 2xx." }),
  status: z.int().nullable().meta({ description: "What it answered; null: nothing." }),
  duration_ms: z.int(),
  error: z.string().nullable().meta({ description: "Why there was no answer." }),
  response_body: z.string().nullable().meta({ description: "The first KiB of the answer." }),
});

const deliveryId = z.string().max(ID_CHARS).meta({ example: "dlv_01jd3m9v5sf0b8j3mgz7qk2x4c" });
const eventId = z.string().max(ID_CHARS).meta({ example: "evt_01jd3m9v5sf0b8j3mgz7qk2x4c" });
const messageId = z.string().max(ID_CHARS).meta({ example: "msg_01jd3m9v5sf0b8j3mgz7qk2x4c" });
const time = z
  .string()
  .max(TIME_CHARS)
  .pipe(z.iso.datetime({ offset: true }));
const deliveryStatus = z.enum(["pending", "succeeded", "failed"]);

export const delivery = z.object({
  id: deliveryId,
  webhook_id: id,
  event_id: eventId,
  event: z.literal("message.received"),
  message_id: messageId.nullable().meta({ description: "Null when the event is no longer kept (30 days)." }),
  status: deliveryStatus,
  attempt_count: z.int().meta({ description: "Attempts so far, those before it was sent again included." }),
  next_attempt_at: moment().nullable().meta({ description: "About when the next attempt is due; null once finished." }),
  last_status: z.int().nullable().meta({ description: "What the endpoint last answered; null: nothing." }),
  last_error: z.string().nullable(),
  created_at: moment(),
  completed_at: moment().nullable(),
});
const attempt = z.object({
  number: z.int().meta({ description: "Counts on when a delivery is sent again." }),
  started_at: moment(),
  duration_ms: z.int(),
  status: z.int().nullable().meta({ description: "What the endpoint answered; null: nothing, and `error` says why." }),
  error: z.string().nullable(),
  request_headers: z.array(z.object({ name: z.string(), value: z.string() })),
  response_body: z.string().nullable().meta({ description: "The first KiB of the answer." }),
  next_attempt_at: moment().nullable().meta({ description: "What was planned after it; null: nothing." }),
});
export const wholeDelivery = delivery.extend({
  body: z
    .string()
    .nullable()
    .meta({ description: "What every attempt sends and signs, to the byte; null when the event is no longer kept." }),
  attempts: z.array(attempt).meta({ description: "Oldest first; of more than 100 the last 100." }),
});

// Descriptions stand before `optional()`: the document of query parameters has only what is inside.
export const listDeliveriesInput = z.object({
  id,
  ...pageInput,
  status: deliveryStatus.optional(),
  event_id: eventId.meta({ description: "Only those of this event." }).optional(),
  message_id: messageId.meta({ description: "Only those that tell of this message." }).optional(),
  after: time.meta({ description: "Only what was owed after this time (ISO 8601 with `Z` or an offset)." }).optional(),
  before: time.meta({ description: "Only what was owed before this time." }).optional(),
});
export const listMessageDeliveriesInput = z.object({ id: messageId, ...pageInput });
export const listDeliveriesOutput = z.object({ data: z.array(delivery), next_cursor: z.string().nullable() });
export const deliveryIdInput = z.object({ id, delivery_id: deliveryId });

export const replayInput = z.object({
  id,
  since: time.meta({ description: `Events from this time on; at most ${WINDOW_MAX_DAYS} days before \`until\`.` }),
  until: time.optional().meta({ description: "Events before this time; now when omitted." }),
  only_failed: strictBoolean().optional().meta({ description: "Only deliveries whose status is `failed`." }),
  cursor: z
    .string()
    .max(CURSOR_CHARS)
    .optional()
    .meta({ description: "`next_cursor` of the call before, whose other fields must be repeated, with its `until`." }),
});
export const replayOutput = z.object({
  replayed: z.int().meta({ description: `Deliveries that are due now; at most ${PER_CALL_MAX} a call.` }),
  until: moment().meta({ description: "The end of the time that was replayed." }),
  next_cursor: z.string().nullable().meta({ description: "There is more: repeat with it as `cursor`." }),
});
