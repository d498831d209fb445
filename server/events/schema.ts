// What the event endpoints take and return on the wire.
import { z } from "zod";
import { addr, EXAMPLE_ADDRESS, givenId, id, inboxAddress, moment, PAGE_MAX, pageInput } from "../base/fields.ts";

const after = (description: string) => givenId("evt", description).optional();
const inbox = addr.meta({ description: "Returns only events of this mailbox, by address or id." }).optional();

/** Specification §2: the message in an event. */
const receivedMessage = z
  .object({
    id: id("msg", "Id of the message."),
    thread_id: id("thr", "Id of its thread."),
    from: z.string().meta({ description: "Sender address.", example: "no-reply@shop.example" }),
    subject: z.string().meta({ description: "Subject line.", example: "Your code is 482915" }),
    received_at: moment("When the service accepted the message."),
  })
  .meta({ id: "ReceivedMessage" });

/** The body of a webhook delivery (specification §6). */
export const messageReceived = z
  .object({
    event: z.literal("message.received").meta({ description: "Kind of the event." }),
    inbox: inboxAddress.meta({ description: "Address of the mailbox that received the message." }),
    message: receivedMessage.meta({ description: "The message. GET /v1/messages/{id} returns it with its text." }),
  })
  .meta({ id: "MessageReceived" });

const disabledWebhook = z
  .object({
    id: id("whk", "Id of the webhook."),
    url: z.string().meta({ description: "Its delivery endpoint.", example: "https://agent.example/hooks/mail" }),
    reason: z.string().meta({ description: "Why the service disabled it.", example: "The endpoint answered 410." }),
  })
  .meta({ id: "DisabledWebhook" });

/** What a webhook delivers, with the event's id and time; and events that only the log holds. */
export const event = z
  .object({
    id: id("evt", "Id of the event. Pass it as `after` to continue from here."),
    event: z.enum(["message.received", "webhook.disabled"]).meta({
      description: "Kind of the event. Webhooks receive `message.received` only.",
    }),
    inbox: z.string().nullable().meta({
      description: "Address of the mailbox. Null: the event concerns all mailboxes.",
      example: EXAMPLE_ADDRESS,
    }),
    created_at: moment("When the event was recorded."),
    message: receivedMessage.optional().meta({ description: "Present with `message.received`." }),
    webhook: disabledWebhook.optional().meta({ description: "Present with `webhook.disabled`." }),
  })
  .meta({ id: "Event" });

export const listEventsInput = z.object({
  after: after("Returns events after this event id, or after the id with which a stream began."),
  inbox,
  limit: pageInput.limit,
});
export const listEventsOutput = z
  .object({
    data: z.array(event).meta({ description: "The events, oldest first.", maxItems: PAGE_MAX }),
    next_cursor: z.string().nullable().meta({
      description: "Pass it as `after` to get the next page. Null: there are no more events yet.",
      example: null,
    }),
  })
  .meta({ id: "EventPage" });
export const streamInput = z.object({
  after: after("Starts after this event id. Default: the time of the call."),
  inbox,
});
