// Reads the events of Amazon SES, which Amazon SNS posts and signs, and confirms the subscription.
// https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
// https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
import { verify, X509Certificate } from "node:crypto";
import { LRUCache } from "lru-cache";
import { Agent, type buildConnector, request } from "undici";
import { z } from "zod";
import { eventId, id, joined, named, parsed, recipient, time, words } from "#server/adapters/event-fields.ts";
import { TOPIC_ARN } from "#server/base/env.ts";
import type { ProviderEvent, ProviderEvents, ProviderReport, SnsGet } from "#server/base/ports/provider-events.ts";
import { type Bucket, fullBucket, takeToken } from "#server/base/token-bucket.ts";

/** SNS carries 256 KiB, which JSON in JSON makes longer. */
const BODY_BYTES = 640 * 1024;
const ANSWER_BYTES = 16 * 1024;
const TIMEOUT_MS = 5_000;
const CERTIFICATES_MAX = 16;
const RECIPIENTS_MAX = 1_000;
/** A stranger can name addresses at Amazon that have no certificate. */
const RATE = { perSecond: 1, burst: 20 };
const ALGORITHMS = { 1: "sha1", 2: "sha256" } as const;
/** No other host, path, port or query. */
const CERTIFICATE_URL =
  /^https:\/\/(sns\.[a-z0-9-]{1,32}\.amazonaws\.com(?:\.cn)?)\/SimpleNotificationService-[0-9a-f]{32}\.pem$/;
/** `sns.amazonaws.com`, `sns.us-east-1.amazonaws.com`, `sns-signing.eu-south-1.amazonaws.com`. */
const SUBJECT = /^CN=sns(?:[.-][a-z0-9-]{1,40}){0,3}\.amazonaws\.com(?:\.cn)?$/m;

const text = z.string().max(BODY_BYTES);
const envelope = z.object({
  Type: z.enum(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  MessageId: eventId,
  TopicArn: z.string().regex(TOPIC_ARN),
  Subject: text.nullish(),
  Message: text,
  Timestamp: z.string().max(100),
  SignatureVersion: z.enum(["1", "2"]),
  Signature: z.string().max(4_096),
  SigningCertURL: z.string().max(500),
  SubscribeURL: z.string().max(4_096).nullish(),
  Token: z.string().max(4_096).nullish(),
});
type Envelope = z.infer<typeof envelope>;

const SIGNED = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
  UnsubscribeConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
} as const;

function signedText(sent: Envelope): string {
  return SIGNED[sent.Type].flatMap((name) => (sent[name] == null ? [] : `${name}\n${sent[name]}\n`)).join("");
}

type Options = { topics: string[]; get: SnsGet; now: () => Date };
type Certificates = { known: LRUCache<string, X509Certificate>; bucket: Bucket };

/** Only of the region of the topic. `later`: Amazon does not answer now, or too many were asked for. */
async function certificateOf(
  { get, now }: Options,
  { known, bucket }: Certificates,
  { SigningCertURL, TopicArn }: Envelope,
): Promise<X509Certificate | "later" | undefined> {
  const host = CERTIFICATE_URL.exec(SigningCertURL)?.[1];
  if (host !== hostOf(TopicArn)) return undefined;
  const certificate = known.get(SigningCertURL);
  if (certificate) return isInForce(certificate, now()) ? certificate : undefined;
  if (!takeToken(RATE, bucket, performance.now())) return "later";
  try {
    const { status, text } = await get(new URL(SigningCertURL));
    if (status !== 200) return status >= 500 ? "later" : undefined;
    const read = new X509Certificate(text);
    if (!isInForce(read, now()) || !SUBJECT.test(read.subject)) return undefined;
    known.set(SigningCertURL, read);
    return read;
  } catch {
    return "later";
  }
}

function hostOf(topic: string): string {
  const region = TOPIC_ARN.exec(topic)?.[1];
  return `sns.${region}.amazonaws.com${topic.startsWith("arn:aws-cn:") ? ".cn" : ""}`;
}

function isInForce({ validFromDate, validToDate }: X509Certificate, now: Date): boolean {
  return validFromDate <= now && now <= validToDate;
}

/** Undefined if the message names no subscription to its own topic. */
function subscribeUrl({ SubscribeURL, TopicArn }: Envelope): URL | undefined {
  const url = URL.parse(SubscribeURL ?? "");
  if (url?.origin !== `https://${hostOf(TopicArn)}` || url.username || url.pathname !== "/") return undefined;
  const { searchParams: asked } = url;
  return asked.get("Action") === "ConfirmSubscription" && asked.get("TopicArn") === TopicArn ? url : undefined;
}

const status = z.object({ emailAddress: recipient, status: words, diagnosticCode: words });
const some = <T extends z.ZodType>(item: T) => z.array(item).max(RECIPIENTS_MAX);
const mail = z.object({
  timestamp: time,
  messageId: eventId,
  source: words,
  destination: some(recipient).catch([]),
  commonHeaders: z.object({ messageId: id }).nullish().catch(null),
  headers: some(z.object({ name: z.string(), value: z.string() }))
    .nullish()
    .catch(null),
});
const ses = z.object({
  mail,
  bounce: z
    .object({ bounceType: words, bounceSubType: words, bouncedRecipients: some(status), timestamp: time })
    .optional(),
  complaint: z
    .object({
      complainedRecipients: some(status.pick({ emailAddress: true })),
      complaintFeedbackType: words,
      timestamp: time,
    })
    .optional(),
  delivery: z.object({ recipients: some(recipient), smtpResponse: words, timestamp: time }).optional(),
  reject: z.object({ reason: words }).optional(),
  deliveryDelay: z.object({ delayedRecipients: some(status), delayType: words, timestamp: time }).optional(),
});
const kind = z.object({ eventType: z.string() }).or(z.object({ notificationType: z.string() }));
const PERMANENT: Record<string, boolean> = { Permanent: true, Transient: false };
/** The opposite of a complaint; and reports that no person made (RFC 6591). */
const NOT_COMPLAINTS = ["not-spam", "auth-failure"];

