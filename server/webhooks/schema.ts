// What the webhook endpoints take and return on the wire (specification §2 and §4).
import { z } from "zod";
import { WEBHOOK_FORMATS, WEBHOOK_KINDS } from "#db/event-kinds.ts";
import { MAIL_KINDS } from "#db/message-parts.ts";
import {
  addr,
  deleted,
  EXAMPLE_ADDRESS,
  givenId,
  givenTime,
  headerField,
  id,
  line,
  moment,
  page,
  pageInput,
  strictBoolean,
} from "../base/fields.ts";
import { INCLUDED } from "./delivery/included.ts";
import { registeredWebhook, webhookEvents, webhookSecret, webhookUrl } from "./registered-schema.ts";
import { PER_CALL_MAX, WINDOW_MAX_DAYS } from "./replay.ts";
import { RETRIED_MAX } from "./retry.ts";

const URL_CHARS = 2048;
const FILTER_CHARS = 320;
const HEADER_NAME_CHARS = 64;
const HEADER_VALUE_CHARS = 1_024;
const CURSOR_CHARS = 100;
const SHOWN_ATTEMPTS = 100;
const EXAMPLE_BODY =
  '{"event":"message.received","inbox":"quiet-otter-4821@mail.localhost","message":{"id":"msg_01jd3m9v5sf0b8j3mgz7qk2x4c"}}';

const webhookId = givenId("whk", "Id of the webhook.");
const url = webhookUrl.max(URL_CHARS);
/** The example of the end of a period. That of its start is the day before. */
const EXAMPLE_END = "2026-11-21T09:30:00.000Z";
const time = (description: string, example = "2026-11-20T09:30:00Z") => givenTime().meta({ description, example });
const cursorField = (description: string) =>
  z
    .string()
    .max(CURSOR_CHARS)
    .meta({ description })
    .transform((text) => text || undefined)
    .optional();
const httpStatus = (description: string) => z.int().nullable().meta({ description, example: 200 });
const answerStart = z.string().nullable().meta({
  description: "The first 1,024 bytes of the answer's body. Null: there was no answer.",
  example: "ok",
});

const filterText = (description: string, example: string) =>
  line(FILTER_CHARS).min(1).meta({ description, example }).optional();
/** `from` and `to` as those of lists and waits. */
const filter = z
  .object({
    from: filterText("Sender: an address, a domain with its subdomains, or a part of the address.", "shop.example"),
    to: filterText("Recipient: an address, or a part of one.", "desk+shop@"),
    subject: filterText("Part of the subject, in any case.", "invoice"),
    kind: z.enum(MAIL_KINDS).optional().meta({ description: "Kind of received mail.", example: "person" }),
    label: filterText(
      "Label that the message has when the event is recorded. Mail has none when it arrives.",
      "orders",
    ),
  })
  .meta({ id: "WebhookFilter" });
const filterInput = filter.meta({
  id: undefined,
  description: "Sends of `message.*` events only those about messages that match all fields.",
});
const headers = z.record(z.string().max(HEADER_NAME_CHARS), z.string().max(HEADER_VALUE_CHARS)).meta({
  description: "Headers to add to each delivery, at most 10. They are stored encrypted and never shown.",
  example: { Authorization: "Bearer 8f2c" },
});
const include = z
  .array(z.enum(INCLUDED))
  .max(INCLUDED.length)
  .meta({
    description:
      "Adds to `message.received` deliveries `data.message`: the message as GET /v1/messages/{id} returns it, up to 256 KiB as JSON. Needs the scope `mailbox:read`.",
    example: ["message"],
  });
const format = z.enum(WEBHOOK_FORMATS).meta({ description: "Form of the deliveries. Default: Mailberth's own." });

const NAME_CHARS = 100;
const name = line(NAME_CHARS).trim().meta({ description: "What people call it.", example: "Orders" });

export const registerInput = z.object({
  url,
  name: name.min(1).optional(),
  events: webhookEvents.min(1).meta({ description: "Kinds of events to subscribe to." }),
  address: addr.optional().meta({
    description: "Limits the webhook to one mailbox, by address or id. Default: all mailboxes.",
    example: EXAMPLE_ADDRESS,
  }),
  filter: filterInput.optional(),
  headers: headers.optional(),
  include: include.optional(),
  format: format.optional(),
});
export const registerOutput = registeredWebhook;

