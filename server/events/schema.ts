// What the event endpoints take and return on the wire.
import { z } from "zod";
import { EVENT_KINDS, KNOWN_KINDS } from "#db/event-kinds.ts";
import {
  addr,
  EXAMPLE_ADDRESS,
  exampleId,
  givenId,
  id,
  inboxAddress,
  moment,
  PAGE_MAX,
  pageInput,
} from "../base/fields.ts";

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
export const messageReceived = z.object({
  event: z.literal("message.received").meta({ description: "Kind of the event." }),
  inbox: inboxAddress.meta({ description: "Address of the mailbox that received the message." }),
  message: receivedMessage.meta({ description: "The message. GET /v1/messages/{id} returns it with its text." }),
});

const sentSubject = z
  .string()
  .optional()
  .meta({ description: "Subject line. Absent: an earlier version recorded it.", example: "Your invoice" });
const outcomeMessage = z
  .object({
    id: id("msg", "Id of the message."),
    thread_id: id("thr", "Id of its thread."),
    subject: sentSubject,
    recipient: z.string().nullable().meta({
      description: "Address of the recipient. Null: the message failed for all recipients.",
      example: "ann@shop.example",
    }),
    status: z.enum(["delivered", "bounced", "complained", "failed"]).meta({ description: "What happened." }),
    smtp_code: z.int().nullable().meta({ description: "SMTP reply code. Null: not known.", example: 550 }),
    enhanced_code: z.string().nullable().meta({
      description: "Enhanced status code (RFC 3463). Null: not known.",
      example: "5.1.1",
    }),
    reason: z.string().nullable().meta({
      description: "Text of the mail server or the provider. Null: not known.",
      example: "550 5.1.1 User unknown",
    }),
  })
  .meta({ id: "MessageOutcomeDetails" });

/** What became of an outbound message for one recipient. */
export const messageOutcome = z
  .object({
    event: z
      .enum(["message.delivered", "message.bounced", "message.complained", "message.failed"])
      .meta({ description: "Kind of the event." }),
    inbox: inboxAddress.meta({ description: "Address of the mailbox that sent the message." }),
    message: outcomeMessage.meta({ description: "The outcome. GET /v1/messages/{id} returns the message." }),
  })
  .meta({ id: "MessageOutcome" });

const decidedMessage = z
  .object({
    id: id("msg", "Id of the message."),
    thread_id: id("thr", "Id of its thread."),
    revision: z.int().meta({ description: "Revision that was decided on. 1 is the one that was sent.", example: 1 }),
    sha256: z.string().meta({
      description: "SHA-256 of the content of the revision, in hex.",
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }),
    reason: z.string().nullable().meta({
      description: "Reason of the rejection; `expired` if no one decided in time. Null: none was given.",
      example: null,
    }),
  })
  .meta({ id: "DecidedMessage" });

/** A member decided on a held message, or no one did in time. */
export const reviewDecided = z
  .object({
    event: z.enum(["message.approved", "message.rejected"]).meta({ description: "Kind of the event." }),
    inbox: inboxAddress.meta({ description: "Address of the mailbox that sends the message." }),
    message: decidedMessage.meta({ description: "The decision. GET /v1/messages/{id} returns the message." }),
  })
  .meta({ id: "ReviewDecided" });

const changedDomain = z
  .object({
    id: id("dom", "Id of the domain."),
    domain: z.string().meta({ description: "Name of the domain.", example: "example.com" }),
    status: z.enum(["verified", "lost"]).meta({ description: "Status of the domain." }),
    reason: z.string().nullable().meta({ description: "Why the status changed. Null: no reason.", example: null }),
  })
  .meta({ id: "ChangedDomain" });

/** A domain was verified, or its ownership record was missing for too long. */
export const domainChanged = z
  .object({
    event: z.enum(["domain.verified", "domain.lost"]).meta({ description: "Kind of the event." }),
    inbox: z.null().meta({ description: "Always null.", example: null }),
    domain: changedDomain.meta({ description: "The domain." }),
  })
  .meta({ id: "DomainChanged" });

const changedPause = z
  .object({
    scope: z.enum(["organization", "inbox", "agent_key"]).meta({
      description: "What is paused. `agent_key`: all mail of the key and of the keys below it.",
    }),
    id: z.string().meta({ description: "Id of the organization, mailbox or key.", example: exampleId("inb") }),
    by: z.string().meta({ description: "Who paused or resumed it.", example: "Ann" }),
    reason: z.string().nullable().meta({ description: "Reason of the pause. Null: none was given.", example: null }),
  })
  .meta({ id: "ChangedPause" });

/** Someone paused or resumed sending. */
export const sendingChanged = z
  .object({
    event: z.enum(["sending.paused", "sending.resumed"]).meta({ description: "Kind of the event." }),
    inbox: z.string().nullable().meta({
      description: "Address of the paused mailbox. Null: an organization or a key is paused.",
      example: EXAMPLE_ADDRESS,
    }),
    pause: changedPause.meta({ description: "The pause." }),
  })
  .meta({ id: "SendingChanged" });

