// Reads the events that Postmark posts. It signs nothing: a secret in the URL or in a header says who writes.
// https://postmarkapp.com/developer/webhooks/webhooks-overview
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { ProviderEvent, ProviderEvents, ProviderReport } from "../base/ports/provider-events.ts";
import { eventId, id, isOneOf, joined, MARK, named, parsed, recipient, time, words } from "./event-fields.ts";

const BODY_BYTES = 256 * 1024;
const SECRET_HEADER = "x-webhook-secret";

/** Postmark also replaces the Message-ID, unless a header forbids it. https://postmarkapp.com/developer/user-guide/send-email-with-smtp */
export function postmarkMark(messageId: string): Record<string, string> {
  return { "X-PM-KeepID": "true", [`X-PM-Metadata-${MARK}`]: messageId };
}

const common = {
  MessageID: eventId.nullish(),
  Metadata: z.record(z.string(), z.unknown()).nullish().catch(null),
};
const bounce = z.object({
  ...common,
  RecordType: z.enum(["Bounce", "SpamComplaint"]),
  ID: z.union([z.int(), eventId]),
  Type: z.string().max(100),
  Email: recipient,
  BouncedAt: time,
  Description: words,
  Details: words,
});
const delivery = z.object({
  ...common,
  RecordType: z.literal("Delivery"),
  Recipient: recipient,
  DeliveredAt: time,
  Details: words,
});
const subscription = z.object({
  ...common,
  RecordType: z.literal("SubscriptionChange"),
  Recipient: recipient,
  ChangedAt: time,
  SuppressSending: z.boolean(),
  SuppressionReason: words,
  Origin: words,
});
const record = z.discriminatedUnion("RecordType", [bounce, delivery, subscription]);
const KNOWN = ["Bounce", "SpamComplaint", "Delivery", "SubscriptionChange"];

/** https://postmarkapp.com/developer/api/bounce-api#bounce-types: types that are not listed change nothing. */
const BOUNCES = new Map<string, Pick<ProviderReport, "status" | "permanent">>([
  ["HardBounce", { status: "bounced", permanent: true }],
  ["BadEmailAddress", { status: "bounced", permanent: true }],
  ["SoftBounce", { status: "bounced", permanent: false }],
  ["DnsError", { status: "bounced", permanent: false }],
  ["SpamNotification", { status: "bounced", permanent: false }],
  ["VirusNotification", { status: "bounced", permanent: false }],
  ["Blocked", { status: "bounced", permanent: false }],
  ["DMARCPolicy", { status: "bounced", permanent: false }],
  ["Unknown", { status: "bounced", permanent: null }],
  ["Transient", { status: "delayed", permanent: null }],
  ["SpamComplaint", { status: "complained", permanent: null }],
  ["Unsubscribe", { status: "unsubscribed", permanent: null }],
  ["SMTPApiError", { status: "failed", permanent: null }],
]);

/** The secret is the password of the URL, or the value of a header. */
function secretOf({ authorization = "", [SECRET_HEADER]: header }: IncomingHttpHeaders): string | undefined {
  if (typeof header === "string") return header;
  const given = /^Basic ([A-Za-z0-9+/=]{1,2000})$/i.exec(authorization)?.[1];
  if (given === undefined) return undefined;
  const pair = Buffer.from(given, "base64").toString("utf8");
  return pair.slice(pair.indexOf(":") + 1);
}

function eventOf(body: unknown): ProviderEvent {
  const type = z.object({ RecordType: z.string() }).safeParse(body).data?.RecordType;
  if (type === undefined || !KNOWN.includes(type)) return { kind: type === undefined ? "malformed" : "other", id: "" };
  const { data } = record.safeParse(body);
  if (!data) return { kind: "malformed", id: "" };
  // Its name comes from a header, whose case does not count.
  const [, mark] = Object.entries(data.Metadata ?? {}).find(([name]) => name.toLowerCase() === MARK) ?? [];
  const message = named({ taggedId: id.parse(mark) });
  const eventOf = (
    key: string,
    about: string,
    report: Pick<ProviderReport, "status" | "permanent" | "reason" | "at">,
  ) => {
    const id = `postmark/${data.RecordType}/${key}`;
    return { kind: "report" as const, id, report: { message, about: { recipient: about }, ...report } };
  };
  if (data.RecordType === "Delivery") {
    const { Recipient, DeliveredAt: at, Details, MessageID } = data;
    return eventOf(`${MessageID}/${Recipient}`, Recipient, {
      status: "delivered",
      permanent: null,
      reason: joined(Details),
      at,
    });
  }
  if (data.RecordType === "SubscriptionChange") {
    const { Recipient, ChangedAt: at, MessageID, SuppressSending, SuppressionReason, Origin } = data;
    // Others repeat a bounce, a complaint, or what the operator did at Postmark.
    const isTheirs = SuppressSending && SuppressionReason === "ManualSuppression" && Origin === "Recipient";
    if (!isTheirs) return { kind: "other", id: "" };
    return eventOf(`${MessageID}/${Recipient}`, Recipient, {
      status: "unsubscribed",
      permanent: null,
      reason: null,
      at,
    });
  }
  const { Type, ID, Email, BouncedAt: at, Description, Details } = data;
  const known = BOUNCES.get(data.RecordType === "SpamComplaint" ? "SpamComplaint" : Type);
  if (!known) return { kind: "other", id: "" };
  return eventOf(String(ID), Email, {
    ...known,
    reason: joined(Details || Description),
    at,
  });
}

/** @param secrets one or, while it is changed, two */
export function postmarkEvents(secrets: string[]): ProviderEvents {
  return {
    maxBytes: BODY_BYTES,
    fix: `Put POSTMARK_WEBHOOK_SECRET into the webhook's URL in Postmark, https://mailberth:<secret>@…, or into a header ${SECRET_HEADER}.`,
    async read(body, headers) {
      const secret = secretOf(headers);
      if (secret === undefined || !isOneOf(secrets, secret)) return undefined;
      return [eventOf(parsed(body))];
    },
    async close() {},
  };
}
