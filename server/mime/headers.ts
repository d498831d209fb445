// Reads the header block of a mail or of one of its parts, limited in octets and lines, and the parameters of a field.
import { isUtf8 } from "node:buffer";
import { decodeText } from "./charset.ts";
import { decodeWords, keepOctets } from "./words.ts";

const BLOCK_BYTES = 65_536;
const BLOCK_LINES = 1_000;
/** How far behind these limits the end of the header of a mail is looked for. */
const END_BYTES = 8 * 1024 * 1024;
/** Of one field that is read for parameters. */
const FIELD_CHARS = 16_384;
const PARAMETERS = 100;
/** How far behind the header block the charset of a text is looked for. */
const CHARSET_BYTES = 4_096;
/** Empty lines before a header block that begins late. */
const LATE_BYTES = 64;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const DASH = 0x2d;
const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf);

export type HeaderBlock = {
  /** Header lines in order, `[name, value]`: unfolded (RFC 5322 §2.2.3), as sent; octets that are not UTF-8 as `keepOctets` has them. */
  lines: [string, string][];
  /** Where the body starts; the end of the mail if there is no empty line, or one very far behind the limits. */
  bodyStart: number;
  /** The first charset that the mail declares, for octets of the header that are not UTF-8; "" if there is none. */
  charset: string;
  /** Whether the block does not begin or end as it must. */
  isRepaired: boolean;
};

/** A field name, a colon. */
const FIELD = /^[!-9;-~]{1,256}[ \t]*:/;
/** The first line of a mail that was in an mbox file (RFC 4155). */
const MBOX_LINE = /^>?From /;
const PARAMETER = /^[\w-]{1,64}\*?\d{0,3}\*?[ \t]*=/;

function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  // Only spaces and tabs: with other white space, one header name could pass for another.
  while (start < end && (text.charCodeAt(start) === SPACE || text.charCodeAt(start) === TAB)) start += 1;
  while (end > start && (text.charCodeAt(end - 1) === SPACE || text.charCodeAt(end - 1) === TAB)) end -= 1;
  return text.slice(start, end);
}

function splitLine(line: string): [string, string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [trimBlanks(line), ""];
  const value = line.slice(colon + 1);
  return [trimBlanks(line.slice(0, colon)), trimBlanks(value.includes("\r") ? value.replace(/\r+/g, " ") : value)];
}

/** Where the line ends, without its line break, and where the next one starts. */
function lineAt(raw: Buffer, at: number, end: number): { stop: number; next: number } {
  const lf = raw.indexOf(LF, at);
  const next = lf < 0 || lf >= end ? end : lf + 1;
  let stop = next === end && (lf < 0 || lf >= end) ? end : lf;
  while (stop > at && raw[stop - 1] === CR) stop -= 1;
  return { stop, next };
}

/** Whether a line continues the field before it although it does not start with a space: `boundary="a"` after `;`. */
function continues(line: string, before: string | undefined): boolean {
  return before?.trimEnd().endsWith(";") === true && PARAMETER.test(line);
}

/**
 * `isBoundary`: whether a line that starts with `--` is a boundary, which ends the block. `field`: lines that are fields and
 * no words, behind a line that is none. `isPart`: the header may be missing, with its empty line.
 */
export type Ends = { isBoundary: (at: number, stop: number) => boolean; field: RegExp; isPart?: boolean };

/** A line `--x` is no field: before it, the empty line of a multipart is missing. */
export const isBare = (raw: Buffer, at: number, stop: number) => !raw.subarray(at, stop).includes(":");

/** The ends of the line before an empty line and of that line, as programs write them. */
const EMPTY_LINES = ["\n\n", "\n\r\n", "\n\r\r\n"].map((text) => Buffer.from(text));

/** Where the body starts behind the first empty line from `at` on, which is the start of a line; undefined if there is none near. */
function behindEmptyLine(raw: Buffer, at: number): number | undefined {
  const near = raw.subarray(at - 1, at + END_BYTES);
  const found = EMPTY_LINES.map((line) => ({ start: near.indexOf(line), length: line.length }));
  const [first] = found.filter(({ start }) => start >= 0).sort((a, b) => a.start - b.start);
  return first && at - 1 + first.start + first.length;
}

/**
 * Reads the block that starts at `start`. Lines behind the limits are passed over: of a part line by line, and of a whole mail, which is
 * read where other work waits, without a look at each line.
 */
