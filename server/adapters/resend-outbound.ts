// Sends mail through Resend with its SDK: our message id is the idempotency key, Resend's domains are the sender
// identities.
import { Resend } from "resend";
import { writeRecipient, writeRecipients } from "../base/addresses.ts";
import type { Outbound, OutboundMail, RecipientResult, SendOutcome } from "../base/ports/outbound.ts";
import { envelopeRecipients, extraHeaders, headerFault, ownHeaders, threadHeaders } from "./compose.ts";
import { failed, type Within } from "./resend-failures.ts";
import { domainIdentities } from "./resend-identities.ts";

const SEND_TIMEOUT_MS = 60_000;
/** The tag with our message id, which events about the message carry. */
export const MESSAGE_TAG = "message";

function emailOf(mail: OutboundMail) {
  const thread = threadHeaders(mail);
  const named = (addresses: string[]) => writeRecipients(addresses, mail.names ?? null);
  return {
    from: writeRecipient(mail.from),
    to: named(mail.to),
    subject: mail.subject,
    ...(mail.cc.length > 0 && { cc: named(mail.cc) }),
    ...(mail.bcc.length > 0 && { bcc: mail.bcc }),
    ...(mail.replyTo.length > 0 && { replyTo: named(mail.replyTo) }),
    ...(mail.html !== null && { html: mail.html }),
    ...(mail.text !== null && { text: mail.text }),
    headers: {
      ...ownHeaders(mail),
      "Message-ID": `<${mail.messageId}>`,
      ...(thread.inReplyTo && { "In-Reply-To": thread.inReplyTo }),
      ...(thread.references && { References: thread.references }),
      ...extraHeaders(mail),
    },
    tags: [{ name: MESSAGE_TAG, value: mail.id }],
    ...(mail.attachments.length > 0 && {
      attachments: mail.attachments,
    }),
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
