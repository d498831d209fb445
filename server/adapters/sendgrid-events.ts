// Reads the events that SendGrid posts, many in one body, signed with ECDSA.
// https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event
import { createPublicKey, verify } from "node:crypto";
import { z } from "zod";
import type { ProviderEvent, ProviderEvents, ProviderReport } from "../base/ports/provider-events.ts";
import { eventId, id, joined, MARK, named, parsed, recipient, seconds, words } from "./event-fields.ts";

const SIGNATURE = "x-twilio-email-event-webhook-signature";
const TIMESTAMP = "x-twilio-email-event-webhook-timestamp";
/** SendGrid posts after 30 s or 768 KiB. */
const BODY_BYTES = 2 * 1024 * 1024;
const SECOND_MS = 1_000;
/** SendGrid repeats a body for 24 hours. */
const AGE_MAX_MS = 25 * 60 * 60 * SECOND_MS;
const AHEAD_MAX_MS = 5 * 60 * SECOND_MS;

const STATUSES = new Map<string, ProviderReport["status"]>([
  ["delivered", "delivered"],
  ["bounce", "bounced"],
  ["dropped", "failed"],
  ["deferred", "delayed"],
  ["spamreport", "complained"],
  ["unsubscribe", "unsubscribed"],
  ["group_unsubscribe", "unsubscribed"],
]);

/** https://www.twilio.com/docs/sendgrid/for-developers/sending-email/unique-arguments */
export function sendgridMark(messageId: string): Record<string, string> {
  return { "X-SMTPAPI": JSON.stringify({ unique_args: { [MARK]: messageId } }) };
}

const kind = z.object({ event: z.string() });
const event = z.object({
  event: z.string(),
  email: recipient,
  timestamp: seconds,
  sg_event_id: eventId,
  "smtp-id": id,
  [MARK]: id,
  /** Of a bounce: `bounce` or `blocked`. */
  type: words,
  reason: words,
  response: words,
  status: words,
});

function eventOf(given: unknown): ProviderEvent {
  const { data: known } = kind.safeParse(given);
  const status = known && STATUSES.get(known.event);
  if (!status) return { kind: known ? "other" : "malformed", id: "" };
  const { data } = event.safeParse(given);
  if (!data) return { kind: "malformed", id: "" };
  const text = data.reason || data.response;
  const said = joined(data.status && !text?.includes(data.status) ? data.status : null, text);
  const report: ProviderReport = {
    status,
    message: named({ messageId: data["smtp-id"], taggedId: data[MARK] }),
    about: { recipient: data.email },
    reason: status === "complained" ? null : said,
    permanent: status === "bounced" ? data.type !== "blocked" : null,
    at: data.timestamp,
  };
  return { kind: "report", id: `sendgrid/${data.sg_event_id}`, report };
}

/** @param options.keys one or, while it is changed, two, as SendGrid shows them */
export function sendgridEvents({ keys, now }: { keys: string[]; now: () => Date }): ProviderEvents {
  const publicKeys = keys.map((key) =>
    createPublicKey({ key: Buffer.from(key, "base64"), format: "der", type: "spki" }),
  );
  return {
    maxBytes: BODY_BYTES,
    fix: "Set SENDGRID_PUBLIC_KEY to the verification key of the Event Webhook in SendGrid, and check the clock of this machine.",
    async read(body, { [SIGNATURE]: signature, [TIMESTAMP]: timestamp }) {
      if (typeof signature !== "string" || typeof timestamp !== "string" || !/^\d{1,11}$/.test(timestamp)) return;
      const age = now().getTime() - Number(timestamp) * SECOND_MS;
      if (age > AGE_MAX_MS || age < -AHEAD_MAX_MS) return;
      const signed = Buffer.concat([Buffer.from(timestamp), body]);
      const bytes = Buffer.from(signature, "base64");
      if (!publicKeys.some((key) => verify("sha256", signed, key, bytes))) return;
      const events = parsed(body);
      return Array.isArray(events) ? events.map(eventOf) : "malformed";
    },
    async close() {},
  };
}
