// The port to the outside: how a queued message leaves, and how a mailbox's sender identity is opened and closed.
// Implemented by server/adapters/{local,smtp,resend}-outbound.ts, all held to test/contracts/outbound.
import type { RecipientResult } from "#db/message-parts.ts";

export type OutboundMail = {
  /** The message's wire id (`msg_…`): also the idempotency key towards a provider that knows one. */
  id: string;
  from: { address: string; name: string };
  to: string[];
  cc: string[];
  /** Envelope only: never a header. */
  bcc: string[];
  replyTo: string[];
  subject: string;
  text: string | null;
  html: string | null;
  /** Without angle brackets. */
  messageId: string;
  inReplyTo: string | null;
  references: string[];
  /** No person wrote it: it says so, and no machine answers it (RFC 3834). */
  automatic?: true;
  date: Date;
  attachments: { filename: string; contentType: string; content: Buffer }[];
};

/**
 * `sent`: handed over; `recipients` says what became of each. `retry`: nothing is known to have left, try again later
 * (4xx, 5xx of an API, timeout), after at least `retryAfterMs` if given; with `mayHaveLeft` all of it was handed over and
 * no answer came, so that the repeat may be a second copy. `refused`: final, nothing left.
 */
export type SendOutcome =
  | { outcome: "sent"; providerMessageId: string | null; recipients: RecipientResult[] }
  | { outcome: "retry"; error: string; retryAfterMs?: number; mayHaveLeft?: true }
  | { outcome: "refused"; error: string; recipients: RecipientResult[] };

/** Like SendOutcome; `ref` is the provider's own name for the identity, kept and handed back on close. */
export type IdentityOutcome =
  | { outcome: "done"; ref: string | null }
  | { outcome: "retry"; error: string; retryAfterMs?: number }
  | { outcome: "refused"; error: string };

export type Outbound = {
  name: "local" | "smtp" | "resend";
  /** The other side knows a message it has already taken, so that a repeat never becomes a second copy. */
  recognisesRepeats: boolean;
  /** Hands one message over. Never throws for what a provider or network does: that is an outcome. */
  send(mail: OutboundMail): Promise<SendOutcome>;
  /** Absent where the provider keeps no identities: then a mailbox's identity opens and closes with its row. */
  identities?: {
    open(identity: { address: string; domain: string; displayName: string }): Promise<IdentityOutcome>;
    /**
     * `lastOnDomain`: no other live mailbox uses the domain; then `domainRefs` are the refs ever given to mailboxes of it, so
     * that a provider whose identities are domains can undo what it did for the first mailbox when the last one goes.
     */
    close(identity: {
      address: string;
      domain: string;
      ref: string | null;
      lastOnDomain: boolean;
      domainRefs: string[];
    }): Promise<IdentityOutcome>;
  };
  close(): Promise<void>;
};
