// Reads the text of attachments, in a thread of the pool. If a file crashes or blocks it, the service continues.
import { charsetOf, essenceOf } from "../../base/media-type.ts";
import { wholeCharacters } from "../../extraction/whole-characters.ts";
import { type Decoded, decodeText } from "../../mime/charset.ts";
import { storable } from "../../receiving/headers.ts";
import { type OneFile, type Places, parseFile } from "../../receiving/parse-worker.ts";
import { isMbox, mailText, mboxText } from "./attached-mail.ts";
import { replaceDecompressionStream } from "./inflate.ts";
import {
  archivedPage,
  cardText,
  htmlText,
  isArchivedPage,
  isBinary,
  isCard,
  isHtml,
  isHtmlPiece,
  isMime,
  isOldCalendar,
  isPlain,
  isRtf,
  isSurelyRtf,
  richText,
  startsWith,
  unfolded,
} from "./loose.ts";
import { type Office, readOffice } from "./office.ts";
import { flatDocument } from "./open-document.ts";
import { PAGE_END, readPdf } from "./pdf.ts";
import type { TEXT_KINDS, TEXT_NOTES } from "./text-kinds.ts";
import { xmlSpreadsheet } from "./xml-spreadsheet.ts";

const PAGE_CHARS = 50_000;
const MAGIC_BYTES = 1_024;
/** In which an XML file says what it is. */
const ROOT_CHARS = 4_096;

type TextKind = (typeof TEXT_KINDS)[number];
type TextNote = (typeof TEXT_NOTES)[number];
/** `listed`: `bytes` are a mail, and this is the place of the file in its list of attachments. */
type TextQuestion = {
  bytes: Uint8Array<ArrayBuffer>;
  listed: Places | null;
  filename: string;
  contentType: string;
  offset: number;
};
/** `next` null: there is no more. `kind` null: no text can be read from such a file. */
type TextAnswer = {
  kind: TextKind | null;
  text: string;
  next: number | null;
  truncated: boolean;
  note: TextNote | null;
};
type Charsets = Omit<OneFile, "bytes">;

const NOTHING: TextAnswer = { kind: null, text: "", next: null, truncated: false, note: null };

const KIND_OF_NAME: Record<string, TextKind> = {
  csv: "csv",
  tsv: "csv",
  ics: "ics",
  vcs: "ics",
  eml: "eml",
  pdf: "pdf",
};
const HTML_NAME = /\.(?:x?html?|xht)$/i;
const TEXT_NAME = /\.(?:txt|text|md|markdown|rst|log|json|jsonl|xml|ya?ml|toml|ini|conf|sql|vcf|srt|diff|patch|tex)$/i;
/** Pictures, sounds, films and fonts: their content is no text, even if it looks like text. */
const MEDIA = /^(?:image|audio|video|font)\//i;
/** Is in every Office file with a password. */
const ENCRYPTED_OFFICE = Buffer.from("EncryptedPackage", "utf16le");

/** Files without a mark of their own: by the name first, since senders often declare `application/octet-stream`. */
function namedKind({ filename, contentType }: TextQuestion): TextKind | undefined {
  const named = KIND_OF_NAME[/\.(\w{1,8})$/.exec(filename)?.[1]?.toLowerCase() ?? ""];
  if (named) return named;
  if (HTML_NAME.test(filename)) return "html";
  const type = essenceOf(contentType);
  if (type === "text/csv" || type === "text/tab-separated-values") return "csv";
  if (type === "text/calendar" || type === "text/x-vcalendar") return "ics";
  if (type === "message/rfc822") return "eml";
  if (type === "application/pdf") return "pdf";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  const isText = TEXT_NAME.test(filename) || /^text\/(?!rtf)/.test(type) || /^application\/(?:json|xml)$/.test(type);
  return isText ? "text" : undefined;
}

/** Whether a file has the name of a text or a table, which is right whatever its words look like. */
const isNamedText = (named: TextKind | undefined) => named === "text" || named === "csv";

/** A PDF begins with its mark, after blanks at most, and has objects. Some programs write something before it. */
function isPdf(bytes: Uint8Array, named: TextKind | undefined): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = file.subarray(0, MAGIC_BYTES).toString("latin1");
  if (!start.includes("%PDF-")) return false;
  if (named === "pdf") return true;
  const hasObjects = file.includes("endobj") || file.includes("startxref");
  const isLoose = named === undefined && !isMime(file) && !isMbox(file);
  return hasObjects && (/^(?:\xef\xbb\xbf)?[\s\0]*%PDF-\d/.test(start) || isLoose);
}

function slice(kind: TextKind, whole: string, offset: number, guessed = false): TextAnswer {
  const start = wholeCharacters(whole, offset);
  const next = wholeCharacters(whole, start + PAGE_CHARS);
  const text = whole.slice(start, next);
  const note = guessed ? "charset_guessed" : null;
  return { kind, text, next: next < whole.length ? next : null, truncated: false, note };
}

async function pdfPages(bytes: Uint8Array, offset: number): Promise<TextAnswer> {
  const { texts, pages, isPartial } = await readPdf(bytes, offset, PAGE_CHARS);
  const fitting = texts.length > 1 && texts.join(PAGE_END).length > PAGE_CHARS ? texts.slice(0, -1) : texts;
  const whole = fitting.join(PAGE_END);
  const next = offset + fitting.length;
  return {
    kind: "pdf",
    text: whole.slice(0, wholeCharacters(whole, PAGE_CHARS)),
    next: next < pages ? next : null,
    truncated: whole.length > PAGE_CHARS,
    note: texts.length > 0 && whole.trim() === "" ? "no_text_layer" : isPartial ? "parts_unread" : null,
  };
}

