// Parses mail addresses, domains, recipients and message ids, with one parser for each.
import { isAscii } from "node:buffer";
import { domainToASCII, domainToUnicode } from "node:url";
import type { RecipientNames } from "#db/message-parts.ts";

/** A label of the name of a host, in lower-case ASCII (RFC 1035 §2.3.1). */
export const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
/** The prefix of a label in Punycode. */
const ACE = "xn--";
/** Of a whole name, without the dot at its end (RFC 1035 §2.3.4). */
export const DOMAIN_CHARS = 253;
/**
 * RFC 5321 §4.5.3.1.3, without brackets. Local parts have no separate limit: addresses for answers of issue trackers have more than the 64 octets of
 * §4.5.3.1.1, and arrive.
 */
const ADDRESS_OCTETS = 254;
/** A recipient with its name. */
const RECIPIENT_CHARS = 400;
/**
 * Dots may be anywhere: `a..b@` and `a.@` are addresses of existing people, which providers gave out against RFC 5321 §4.1.2. Letters
 * of all scripts: RFC 6531.
 */
const LOCAL = /^(?!\.+$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~.\-\p{L}\p{M}\p{N}\p{So}]+$/u;
/** A quoted local part (RFC 5321 §4.1.2), without what other readers could take for the end of it, of the address or of a list. */
const QUOTED_LOCAL = /^"([ !#-+\--9=?A-[\]-~]*)"$/;
/** The characters allowed between `<` and `>` in Message-ID, In-Reply-To and References (RFC 5322 §3.6.4, unfolded). */
const MESSAGE_ID = /^[\x21-\x3b\x3d\x3f-\x7e]+$/;
/** An id must fit on one line with its header's name (RFC 5322 §2.1.1), because it cannot be folded. */
const MESSAGE_ID_CHARS = 900;
/** Without white space around it, which would fit two parts, so that no text takes more than linear time. */
const NAMED = /^(?:"((?:[^"\\]|\\.)*)"\s*|([^<>"]*))<([^<>]+)>$/;
/** A name that needs no quotes before an address, in any script (RFC 6532 §3.2). A dot is one more character that readers take (RFC 5322 §4.1). */
const PLAIN_NAME = /^[\p{L}\p{M}\p{N}\p{So}_.'-]+(?: [\p{L}\p{M}\p{N}\p{So}_.'-]+)*$/u;

/**
 * Returns a domain in lower-case ASCII (IDNA), or undefined if it is not a valid domain (RFC 1035 §2.3.1, RFC 5891).
 */
