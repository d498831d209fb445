// Reads the events of Amazon SES, which Amazon SNS posts.
// https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
import { z } from "zod";
import { complaintReason } from "../base/complaints.ts";
import type { ProviderEvent, ProviderEvents, ProviderReport } from "../base/ports/provider-events.ts";
import { eventId, id, joined, named, parsed, recipient, time, words } from "./event-fields.ts";
import { createSnsReader, SNS_BODY_BYTES } from "./sns-messages.ts";

const RECIPIENTS_MAX = 1_000;

const listOf = <T extends z.ZodType>(item: T) => z.array(item).max(RECIPIENTS_MAX);
const statusSchema = z.object({ emailAddress: recipient, status: words, diagnosticCode: words });
const mailSchema = z.object({
  timestamp: time,
  messageId: eventId,
  source: words,
  destination: listOf(recipient).catch([]),
  commonHeaders: z.object({ messageId: id }).nullish().catch(null),
  headers: listOf(z.object({ name: z.string(), value: z.string() }))
    .nullish()
    .catch(null),
});
const eventSchema = z.object({
  mail: mailSchema,
  bounce: z
    .object({ bounceType: words, bounceSubType: words, bouncedRecipients: listOf(statusSchema), timestamp: time })
    .optional(),
  complaint: z
    .object({
      complainedRecipients: listOf(statusSchema.pick({ emailAddress: true })),
      complaintFeedbackType: words,
      timestamp: time,
    })
    .optional(),
  delivery: z.object({ recipients: listOf(recipient), smtpResponse: words, timestamp: time }).optional(),
  reject: z.object({ reason: words }).optional(),
  deliveryDelay: z.object({ delayedRecipients: listOf(statusSchema), delayType: words, timestamp: time }).optional(),
});
const typeSchema = z.object({ eventType: z.string() }).or(z.object({ notificationType: z.string() }));
const PERMANENT = new Map([
  ["Permanent", true],
  ["Transient", false],
]);

type Report = Pick<ProviderReport, "status" | "reason" | "permanent" | "at"> & { recipient: string };

/** @param options as for `createSnsReader` */
export function sesEvents(options: Parameters<typeof createSnsReader>[0]): ProviderEvents {
  const readMessage = createSnsReader(options);
  return {
    maxBytes: SNS_BODY_BYTES,
    fix: "Add the ARN of the SNS topic to SES_TOPIC_ARNS, leave raw message delivery off, and check the clock of this machine.",
    async read(body) {
      const message = await readMessage(body);
      if (message === undefined || message === "malformed" || "later" in message) return message;
      const key = `ses/${message.id}`;
      return message.kind === "notification" ? eventsOf(key, message.text) : [{ kind: "other", id: key }];
    },
    async close() {},
  };
}

/** One event for each recipient. */
function eventsOf(key: string, text: string): ProviderEvent[] {
  const body = parsed(text);
  const typed = typeSchema.safeParse(body).data;
  // SNS also writes a message for people when a topic is attached.
  if (!typed) return [{ kind: body === undefined ? "other" : "malformed", id: key }];
  const type = "eventType" in typed ? typed.eventType : typed.notificationType;
  const { data } = eventSchema.safeParse(body);
  const reports = data && reportsOf(type, data);
  if (!data || reports === undefined) return [{ kind: "malformed", id: key }];
  if (reports === "other") return [{ kind: "other", id: key }];
  const { messageId, source, commonHeaders, headers } = data.mail;
  const header = headers?.find(({ name }) => name.toLowerCase() === "message-id")?.value;
  const message = named({
    providerMessageId: messageId,
    messageId: header === undefined ? commonHeaders?.messageId : id.parse(header.trim()),
    returnPath: source,
  });
  return reports.map(({ recipient, ...report }, index) => {
    return { kind: "report", id: `${key}/${index}`, report: { message, about: { recipient }, ...report } };
  });
}

/** `other`: a type that changes nothing here. Undefined: the part that the type names is missing. */
function reportsOf(type: string, event: z.infer<typeof eventSchema>): Report[] | "other" | undefined {
  const { mail, bounce, complaint, delivery, reject, deliveryDelay } = event;
  switch (type) {
    case "Bounce":
      return bounce?.bouncedRecipients.map(({ emailAddress, status, diagnosticCode }) => ({
        recipient: emailAddress,
        status: "bounced",
        reason: diagnosticCode || joined(status, bounce.bounceType, bounce.bounceSubType),
        permanent: PERMANENT.get(bounce.bounceType ?? "") ?? null,
        at: bounce.timestamp,
      }));
    case "Complaint": {
      const reason = complaintReason(complaint?.complaintFeedbackType);
      if (reason === undefined) return "other";
      return complaint?.complainedRecipients.map(({ emailAddress }) => {
        return { recipient: emailAddress, status: "complained", reason, permanent: null, at: complaint.timestamp };
      });
    }
    case "Delivery":
      return delivery?.recipients.map((recipient) => {
        return {
          recipient,
          status: "delivered",
          reason: delivery.smtpResponse ?? null,
          permanent: null,
          at: delivery.timestamp,
        };
      });
    case "DeliveryDelay":
      return deliveryDelay?.delayedRecipients.map(({ emailAddress, status, diagnosticCode }) => ({
        recipient: emailAddress,
        status: "delayed",
        reason: diagnosticCode || joined(status, deliveryDelay.delayType),
        permanent: null,
        at: deliveryDelay.timestamp,
      }));
    case "Reject":
      return mail.destination.map((recipient) => {
        return { recipient, status: "failed", reason: reject?.reason ?? null, permanent: null, at: mail.timestamp };
      });
    default:
      return "other";
  }
}
