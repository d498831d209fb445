// Parses bodies and attachments, in a thread of the pool. If a mail crashes or blocks it, the service continues.
import type { AttachmentInfo, ReadingNote } from "#db/message-parts.ts";
import { newId } from "../base/ids.ts";
import { declaredCharset, readHeaders } from "../mime/headers.ts";
import { type MailFile, type MailText, readClosedFiles, readMail } from "../mime/read.ts";
import { decodeOctets } from "../mime/words.ts";
import { readFrom } from "./authentication/read-from.ts";
import { addressList, storable, summarize } from "./headers.ts";
import { type Earlier, type ParsedBody, parsedRow, readBodies } from "./reading.ts";
import { fileWords } from "./side-words.ts";
import type { Evidence } from "./spam.ts";

const TEXT_CHARS = 2 * 1024 * 1024;
const HTML_CHARS = 4 * 1024 * 1024;
const FILENAME_CHARS = 255;
const CONTENT_ID_CHARS = 200;
const CONTENT_TYPE_CHARS = 255;
const ATTACHMENTS = 1_000;
const HEADER_NAME_CHARS = 998;
/** Of one picture that the HTML shows, and of all of them. */
const PICTURE_BYTES = 2 * 1024 * 1024;
const PICTURES_BYTES = 6 * 1024 * 1024;
const DEFAULT_TYPE = "application/octet-stream";
/** A token (RFC 2045 §5.1) without what charset names and methods do not have. */
const PARAMETER = /^[\w.:+-]{1,40}$/;

function joinTexts(texts: MailText[], kind: MailText["kind"], max: number): string | null {
  const own = texts.filter((text) => text.kind === kind);
  return own.length === 0 ? null : storable(own.map(({ value }) => value).join("\n"), max);
}

/** The text parts that have an HTML alternative. */
function textBesideHtml(texts: MailText[]): string {
  const shown = new Set(texts.filter(({ kind }) => kind === "html").map(({ alternative }) => alternative));
  const beside = texts.filter(({ kind, alternative }) => kind === "plain" && shown.has(alternative));
  return beside
    .map(({ value }) => value)
    .join("\n")
    .slice(0, TEXT_CHARS);
}

/** The parameters of a type without which other programs misread the file. */
function parametersOf({ charset, method = "" }: MailFile): string {
  const kept = Object.entries({ charset, method }).filter(([, value]) => PARAMETER.test(value));
  return kept.map(([name, value]) => `; ${name}=${value}`).join("");
}

function describe(file: MailFile): AttachmentInfo {
  const { filename, contentType, contentId, octets, isInline } = file;
  const parameters = parametersOf(file);
  return {
    id: newId(),
    filename: filename === null ? null : storable(filename.replace(/\p{Cc}+/gu, " "), FILENAME_CHARS),
    content_type: storable(contentType, CONTENT_TYPE_CHARS) || DEFAULT_TYPE,
    ...(parameters !== "" && { parameters }),
    size: octets.length,
    inline: isInline,
    ...(contentId !== "" && { content_id: storable(contentId, CONTENT_ID_CHARS) }),
  };
}

function parseBody(raw: Buffer, earlier: Earlier[] = []): ParsedBody {
  const block = readHeaders(raw);
  const from = readFrom(block.lines, block.charset);
  const { texts, files, notes: read } = readMail(raw, block);
  const isListed = files.length <= ATTACHMENTS || read.includes("part_unreadable");
  const notes: ReadingNote[] = isListed ? read : [...read, "part_unreadable"];
  const bodies = { text: joinTexts(texts, "plain", TEXT_CHARS), html: joinTexts(texts, "html", HTML_CHARS) };
  return {
    headers: block.lines.map(([name, value]) => [
      storable(name, HEADER_NAME_CHARS),
      storable(decodeOctets(value, block.charset), value.length),
    ]),
    to: addressList(block, "to"),
    cc: addressList(block, "cc"),
    replyTo: addressList(block, "reply-to"),
    ...bodies,
    attachments: files.slice(0, ATTACHMENTS).map(describe),
    reading: { complete: !notes.includes("part_unreadable"), notes },
    extracted: readBodies(
      { block, from, summary: summarize(block, from) },
      {
        ...bodies,
        alternative: textBesideHtml(texts),
        filenames: files.flatMap(({ filename }) => filename ?? []),
        fileWords: fileWords(files),
      },
      earlier,
    ),
  };
}

/** A copy, because a file may be a view of the mail. */
const copyOf = (octets: Buffer) => new Uint8Array(octets);

/**
 * Files by their places in the stored list of attachments. `sizes`: of the whole list, in octets. `isClosed`: the list is from a version
 * that did not open containers.
 */
