// What the webhook endpoints take and give on the wire (specification §2 and §4).
import { z } from "zod";
import { addr, moment, pageInput } from "../fields.ts";

const URL_CHARS = 2048;

const id = z.string().max(100).meta({ example: "whk_01jd3m9v5sf0b8j3mgz7qk2x4c" });
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
  active: z.boolean(),
  disabled_reason: z.string().nullable(),
  created_at: moment(),
});
export const webhookIdInput = z.object({ id });
export const listWebhooksInput = z.object(pageInput);
export const listWebhooksOutput = z.object({ data: z.array(webhook), next_cursor: z.string().nullable() });
export const removeWebhookOutput = z.object({ id, deleted: z.literal(true) });
