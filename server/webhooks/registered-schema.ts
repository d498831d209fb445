// A webhook with its secret on the wire, as the answers to its registration have it.
import { z } from "zod";
import { WEBHOOK_KINDS } from "#db/event-kinds.ts";
import { id } from "../base/fields.ts";

const EXAMPLE_URL = "https://agent.example/hooks/mail";
/** Not a secret: the shape of one. */
const EXAMPLE_SECRET = "whsec_…";

export const webhookUrl = z.string().meta({ description: "Delivery endpoint.", example: EXAMPLE_URL });
export const webhookEvents = z
  .array(z.enum(WEBHOOK_KINDS))
  .max(WEBHOOK_KINDS.length)
  .meta({ description: "Kinds of events that the webhook receives.", example: ["message.received"] });
export const webhookSecret = z.string().meta({
  description: "Secret that signs the deliveries. Shown only in this answer: store it.",
  example: EXAMPLE_SECRET,
});

/** Specification §2. */
export const registeredWebhook = z
  .object({ id: id("whk", "Id of the webhook."), url: webhookUrl, events: webhookEvents, secret: webhookSecret })
  .meta({ id: "RegisteredWebhook" });