function fileOf({ bytes, listed, contentType }: TextQuestion): OneFile {
  const octets = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (listed !== null) return parseFile(octets, listed);
  // What a sender declares of a file that was sent from here is in its media type.
  return { bytes: octets, charset: charsetOf(contentType), mailCharset: "" };
}

function officeAnswer(office: Office | undefined, offset: number): TextAnswer {
  if (!office) return NOTHING;
  const answer = slice(office.kind, office.text, offset);
  return office.isPartial ? { ...answer, note: "parts_unread" } : answer;
}

/** Documents that are one XML file. Undefined for all other XML. */
function xmlAnswer(bytes: Buffer, offset: number): TextAnswer | undefined {
  const start = decodeText(bytes.subarray(0, ROOT_CHARS), "").text;
  if (!/^\s*<\?xml\b/.test(start) || !/<(?:office:document|(?:\w+:)?Workbook)\s/.test(start)) return undefined;
  const { text } = decodeText(bytes, "");
  const flat = flatDocument(text);
  if (flat) return slice(flat.kind, flat.text, offset);
  return /urn:schemas-microsoft-com:office:spreadsheet/.test(start)
    ? slice("xlsx", xmlSpreadsheet(text), offset)
    : undefined;
}

/** A file of mails, a mail, or a page with its pictures. Undefined for all others. */
function mailAnswer(bytes: Buffer, offset: number): TextAnswer | undefined {
  if (isMbox(bytes)) return slice("eml", mboxText(bytes), offset);
  if (!isMime(bytes)) return undefined;
  if (!isArchivedPage(bytes)) return slice("eml", mailText(bytes), offset);
  const { text, isGuessed } = archivedPage(bytes);
  return slice("html", text, offset, isGuessed);
}

/** The kind of a file by its words, then by its name. Undefined: it is no text. */
function textKind(bytes: Buffer, question: TextQuestion, charset: string): TextKind | undefined {
  const named = namedKind(question);
  // A PDF has a mark, so that the name of one says nothing about a file without it.
  if (named === undefined || named === "pdf") {
    if (MEDIA.test(question.contentType) || !isPlain(bytes, charset)) return undefined;
    return isHtml(bytes) || isHtmlPiece(bytes) ? "html" : "text";
  }
  if (isBinary(bytes, charset)) return undefined;
  return !isNamedText(named) && isHtml(bytes) ? "html" : named;
}

function readText(kind: TextKind, bytes: Buffer, { charset, mailCharset }: Charsets): Decoded {
  const isOfCards = (kind === "text" && isCard(bytes)) || (kind === "ics" && isOldCalendar(bytes));
  if (isOfCards) return cardText(bytes, charset, mailCharset);
  const decoded = decodeText(kind === "ics" ? unfolded(bytes) : bytes, charset, mailCharset);
  return kind === "html" ? htmlText(decoded) : decoded;
}

/** Files without the mark of a format at their start. */
function looseAnswer(bytes: Buffer, question: TextQuestion, charsets: Charsets): TextAnswer {
  const { offset } = question;
  const xml = xmlAnswer(bytes, offset);
  if (xml) return xml;
  const mail = isNamedText(namedKind(question)) ? undefined : mailAnswer(bytes, offset);
  if (mail) return mail;
  const kind = textKind(bytes, question, charsets.charset);
  if (!kind) return NOTHING;
  if (kind === "eml") return slice(kind, mailText(bytes), offset);
  const { text, isGuessed } = readText(kind, bytes, charsets);
  return slice(kind, text, offset, isGuessed);
}

/** Undefined if no mark of a format is at the start. */
async function markedAnswer(bytes: Buffer, question: TextQuestion): Promise<TextAnswer | undefined> {
  const { offset } = question;
  if (startsWith(bytes, "PK\x03\x04")) return officeAnswer(readOffice(bytes), offset);
  if (startsWith(bytes, "\xd0\xcf\x11\xe0")) {
    if (bytes.includes(ENCRYPTED_OFFICE)) throw new Error("the file has a password");
    return NOTHING;
  }
  if (isRtf(bytes)) return slice("rtf", richText(bytes), offset);
  if (isPdf(bytes, namedKind(question))) return pdfPages(bytes, offset);
  return undefined;
}

/** Whether a file with the name of a text may be plain words. A text about a format may begin with its mark. */
function mayBeWords(bytes: Buffer, question: TextQuestion, charset: string): boolean {
  if (namedKind(question) !== "text" || !isPlain(bytes, charset)) return false;
  return !isRtf(bytes) || isAboutRtf(bytes);
}

/** Words go on behind the mark, and behind the last brace. */
function isAboutRtf(bytes: Buffer): boolean {
  return !isSurelyRtf(bytes) && !/\}[\s\0]*$/.test(bytes.toString("latin1"));
}

async function textOf(question: TextQuestion): Promise<TextAnswer> {
  const { bytes, ...charsets } = fileOf(question);
  if (!mayBeWords(bytes, question, charsets.charset)) {
    return (await markedAnswer(bytes, question)) ?? looseAnswer(bytes, question, charsets);
  }
  if (isRtf(bytes)) return looseAnswer(bytes, question, charsets);
  // A file that fails to be of the format is words. It is copied, because pdf.js takes the memory of what it gets.
  const marked = await markedAnswer(Buffer.from(bytes), question).catch(() => undefined);
  return marked ?? looseAnswer(bytes, question, charsets);
}

export async function answer(question: TextQuestion): Promise<TextAnswer> {
  const read = await textOf(question);
  return { ...read, text: storable(read.text, PAGE_CHARS) };
}

replaceDecompressionStream();