export function readBlock(raw: Buffer, start: number, end: number, ends: Ends): HeaderBlock {
  const unfolded: string[] = [];
  // The first line that is no field, and the first behind which there is none.
  let [junk, lastJunk] = [-1, -1];
  let [at, count, isRepaired, hasEnd] = [start, 0, false, false];
  let bodyStart = end;
  while (at < end) {
    const { stop, next } = lineAt(raw, at, end);
    if (stop === at) {
      bodyStart = next;
      hasEnd = true;
      break;
    }
    const first = raw[at];
    if (first === DASH && raw[at + 1] === DASH && ends.isBoundary(at, stop)) {
      bodyStart = at;
      isRepaired = at > start;
      break;
    }
    // A line that the limit cuts is dropped.
    if (next - start <= BLOCK_BYTES && count < BLOCK_LINES) {
      const line = keepOctets(raw.subarray(at, stop));
      const before = unfolded.at(-1);
      if ((first === SPACE || first === TAB) && before !== undefined) unfolded[unfolded.length - 1] += line;
      else if (continues(line, before)) {
        unfolded[unfolded.length - 1] += ` ${line}`;
        isRepaired = true;
      } else {
        const isJunk = (ends.isPart === true || unfolded.length > 0 || !MBOX_LINE.test(line)) && !FIELD.test(line);
        if (isJunk && junk < 0) junk = at;
        if (isJunk && lastJunk < 0) lastJunk = at;
        if (ends.field.test(line)) lastJunk = -1;
        unfolded.push(line);
      }
      count += 1;
    } else if (ends.isPart !== true) {
      const found = behindEmptyLine(raw, next);
      hasEnd = found !== undefined;
      bodyStart = found ?? end;
      break;
    }
    at = next;
  }
  // The empty line is missing: the body starts at a line that is no field.
  const words = hasEnd ? lastJunk : junk;
  if (words >= 0) {
    return { ...readBlock(raw.subarray(0, words), start, words, ends), bodyStart: words, isRepaired: true };
  }
  return { lines: unfolded.map(splitLine), bodyStart, charset: "", isRepaired };
}

/** Where the block starts: behind a byte order mark and empty lines, if a header with From follows them. */
function lateStart(raw: Buffer): number {
  let at = raw.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  while (at < LATE_BYTES && (raw[at] === CR || raw[at] === LF)) at += 1;
  if (at === 0) return 0;
  const lines =
    raw
      .toString("latin1", at, at + BLOCK_BYTES)
      .split(/\r?\n\r?\n/, 1)[0]
      ?.split(/\r?\n/) ?? [];
  const isHeader = lines.every((line, n) => FIELD.test(line) || (n > 0 && /^[ \t]/.test(line)));
  return isHeader && lines.some((line) => /^from[ \t]*:/i.test(line)) ? at : 0;
}

/** The header block of a mail: at most its first 64 KiB and 1,000 lines; a line cut by the limit is dropped. */
export function readHeaders(raw: Buffer): HeaderBlock {
  const start = lateStart(raw);
  const isBoundary = (at: number, stop: number) => isBare(raw, at, stop);
  const block = readBlock(raw, start, raw.length, { isBoundary, field: FIELD });
  const isPlain = isUtf8(raw.subarray(0, Math.min(block.bodyStart, BLOCK_BYTES)));
  const charset = isPlain ? "" : declaredCharset(raw, block.bodyStart);
  return { ...block, charset, isRepaired: block.isRepaired || start > 0 };
}

