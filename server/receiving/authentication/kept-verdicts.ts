// Keeps the verdicts of senders whose mail is not signed. Of such a mail only the sender's address, the envelope and the domain of From count, so
// that the next mail of the sender gets the same verdict without DNS and without the thread.
import { LRUCache } from "lru-cache";
import type { Authentication } from "#db/message-parts.ts";
import { domainOf } from "./dmarc.ts";
import { boundMail } from "./header-block.ts";
import type { InboundMail } from "./verdict.ts";

const KEPT = 4_096;

/** ARC too: a broken chain is part of the verdict. */
const SIGNED = /^(?:dkim-signature|arc-)/im;
/** On one line. */
const FROM_LINE = /^from[ \t]*:([^\r\n]*)\r\n(?![ \t])/im;
/**
 * One address as almost all mail has it, with a name that has nothing of an address: every mail program reads it alike. All
 * others are read in the thread. No blank fits two parts, so that no text takes more than linear time.
 */
const PLAIN_FROM =
  /^[ \t]*(?:(?:"[\w .,'&=?+/-]*"[ \t]*|[\w.'&=?+/-]+(?: +[\w.'&=?+/-]+)*[ \t]*)?<([\w.+=-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63})>|([\w.+=-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63}))[ \t]*$/i;
/** SPF macros could make something of others. */
const PLAIN_LOCAL = /^[\w.+=-]{1,64}@/;
const ADDRESS_CHARS = 320;

export type KeptVerdicts = LRUCache<string, Authentication>;

/** @param now in milliseconds */
export function createKeptVerdicts(now: () => number): KeptVerdicts {
  return new LRUCache({ max: KEPT, perf: { now }, ttlResolution: 0 });
}

/**
 * What the verdict of a mail depends on beside DNS; undefined if it also depends on the rest of the mail: it is signed, or programs may
 * find another author than `from`.
 */
export function senderOf({ raw, remoteIp, helo, envelopeFrom, from }: InboundMail): string | undefined {
  if (envelopeFrom.length > ADDRESS_CHARS || from.length > ADDRESS_CHARS) return;
  const bounded = boundMail(raw);
  if (bounded?.fromFields !== 1 || SIGNED.test(bounded.block)) return;
  const [, angled, bare] = PLAIN_FROM.exec(FROM_LINE.exec(bounded.block)?.[1] ?? "") ?? [];
  const author = domainOf(angled ?? bare ?? "");
  if (author === "" || author !== domainOf(from)) return;
  const sender = envelopeFrom.replace(PLAIN_LOCAL, "@").toLowerCase();
  return JSON.stringify([remoteIp, helo, sender, author]);
}
