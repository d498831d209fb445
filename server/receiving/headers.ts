// Reads the fields of a header block that are needed before the body is read. `from` has one rule everywhere: the first valid
// address of the first From header, which DMARC checks; otherwise the envelope sender; otherwise the empty string.
import addressParser from "nodemailer/lib/addressparser";
import type { HeaderBlock } from "../mime/headers.ts";
import { decodeWords } from "../mime/words.ts";
import { type From, readFrom } from "./authentication/read-from.ts";

/** Limits how much of an address list is parsed outside of worker threads; body parsing reads the whole list. */
export const SUMMARY_LIST_CHARS = 4_096;
const REFERENCES = 100;
/** Longer ids fit neither into an index entry nor into a line of a mail (RFC 5322 §2.1.1). */
const MESSAGE_ID_BYTES = 998;
const ADDRESS_CHARS = 320;
const SUBJECT_CHARS = 998;
const NAME_CHARS = 320;
/** Some programs write a link in the place of an address. */
const MAILTO = /^mailto:/i;

/** The data of a mail that is needed before its body is parsed. */
export type MailSummary = {
  /** Undefined if the first From header has no valid address. */
  from: { address: string; name: string | null } | undefined;
  to: string[];
  cc: string[];
  replyTo: string[];
  subject: string;
  /** Ids are without angle brackets. */
  messageId: string | null;
  inReplyTo: string | null;
  /** Oldest first. */
  references: string[];
  /** Number of Received headers. */
  hops: number;
};

/** Text that PostgreSQL can store: no NUL, no half surrogate pair, at most `max` UTF-16 units. */
export function storable(text: string, max: number): string {
  const short = text.length > max ? text.slice(0, max) : text;
  return (short.includes("\0") ? short.replaceAll("\0", "") : short).toWellFormed();
}

function storableLine(text: string, max: number): string {
  return storable(text.replace(/\p{Cc}+/gu, " ").trim(), max);
}

/** One mailbox as most programs write it, and the comma behind it: `Ann Lee <ann@shop.example>`, `"Lee" <…>`, `ann@shop.example`. */
const SIMPLE = /[ \t]*(?:(?:(?:[\w.-]+[ \t]+)*|"[\w .-]*"[ \t]*)<([\w.+-]+@[\w.-]+)>|([\w.+-]+@[\w.-]+))[ \t]*(?:,|$)/y;

/** The addresses of a list of such mailboxes, as the parser of all lists reads them at many times the cost. */
function simpleAddresses(text: string): string[] | undefined {
  const addresses: string[] = [];
  SIMPLE.lastIndex = 0;
  for (let at = 0; at < text.length; at = SIMPLE.lastIndex) {
    const [found, named, bare] = SIMPLE.exec(text) ?? [];
    if (found === undefined) return;
    addresses.push(named ?? bare ?? "");
  }
  return addresses;
}

/** The values of the headers of that name, in order, up to `maxChars` in all. */
function* listsOf({ lines }: Pick<HeaderBlock, "lines">, name: string, maxChars: number): Generator<string> {
  let left = maxChars;
  for (const [key, value] of lines) {
    if (key.length !== name.length || key.toLowerCase() !== name || left <= 0) continue;
    // Cut after a comma, so that no address is cut in half.
    yield value.length > left ? value.slice(0, value.lastIndexOf(",", left) + 1) : value;
    left -= value.length;
  }
}

/** An address without the blanks that old programs write around its @ (RFC 5322 §4.4). */
function withoutBlanks(address: string): string {
  const at = address.lastIndexOf("@");
  return at < 0 ? address : `${address.slice(0, at).trimEnd()}@${address.slice(at + 1).trimStart()}`;
}

/** Every mailbox of every header of that name, in order, groups flattened. */
export function addressList(block: HeaderBlock, name: string, maxChars = Number.POSITIVE_INFINITY): string[] {
  const addresses: string[] = [];
  for (const text of listsOf(block, name, maxChars)) {
    const found = simpleAddresses(text) ?? addressParser(text, { flatten: true }).map(({ address }) => address);
    for (const address of found) {
      if (address) addresses.push(storableLine(withoutBlanks(address.replace(MAILTO, "")), ADDRESS_CHARS));
    }
  }
  return addresses;
}

/**
 * The names before these addresses in the headers of that name, by address in lower case. The first name of an address counts.
 * @param maxChars of the headers that are parsed; addresses behind them have no name
 */
export function namesIn(
  block: Pick<HeaderBlock, "lines" | "charset">,
  { header, addresses, maxChars }: { header: string; addresses: string[]; maxChars: number },
): Map<string, string> {
  const names = new Map<string, string>();
  const wanted = new Set(addresses.map((address) => address.toLowerCase()));
  for (const text of listsOf(block, header, maxChars)) {
    for (const { address = "", name: words } of addressParser(text, { flatten: true })) {
      const key = address.toLowerCase();
      if (!wanted.has(key)) continue;
      const shown = storableLine(decodeWords(words, block.charset), NAME_CHARS);
      if (!shown) continue;
      names.set(key, shown);
      wanted.delete(key);
    }
  }
  return names;
}

function messageIds(value: string | undefined): string[] {
  if (!value) return [];
  // Some programs encode long ids, and some fold them.
  const text = decodeWords(value);
  const bracketed = text.match(/<[^<>]+>/g)?.map((id) => id.slice(1, -1).replace(/\s+/g, ""));
  const ids = bracketed ?? text.split(/[\s<>]+/).filter(Boolean);
  return ids.map((id) => storable(id, id.length)).filter((id) => id && Buffer.byteLength(id) <= MESSAGE_ID_BYTES);
}

function sender({ author }: From): MailSummary["from"] {
  return author && { address: author.address, name: storableLine(author.name, NAME_CHARS) || null };
}

/** The parsed block; if a header that may occur once is repeated, the first one counts. */
export function summarize(block: HeaderBlock, from = readFrom(block.lines, block.charset)): MailSummary {
  const first = new Map<string, string>();
  let hops = 0;
  for (const [name, value] of block.lines) {
    const key = name.toLowerCase();
    if (key === "received") hops += 1;
    if (!first.has(key)) first.set(key, value);
  }
  const list = (name: string) => (first.has(name) ? addressList(block, name, SUMMARY_LIST_CHARS) : []);
  return {
    from: sender(from),
    to: list("to"),
    cc: list("cc"),
    replyTo: list("reply-to"),
    subject: storableLine(decodeWords(first.get("subject") ?? "", block.charset), SUBJECT_CHARS),
    messageId: messageIds(first.get("message-id"))[0] ?? null,
    inReplyTo: messageIds(first.get("in-reply-to"))[0] ?? null,
    references: messageIds(first.get("references")).slice(-REFERENCES),
    hops,
  };
}