export type Places = { places: number[]; sizes: number[]; isClosed: boolean };

type Octets = { octets: Buffer; charset: string };
/** Undefined: the mail does not have the file. */
type Files = (Uint8Array<ArrayBuffer> | undefined)[];

function filesOf(raw: Buffer, isClosed: boolean): Octets[] {
  return isClosed ? readClosedFiles(raw).map((octets) => ({ octets, charset: "" })) : readMail(raw).files;
}

/**
 * The files at these places. A version that read the mail otherwise listed other files beside them: where not all sizes are as listed, a
 * file is found by its size and by its turn among those of that size. Undefined: none can be the file.
 */
function filesAt(raw: Buffer, { places, sizes, isClosed }: Places): (Octets | undefined)[] {
  const files = filesOf(raw, isClosed);
  const hasSize = (size: number | undefined) => (file: Octets | undefined) => file?.octets.length === size;
  if (sizes.every((size, place) => hasSize(size)(files[place]))) return places.map((place) => files[place]);
  return places.map((place) => {
    const size = sizes[place];
    const turn = sizes.slice(0, place).filter((each) => each === size).length;
    const listed = files[place];
    return files.filter(hasSize(size))[turn] ?? (isClosed || hasSize(size)(listed) ? listed : undefined);
  });
}

/** `charset` is what the part declares, or ""; `mailCharset` is what another part of the mail does. */
export type OneFile = { bytes: Buffer; charset: string; mailCharset: string };

/** The attachment at one index. */
export function parseFile(raw: Buffer, listed: Places): OneFile {
  const [file] = filesAt(raw, listed);
  if (!file) throw new Error("the mail does not have the file");
  const mailCharset = declaredCharset(raw, readHeaders(raw).bodyStart);
  return { bytes: file.octets, charset: file.charset, mailCharset };
}

/** The bytes of the attachments at these indexes, in the order of `attachments`. */
function parseFiles(raw: Buffer, listed: Places): Files {
  return filesAt(raw, listed).map((file) => file && copyOf(file.octets));
}

/** The parts with these content ids, in their order; empty if there is none, or it is too large to be shown. */
function parsePictures(raw: Buffer, contentIds: string[]): Files {
  const { files } = readMail(raw);
  let left = PICTURES_BYTES;
  return contentIds.map((contentId) => {
    const octets = files.find((each) => each.contentId === contentId)?.octets ?? Buffer.alloc(0);
    if (octets.length > PICTURE_BYTES || octets.length > left) return new Uint8Array();
    left -= octets.length;
    return copyOf(octets);
  });
}

/** Each mail has a result, whatever the others have. */
function parseMany(raw: Buffer, sizes: number[], earlier: Earlier[][]): ParsedRow[] {
  const rows: ParsedRow[] = [];
  let start = 0;
  for (const [n, size] of sizes.entries()) {
    const end = start + size;
    try {
      rows.push(parsedOf(parseBody(raw.subarray(start, end), earlier[n])));
    } catch (error) {
      rows.push({ error: error instanceof Error ? error.message : String(error) });
    }
    start = end;
  }
  return rows;
}

/** The values of the message as JSON, and what the verdict needs. */
function parsedOf(body: ParsedBody): { row: string; evidence: Evidence } {
  return { row: parsedRow(body), evidence: body.extracted.evidence };
}

/** `row`: the values of the message as JSON. */
export type ParsedRow = ReturnType<typeof parsedOf> | { error: string };
/**
 * A question to the thread: the body of a mail, the bytes of some attachments (`listed`), the pictures in its HTML, or
 * the bodies of several mails of these `sizes`, one after the other in `raw`. `earlier`: for each mail, the messages of its thread.
 */
export type ParseQuestion = {
  raw: Uint8Array<ArrayBuffer>;
  listed?: Places;
  contentIds?: string[];
  sizes?: number[];
  earlier?: Earlier[][];
};
export type ParseAnswer = { body: ParsedBody } | { files: Files } | { rows: ParsedRow[] };

export function answer({ raw: bytes, listed, contentIds, sizes, earlier = [] }: ParseQuestion): ParseAnswer {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (sizes) return { rows: parseMany(raw, sizes, earlier) };
  if (contentIds) return { files: parsePictures(raw, contentIds) };
  return listed ? { files: parseFiles(raw, listed) } : { body: parseBody(raw, earlier[0]) };
}

export function transfer(given: ParseAnswer): ArrayBuffer[] {
  return "files" in given ? given.files.flatMap((bytes) => bytes?.buffer ?? []) : [];
}
