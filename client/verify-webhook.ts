// Verifies webhook deliveries at their receiver. Uses only Node's crypto, and of the service only types.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "./router.ts";

type RouterOutputs = inferRouterOutputs<AppRouter>;

const TOLERANCE_SECONDS = 300;
const HEADER_NAME = "X-Service-Signature";
/** Room for about fifty `v1`; the service sends one, or two while a secret is rotated. */
const HEADER_MAX_CHARS = 4_096;
const TIMESTAMP = /^(0|[1-9]\d{0,14})$/;
const SIGNATURE = /^[0-9a-f]{64}$/i;

/** The body of a delivery of any kind. */
export type WebhookEvent =
  | ReceivedWebhookEvent
  | OutcomeWebhookEvent
  | ReviewWebhookEvent
  | DomainWebhookEvent
  | SendingWebhookEvent
  | MessageWebhookEvent
  | SuppressionWebhookEvent
  | InboxWebhookEvent;

/** What became of a sent message for one recipient. */
export type OutcomeWebhookEvent = {
  event: "message.delivered" | "message.bounced" | "message.complained" | "message.failed";
  /** Address of the mailbox that sent the message. */
  inbox: string;
  message: {
    id: string;
    thread_id: string;
    /** Null: the message failed for all recipients. */
    recipient: string | null;
    status: "delivered" | "bounced" | "complained" | "failed";
    smtp_code: number | null;
    enhanced_code: string | null;
    reason: string | null;
  };
};

/** A member decided on a held message, or no one did in time. */
export type ReviewWebhookEvent = {
  event: "message.approved" | "message.rejected";
  /** Address of the mailbox that sends the message. */
  inbox: string;
  message: { id: string; thread_id: string; revision: number; sha256: string; reason: string | null };
};

/** A domain of the organization was verified or lost. */
export type DomainWebhookEvent = {
  event: "domain.verified" | "domain.lost";
  inbox: null;
  domain: { id: string; domain: string; status: "verified" | "lost"; reason: string | null };
};

/** Someone paused or resumed sending. */
export type SendingWebhookEvent = {
  event: "sending.paused" | "sending.resumed";
  /** Address of the paused mailbox. Null: an organization or a key is paused. */
  inbox: string | null;
  pause: { scope: "organization" | "inbox" | "agent_key"; id: string; by: string; reason: string | null };
};

/** A message left, waits for a member, came back from the trash, or got no reply in time. */
export type MessageWebhookEvent = {
  event: "message.sent" | "message.held" | "message.restored" | "message.unanswered";
  /** Address of the mailbox. */
  inbox: string;
  message: {
    id: string;
    thread_id: string;
    /** Of `message.sent`: the addresses that it left for. */
    recipients?: string[];
    /** Of `message.unanswered`: ISO 8601, UTC. */
    reply_by?: string;
  };
};

/** An address was suppressed, or mail to it is allowed again. */
export type SuppressionWebhookEvent = {
  event: "suppression.added" | "suppression.removed";
  /** The one mailbox that may not send to the address. Null: all mailboxes. */
  inbox: string | null;
  suppression: { address: string; reason: string };
};

/** A mailbox was created or deleted. */
export type InboxWebhookEvent = {
  event: "inbox.created" | "inbox.deleted";
  inbox: string;
  mailbox: { id: string };
};

/** A mail was received. */
export type ReceivedWebhookEvent = {
  event: "message.received";
  /** Address of the mailbox that received the message. */
  inbox: string;
  message: {
    id: string;
    thread_id: string;
    from: string;
    subject: string;
    /** ISO 8601, UTC. */
    received_at: string;
  };
  /** Only for webhooks with `include`: the message as GET /v1/messages/{id} returns it, or why it is not here. */
  data?: { message: RouterOutputs["messages"]["get"] | { id: string; omitted: OmittedReason } };
};

type OmittedReason = "too_large" | "not_ready" | "deleted";

export type WebhookVerificationReason =
  | "malformed_header"
  | "timestamp_outside_tolerance"
  | "signature_mismatch"
  | "malformed_body";

/** A delivery that must be rejected; answer it with 400. */
export class WebhookVerificationError extends Error {
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message);
    this.name = "WebhookVerificationError";
    this.reason = reason;
  }
}

/**
 * The signature header, or all headers of the request as the framework provides them: Fetch's `Headers`, or an object
 * of names, in any case, and values, as in Node, Express and AWS Lambda.
 */
export type SignatureSource = string | readonly string[] | HeadersLike | HeaderRecord | null | undefined;
type HeadersLike = { get(name: string): string | null | undefined };
type HeaderRecord = { readonly [name: string]: string | readonly string[] | undefined };

