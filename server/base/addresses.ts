// Reads mail addresses, domains, recipients and message ids: one reader for each, used wherever one comes in.
import { domainToASCII } from "node:url";

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const DOMAIN_CHARS = 253;
const LOCAL_CHARS = 64;
const ATEXT = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** What may stand between `<` and `>` in Message-ID, In-Reply-To and References (RFC 5322 §3.6.4, without folding). */
const MESSAGE_ID = /^[\x21-\x3b\x3d\x3f-\x7e]+$/;
/** With its header's name it must fit a line (RFC 5322 §2.1.1), and nothing inside it can be folded. */
const MESSAGE_ID_CHARS = 900;
const NAMED = /^\s*(?:"((?:[^"\\]|\\.)*)"|([^<>"]*?))\s*<([^<>\s]+)>\s*$/;

/** A domain in lower-case ASCII (IDNA), or undefined when it is none (RFC 1035 §2.3.1, RFC 5891). */
export function readDomain(text: string): string | undefined {
  // domainToASCII also takes URL host forms (percent escapes, ports, IPv4 numbers), which are no mail domains.
  if (/[\s%:/?#[\]@\\]/.test(text)) return;
  const ascii = domainToASCII(text);
  const labels = ascii.split(".");
  if (ascii.length > DOMAIN_CHARS || !labels.every((label) => LABEL.test(label))) return;
  return /^[0-9]+$/.test(labels.at(-1) ?? "") ? undefined : ascii;
}

/** `local@domain` taken apart, the domain normalised; undefined when it is no plain address (RFC 5321 §4.1.2, dot-string). */
export function readAddress(text: string): { address: string; local: string; domain: string } | undefined {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  const domain = at > 0 ? readDomain(text.slice(at + 1)) : undefined;
  if (!domain || local.length > LOCAL_CHARS || !ATEXT.test(local)) return;
  return { address: `${local}@${domain}`, local, domain };
}

/** A recipient as a person writes it, `a@b.example` or `Name <a@b.example>`; undefined when it is neither. */
export function readRecipient(text: string): string | undefined {
  if (/[\r\n\0]/.test(text)) return;
  return readAddress(NAMED.exec(text)?.[3] ?? text.trim())?.address;
}

/** The mailbox behind an envelope recipient: lower case, the plus-tag dropped. Undefined when it cannot be one of ours. */
export function readMailbox(recipient: string): string | undefined {
  const parsed = readAddress(recipient);
  if (!parsed) return;
  const plus = parsed.local.indexOf("+");
  const local = plus > 0 ? parsed.local.slice(0, plus) : parsed.local;
  return `${local.toLowerCase()}@${parsed.domain}`;
}

/** Whether a header can carry this id. */
export function isMessageId(id: string): boolean {
  return id.length <= MESSAGE_ID_CHARS && MESSAGE_ID.test(id);
}