const changedMessage = z
  .object({
    id: id("msg", "Id of the message."),
    thread_id: id("thr", "Id of its thread."),
    subject: sentSubject.meta({ description: "Of `message.sent`: its subject line.", example: "Your invoice" }),
    recipients: z
      .array(z.string())
      .optional()
      .meta({
        description: "Of `message.sent`: the addresses that it left for.",
        example: ["ann@shop.example"],
      }),
    reply_by: moment("Of `message.unanswered`: until when a reply was expected.").optional(),
  })
  .meta({ id: "ChangedMessage" });

/** A message left, waits for a member, came back from the trash, or got no reply in time. */
export const messageChanged = z
  .object({
    event: z
      .enum(["message.sent", "message.held", "message.restored", "message.unanswered"])
      .meta({ description: "Kind of the event." }),
    inbox: inboxAddress.meta({ description: "Address of the mailbox." }),
    message: changedMessage.meta({ description: "The message. GET /v1/messages/{id} returns it." }),
  })
  .meta({ id: "MessageChanged" });

const changedSuppression = z
  .object({
    address: z.string().meta({ description: "The address, in lower case.", example: "ann@shop.example" }),
    reason: z.string().meta({ description: "Why it is, or was, suppressed.", example: "bounced" }),
  })
  .meta({ id: "ChangedSuppression" });

/** An address was suppressed, or mail to it is allowed again. */
export const suppressionChanged = z
  .object({
    event: z.enum(["suppression.added", "suppression.removed"]).meta({ description: "Kind of the event." }),
    inbox: z.string().nullable().meta({
      description: "The one mailbox that may not send to the address. Null: all mailboxes.",
      example: null,
    }),
    suppression: changedSuppression.meta({ description: "The suppression." }),
  })
  .meta({ id: "SuppressionChanged" });

const changedMailbox = z.object({ id: id("inb", "Id of the mailbox.") }).meta({ id: "ChangedMailbox" });

/** A mailbox was created or deleted. */
export const inboxChanged = z
  .object({
    event: z.enum(["inbox.created", "inbox.deleted"]).meta({ description: "Kind of the event." }),
    inbox: inboxAddress,
    mailbox: changedMailbox.meta({ description: "The mailbox." }),
  })
  .meta({ id: "InboxChanged" });

const disabledWebhook = z
  .object({
    id: id("whk", "Id of the webhook."),
    url: z.string().meta({ description: "Its delivery endpoint.", example: "https://agent.example/hooks/mail" }),
    reason: z.string().meta({ description: "Why the service disabled it.", example: "The endpoint answered 410." }),
  })
  .meta({ id: "DisabledWebhook" });

/** The service disabled a webhook. Only the log has it. */
const webhookDisabled = z.object({
  event: z.literal("webhook.disabled").meta({ description: "Kind of the event. Webhooks do not receive it." }),
  inbox: z.string().nullable().meta({
    description: "Address of the webhook's mailbox. Null: the webhook covers all mailboxes.",
    example: EXAMPLE_ADDRESS,
  }),
  webhook: disabledWebhook.meta({ description: "The webhook." }),
});

/** The body of an event, as it is stored. */
export type EventBody = z.infer<
  | typeof messageReceived
  | typeof messageOutcome
  | typeof reviewDecided
  | typeof domainChanged
  | typeof sendingChanged
  | typeof messageChanged
  | typeof suppressionChanged
  | typeof inboxChanged
  | typeof webhookDisabled
>;

export const eventId = id("evt", "Id of the event. Pass it as `after` to continue from here.");
const common = {
  id: eventId,
  created_at: moment("When the event was recorded."),
};
/** What a webhook delivers, with the event's id and time; and events that only the log holds. */
const event = z
  .discriminatedUnion("event", [
    messageReceived.extend(common).meta({ id: "MessageReceivedEvent" }),
    messageOutcome.extend(common).meta({ id: "MessageOutcomeEvent" }),
    reviewDecided.extend(common).meta({ id: "ReviewDecidedEvent" }),
    domainChanged.extend(common).meta({ id: "DomainChangedEvent" }),
    sendingChanged.extend(common).meta({ id: "SendingChangedEvent" }),
    messageChanged.extend(common).meta({ id: "MessageChangedEvent" }),
    suppressionChanged.extend(common).meta({ id: "SuppressionChangedEvent" }),
    inboxChanged.extend(common).meta({ id: "InboxChangedEvent" }),
    webhookDisabled.extend(common).meta({ id: "WebhookDisabledEvent" }),
  ])
  .meta({ id: "Event", description: "An entry of the event log." });

const kinds = z
  .array(z.enum(EVENT_KINDS))
  .min(1)
  .max(EVENT_KINDS.length)
  .default([...KNOWN_KINDS])
  .meta({
    description: `Returns only these kinds, separated by commas in a URL. Default: ${KNOWN_KINDS.join(", ")}.`,
    example: ["message.received", "message.sent"],
  });

export const listEventsInput = z.object({
  after: after("Returns events after this event id, after the id with which a stream began, or after this time."),
  inbox,
  events: kinds,
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
  events: kinds,
});
