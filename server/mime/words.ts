// Decodes words of headers: encoded words (RFC 2047), and octets that stand there unencoded.
import { isUtf8 } from "node:buffer";
import { decodeText, LAST_CHARSET } from "./charset.ts";

/** A longer one is text: a line has at most 998 octets (RFC 5322 §2.1.1). */
const WORD_CHARS = 4_096;
/** The last word of a text that a program cut: without its end, and without half a code. */
const CUT = /^([!->@-~]{4,997}?)(?:=[0-9a-f]?)?\??$/i;
const START = /=\?([^?\s=]{1,80})\?([bq])\?/iy;

/**
 * Octets of a header as text that keeps all of them. Those that are not UTF-8 become half surrogates, U+DC80 to U+DCFF, which
 * no address may hold and which `decodeWords` reads.
 */
export function keepOctets(octets: Buffer): string {
  if (isUtf8(octets)) return octets.toString("utf8");
  let text = "";
  let from = 0;
  for (let at = 0; at < octets.length; ) {
    const length = utf8Length(octets, at);
    if (length > 0) at += length;
    else {
      text += octets.toString("utf8", from, at) + String.fromCharCode(0xdc00 + (octets[at] as number));
      at += 1;
      from = at;
    }
  }
  return text + octets.toString("utf8", from);
}

/** How many octets the UTF-8 character there has; 0 if there is none. */
function utf8Length(octets: Buffer, at: number): number {
  const first = octets[at] as number;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  return length > 0 && at + length <= octets.length && isUtf8(octets.subarray(at, at + length)) ? length : 0;
}

/** What `keepOctets` read. */
function octetsOf(text: string): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { 0: run, index } of text.matchAll(/(?<![\ud800-\udbff])[\udc80-\udcff]+/g)) {
    pieces.push(Buffer.from(text.slice(from, index)), Buffer.from([...run].map((char) => char.charCodeAt(0) - 0xdc00)));
    from = index + run.length;
  }
  pieces.push(Buffer.from(text.slice(from)));
  return Buffer.concat(pieces);
}

/**
 * Text that `keepOctets` read, as people read it.
 * @param charset of the rest of the mail, for octets that are not UTF-8
 */
export function decodeOctets(text: string, charset: string): string {
  const isHz = /^hz/i.test(charset) && text.includes("~{");
  const isShifted = isHz || text.includes("\x1b$");
  if (!isShifted && text.isWellFormed()) return text;
  const octets = octetsOf(text);
  const { text: decoded } = decodeText(octets, isHz ? charset : "", charset);
  // The charset of the mail does not fit.
  return isShifted && decoded.includes("\ufffd") ? decodeText(octets, LAST_CHARSET).text : decoded;
}

/** `base64`: as it is written; undefined in the form Q. */
type Word = { charset: string; octets: Buffer; base64: string | undefined; end: number };

function wordOctets(text: string, isBase64: boolean): Buffer {
  if (isBase64) return Buffer.from(text, "base64");
  const octets = octetsOf(text.replaceAll("_", " "));
  let to = 0;
  for (let at = 0; at < octets.length; at += 1, to += 1) {
    const code = octets[at] === 0x3d ? Number.parseInt(octets.toString("latin1", at + 1, at + 3), 16) : Number.NaN;
    const isCode = /^[0-9a-f]{2}$/i.test(octets.toString("latin1", at + 1, at + 3)) && !Number.isNaN(code);
    octets[to] = isCode ? code : (octets[at] as number);
    if (isCode) at += 2;
  }
  return octets.subarray(0, to);
}

/** The encoded word that starts there. */
function readWord(text: string, at: number): Word | undefined {
  START.lastIndex = at;
  const [start, charset = "", form] = START.exec(text) ?? [];
  if (start === undefined) return;
  const from = at + start.length;
  const content = text.slice(from, from + WORD_CHARS);
  const length = content.indexOf("?=");
  const cut = length < 0 ? CUT.exec(content)?.[1] : undefined;
  const own = cut ?? content.slice(0, length);
  if ((length < 0 && cut === undefined) || own.includes("=?")) return;
  const isBase64 = form?.toLowerCase() === "b";
  const octets = wordOctets(own, isBase64);
  // RFC 2231 §5: a language may follow the charset.
  return {
    charset: charset.split("*", 1)[0] ?? "",
    octets,
    base64: isBase64 ? own : undefined,
    end: cut === undefined ? from + length + 2 : text.length,
  };
}

/** Two words of one charset, one directly behind the other. */
function joinWords(one: Word, next: Word): Word {
  const areBase64 = one.base64 !== undefined && next.base64 !== undefined;
  const base64 = areBase64 ? `${one.base64}${next.base64}` : undefined;
  return { ...next, octets: Buffer.concat([one.octets, next.octets]), base64 };
}

function textOfWord({ octets, charset, base64 }: Word): string {
  const { text, isGuessed } = decodeText(octets, charset);
  // Words that are padded were encoded one by one.
  if (!isGuessed || base64 === undefined || /=\s*[^\s=]/.test(base64)) return text;
  // Some programs cut base64 at any place.
  const joined = decodeText(Buffer.from(base64, "base64"), charset);
  return joined.isGuessed ? text : joined.text;
}

/**
 * Decodes the encoded words of a text. Characters that are cut between two words are joined.
 * @param charset of the rest of the mail, for octets that stand there unencoded
 */
export function decodeWords(text: string, charset = ""): string {
  if (!text.includes("=?")) return decodeOctets(text, charset);
  let decoded = "";
  let from = 0;
  let open: Word | undefined;
  const close = () => {
    if (open) decoded += textOfWord(open);
    open = undefined;
  };
  for (let at = text.indexOf("=?"); at >= 0; ) {
    const word = readWord(text, at);
    if (!word) {
      at = text.indexOf("=?", at + 2);
      continue;
    }
    const between = text.slice(from, at);
    const isNext = open !== undefined && /^[ \t\r\n]*$/.test(between);
    if (open && isNext && open.charset.toLowerCase() === word.charset.toLowerCase()) {
      open = joinWords(open, word);
    } else {
      close();
      if (!isNext) decoded += decodeOctets(between, charset);
      open = word;
    }
    from = word.end;
    at = text.indexOf("=?", from);
  }
  close();
  return decoded + decodeOctets(text.slice(from), charset);
}