export function readDomain(text: string): string | undefined {
  // domainToASCII also accepts URL host forms (percent escapes, ports, IPv4 numbers), which are not mail domains.
  if (/[\s%:/?#[\]@\\]/.test(text)) return;
  const ascii = domainToASCII(text);
  const labels = ascii.split(".");
  if (ascii.length > DOMAIN_CHARS || !labels.every((label) => LABEL.test(label))) return;
  if (ascii.includes(ACE) && !labels.every(isValidIfEncoded)) return;
  return /^[0-9]+$/.test(labels.at(-1) ?? "") ? undefined : ascii;
}

/** Whether a label with the prefix `xn--` stands for the Unicode label that is encoded as it is (RFC 5891 §5.4, UTS 46). */
function isValidIfEncoded(label: string): boolean {
  if (!label.startsWith(ACE)) return true;
  // An invalid one is returned as it is, by some versions of Node as "".
  const unicode = domainToUnicode(label);
  return unicode.slice(2, 4) !== "--" && domainToASCII(unicode) === label;
}

/** Without quotes, where they are not needed: they are no part of the name (RFC 5321 §4.1.2). Undefined if it is not one. */
function readLocal(text: string): string | undefined {
  const quoted = QUOTED_LOCAL.exec(text)?.[1];
  const local = (quoted ?? text).normalize();
  if (LOCAL.test(local)) return local;
  return quoted?.trim() ? text : undefined;
}

/** The domain of an address. Names of hosts may have `_` (RFC 2181 §11), and end in the dot of the root. */
function readHost(text: string): string | undefined {
  const host = text.replace(/\.$/, "");
  if (!host.includes("_")) return readDomain(host);
  return isAscii(Buffer.from(host)) && readDomain(host.replaceAll("_", "x")) ? host.toLowerCase() : undefined;
}

/** Splits `local@domain` and normalizes both. Undefined if it is not an address. */
export function readAddress(text: string): { address: string; local: string; domain: string } | undefined {
  if (Buffer.byteLength(text) > ADDRESS_OCTETS) return;
  const at = text.lastIndexOf("@");
  const domain = at > 0 ? readHost(text.slice(at + 1)) : undefined;
  const local = domain && readLocal(text.slice(0, at));
  if (!domain || !local) return;
  return { address: `${local}@${domain}`, local, domain };
}

/** Whether every server on the way must support SMTPUTF8 (RFC 6531): domains have a form in ASCII, local parts have none. */
export function needsSmtpUtf8(address: string): boolean {
  return /\P{ASCII}/u.test(address);
}

/**
 * Parses a recipient as people write it: `a@b.example`, `Name <a@b.example>` or `"Name, B." <a@b.example>`. Undefined if it is none of
 * these. `name` is empty if there is none, or if it is the address.
 */
export function readRecipient(text: string): { address: string; name: string } | undefined {
  if (text.length > RECIPIENT_CHARS || /[\r\n\0]/.test(text)) return;
  const trimmed = text.trim();
  const [, quoted, plain = "", inBrackets] = NAMED.exec(trimmed) ?? [];
  const address = readAddress(inBrackets?.trim() ?? trimmed)?.address;
  if (!address) return;
  const name = shownName(quoted?.replace(/\\(.)/g, "$1") ?? plain);
  const recipient = { address, name: name.toLowerCase() === address.toLowerCase() ? "" : name };
  return writeRecipient(recipient).length > RECIPIENT_CHARS ? undefined : recipient;
}

/** A name in one line, without what turns the direction of the text behind it (UAX #9 §2). */
export function shownName(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
}

/** `Ann <ann@shop.example>`, with the name in quotes where it needs them (RFC 5322 §3.4). */
export function writeRecipient({ address, name }: { address: string; name: string }): string {
  if (name === "") return address;
  return PLAIN_NAME.test(name) ? `${name} <${address}>` : `"${name.replace(/["\\]/g, "\\$&")}" <${address}>`;
}

/** Addresses with their names before them, where there are names. */
export function writeRecipients(addresses: string[], names: RecipientNames | null): string[] {
  const byAddress = new Map(names);
  return addresses.map((address) => writeRecipient({ address, name: byAddress.get(address) ?? "" }));
}

/** Splits a list of recipients at the commas that are outside quotes and angle brackets. Unclosed ones reach to the end. */
export function splitRecipients(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let closing: '"' | ">" | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (closing) {
      if (closing === '"' && char === "\\") at += 1;
      else if (char === closing) closing = undefined;
    } else if (char === '"') closing = '"';
    else if (char === "<") closing = ">";
    else if (char === ",") {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

/**
 * Leaves out each recipient that an earlier list or place has already. Case makes no difference: servers could tell
 * `a@` from `A@` (RFC 5321 §2.4), but in practice both are one mailbox.
 */
export function withoutRepeats<Lists extends Record<"to" | "cc" | "bcc", string[]>>(lists: Lists): Lists {
  const taken = new Set<string>();
  const isFirst = (address: string) => taken.size < taken.add(address.toLowerCase()).size;
  const [to, cc, bcc] = [lists.to, lists.cc, lists.bcc].map((list) => list.filter(isFirst));
  return { ...lists, to, cc, bcc };
}

/**
 * The mailbox address of an envelope recipient: lower case, without the plus tag. Undefined if no mailbox can have it.
 */
export function readMailbox(recipient: string): string | undefined {
  const parsed = readAddress(recipient);
  if (!parsed) return;
  // A tag may need the quotes that are around both; the name of a mailbox needs none.
  const name = parsed.local.startsWith('"') ? parsed.local.slice(1, -1) : parsed.local;
  const plus = name.indexOf("+");
  const local = plus > 0 ? name.slice(0, plus) : parsed.local;
  return `${local.toLowerCase()}@${parsed.domain}`;
}

/** Whether a header can hold this id. */
export function isMessageId(id: string): boolean {
  return id.length <= MESSAGE_ID_CHARS && MESSAGE_ID.test(id);
}
