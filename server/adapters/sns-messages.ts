// Reads the messages that Amazon SNS posts and signs, and confirms subscriptions.
// https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
import { verify, X509Certificate } from "node:crypto";
import { LRUCache } from "lru-cache";
import { Agent, type buildConnector, request } from "undici";
import { z } from "zod";
import { TOPIC_ARN } from "../base/env.ts";
import type { SnsGet } from "../base/ports/provider-events.ts";
import { type Bucket, fullBucket, takeToken } from "../base/token-bucket.ts";
import { eventId, parsed } from "./event-fields.ts";

/** SNS carries 256 KiB, which JSON in JSON makes longer. */
export const SNS_BODY_BYTES = 640 * 1024;
const ANSWER_BYTES = 16 * 1024;
const TIMEOUT_MS = 5_000;
const CERTIFICATES_MAX = 16;
/** A stranger can name addresses at Amazon that have no certificate. */
const RATE = { perSecond: 1, burst: 20 };
const ALGORITHMS = { 1: "sha1", 2: "sha256" } as const;
/** No other host, path, port or query. */
const CERTIFICATE_URL =
  /^https:\/\/(sns\.[a-z0-9-]{1,32}\.amazonaws\.com(?:\.cn)?)\/SimpleNotificationService-[0-9a-f]{32}\.pem$/;
/** `sns.amazonaws.com`, `sns.us-east-1.amazonaws.com`, `sns-signing.eu-south-1.amazonaws.com`. */
const SUBJECT = /^CN=sns(?:[.-][a-z0-9-]{1,40}){0,3}\.amazonaws\.com(?:\.cn)?$/m;

const text = z.string().max(SNS_BODY_BYTES);
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

type Options = { topics: string[]; get: SnsGet; now: () => Date };
type Certificates = { known: LRUCache<string, X509Certificate>; bucket: Bucket };
/** Amazon does not answer now, or too many certificates were asked for. */
type Later = { later: string };
/** `notification`: its text. `other`: about the subscription, and done. */
type SnsMessage = { id: string } & ({ kind: "notification"; text: string } | { kind: "other" });

/**
 * @param options.topics the ARNs of the topics whose messages count
 * @returns a function from a body to its message: undefined if Amazon did not sign it for one of the topics, `malformed` if it asks to
 * confirm something else than a subscription to its topic
 */
export function createSnsReader(
  options: Options,
): (body: Buffer) => Promise<SnsMessage | "malformed" | Later | undefined> {
  const certificates: Certificates = {
    known: new LRUCache({ max: CERTIFICATES_MAX }),
    bucket: fullBucket(RATE, performance.now()),
  };
  return async (body) => {
    const { data: sent } = envelope.safeParse(parsed(body));
    if (!sent || !options.topics.includes(sent.TopicArn)) return undefined;
    const certificate = await certificateOf(options, certificates, sent);
    if (!(certificate instanceof X509Certificate)) return certificate;
    if (!isSignedBy(certificate, sent)) return undefined;
    if (sent.Type === "Notification") return { kind: "notification", id: sent.MessageId, text: sent.Message };
    if (sent.Type === "SubscriptionConfirmation") return confirm(options, sent);
    return { kind: "other", id: sent.MessageId };
  };
}

/** Only of the region of the topic. Undefined: none that counts. */
async function certificateOf(
  { get, now }: Options,
  { known, bucket }: Certificates,
  { SigningCertURL, TopicArn }: Envelope,
): Promise<X509Certificate | Later | undefined> {
  const host = CERTIFICATE_URL.exec(SigningCertURL)?.[1];
  if (host !== hostOf(TopicArn)) return undefined;
  const certificate = known.get(SigningCertURL);
  if (certificate) return isInForce(certificate, now()) ? certificate : undefined;
  if (!takeToken(RATE, bucket, performance.now())) return { later: "too many certificates were asked for" };
  const answer = await answerOf(get, new URL(SigningCertURL));
  if ("later" in answer) return answer;
  const { status, text } = answer;
  if (status !== 200) return status >= 500 ? { later: `Amazon answered ${status} for the certificate` } : undefined;
  const read = certificateIn(text);
  if (!read || !isInForce(read, now()) || !SUBJECT.test(read.subject)) return undefined;
  known.set(SigningCertURL, read);
  return read;
}

async function answerOf(get: SnsGet, url: URL): Promise<{ status: number; text: string } | Later> {
  try {
    return await get(url);
  } catch (error) {
    return { later: `no answer of ${url.host}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function certificateIn(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined; // another text, which a repetition would get too
  }
}

function hostOf(topic: string): string {
  const region = TOPIC_ARN.exec(topic)?.[1];
  return `sns.${region}.amazonaws.com${topic.startsWith("arn:aws-cn:") ? ".cn" : ""}`;
}

function isInForce({ validFromDate, validToDate }: X509Certificate, now: Date): boolean {
  return validFromDate <= now && now <= validToDate;
}

function isSignedBy({ publicKey }: X509Certificate, sent: Envelope): boolean {
  const signature = Buffer.from(sent.Signature, "base64");
  return verify(ALGORITHMS[sent.SignatureVersion], Buffer.from(signedText(sent)), publicKey, signature);
}

function signedText(sent: Envelope): string {
  return SIGNED[sent.Type].flatMap((name) => (sent[name] == null ? [] : `${name}\n${sent[name]}\n`)).join("");
}

async function confirm({ get }: Options, sent: Envelope): Promise<SnsMessage | "malformed" | Later> {
  const url = subscribeUrl(sent);
  if (!url) return "malformed";
  const answer = await answerOf(get, url);
  if ("later" in answer) return answer;
  if (answer.status !== 200) return { later: `Amazon answered ${answer.status} for the confirmation` };
  return { kind: "other", id: sent.MessageId };
}

/** Undefined if the message names no subscription to its own topic. */
function subscribeUrl({ SubscribeURL, TopicArn }: Envelope): URL | undefined {
  const url = URL.parse(SubscribeURL ?? "");
  if (url?.origin !== `https://${hostOf(TopicArn)}` || url.username || url.pathname !== "/") return undefined;
  const { searchParams: asked } = url;
  return asked.get("Action") === "ConfirmSubscription" && asked.get("TopicArn") === TopicArn ? url : undefined;
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
