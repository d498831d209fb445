// Tells files without a container by their structure, and reads them: pages, archived pages, rich text and cards.
import { readHtml } from "../../extraction/html/html.ts";
import { type Decoded, decodeText } from "../../mime/charset.ts";
import { firstValue, readHeaders } from "../../mime/headers.ts";
import { readMail } from "../../mime/read.ts";
import { readRtf } from "../../mime/rtf.ts";

const HTML_MAX_CHARS = 4 * 1024 * 1024;
/** At the start of a file. */
const MARK_BYTES = 1_024;
const HEADER_BYTES = 8_192;
const PLAIN_BYTES = 65_536;
/** The share of characters that no text has: of files whose names say that they are texts, and of others. */
const CONTROLS_MAX = 0.1;
const STRAY_CONTROLS_MAX = 0.001;

export const startsWith = (bytes: Uint8Array, mark: string) =>
  Buffer.from(bytes.subarray(0, mark.length)).toString("latin1") === mark;
const startOf = (bytes: Buffer) => decodeText(bytes.subarray(0, MARK_BYTES), "").text;

export const isRtf = (bytes: Uint8Array) => startsWith(bytes, "{\\rtf");

/** Reports are often sent as such a page with the name of a table. */
export const isHtml = (bytes: Buffer) =>
  /^\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,400}-->\s*)?<(?:!doctype html|html)[\s>]/i.test(startOf(bytes));

/** A piece of a page, as programs write it that call a page a document. */
export const isHtmlPiece = (bytes: Buffer) =>
  /^\s*<(?:head|meta|body|style|table|div|p|h[1-6]|center|font|pre|b)\b[^<]*>/i.test(startOf(bytes));

/** A header block of MIME: of a mail, or of a page with its pictures (RFC 2557). */
export function isMime(bytes: Buffer): boolean {
  const header = bytes.toString("latin1", 0, HEADER_BYTES).split(/\r?\n\r?\n/, 1)[0] ?? "";
  return /^\s*[\w-]+:/.test(header) && /^mime-version:/im.test(header) && /^content-type:/im.test(header);
}

export function isBinary(bytes: Buffer, charset: string): boolean {
  return hasControls(decodeText(bytes.subarray(0, MARK_BYTES), charset).text, CONTROLS_MAX);
}

/** Whether a file that does not say so is a text. */
export function isPlain(bytes: Buffer, charset: string): boolean {
  const { text } = decodeText(bytes.subarray(0, PLAIN_BYTES), charset);
  return text.trim() !== "" && !hasControls(text, STRAY_CONTROLS_MAX);
}

function hasControls(text: string, share: number): boolean {
  let controls = 0;
  for (const character of text) if (/[^\P{Cc}\s]/u.test(character)) controls += 1;
  return controls > text.length * share;
}

export function htmlText({ text, isGuessed }: Decoded): Decoded {
  if (text.length > HTML_MAX_CHARS) throw new Error("the page is too large");
  return { text: readHtml(text, "", true).text, isGuessed };
}

/** A page names its charset where it is not declared. */
const charsetOfPage = (bytes: Buffer) =>
  /<(?:meta\s[^>]{0,200}charset|\?xml\s[^>]{0,100}encoding)\s*=\s*["']?([\w-]{1,40})/i.exec(startOf(bytes))?.[1] ?? "";

/** A text about the format begins with its mark too, and goes on with words. */
export const isSurelyRtf = (bytes: Buffer) => /^\{\\rtf\d?\s?[\\{]/.test(bytes.toString("latin1", 0, 16));

export function richText(bytes: Buffer): string {
  const { text, isWhole } = readRtf(bytes, "windows-1252");
  if (!isWhole) throw new Error("the file ends before its text does, or is too large");
  return text;
}

/** A saved page has no sender. */
export const isArchivedPage = (bytes: Buffer) => !(firstValue(readHeaders(bytes), "from") ?? "").includes("@");

export function archivedPage(bytes: Buffer): Decoded {
  const { texts, notes } = readMail(bytes);
  const of = (wanted: string) => texts.filter(({ kind }) => kind === wanted).map(({ value }) => value);
  const [pages, plain] = [of("html"), of("plain")];
  const isGuessed = notes.includes("charset_guessed");
  return pages.length > 0 ? htmlText({ text: pages.join("\n"), isGuessed }) : { text: plain.join("\n"), isGuessed };
}

/** A part of a document that is a file of another kind; undefined if it is none of these kinds. */
export function looseText(bytes: Buffer): string | undefined {
  if (isRtf(bytes)) return richText(bytes);
  if (isMime(bytes)) return archivedPage(bytes).text;
  if (isHtml(bytes) || isHtmlPiece(bytes)) return htmlText(decodeText(bytes, charsetOfPage(bytes))).text;
  return isPlain(bytes, "") ? decodeText(bytes, "").text : undefined;
}

/** Joins the folded lines of iCalendar and vCard (RFC 5545 §3.1, RFC 6350 §3.2), which may be cut within a character. */
export function unfolded(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("latin1").replace(/\r?\n[ \t]/g, ""), "latin1");
}

export const isCard = (bytes: Buffer) => /^(?:\xef\xbb\xbf)?\s*BEGIN:VCARD/i.test(bytes.toString("latin1", 0, 64));

export const isOldCalendar = (bytes: Buffer) =>
  /^(?:\xef\xbb\xbf)?\s*BEGIN:VCALENDAR\s[\s\S]{0,400}?\bVERSION:1\.0/i.test(bytes.toString("latin1", 0, MARK_BYTES));

/** Cards of version 2.1 and calendars of version 1.0 have values in quoted-printable, each with its charset, and keep the blank that begins a folded line. */
export function cardText(bytes: Buffer, charset: string, hint: string): Decoded {
  const raw = bytes.toString("latin1");
  if (!/^VERSION:(?:2|1\.0)/im.test(raw)) return decodeText(unfolded(bytes), charset, hint);
  const quoted = /^([^:\r\n]*;(?:ENCODING=)?QUOTED-PRINTABLE[^:\r\n]*):((?:=\r?\n|[^\r\n])*)/gim;
  const out: Decoded = { text: "", isGuessed: false };
  const add = (octets: string, declared: string) => {
    const read = decodeText(Buffer.from(octets, "latin1"), declared, hint);
    out.text += read.text;
    out.isGuessed ||= read.isGuessed;
  };
  const addFolded = (part: string) => add(part.replace(/\r?\n(?=[ \t])/g, ""), charset);
  let at = 0;
  for (const match of raw.matchAll(quoted)) {
    const [whole, name = "", value = ""] = match;
    addFolded(raw.slice(at, match.index));
    out.text += `${name.replace(/;(?:ENCODING=)?QUOTED-PRINTABLE|;CHARSET=[\w-]+/gi, "")}:`;
    const octets = value
      .replace(/=\r?\n/g, "")
      .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    add(octets, /;CHARSET=([\w-]+)/i.exec(name)?.[1] ?? charset);
    at = match.index + whole.length;
  }
  addFolded(raw.slice(at));
  return out;
}
