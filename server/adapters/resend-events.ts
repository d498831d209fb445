// Reads the events that Resend posts: its SDK verifies the signature, and the fields are checked here.
import type { IncomingHttpHeaders } from "node:http";
import { Resend } from "resend";
import type { buildConnector } from "undici";
import { z } from "zod";
import type { Download, ProviderEvent, ProviderEvents, ProviderReport } from "../base/ports/provider-events.ts";
import { createDownloads, type Downloads } from "./resend-download.ts";
import { MESSAGE_TAG } from "./resend-outbound.ts";

const ID_CHARS = 256;
const PROVIDER_ID = /^[\x21-\x7e]{1,256}$/;
const REASON_CHARS = 2_000;
const ADDRESSES_MAX = 1_000;
/** As for a mail over SMTP (RFC 5321 §4.5.3.1.8). */
const RECIPIENTS_MAX = 100;
const ARRIVAL = "email.received";
const API_TIMEOUT_MS = 15_000;
/** An event has no body of a mail, but may have the names of hundreds of attachments. */
const BODY_BYTES = 256 * 1024;

const STATUSES = new Map<string, ProviderReport["status"]>([
  ["email.delivered", "delivered"],
  ["email.bounced", "bounced"],
  ["email.complained", "complained"],
  ["email.failed", "failed"],
  ["email.delivery_delayed", "delayed"],
]);

const text = z.string().transform((words) => words.slice(0, REASON_CHARS));
const addresses = z.array(z.string()).max(ADDRESSES_MAX);
const event = z.object({ type: z.string(), created_at: z.string(), data: z.unknown() });
const reported = z.object({
  email_id: z.string().regex(PROVIDER_ID),
  to: addresses.default([]),
  tags: z.record(z.string(), z.string()).optional().catch(undefined),
  bounce: z.object({ message: text, type: z.string() }).partial().optional().catch(undefined),
  failed: z.object({ reason: text }).optional().catch(undefined),
});

const arrived = z.object({
  email_id: z.string().regex(PROVIDER_ID),
  from: z.string().default(""),
  received_for: z.array(z.string()).max(RECIPIENTS_MAX),
});

/** `"Name" <address>` or an address. */
function addressIn(mailbox: string): string {
  return (/<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox).trim();
}

/** Types of bounces: https://resend.com/docs/dashboard/emails/email-bounces */
function isPermanent(type: string | undefined): boolean | null {
  if (type === "Permanent") return true;
  return type === "Transient" ? false : null;
}

function reportOf(status: ProviderReport["status"], data: z.infer<typeof reported>, at: Date): ProviderReport {
  const { email_id, to, tags, bounce, failed } = data;
  const words = bounce?.message ?? failed?.reason ?? null;
  return {
    status,
    message: { providerMessageId: email_id, taggedId: tags?.[MESSAGE_TAG] ?? null, messageId: null, returnPath: null },
    about: { field: to.map((mailbox) => addressIn(mailbox).toLowerCase()) },
    reason: status === "delayed" ? (words ?? "Resend tries again") : words,
    permanent: isPermanent(bounce?.type),
    at,
  };
}

function arrivalOf(fetching: Fetching, id: string, data: unknown): ProviderEvent | "malformed" {
  const read = arrived.safeParse(data);
  if (!read.success) return "malformed";
  const { email_id: emailId, from, received_for } = read.data;
  const recipients = [...new Set(received_for.map(addressIn))];
  const fetch = (maxBytes: number) => fetchRaw(fetching, emailId, maxBytes);
  return { kind: "arrival", id, mail: { emailId, from: addressIn(from), recipients, fetchRaw: fetch } };
}

function eventOf(fetching: Fetching, id: string, payload: unknown): ProviderEvent | "malformed" {
  const read = event.safeParse(payload);
  if (!read.success) return "malformed";
  if (read.data.type === ARRIVAL) return arrivalOf(fetching, id, read.data.data);
  const status = STATUSES.get(read.data.type);
  if (!status) return { kind: "other", id };
  const data = reported.safeParse(read.data.data);
  const at = new Date(read.data.created_at);
  if (!data.success || Number.isNaN(at.getTime())) return "malformed";
  return { kind: "report", id, report: reportOf(status, data.data, at) };
}

/** Undefined if the SDK does not accept the signature or its timestamp. */
function verified(resend: Resend, webhookSecret: string, body: Buffer, headers: Signature): unknown {
  try {
    return resend.webhooks.verify({ payload: body.toString("utf8"), headers, webhookSecret });
  } catch {
    return undefined;
  }
}

type Options = { apiKey: string; baseUrl: string; secret: string; dial: buildConnector.connector };
type Fetching = { resend: Resend; downloads: Downloads; closing: AbortSignal };

async function fetchRaw(
  { resend, downloads, closing }: Fetching,
  emailId: string,
  maxBytes: number,
): Promise<Download> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(API_TIMEOUT_MS)]);
  // Inline images as references, which are short.
  const answer = await resend.emails.receiving.get(encodeURIComponent(emailId), { html_format: "cid" }, { signal });
  if (answer.error) {
    const { name, message, statusCode } = answer.error;
    return { outcome: "later", error: `${statusCode ?? "no answer"} ${name}: ${message}` };
  }
  const url = answer.data.raw?.download_url;
  return typeof url === "string"
    ? downloads.download(url, maxBytes, closing)
    : { outcome: "later", error: "the provider has no raw bytes of this mail" };
}

type Signature = { id: string; timestamp: string; signature: string };

function signatureOf(headers: IncomingHttpHeaders): Signature | undefined {
  const { "svix-id": id, "svix-timestamp": timestamp, "svix-signature": signature } = headers;
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof signature !== "string") return undefined;
  return id.length > 0 && id.length <= ID_CHARS ? { id, timestamp, signature } : undefined;
}

/**
 * @param options.apiKey as for sending
 * @param options.secret the signing secret of the webhook in Resend, `whsec_…`
 * @param options.dial connects downloads, only to permitted addresses
 */
export function resendEvents(options: Options): ProviderEvents {
  const downloads = createDownloads(options.baseUrl, options.dial);
  const closing = new AbortController();
  const resend = new Resend(options.apiKey, { baseUrl: options.baseUrl.replace(/\/+$/, "") });
  return {
    maxBytes: BODY_BYTES,
    fix: "Set RESEND_WEBHOOK_SECRET to the signing secret of the webhook in Resend, and check the clock of this machine.",
    async read(body, headers) {
      const signature = signatureOf(headers);
      const payload = signature && verified(resend, options.secret, body, signature);
      if (!signature || payload === undefined) return undefined;
      const event = eventOf({ resend, downloads, closing: closing.signal }, signature.id, payload);
      return event === "malformed" ? event : [event];
    },
    async close() {
      closing.abort(new Error("closed"));
      await downloads.close();
    },
  };
}
