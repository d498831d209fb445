// Reads the text of attachments, in a thread of the pool. If a file crashes or blocks it, the service continues.

import { getDocumentProxy } from "unpdf";
import { readHtml } from "../../extraction/html/html.ts";
import { firstValue, readHeaders } from "../../mime/headers.ts";
import { readMail } from "../../mime/read.ts";
import { decodeWords } from "../../mime/words.ts";
import { storable } from "../../receiving/headers.ts";
import { type Places, parseFiles } from "../../receiving/parse-worker.ts";
import { beginInflating, replaceDecompressionStream, requireAllInflated } from "./inflate.ts";
import { readOffice } from "./office.ts";

// Reads the text of a PDF, some pages at a time.
/** Of one call. A page takes some milliseconds. */
const PAGES_MAX = 100;

type PdfPages = { texts: string[]; pages: number };

/**
 * @param from number of the first page, from 0
 * @param chars stops after the page that reaches this length
 * @throws Error if the PDF is broken, encrypted or too large
 */
async function readPdf(bytes: Uint8Array, from: number, chars: number): Promise<PdfPages> {
  beginInflating();
  const document = await getDocumentProxy(bytes, { useSystemFonts: false, verbosity: 0 });
  try {
    const texts: string[] = [];
    let length = 0;
    for (let at = from; at < document.numPages && texts.length < PAGES_MAX && length < chars; at += 1) {
      const page = await document.getPage(at + 1);
      const { items } = await page.getTextContent();
      const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
      page.cleanup();
      texts.push(text);
      length += text.length;
    }
    requireAllInflated();
    return { texts, pages: document.numPages };
  } finally {
    await document.loadingTask.destroy();
  }
}

// Reads the text of an attached mail, or of plain text such as CSV and iCalendar.
const UTF16_LE = [0xff, 0xfe];
const UTF16_BE = [0xfe, 0xff];

/** The usual header lines, the visible text, and the names of the attachments. */
function mailText(bytes: Uint8Array): string {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const block = readHeaders(raw);
  const { texts, files } = readMail(raw, block);
  const shown = (name: string) => decodeWords(firstValue(block, name) ?? "", block.charset);
  const lines = ["from", "to", "cc", "date", "subject"].flatMap((name) => {
    const value = shown(name);
    return value ? [`${name.charAt(0).toUpperCase()}${name.slice(1)}: ${value}`] : [];
  });
  const ofKind = (wanted: string) => texts.filter(({ kind }) => kind === wanted).map(({ value }) => value);
  const plain = ofKind("plain").join("\n");
  const body = plain.trim() === "" ? readHtml(ofKind("html").join("\n")).text : plain;
  const names = files.map(({ filename, contentType }) => `[attachment: ${filename ?? contentType}]`);
  return [...lines, "", body, ...names].join("\n");
}

/** UTF-8, UTF-16 with a byte order mark, otherwise Windows-1252. */
function plainText(bytes: Uint8Array): string {
  const starts = (mark: number[]) => mark.every((byte, i) => bytes[i] === byte);
  if (starts(UTF16_LE)) return new TextDecoder("utf-16le").decode(bytes);
  if (starts(UTF16_BE)) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Joins the folded lines of iCalendar (RFC 5545 §3.1) before they are decoded: a fold may be inside a character. */
function calendarText(bytes: Uint8Array): string {
  const octets = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return plainText(Buffer.from(octets.replace(/\r?\n[ \t]/g, ""), "latin1"));
}

export const PAGE_CHARS = 50_000;
const MAGIC_BYTES = 1_024;

export type TextKind = "pdf" | "docx" | "xlsx" | "csv" | "ics" | "eml" | "text";
/** `listed`: `bytes` are a mail, and this is the place of the file in its list of attachments. */
type TextQuestion = {
  bytes: Uint8Array<ArrayBuffer>;
  listed: Places | null;
  filename: string;
  contentType: string;
  offset: number;
};
/** `next` null: there is no more. `kind` null: no text can be read from such a file. */
type TextAnswer = { kind: TextKind | null; text: string; next: number | null; truncated: boolean };

const NOTHING: TextAnswer = { kind: null, text: "", next: null, truncated: false };

/** Files without a mark of their own: by the name first, since senders often declare `application/octet-stream`. */
function namedKind({ filename, contentType }: TextQuestion): TextKind | undefined {
  const end = /\.(csv|tsv|ics|eml|txt|md|log|json|xml)$/i.exec(filename)?.[1]?.toLowerCase();
  const type = contentType.toLowerCase().split(";")[0]?.trim() ?? "";
  if (end === "csv" || end === "tsv" || type === "text/csv") return "csv";
  if (end === "ics" || type === "text/calendar") return "ics";
  if (end === "eml" || type === "message/rfc822") return "eml";
  return end || type === "text/plain" ? "text" : undefined;
}

function startsLike(bytes: Uint8Array, mark: string): boolean {
  return Buffer.from(bytes.subarray(0, MAGIC_BYTES)).includes(mark, 0, "latin1");
}

function slice(kind: TextKind, whole: string, offset: number): TextAnswer {
  const text = whole.slice(offset, offset + PAGE_CHARS);
  const next = offset + text.length;
  return { kind, text, next: next < whole.length ? next : null, truncated: false };
}

async function pdfPages(bytes: Uint8Array, offset: number): Promise<TextAnswer> {
  const { texts, pages } = await readPdf(bytes, offset, PAGE_CHARS);
  const fitting = texts.length > 1 && texts.join("\n\n").length > PAGE_CHARS ? texts.slice(0, -1) : texts;
  const whole = fitting.join("\n\n");
  const next = offset + fitting.length;
  return {
    kind: "pdf",
    text: whole.slice(0, PAGE_CHARS),
    next: next < pages ? next : null,
    truncated: whole.length > PAGE_CHARS,
  };
}

function fileOf({ bytes, listed }: TextQuestion): Uint8Array {
  if (listed === null) return bytes;
  const [file] = parseFiles(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), listed);
  return file ?? new Uint8Array();
}

async function textOf(question: TextQuestion): Promise<TextAnswer> {
  const { offset } = question;
  const bytes = fileOf(question);
  if (startsLike(bytes, "%PDF-")) return pdfPages(bytes, offset);
  if (startsLike(bytes.subarray(0, 4), "PK\x03\x04")) {
    const office = readOffice(bytes);
    return office ? slice(office.kind, office.text, offset) : NOTHING;
  }
  const kind = namedKind(question);
  if (!kind) return NOTHING;
  if (kind === "eml") return slice(kind, mailText(bytes), offset);
  return slice(kind, kind === "ics" ? calendarText(bytes) : plainText(bytes), offset);
}

export async function answer(question: TextQuestion): Promise<TextAnswer> {
  const read = await textOf(question);
  return { ...read, text: storable(read.text, PAGE_CHARS) };
}

replaceDecompressionStream();