type Said = Pick<ProviderReport, "status" | "reason" | "permanent" | "at"> & { recipient: string };

function saidBy(type: string, data: z.infer<typeof ses>): Said[] | "other" | undefined {
  const { bounce, complaint, delivery, reject, deliveryDelay } = data;
  switch (type) {
    case "Bounce":
      return bounce?.bouncedRecipients.map(({ emailAddress, status, diagnosticCode }) => ({
        recipient: emailAddress,
        status: "bounced",
        reason: diagnosticCode || joined(status, bounce.bounceType, bounce.bounceSubType),
        permanent: PERMANENT[bounce.bounceType ?? ""] ?? null,
        at: bounce.timestamp,
      }));
    case "Complaint": {
      const reason = complaint?.complaintFeedbackType || "abuse";
      if (NOT_COMPLAINTS.includes(reason)) return "other";
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
        reason: joined("delayed:", diagnosticCode || joined(status, deliveryDelay.delayType)),
        permanent: null,
        at: deliveryDelay.timestamp,
      }));
    case "Reject":
      return data.mail.destination.map((recipient) => {
        return {
          recipient,
          status: "failed",
          reason: reject?.reason ?? null,
          permanent: null,
          at: data.mail.timestamp,
        };
      });
    default:
      return "other";
  }
}

/** One event for each recipient. */
function eventsOf({ MessageId, Message }: Envelope): ProviderEvent[] {
  const own = `ses/${MessageId}`;
  const body = parsed(Buffer.from(Message));
  const typed = kind.safeParse(body).data;
  // SNS also writes a message for people when a topic is attached.
  if (!typed) return [{ kind: body === undefined ? "other" : "malformed", id: own }];
  const type = "eventType" in typed ? typed.eventType : typed.notificationType;
  const { data } = ses.safeParse(body);
  const said = data && saidBy(type, data);
  if (!data || said === undefined) return [{ kind: "malformed", id: own }];
  if (said === "other") return [{ kind: "other", id: own }];
  const { messageId, source, commonHeaders, headers } = data.mail;
  const header = headers?.find(({ name }) => name.toLowerCase() === "message-id")?.value;
  const message = named({
    providerMessageId: messageId,
    messageId: header === undefined ? commonHeaders?.messageId : id.parse(header.trim()),
    returnPath: source,
  });
  return said.map(({ recipient, ...report }, index) => {
    return { kind: "report", id: `${own}/${index}`, report: { message, about: { recipient }, ...report } };
  });
}

/** @param options.topics the ARNs of the topics whose messages count. */
export function sesEvents(options: Options): ProviderEvents {
  const certificates: Certificates = {
    known: new LRUCache({ max: CERTIFICATES_MAX }),
    bucket: fullBucket(RATE, performance.now()),
  };
  return {
    maxBytes: BODY_BYTES,
    fix: "Add the ARN of the SNS topic to SES_TOPIC_ARNS, leave raw message delivery off, and check the clock of this machine.",
    async read(body) {
      const { data: sent } = envelope.safeParse(parsed(body));
      if (!sent || !options.topics.includes(sent.TopicArn)) return undefined;
      const certificate = await certificateOf(options, certificates, sent);
      if (!certificate || certificate === "later") return certificate;
      const bytes = Buffer.from(sent.Signature, "base64");
      const isSigned = verify(
        ALGORITHMS[sent.SignatureVersion],
        Buffer.from(signedText(sent)),
        certificate.publicKey,
        bytes,
      );
      if (!isSigned) return undefined;
      if (sent.Type === "Notification") return eventsOf(sent);
      if (sent.Type === "SubscriptionConfirmation") return confirm(options, sent);
      return [{ kind: "other", id: `ses/${sent.MessageId}` }];
    },
    async close() {},
  };
}

async function confirm({ get }: Options, sent: Envelope): Promise<ProviderEvent[] | "malformed" | "later"> {
  const url = subscribeUrl(sent);
  if (!url) return "malformed";
  try {
    const { status } = await get(url);
    if (status !== 200) return "later";
  } catch {
    return "later";
  }
  return [{ kind: "other", id: `ses/${sent.MessageId}` }];
}

/** @param dial connects only to permitted addresses */
export function snsGet(dial: buildConnector.connector): SnsGet {
  return async (url) => {
    // Not kept open: certificates are fetched a few times a year.
    const agent = new Agent({ connect: dial, allowH2: false, maxHeaderSize: ANSWER_BYTES });
    try {
      const { statusCode, body } = await request(url, { dispatcher: agent, signal: AbortSignal.timeout(TIMEOUT_MS) });
      let text = "";
      for await (const chunk of body) {
        text += chunk;
        if (text.length > ANSWER_BYTES) throw new Error("the answer is too long");
      }
      return { status: statusCode, text };
    } finally {
      await agent.destroy();
    }
  };
}
