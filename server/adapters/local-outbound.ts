// Outbound mail without a provider: delivers to mailboxes of this service, and stores all other mail without sending
// it.
import type { Outbound, OutboundMail, RecipientResult, SendOutcome } from "../base/ports/outbound.ts";
import { composeMail, envelopeRecipients, headerFault } from "./compose.ts";
import { SIMULATED, type Simulator } from "./simulator.ts";

const NO_MAILBOX = "550 5.1.1 No such mailbox here";
const FULL = "552 5.2.2 The mailbox is full";
const BLOCKED = "550 5.7.1 This sender may not write to this mailbox";
const LOOPING = "554 5.4.6 Routing loop";
const CAPTURED = "captured: OUTBOUND=local sends no mail to other services; the message is stored and shown here";

const STOPPED = "sending was paused";

/** Receives a mail like the SMTP listener, for all recipients or none. Receiving the same mail twice stores it once. */
export type Deliver = (mail: {
  envelopeFrom: string;
  recipients: string[];
  raw: Buffer;
  remoteIp: null;
  helo: null;
}) => Promise<
  | { outcome: "stored"; ids: string[] }
  | { outcome: "unknown_recipient" | "over_quota"; address: string }
  | { outcome: "looping" | "blocked" | "undecided" }
>;

/**
 * @param options.deliver receives for one mailbox of this service
 * @param options.isHosted whether this service hosts the domain, so that an unknown mailbox there is an error
 * @param options.simulator answers for simulator.invalid
 */
export function localOutbound(options: {
  deliver: Deliver;
  isHosted: (domain: string) => boolean | Promise<boolean>;
  simulator: Pick<Simulator, "take" | "close">;
}): Outbound {
  async function deliverTo(address: string, mail: OutboundMail, raw: Buffer): Promise<RecipientResult> {
    const envelopeFrom = mail.from.address;
    const taken = await options.deliver({ envelopeFrom, recipients: [address], raw, remoteIp: null, helo: null });
    if (taken.outcome === "stored") return { address, outcome: "delivered" };
    if (taken.outcome === "over_quota") return { address, outcome: "refused", detail: FULL };
    if (taken.outcome === "looping") return { address, outcome: "refused", detail: LOOPING };
    if (taken.outcome === "blocked") return { address, outcome: "refused", detail: BLOCKED };
    if (taken.outcome === "undecided") throw new Error("the sender could not be checked");
    const hosted = await options.isHosted(address.slice(address.lastIndexOf("@") + 1).toLowerCase());
    if (hosted) return { address, outcome: "refused", detail: NO_MAILBOX };
    return { address, outcome: "captured", detail: CAPTURED };
  }

  async function send(mail: OutboundMail, _onResult?: unknown, stop?: AbortSignal): Promise<SendOutcome> {
    const fault = headerFault(mail);
    if (fault) return { outcome: "refused", error: fault, recipients: [] };
    const recipients: RecipientResult[] = [];
    const deferred: string[] = [];
    const envelopes = mail.envelopes ?? envelopeRecipients(mail).map((to) => ({ from: mail.from.address, to }));
    try {
      const raw = await composeMail(mail);
      // One at a time: a mail to several recipients is stored for all or none of them, and one unknown mailbox must not
      // stop the others.
      for (const envelope of envelopes) {
        if (stop?.aborted) return { outcome: "retry", error: STOPPED, recipients };
        const isSimulated = envelope.to.toLowerCase().endsWith(SIMULATED);
        const result = await (isSimulated ? options.simulator.take(mail, envelope) : deliverTo(envelope.to, mail, raw));
        if (result.outcome === "deferred") deferred.push(result.detail);
        else recipients.push(result);
      }
    } catch (error) {
      // Mailboxes that have the message keep it: receiving the same Message-ID again stores nothing.
      const reason = error instanceof Error ? error.message : error;
      return { outcome: "retry", error: `local delivery failed: ${reason}`, recipients };
    }
    if (deferred[0] !== undefined) return { outcome: "retry", error: deferred[0], recipients };
    const refused = recipients.every((recipient) => recipient.outcome === "refused");
    return refused
      ? { outcome: "refused", error: recipients[0]?.detail ?? NO_MAILBOX, recipients }
      : { outcome: "sent", providerMessageId: null, recipients };
  }

  return {
    name: "local",
    recognisesRepeats: true,
    usesReturnPaths: true,
    send,
    compose: composeMail,
    close: async () => options.simulator.close(),
  };
}
