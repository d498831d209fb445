// What the checks of a mail's sender are given, and what they say; without mailauth, which only the thread loads.
import type { Authentication } from "#db/message-parts.ts";

export type InboundMail = {
  raw: Buffer;
  /** Null for a mail that was handed over inside the service: then there is no SPF. */
  remoteIp: string | null;
  helo: string | null;
  /** Empty for the null sender. */
  envelopeFrom: string;
  /** The address that server/messages/inbound/headers.ts chose. */
  from: string;
};

/** What a mail gets that cannot be looked into. */
export const UNREADABLE: Authentication = {
  spf: "none",
  dkim: "permerror",
  dmarc: "permerror",
  arc: "permerror",
  aligned_from: false,
};
