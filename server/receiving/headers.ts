// Parses the header block of a mail, limited in octets and lines. `from` has one rule everywhere: the first valid
// address of the first From header, which DMARC checks; otherwise the envelope sender; otherwise the empty string.
import { addressParser, decodeWords } from "postal-mime";
import { readFrom } from "./authentication/read-from.ts";

const BLOCK_BYTES = 65_536;
const BLOCK_LINES = 1_000;
/** Limits how much of an address list is parsed when mail is accepted; body parsing reads the whole list. */
const SUMMARY_LIST_CHARS = 4_096;
const REFERENCES = 100;
/** Longer ids fit neither into an index entry nor into a line of a mail (RFC 5322 §2.1.1). */
const MESSAGE_ID_BYTES = 998;
const ADDRESS_CHARS = 320;
const SUBJECT_CHARS = 998;
const NAME_CHARS = 320;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

export type HeaderBlock = {
  /** Header lines in order, `[name, value]`: unfolded (RFC 5322 §2.2.3), otherwise as sent. */
  lines: [string, string][];
  /** Octets before the body; the whole length if there is no empty line. */
  bodyStart: number;
};

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

function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  // Only spaces and tabs: with other white space, one header name could pass for another.
  while (start < end && (text.charCodeAt(start) === SPACE || text.charCodeAt(start) === TAB)) start += 1;
  while (end > start && (text.charCodeAt(end - 1) === SPACE || text.charCodeAt(end - 1) === TAB)) end -= 1;
  return text.slice(start, end);
}

function bodyStart(raw: Buffer): number {
  if (raw[0] === CR && raw[1] === LF) return 2;
  const end = raw.indexOf("\r\n\r\n");
  return end < 0 ? raw.length : end + 4;
}

function readBlock(raw: Buffer, end: number): string {
  if (end <= BLOCK_BYTES) return raw.toString("utf8", 0, end);
  const cut = raw.lastIndexOf(LF, BLOCK_BYTES - 1);
  return raw.toString("utf8", 0, cut + 1);
}

function splitLine(line: string): [string, string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [trimBlanks(line), ""];
  const value = line.slice(colon + 1);
  return [trimBlanks(line.slice(0, colon)), trimBlanks(value.includes("\r") ? value.replace(/\r+/g, " ") : value)];
}

/** The header block of a mail: at most its first 64 KiB and 1,000 lines; a line cut by the limit is dropped. */
export function readHeaders(raw: Buffer): HeaderBlock {
  const start = bodyStart(raw);
  const text = readBlock(raw, start);
  const unfolded: string[] = [];
  for (let at = 0, count = 0; at < text.length && count < BLOCK_LINES; count += 1) {
    const lf = text.indexOf("\n", at);
    let end = lf < 0 ? text.length : lf;
    const next = end + 1;
    while (end > at && text.charCodeAt(end - 1) === CR) end -= 1;
    if (end === at) break;
    const first = text.charCodeAt(at);
    const line = text.slice(at, end);
    if ((first === SPACE || first === TAB) && unfolded.length > 0) unfolded[unfolded.length - 1] += line;
    else unfolded.push(line);
    at = next;
  }
  return { lines: unfolded.map(splitLine), bodyStart: start };
}

/** Every mailbox of every header of that name, in order, groups flattened. */
export function addressList(block: HeaderBlock, name: string, maxChars = Number.POSITIVE_INFINITY): string[] {
  const addresses: string[] = [];
  let left = maxChars;
  for (const [key, value] of block.lines) {
    if (key.length !== name.length || key.toLowerCase() !== name || left <= 0) continue;
    // Cut after a comma, so that no address is cut in half.
    const text = value.length > left ? value.slice(0, value.lastIndexOf(",", left) + 1) : value;
    left -= value.length;
    for (const { address } of addressParser(text, { flatten: true })) {
      if (address) addresses.push(storableLine(address, ADDRESS_CHARS));
    }
  }
  return addresses;
}

function messageIds(value: string | undefined): string[] {
  if (!value) return [];
  const bracketed = value.match(/<[^<>\s]+>/g)?.map((id) => id.slice(1, -1));
  const ids = bracketed ?? value.split(/[\s<>]+/).filter(Boolean);
  return ids.map((id) => storable(id, id.length)).filter((id) => id && Buffer.byteLength(id) <= MESSAGE_ID_BYTES);
}

function sender({ lines }: HeaderBlock): MailSummary["from"] {
  const { author } = readFrom(lines);
  return author && { address: author.address, name: storableLine(author.name, NAME_CHARS) || null };
}

/** The parsed block; if a header that may occur once is repeated, the first one counts. */
export function summarize(block: HeaderBlock): MailSummary {
  const first = new Map<string, string>();
  let hops = 0;
  for (const [name, value] of block.lines) {
    const key = name.toLowerCase();
    if (key === "received") hops += 1;
    if (!first.has(key)) first.set(key, value);
  }
  const list = (name: string) => (first.has(name) ? addressList(block, name, SUMMARY_LIST_CHARS) : []);
  return {
    from: sender(block),
    to: list("to"),
    cc: list("cc"),
    replyTo: list("reply-to"),
    subject: storableLine(decodeWords(first.get("subject") ?? ""), SUBJECT_CHARS),
    messageId: messageIds(first.get("message-id"))[0] ?? null,
    inReplyTo: messageIds(first.get("in-reply-to"))[0] ?? null,
    references: messageIds(first.get("references")).slice(-REFERENCES),
    hops,
  };
}
