// Sends mail through Resend with its SDK: our message id is the idempotency key, Resend's domains are the sender
// identities.
import { type ErrorResponse, Resend } from "resend";
import { automaticHeaders, envelopeRecipients, headerFault, threadHeaders } from "#server/adapters/compose.ts";
import type { IdentityOutcome, Outbound, OutboundMail, RecipientResult, SendOutcome } from "#server/ports/outbound.ts";

const SEND_TIMEOUT_MS = 60_000;
const DOMAIN_TIMEOUT_MS = 15_000;
const DOMAINS_PER_PAGE = 100;
const MAX_DOMAIN_PAGES = 50;
/** Resend allows a few requests a second, so mailboxes created together on one domain share one lookup. */
const DOMAIN_KNOWN_FOR_MS = 60_000;
const DOMAINS_KNOWN_MAX = 1_000;
/** Failures that the operator can fix (a key, a base URL) or that are temporary: the mail is not the cause. */
const RETRIED_STATUSES = [401, 404, 405, 408, 425, 429];
const RETRIED_NAMES = ["invalid_api_key", "concurrent_idempotent_requests"];

/** The tag with our message id, which events about the message carry. */
export const MESSAGE_TAG = "message";

type Failure = { error: ErrorResponse; headers: Record<string, string> | null };

