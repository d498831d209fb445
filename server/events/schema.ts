// What the event endpoints take and give on the wire.
import { z } from "zod";
import { addr, moment, pageInput } from "../base/fields.ts";

const eventId = z.string().max(100).meta({ example: "evt_01jd3m9v5sf0b8j3mgz7qk2x4c" });
const AFTER = "An event id, or the id with which a stream began: what came after it";
const inbox = addr.meta({ description: "Only events of this mailbox, by address or id." }).optional();

/** What a webhook delivers (specification §6), with the event's id and time; and what only the log holds. */
export const event = z.object({
  id: eventId,
  event: z.enum(["message.received", "webhook.disabled"]),
  inbox: z.string().nullable().meta({ description: "Address of the mailbox; null when it concerns all of them." }),
  created_at: moment(),
  message: z
    .object({
      id: z.string(),
      thread_id: z.string(),
      from: z.string(),
      subject: z.string(),
      received_at: moment(),
    })
    .optional()
    .meta({ description: "With `message.received`." }),
  webhook: z
    .object({ id: z.string(), url: z.string(), reason: z.string() })
    .optional()
    .meta({ description: "With `webhook.disabled`." }),
});

export const listEventsInput = z.object({
  after: eventId.meta({ description: `${AFTER}.` }).optional(),
  inbox,
  limit: pageInput.limit,
});
export const listEventsOutput = z.object({
  data: z.array(event),
  next_cursor: z.string().nullable().meta({ description: "Pass it as `after`; null: there is nothing more by now." }),
});
export const streamInput = z.object({
  after: eventId.meta({ description: `${AFTER}, then what comes. Now when omitted.` }).optional(),
  inbox,
});
