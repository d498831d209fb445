// The port for events that a mail provider posts to this service. Implemented by server/adapters/resend-events.ts.
import type { IncomingHttpHeaders } from "node:http";

/** What the provider says about a sent message. */
export type ProviderReport = {
  status: "delivered" | "bounced" | "complained" | "failed" | "delayed";
  /** The provider's id of the message. */
  providerMessageId: string;
  /** The API id (`msg_…`) that the message carried as a tag; null: none. */
  taggedId: string | null;
  /** The addresses that the event names, in lower case. They may be the whole To field. */
  addresses: string[];
  /** The words of the receiving server or of the provider. */
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
};

/** `release`: call it when `raw` is no longer needed. `later`: may work when the provider repeats the event. */
export type Download =
  | { outcome: "raw"; raw: Buffer; release: () => void }
  | { outcome: "too_large" }
  | { outcome: "later"; error: string };

/** `id`: the same for every copy of one event. */
export type ProviderEvent =
  | { kind: "report"; id: string; report: ProviderReport }
  | { kind: "arrival"; id: string; mail: ProviderArrival }
  | { kind: "other"; id: string };

export type ProviderEvents = {
  /**
   * Checks the signature and its age, without a query.
   * @returns undefined if the provider did not sign this body; `malformed` if it did, but the body has unknown content
   */
  read(body: Buffer, headers: IncomingHttpHeaders): ProviderEvent | "malformed" | undefined;
  /** The bytes of a mail that arrived, at most `maxBytes`. Failures are results, never exceptions. */
  fetchRaw(emailId: string, maxBytes: number): Promise<Download>;
  /** Ends running downloads. */
  close(): Promise<void>;
};