/** Milliseconds to wait (RFC 9110 §10.2.3: seconds, or a date by the server's clock). */
function retryAfterMs(headers: Record<string, string> | null): number | undefined {
  const value = headers?.["retry-after"];
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.parse(headers?.date ?? "");
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

/**
 * Names and statuses from https://resend.com/docs/api-reference/errors; the SDK returns null when there was no answer.
 */
function failed({ error, headers }: Failure) {
  const { name, statusCode, message } = error;
  const text = `${statusCode ?? "no answer"} ${name}: ${message}`;
  const final = typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
  if (final && !RETRIED_STATUSES.includes(statusCode) && !RETRIED_NAMES.includes(name)) {
    return { outcome: "refused" as const, error: text };
  }
  const wait = retryAfterMs(headers);
  return { outcome: "retry" as const, error: text, ...(wait !== undefined && { retryAfterMs: wait }) };
}

/** A sending-only key cannot list domains. The operator then manages them, and there is nothing to open or close. */
function identityFailed(failure: Failure): IdentityOutcome {
  return failure.error.name === "restricted_api_key" ? { outcome: "done", ref: null } : failed(failure);
}

/** `"Name" <address>`: in a quoted string, no name can break the header (RFC 5322 §3.2.4). */
function mailbox(name: string, address: string): string {
  return name ? `"${name.replace(/["\\]/g, "\\$&")}" <${address}>` : address;
}

function emailOf(mail: OutboundMail) {
  const thread = threadHeaders(mail);
  return {
    from: mailbox(mail.from.name, mail.from.address),
    to: mail.to,
    subject: mail.subject,
    ...(mail.cc.length > 0 && { cc: mail.cc }),
    ...(mail.bcc.length > 0 && { bcc: mail.bcc }),
    ...(mail.replyTo.length > 0 && { replyTo: mail.replyTo }),
    ...(mail.html !== null && { html: mail.html }),
    ...(mail.text !== null && { text: mail.text }),
    headers: {
      "Message-ID": `<${mail.messageId}>`,
      ...(thread.inReplyTo && { "In-Reply-To": thread.inReplyTo }),
      ...(thread.references && { References: thread.references }),
      ...automaticHeaders(mail),
    },
    tags: [{ name: MESSAGE_TAG, value: mail.id }],
    ...(mail.attachments.length > 0 && {
      attachments: mail.attachments.map(({ filename, contentType, content }) => ({ filename, contentType, content })),
    }),
  };
}

/** Request options that abort the request after a timeout, or when the adapter closes. */
type Within = (ms: number) => { signal: AbortSignal };

/** The id of a domain of this account; undefined if there is none of that name. */
async function findDomain(resend: Resend, name: string, within: Within): Promise<Failure | { id: string | undefined }> {
  let after: string | undefined;
  for (let page = 0; page < MAX_DOMAIN_PAGES; page++) {
    const query = { limit: DOMAINS_PER_PAGE, ...(after && { after }) };
    const answer = await resend.domains.list(query, within(DOMAIN_TIMEOUT_MS));
    if (answer.error) return answer;
    const found = answer.data.data.find((domain) => domain.name.toLowerCase() === name);
    after = answer.data.data.at(-1)?.id;
    if (found || !answer.data.has_more || !after) return { id: found?.id };
  }
  return { id: undefined };
}

/** A mailbox's sender identity is its domain, which other mailboxes may share. */
function domainIdentities(resend: Resend, within: Within): NonNullable<Outbound["identities"]> {
  const known = new Map<string, { id: string; until: number }>();
  function done(domain: string, id: string, how: "found" | "created"): IdentityOutcome {
    if (known.size >= DOMAINS_KNOWN_MAX) known.clear();
    known.set(domain, { id, until: performance.now() + DOMAIN_KNOWN_FOR_MS });
    return { outcome: "done", ref: `${how}:${id}` };
  }
  return {
    async open({ domain }) {
      const seen = known.get(domain);
      if (seen && performance.now() < seen.until) return { outcome: "done", ref: `found:${seen.id}` };
      const before = await findDomain(resend, domain, within);
      if ("error" in before) return identityFailed(before);
      if (before.id) return done(domain, before.id, "found");
      const created = await resend.domains.create({ name: domain }, within(DOMAIN_TIMEOUT_MS));
      if (!created.error) return done(domain, created.data.id, "created");
      // Another worker may have created it since the lookup.
      const since = await findDomain(resend, domain, within);
      return "id" in since && since.id ? done(domain, since.id, "found") : identityFailed(created);
    },
    async close({ domain, ref, lastOnDomain, domainRefs }) {
      if (lastOnDomain) known.delete(domain);
      const created = new Set(domainRefs.filter((one) => one.startsWith("created:")));
      // A domain that existed before, or that other mailboxes use, must not be removed.
      for (const one of lastOnDomain ? created : []) {
        const answer = await resend.domains.remove(one.slice("created:".length), within(DOMAIN_TIMEOUT_MS));
        if (answer.error && answer.error.name !== "not_found") return identityFailed(answer);
      }
      return { outcome: "done", ref };
    },
  };
}

/**
 * @param options.apiKey with full access, or for sending only if the operator manages the domains
 * @param options.baseUrl `https://api.resend.com`, or a server with the same API
 * @param options.timeoutMs timeout of a send; tests shorten it
 */
export function resendOutbound(options: { apiKey: string; baseUrl: string; timeoutMs?: number }): Outbound {
  const resend = new Resend(options.apiKey, { baseUrl: options.baseUrl.replace(/\/+$/, "") });
  const closing = new AbortController();
  const within: Within = (ms) => ({ signal: AbortSignal.any([closing.signal, AbortSignal.timeout(ms)]) });

  async function send(mail: OutboundMail): Promise<SendOutcome> {
    const fault = headerFault(mail);
    if (fault) return { outcome: "refused", error: fault, recipients: [] };
    const answer = await resend.emails.send(emailOf(mail) as Parameters<typeof resend.emails.send>[0], {
      idempotencyKey: mail.id,
      ...within(options.timeoutMs ?? SEND_TIMEOUT_MS),
    });
    const everybody = (result: Omit<RecipientResult, "address">) =>
      envelopeRecipients(mail).map((address): RecipientResult => ({ address, ...result }));
    if (!answer.error) {
      return { outcome: "sent", providerMessageId: answer.data.id, recipients: everybody({ outcome: "accepted" }) };
    }
    const failure = failed(answer);
    if (failure.outcome === "retry") return failure;
    return { ...failure, recipients: everybody({ outcome: "rejected", detail: failure.error }) };
  }

  return {
    name: "resend",
    recognisesRepeats: true,
    usesReturnPaths: false,
    send,
    identities: domainIdentities(resend, within),
    async close() {
      closing.abort(new Error("closed"));
    },
  };
}