export const webhook = z
  .object({
    id: id("whk", "Id of the webhook."),
    url: webhookUrl,
    name: z.string().nullable().meta({ description: "What people call it. Null: it has no name.", example: "Orders" }),
    events: webhookEvents,
    format: format.nullable().meta({ description: "Form of the deliveries. Null: Mailberth's own.", example: null }),
    agent_id: z.string().nullable().meta({
      description: "If `address` is null: the agent whose mailboxes alone it covers. Null: all of the organization.",
      example: null,
    }),
    address: z.string().nullable().meta({
      description: "The one mailbox that the webhook covers. Null: all mailboxes.",
      example: null,
    }),
    filter: filter
      .nullable()
      .meta({ description: "Which messages `message.*` events are about. Null: all.", example: null }),
    headers: z.array(z.string()).meta({ description: "Names of the headers that deliveries have.", example: [] }),
    include: include.meta({ description: "What deliveries of received mail have beside the event.", example: [] }),
    active: z.boolean().meta({
      description: "If false, no deliveries are created or sent.",
      example: true,
    }),
    disabled_reason: z.string().nullable().meta({
      description: "Why the webhook is inactive. Null: it is active.",
      example: null,
    }),
    disabled_at: moment().nullable().meta({
      description: "When the webhook was disabled. Null: it is active.",
      example: null,
    }),
    failing_since: moment().nullable().meta({
      description:
        "The first failed attempt after the last success. Null: the last attempt succeeded, or there was none.",
      example: null,
    }),
    previous_secret_expires_at: moment().nullable().meta({
      description: "Until then the previous secret signs too. Null: only one secret signs.",
      example: null,
    }),
    created_at: moment("When the webhook was registered."),
  })
  .meta({ id: "Webhook" });
export const webhookIdInput = z.object({ id: webhookId });
export const listWebhooksInput = z.object(pageInput);
export const listWebhooksOutput = page("WebhookPage", webhook);

export const webhookHealthOutput = z.object({
  /** The failing ones first, then those disabled by failures, then the newest; at most 200. */
  data: z.array(
    webhook.extend({
      /** Webhooks of the organization with this URL, itself included. */
      same_url: z.int(),
      /** The newest 50 deliveries: `retrying` ones failed so far, `waiting` ones were not attempted. */
      recent: z.object({ succeeded: z.int(), failed: z.int(), retrying: z.int(), waiting: z.int() }),
      /** The newest failed attempt of these deliveries. */
      last_failure: z.object({ at: moment(), status: z.int().nullable(), error: z.string().nullable() }).nullable(),
    }),
  ),
  total: z.int(),
});
export const removeWebhookOutput = deleted("whk");

export const updateWebhookInput = z.object({
  id: webhookId,
  url: url.optional(),
  name: name.optional().meta({ description: "Replaces the name. Empty: it has none.", example: "Orders" }),
  events: webhookEvents
    .min(1)
    .optional()
    .meta({ description: "Kinds of events to subscribe to from now on. Existing deliveries are not changed." }),
  filter: filterInput.optional().meta({ description: "Replaces the filter. `{}` removes it." }),
  headers: headers.optional().meta({
    description: "Replaces all headers. `{}` removes them. Needed with a `url` of another origin.",
  }),
  include: include.optional().meta({ description: "Replaces `include`. `[]` removes it.", example: ["message"] }),
  active: strictBoolean().optional().meta({
    description: "`false` disables the webhook. `true` enables it after its endpoint has accepted a test event.",
    example: true,
  }),
});

export const rotateSecretOutput = z
  .object({
    id: id("whk", "Id of the webhook."),
    secret: webhookSecret,
    previous_secret_expires_at: moment("Until then the previous secret signs too."),
  })
  .meta({ id: "RotatedSecret" });

export const testOutput = z
  .object({
    delivered: z.boolean().meta({ description: "Whether the endpoint answered 2xx.", example: true }),
    status: httpStatus("Status that the endpoint answered. Null: there was no answer."),
    duration_ms: z.int().meta({ description: "Duration of the request.", example: 87 }),
    error: z.string().nullable().meta({ description: "Why there was no answer.", example: null }),
    response_body: answerStart,
  })
  .meta({ id: "WebhookTest" });

const deliveryStatus = z.enum(["pending", "succeeded", "failed"]).meta({
  description: "`pending` deliveries are retried. `succeeded` and `failed` are final.",
  example: "succeeded",
});

