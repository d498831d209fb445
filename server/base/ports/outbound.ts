// The port for outbound mail: sends messages, and registers and removes sender identities. Implemented by
// server/adapters/{local,smtp,resend}-outbound.ts, all tested by test/contracts/outbound.
import type { KeyObject } from "node:crypto";
import type { RecipientNames } from "#db/message-parts.ts";

export type OutboundMail = {
  /** The message's API id (`msg_…`), also the idempotency key for providers that support one. */
  id: string;
  from: { address: string; name: string };
  to: string[];
  cc: string[];
  /** Envelope only; must not appear in a header. */
  bcc: string[];
  replyTo: string[];
  /** Written before the addresses of To, Cc and Reply-To. */
  names?: RecipientNames;
  subject: string;
  text: string | null;
  html: string | null;
  /** Without angle brackets. */
  messageId: string;
  inReplyTo: string | null;
  references: string[];
  /** What the author added, `[name, value]`. */
  headers?: [string, string][];
  /** The one-click unsubscribe link of the only recipient (RFC 8058). */
  unsubscribeUrl?: string;
  /** Marks mail that no person wrote, so that other programs do not answer it (RFC 3834). */
  automatic?: true;
  date: Date;
  /** More headers, in ASCII: those by which a relay names the message in its events. */
  marks?: Record<string, string>;
  /** `contentId`: what the HTML names it by (`cid:`), without angle brackets. */
  attachments: { filename: string; contentType: string; content: Buffer; contentId?: string }[];
  /**
   * The envelopes to send, one for each recipient without a result yet, each with its return path. Adapters that use no
   * return paths ignore them. Undefined: one envelope for all recipients, from the mailbox.
   */
  envelopes?: { from: string; to: string }[];
};

/**
 * The result for one recipient. `delivered`: in a mailbox. `accepted`: by the next server. `captured`: stored and not
 * sent. `refused`: the next server refuses this recipient. `rejected`: it refuses the message.
 */
export type RecipientResult = {
  address: string;
  outcome: "delivered" | "accepted" | "captured" | "refused" | "rejected";
  /** The words of the next server. */
  detail?: string;
};

/**
 * `sent`: accepted; `recipients` has the result for each. `retry`: probably not sent, try again later (4xx, 5xx of an
 * API, timeout), after at least `retryAfterMs` if given; with `mayHaveLeft` there was no answer to the
 * message, so that it may have left, and a retry may send a second copy; `recipients` are those with a result, which are not repeated.
 * `refused`: final, nothing was sent.
 */
export type SendOutcome =
  | { outcome: "sent"; providerMessageId: string | null; recipients: RecipientResult[] }
  | { outcome: "retry"; error: string; retryAfterMs?: number; mayHaveLeft?: true; recipients?: RecipientResult[] }
  | { outcome: "refused"; error: string; recipients: RecipientResult[] };

/** Signs a mail (RFC 6376). Reading a private key from PEM takes longer than a signature, so `privateKey` was read. */
export type DkimKey = { domainName: string; keySelector: string; privateKey: KeyObject };

/** `retry`: try again later, after at least `retryAfterMs` if given. `refused`: only the operator can change it. */
export type IdentityFailure =
  | { outcome: "retry"; error: string; retryAfterMs?: number }
  | { outcome: "refused"; error: string };

/** `ref` is the provider's id of the identity, stored and passed back. Null: the operator manages identities. */
export type IdentityOutcome = { outcome: "done"; ref: string | null } | IdentityFailure;

/** A DNS record that the provider needs to send from a domain. */
export type IdentityRecord = {
  purpose: "dkim" | "return_path_mx" | "return_path_spf";
  type: "TXT" | "MX" | "CNAME";
  name: string;
  value: string;
  /** Of an MX record. */
  priority: number | null;
};

/** `isWaiting`: the provider checks the records only after `verify`. `detail`: the provider's word for the status. */
export type IdentityState = {
  status: "pending" | "ready" | "failed";
  isWaiting: boolean;
  detail: string;
  records: IdentityRecord[];
};

export type Outbound = {
  name: "local" | "smtp" | "resend";
  /** Whether the provider recognizes a message it already accepted, so that a retry never sends a second copy. */
  recognisesRepeats: boolean;
  /** Whether it sends with the return paths of `envelopes`. */
  usesReturnPaths: boolean;
  /**
   * Sends one message. Failures of the provider or the network are results, never exceptions.
   * @param onResult receives each final result of an envelope as it arrives, for a caller that may stop waiting
   * @param stop once it aborts, no envelope begins: the result is `retry`, with the results of those before. An envelope whose
   * transmission has begun is completed
   */
  send(mail: OutboundMail, onResult?: (result: RecipientResult) => void, stop?: AbortSignal): Promise<SendOutcome>;
  /** The bytes of a mail as `send` passes them on, without signatures. Undefined if the provider composes mail. */
  compose?(mail: OutboundMail): Promise<Buffer>;
  /** Sender identities, each for a domain. Undefined if the provider has none. */
  identities?: {
    /** Finds the identity of a domain, or creates it. Only for a domain that its organization may use. */
    open(domain: string): Promise<IdentityOutcome>;
    /** The identity as the provider has it; `gone`: it was removed there. */
    show(
      domain: string,
      ref: string,
    ): Promise<({ outcome: "done" } & IdentityState) | { outcome: "gone" } | IdentityFailure>;
    /** Makes the provider check the DNS records. */
    verify(ref: string): Promise<IdentityOutcome>;
    /** Removes the identity of a domain that nothing uses any more, if one of `refs` says that we created it. */
    close(domain: string, refs: string[]): Promise<IdentityOutcome>;
  };
  close(): Promise<void>;
};
