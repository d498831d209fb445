// Writes the body of a delivery in the form of another service, for webhooks that were registered with a `format`.
import type { WebhookFormat, WebhookKind } from "#db/event-kinds.ts";
import { invalidField } from "../../base/errors.ts";
import { FIRST_ID, timeOfId } from "../../base/id-range.ts";
import { decodeId, encodeId } from "../../base/ids.ts";
import type { EventBody } from "../../events/schema.ts";

type Kinds = Partial<Record<WebhookKind, string>>;

/** The kinds that each form has, by their names there. */
export const KINDS_OF: Record<WebhookFormat, Kinds> = {
  agentmail: {
    "message.received": "message.received",
    "message.sent": "message.sent",
    "message.delivered": "message.delivered",
    "message.bounced": "message.bounced",
    "message.complained": "message.complained",
    "message.failed": "message.rejected",
    "domain.verified": "domain.verified",
  },
  resend: {
    "message.received": "email.received",
    "message.sent": "email.sent",
    "message.delivered": "email.delivered",
    "message.bounced": "email.bounced",
    "message.complained": "email.complained",
    "message.failed": "email.failed",
  },
};

/** @throws ServiceError `invalid_request` for a kind that the form does not have */
export function checkKinds(format: WebhookFormat | null | undefined, kinds: readonly WebhookKind[]): void {
  if (!format) return;
  const at = kinds.findIndex((kind) => KINDS_OF[format][kind] === undefined);
  if (at >= 0) throw invalidField(`events.${at}`, `the format ${format} has no ${kinds[at]}`);
}

type Delivered = { event_id: string; event_kind: string; body: string };

/** Of a message: who its header names, its Message-ID, and the sizes of a received one and of its thread up to it. */
export type Details = {
  from?: string;
  to?: string[];
  cc?: string[];
  messageId?: string;
  sizes?: { size: number; thread: { message_count: number; size: number } };
};

/**
 * The same bytes for every attempt: they depend on the event, and on `details`.
 * @param format null: the body as it is stored
 * @param details undefined: the body has what the event says
 */
export function bodyIn(
  format: WebhookFormat | null,
  { event_id, event_kind, body }: Delivered,
  details: Details | undefined,
): string {
  const type = format && KINDS_OF[format][event_kind as WebhookKind];
  if (!type) return body;
  const event: EventBody = JSON.parse(body);
  const at = new Date(timeOfId(event_id)).toISOString();
  if (format === "resend") return JSON.stringify({ type, created_at: at, data: resendData(event, at, details) });
  const id = encodeId("evt", event_id);
  return JSON.stringify({ type: "event", event_type: type, event_id: id, ...agentmailData(event, at, details) });
}

type Received = Extract<EventBody, { event: "message.received" }>;
type Outcome = Extract<EventBody, { message: { recipient: string | null } }>;

type Sent = Extract<EventBody, { message: { reply_by?: string } }>;

const isSent = (event: EventBody): event is Sent => event.event === "message.sent";
const isReceived = (event: EventBody): event is Received => event.event === "message.received";
const isOutcome = (event: EventBody): event is Outcome => "message" in event && "recipient" in event.message;

/** A refusal with 4xx is temporary (RFC 5321 §4.2.1). */
const bounceOf = ({ message: { smtp_code } }: Outcome) => ({
  type: smtp_code !== null && smtp_code < 500 ? "Transient" : "Permanent",
  sub: "General",
});

function agentmailData(event: EventBody, at: string, details: Details | undefined): object {
  if (isReceived(event)) return receivedData(event, details);
  if (isOutcome(event)) return outcomeData(event, at);
  if (isSent(event)) {
    const { id: message_id, thread_id, recipients } = event.message;
    return { send: { inbox_id: event.inbox, thread_id, message_id, timestamp: at, recipients } };
  }
  if (!("domain" in event)) return {};
  const { id, domain } = event.domain;
  const created_at = new Date(timeOfId(decodeId("dom", id) ?? FIRST_ID)).toISOString();
  const known = { domain_id: domain, domain, status: "VERIFIED", records: [], updated_at: at, created_at };
  return { domain: { ...known, feedback_enabled: false, subdomains_enabled: true, tracking_enabled: false } };
}

/** The text and the files are left out: the client reads the message. */
function receivedData({ inbox, message }: Received, details: Details | undefined): object {
  const { id, thread_id, subject, received_at: time } = message;
  const { from = message.from, to = [inbox], cc, sizes } = details ?? {};
  const both = { inbox_id: inbox, thread_id, labels: ["received", "unread"], timestamp: time, subject };
  const times = { updated_at: time, created_at: time };
  return {
    message: { ...both, message_id: id, from, to, cc, ...(sizes && { size: sizes.size }), ...times },
    thread: {
      ...{
        ...both,
        senders: [from],
        recipients: [...to, ...(cc ?? [])],
        last_message_id: id,
        received_timestamp: time,
      },
      ...sizes?.thread,
      ...times,
    },
  };
}

function outcomeData(event: Outcome, at: string): object {
  const { inbox, message } = event;
  const { id, thread_id, recipient, reason } = message;
  const about = { inbox_id: inbox, thread_id, message_id: id, timestamp: at };
  const recipients = recipient === null ? [] : [recipient];
  if (event.event === "message.delivered") return { delivery: { ...about, recipients } };
  if (event.event === "message.failed") return { reject: { ...about, reason: reason ?? "failed" } };
  if (event.event === "message.complained") {
    return { complaint: { ...about, type: "abuse", sub_type: "", recipients } };
  }
  const { type, sub } = bounceOf(event);
  const refused = recipients.map((address) => ({ address, status: reason ?? "bounced" }));
  return { bounce: { ...about, type, sub_type: sub, recipients: refused } };
}

function resendData(event: EventBody, at: string, details: Details | undefined): object {
  const message_id = details?.messageId ?? "";
  if (isReceived(event)) {
    const { inbox, message } = event;
    const { id, subject, received_at } = message;
    const { from = message.from, to = [inbox], cc = [] } = details ?? {};
    const known = { email_id: id, message_id, created_at: received_at, from, to, cc, received_for: [inbox], subject };
    // Programs read these as lists. The email has its files once it is parsed, which may be after its first delivery.
    return { ...known, bcc: [], attachments: [] };
  }
  if (isSent(event)) {
    const { id, recipients, subject } = event.message;
    const people = { from: details?.from ?? event.inbox, to: details?.to ?? recipients };
    return { email_id: id, message_id, created_at: at, ...people, subject };
  }
  if (!isOutcome(event)) return {};
  const { inbox, message } = event;
  const { id, recipient, reason, subject } = message;
  const { from = inbox } = details ?? {};
  const about = { email_id: id, message_id, created_at: at, from, to: recipient === null ? [] : [recipient], subject };
  if (event.event === "message.failed") return { ...about, failed: { reason: reason ?? "failed" } };
  if (event.event !== "message.bounced") return about;
  const { type, sub } = bounceOf(event);
  return { ...about, bounce: { message: reason ?? "bounced", type, subType: sub } };
}