type VerifyWebhookOptions = {
  /** How much `t` may differ from now, in seconds. Default 300. */
  toleranceSeconds?: number;
  /** Default: the clock. */
  now?: Date;
  /**
   * Name of the signature header if all headers are given: `X-<SERVICE_NAME>-Signature`. Default `X-Service-Signature`.
   */
  headerName?: string;
};

function malformed(problem: string): WebhookVerificationError {
  return new WebhookVerificationError("malformed_header", `The signature header ${problem}.`);
}

function isHeadersLike(source: object): source is HeadersLike {
  return "get" in source && typeof source.get === "function";
}

/** Several headers of the name are one list, as in RFC 9110 §5.3. */
function headerValue(source: SignatureSource, headerName: string): string {
  if (typeof source === "string") return source;
  if (!source) return "";
  if (Array.isArray(source)) return source.join(",");
  if (isHeadersLike(source)) return source.get(headerName) ?? "";
  const wanted = headerName.toLowerCase();
  const values = Object.entries(source).flatMap(([name, value]) =>
    name.toLowerCase() === wanted ? (value ?? []) : [],
  );
  return values.join(",");
}

function parseHeader(header: string): { timestamp: string; signatures: string[] } {
  if (header === "") throw malformed("is missing");
  if (header.length > HEADER_MAX_CHARS) throw malformed("is too long");
  const timestamps: string[] = [];
  const signatures: string[] = [];
  for (const part of header.split(",")) {
    const [name, value = ""] = part.trim().split("=", 2);
    if (name === "t") timestamps.push(value);
    else if (name === "v1") signatures.push(value);
    // Later schemes may add other names, which are ignored.
  }
  const [timestamp, ...more] = timestamps;
  if (timestamp === undefined || more.length > 0) throw malformed("must have exactly one t");
  if (!TIMESTAMP.test(timestamp)) throw malformed("must have whole seconds as t");
  if (signatures.length === 0) throw malformed("has no v1");
  if (!signatures.every((signature) => SIGNATURE.test(signature))) throw malformed("has a v1 that is not hex SHA-256");
  return { timestamp, signatures };
}

function parseEvent<Event extends WebhookEvent>(body: string): Event {
  try {
    return JSON.parse(body) as Event;
  } catch (cause) {
    const error = new WebhookVerificationError("malformed_body", "The body is signed but is not JSON.");
    error.cause = cause;
    throw error;
  }
}

/**
 * Verifies that a delivery comes from the service and is recent, and returns its event. Its type is that of
 * `message.received`; for a webhook that subscribes to other kinds, write `verifyWebhook<WebhookEvent>(…)` and check
 * `event.event`.
 * @param rawBody the body exactly as received: not parsed, not serialized again
 * @param signature all headers of the request, or the value of the signature header: `t=<seconds>,v1=<hex>`, with
 * several `v1` while a secret is rotated
 * @param secret the signing secret from the registration, `whsec_` included
 * @throws WebhookVerificationError with a `reason`; TypeError if the secret or the raw body is missing
 */
export function verifyWebhook<Event extends WebhookEvent = ReceivedWebhookEvent>(
  rawBody: string | Uint8Array,
  signature: SignatureSource,
  secret: string,
  options: VerifyWebhookOptions = {},
): Event {
  const { toleranceSeconds = TOLERANCE_SECONDS, now = new Date(), headerName = HEADER_NAME } = options;
  // With an empty key, anyone could create valid signatures.
  if (!secret) throw new TypeError("verifyWebhook needs the signing secret");
  if (typeof rawBody !== "string" && !(rawBody instanceof Uint8Array)) {
    throw new TypeError("verifyWebhook needs the raw body, as text or bytes: read it before anything parses it");
  }
  const { timestamp, signatures } = parseHeader(headerValue(signature, headerName));
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(rawBody).digest();
  const matches = signatures.filter((hex) => timingSafeEqual(Buffer.from(hex, "hex"), expected));
  if (matches.length === 0) {
    throw new WebhookVerificationError(
      "signature_mismatch",
      "No v1 matches: wrong secret, or not the body as it was sent.",
    );
  }
  const secondsAway = Math.abs(Math.floor(now.getTime() / 1000) - Number(timestamp));
  // Written so that a `now` or a tolerance that is not a number is rejected.
  if (!(secondsAway <= toleranceSeconds)) {
    throw new WebhookVerificationError("timestamp_outside_tolerance", `t is more than ${toleranceSeconds} s away.`);
  }
  return parseEvent(typeof rawBody === "string" ? rawBody : new TextDecoder().decode(rawBody));
}