/** The first charset of a text: in the header, or in that of a first part. */
export function declaredCharset(raw: Buffer, bodyStart: number): string {
  const text = raw.toString("latin1", 0, Math.min(bodyStart, BLOCK_BYTES) + CHARSET_BYTES);
  for (const [, name = ""] of text.matchAll(/charset[ \t]{0,5}=[ \t]{0,5}"?([\w.:-]{1,40})/gi)) {
    if (!/^(?:us-ascii|utf-?8)$/i.test(name)) return name;
  }
  return "";
}

/** The value of the first field of that name, in lower case. */
export function firstValue({ lines }: HeaderBlock, name: string): string | undefined {
  return lines.find(([key]) => key.length === name.length && key.toLowerCase() === name)?.[1];
}

/** A field such as Content-Type: what stands before its parameters, and the parameters by their names in lower case. */
export type Field = { value: string; parameters: Map<string, string> };

type Segment = { text: string; isExtended: boolean };

function quotedEnd(text: string, start: number): { value: string; end: number } {
  let value = "";
  let at = start + 1;
  for (; at < text.length && text.charAt(at) !== '"'; at += 1) {
    const isPair = text.charAt(at) === "\\" && at + 1 < text.length && /["\\]/.test(text.charAt(at + 1));
    if (isPair) at += 1;
    value += text.charAt(at);
  }
  return { value, end: at + 1 };
}

/** Percent codes (RFC 2231 §4) as octets. */
function percentOctets(text: string): Buffer {
  const octets = Buffer.from(text);
  let to = 0;
  for (let at = 0; at < octets.length; at += 1, to += 1) {
    const code = octets[at] === 0x25 ? octets.toString("latin1", at + 1, at + 3) : "";
    const isCode = /^[0-9a-f]{2}$/i.test(code);
    octets[to] = isCode ? Number.parseInt(code, 16) : (octets[at] as number);
    if (isCode) at += 2;
  }
  return octets.subarray(0, to);
}

/** The segments of one parameter (RFC 2231 §3), joined and decoded. */
function joinSegments(segments: Map<number, Segment>, charset: string): string {
  const ordered = [...segments].sort(([a], [b]) => a - b).map(([, segment]) => segment);
  const [first] = ordered;
  if (!ordered.some(({ isExtended }) => isExtended))
    return decodeWords(ordered.map(({ text }) => text).join(""), charset);
  const mark = first?.isExtended ? /^([^']{0,80})'[^']{0,80}'/.exec(first.text) : null;
  const own = mark?.[1] ?? "";
  const octets = ordered.map(({ text, isExtended }, n) => {
    return isExtended ? percentOctets(n === 0 && mark ? text.slice(mark[0].length) : text) : Buffer.from(text);
  });
  return decodeText(Buffer.concat(octets), own, charset).text;
}

/** One parameter from `start`; `end` is behind the `;`, if there is one. */
function readParameter(text: string, start: number): { name: string; segment: Segment; end: number } {
  const semicolon = text.indexOf(";", start);
  const equals = text.indexOf("=", start);
  const stop = semicolon < 0 ? text.length : semicolon;
  if (equals < 0 || equals > stop) return { name: "", segment: { text: "", isExtended: false }, end: stop + 1 };
  const name = text.slice(start, equals).trim().toLowerCase();
  let at = equals + 1;
  while (text.charAt(at) === " " || text.charAt(at) === "\t") at += 1;
  const isExtended = name.endsWith("*");
  if (text.charAt(at) !== '"') {
    return {
      name,
      segment: { text: text.slice(at, Math.max(at, stop)).trim(), isExtended },
      end: Math.max(at, stop) + 1,
    };
  }
  const { value, end } = quotedEnd(text, at);
  // What stands behind the quotes is the next parameter, whose semicolon may be missing.
  let next = end;
  while (next < text.length && (text.charAt(next) === " " || text.charAt(next) === "\t")) next += 1;
  return {
    name,
    segment: { text: value, isExtended },
    end: text.charAt(next) === ";" ? next + 1 : next,
  };
}

/** @param charset of the rest of the mail, for octets that are not UTF-8 */
export function readField(field: string | undefined, charset: string): Field {
  const text = (field ?? "").slice(0, FIELD_CHARS);
  const start = /^[^;=]*/.exec(text)?.[0] ?? "";
  // `text/plain charset=utf-8` has no semicolon.
  const isOpen = text.charAt(start.length) === "=";
  const value = isOpen ? start.replace(/(?<![ \t])[ \t]+[\w*-]*$/, "") : start;
  const found = new Map<string, Map<number, Segment>>();
  for (let at = isOpen ? value.length : start.length + 1; at < text.length && found.size < PARAMETERS; ) {
    const { name, segment, end } = readParameter(text, at);
    const [, base = "", number = "0"] = /^([^*]+)(?:\*(\d{1,3}))?\*?$/.exec(name) ?? [];
    const kind = segment.isExtended && !/\*\d/.test(name) ? `${base}*` : base;
    const segments = found.get(kind) ?? new Map<number, Segment>();
    if (base !== "" && !segments.has(Number(number))) found.set(kind, segments.set(Number(number), segment));
    at = end;
  }
  const parameters = new Map([...found].map(([name, segments]) => [name, joinSegments(segments, charset)]));
  // The form with a charset counts (RFC 6266 §4.3, as mail programs do).
  for (const [name, text] of parameters) if (name.endsWith("*")) parameters.set(name.slice(0, -1), text);
  return { value: value.trim().replace(/^"|"$/g, "").trim().toLowerCase(), parameters };
}
