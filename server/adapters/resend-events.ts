// Reads the events that Resend posts: its SDK verifies the signature, and the fields are checked here.
import type { IncomingHttpHeaders } from "node:http";
import { Resend } from "resend";
import { z } from "zod";
import { MESSAGE_TAG } from "#server/adapters/resend-outbound.ts";
import type { ProviderEvent, ProviderEvents, ProviderReport } from "#server/ports/provider-events.ts";

const ID_CHARS = 256;
const PROVIDER_ID = /^[\x21-\x7e]{1,256}$/;
const REASON_CHARS = 2_000;
const ADDRESSES_MAX = 1_000;

const STATUSES: Record<string, ProviderReport["status"]> = {
  "email.delivered": "delivered",
  "email.bounced": "bounced",
  "email.complained": "complained",
  "email.failed": "failed",
  "email.delivery_delayed": "delayed",
};

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

/** `"Name" <address>` or an address. */
function addressIn(mailbox: string): string {
  return (/<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox).trim().toLowerCase();
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
    providerMessageId: email_id,
    taggedId: tags?.[MESSAGE_TAG] ?? null,
    addresses: to.map(addressIn),
    reason: status === "delayed" ? `delayed: ${words ?? "Resend tries again"}` : words,
    permanent: isPermanent(bounce?.type),
    at,
  };
}

function eventOf(id: string, payload: unknown): ProviderEvent | "malformed" {
  const read = event.safeParse(payload);
  if (!read.success) return "malformed";
  const status = STATUSES[read.data.type];
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

type Signature = { id: string; timestamp: string; signature: string };

function signatureOf(headers: IncomingHttpHeaders): Signature | undefined {
  const { "svix-id": id, "svix-timestamp": timestamp, "svix-signature": signature } = headers;
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof signature !== "string") return undefined;
  return id.length > 0 && id.length <= ID_CHARS ? { id, timestamp, signature } : undefined;
}

/**
 * @param options.apiKey as for sending
 * @param options.secret the signing secret of the webhook in Resend, `whsec_…`
 */
export function resendEvents(options: { apiKey: string; baseUrl: string; secret: string }): ProviderEvents {
  const resend = new Resend(options.apiKey, { baseUrl: options.baseUrl.replace(/\/+$/, "") });
  return {
    read(body, headers) {
      const signature = signatureOf(headers);
      const payload = signature && verified(resend, options.secret, body, signature);
      return signature && payload !== undefined ? eventOf(signature.id, payload) : undefined;
    },
  };
}
