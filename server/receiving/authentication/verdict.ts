// The input and result types of sender authentication, without mailauth, which only the thread imports.
import type { Authentication } from "#db/message-parts.ts";

export type InboundMail = {
  raw: Buffer;
  /** Null for mail from inside the service, which has no SPF result. */
  remoteIp: string | null;
  helo: string | null;
  /** Empty for the null sender. */
  envelopeFrom: string;
  /** The address that server/receiving/headers.ts chose. */
  from: string;
};

/** `keepMs`: for how long it is also that of other mail of the sender, as DNS was answered. 0: of this mail alone. */
export type Verdict = { authentication: Authentication; keepMs: number };

/** The result for mail that cannot be checked. */
export const UNREADABLE: Authentication = {
  spf: "none",
  dkim: "permerror",
  dmarc: "permerror",
  arc: "permerror",
  aligned_from: false,
};
