// The port for events that a mail provider posts to this service. Implemented by
// server/adapters/{resend,ses,postmark,mailgun,sendgrid}-events.ts, all tested by test/contracts/provider-events.
import type { IncomingHttpHeaders } from "node:http";

export type ProviderName = "resend" | "ses" | "postmark" | "mailgun" | "sendgrid";

/** What the event calls the message. Null: the provider does not say. */
export type MessageNames = {
  /** The provider's own id. */
  providerMessageId: string | null;
  /** The API id (`msg_…`) that the message carried beside its content. */
  taggedId: string | null;
  /** The Message-ID that this service gave it, without angle brackets. */
  messageId: string | null;
  /** The envelope sender. */
  returnPath: string | null;
};

/** What the provider says about a sent message. */
export type ProviderReport = {
  /** `unsubscribed`: the recipient wants no more mail of the mailbox. */
  status: "delivered" | "bounced" | "complained" | "failed" | "delayed" | "unsubscribed";
  message: MessageNames;
  /** Whom it is about, in lower case: one recipient, or some of a whole To field. */
  about: { recipient: string } | { field: string[] };
  /** The words of the receiving server or of the provider, and nothing else. */
  reason: string | null;
  /** For a bounce: whether the address will never work. Null: the provider does not say. */
  permanent: boolean | null;
  at: Date;
};

/** A mail that the provider received for this service. */
export type ProviderArrival = {
  /** The provider's id of the mail. */
  emailId: string;
  /** Empty if the provider names no sender. */
  from: string;
  /** The envelope recipients. */
  recipients: string[];
  /** The bytes of the mail, at most `maxBytes`. Failures are results, never exceptions. */
  fetchRaw(maxBytes: number): Promise<Download>;
};

/** `release`: call it when `raw` is no longer needed. `later`: may work when the provider repeats the event. */
export type Download =
  | { outcome: "raw"; raw: Buffer; release: () => void }
  | { outcome: "too_large" }
  | { outcome: "later"; error: string };

/**
 * `id`: the same for every copy of one event. `once`: the signature covers the id and not the rest, so that the id counts as used even
 * if the event changes nothing. `malformed`: signed, with unknown content that a repetition would have too.
 */
export type ProviderEvent = { id: string; once?: true } & (
  | { kind: "report"; report: ProviderReport }
  | { kind: "arrival"; mail: ProviderArrival }
  | { kind: "other" | "malformed" }
);

/** Gets a URL of Amazon SNS, for the events of SES. Rejects if there is no answer in time; follows no redirects. */
export type SnsGet = (url: URL) => Promise<{ status: number; text: string }>;

export type ProviderEvents = {
  /** Octets of the largest body. */
  maxBytes: number;
  /** What an operator does if signatures are refused. */
  fix: string;
  /**
   * Checks who wrote this body, and when, without a query.
   * @returns undefined if the provider did not; `malformed` if it did, but the body has unknown content; `later` if that cannot be
   * found out now: the reason, for the log
   */
  read(
    body: Buffer,
    headers: IncomingHttpHeaders,
  ): Promise<ProviderEvent[] | "malformed" | { later: string } | undefined>;
  /** Ends running requests. */
  close(): Promise<void>;
};