const deliveryShape = z.object({
  id: id("dlv", "Id of the delivery. All attempts carry it in `X-Service-Delivery`."),
  webhook_id: id("whk", "Id of the webhook."),
  event_id: id("evt", "Id of the event."),
  event: z.enum(WEBHOOK_KINDS).meta({ description: "Kind of the event." }),
  message_id: z.string().nullable().meta({
    description: "Id of the message. Null: there is none, or the event is no longer stored.",
    example: "msg_01jd3m9v5sf0b8j3mgz7qk2x4c",
  }),
  status: deliveryStatus,
  attempt_count: z.int().meta({ description: "Attempts so far, across redeliveries.", example: 1 }),
  next_attempt_at: moment().nullable().meta({
    description: "About when the next attempt is due. Null: the delivery is finished.",
    example: null,
  }),
  last_status: httpStatus("Status that the endpoint last answered. Null: there was no answer."),
  last_error: z.string().nullable().meta({ description: "Why the last attempt failed.", example: null }),
  created_at: moment("When the delivery was created."),
  completed_at: moment().nullable().meta({ description: "When the delivery finished. Null: it is pending." }),
});
export const delivery = deliveryShape.meta({ id: "Delivery" });
const attempt = z
  .object({
    number: z.int().meta({ description: "Number of the attempt, counted across redeliveries.", example: 1 }),
    started_at: moment("When the attempt started."),
    duration_ms: z.int().meta({ description: "Duration of the attempt.", example: 87 }),
    status: httpStatus("Status that the endpoint answered. Null: there was no answer, see `error`."),
    error: z.string().nullable().meta({ description: "Why there was no answer.", example: null }),
    request_headers: z.array(headerField).meta({
      description: "Headers that were sent.",
      example: [{ name: "X-Service-Event", value: "message.received" }],
    }),
    response_body: answerStart,
    next_attempt_at: moment().nullable().meta({
      description: "When the next attempt was scheduled. Null: none was.",
      example: null,
    }),
  })
  .meta({ id: "Attempt" });
export const wholeDelivery = deliveryShape
  .extend({
    body: z.string().nullable().meta({
      description: "The exact body that every attempt sends and signs. Null: the event is no longer stored.",
      example: EXAMPLE_BODY,
    }),
    attempts: z.array(attempt).meta({
      description: `The last ${SHOWN_ATTEMPTS} attempts, oldest first.`,
      maxItems: SHOWN_ATTEMPTS,
    }),
  })
  .meta({ id: "DeliveryWithAttempts" });

// Descriptions stand before `optional()`: the document of query parameters has only what is inside.
export const listDeliveriesInput = z.object({
  id: webhookId,
  ...pageInput,
  status: z
    .enum(["pending", "retrying", "succeeded", "failed"])
    .meta({
      description: "Returns only deliveries with this status. `retrying`: `pending`, and an attempt failed.",
      example: "failed",
    })
    .optional(),
  event_id: givenId("evt", "Returns only deliveries of this event.").optional(),
  message_id: givenId("msg", "Returns only deliveries about this message.").optional(),
  after: time("Returns only deliveries created after this time (ISO 8601 with `Z` or an offset).").optional(),
  before: time("Returns only deliveries created before this time.", EXAMPLE_END).optional(),
});
export const listMessageDeliveriesInput = z.object({ id: givenId("msg", "Id of the message."), ...pageInput });
export const listDeliveriesOutput = page("DeliveryPage", delivery);
/** With the mail of each delivery, for members. */
export const deliveryLogOutput = z.object({
  data: z.array(
    deliveryShape.extend({
      /** Null: the event is about no message, or the message is deleted. */
      mail: z.object({ subject: z.string(), from: z.string(), inbox: z.string() }).nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
});
export const diagnosisOutput = z.object({
  /** Pending deliveries with a failed attempt, among the newest 1,000. */
  retrying: z.int(),
  /** There are older deliveries, which are not counted. */
  more: z.boolean(),
  /** The newest failed attempt of the newest delivery with one. */
  failure: z
    .object({
      at: moment(),
      status: z.int().nullable(),
      error: z.string().nullable(),
      response_body: z.string().nullable(),
    })
    .nullable(),
});
export const deliveryIdInput = z.object({ id: webhookId, delivery_id: givenId("dlv", "Id of the delivery.") });

export const retryInput = z.object({
  id: webhookId,
  cursor: cursorField("`next_cursor` of the previous call."),
});
export const retryOutput = z
  .object({
    retried: z
      .int()
      .meta({ description: `Deliveries that are due now, at most ${RETRIED_MAX} per call.`, example: 12 }),
    next_cursor: z.string().nullable().meta({
      description: "Pass it as `cursor` to continue. Null: there are no more.",
      example: null,
    }),
  })
  .meta({ id: "Retry" });

export const replayInput = z.object({
  id: webhookId,
  since: time(`Replays events from this time on, at most ${WINDOW_MAX_DAYS} days before \`until\`.`),
  until: time("Replays events before this time. Default: now.", EXAMPLE_END).optional(),
  only_failed: strictBoolean().optional().meta({ description: "Replays only deliveries that failed." }),
  cursor: cursorField(
    "`next_cursor` of the previous call. Repeat the other fields of that call, with the `until` that it returned.",
  ),
});
export const replayOutput = z
  .object({
    replayed: z
      .int()
      .meta({ description: `Deliveries that are due now, at most ${PER_CALL_MAX} per call.`, example: 12 }),
    until: moment("End of the period that was replayed.", EXAMPLE_END),
    next_cursor: z.string().nullable().meta({
      description: "Pass it as `cursor` to continue. Null: the replay is complete.",
      example: null,
    }),
  })
  .meta({ id: "Replay" });
