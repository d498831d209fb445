// Parses bodies and attachments, in a thread of the pool. If a mail crashes or blocks it, the service continues.
import PostalMime, { type Attachment } from "postal-mime";
import type { AttachmentInfo } from "#db/message-parts.ts";
import { newId } from "../base/ids.ts";
import { replaceBlob } from "../blobs/blob.ts";
import { requireFewParts } from "../blobs/bounds.ts";
import { addressList, readHeaders, storable, summarize } from "./headers.ts";
import { type ParsedBody, parsedRow, readBodies } from "./reading.ts";

const TEXT_CHARS = 2 * 1024 * 1024;
const HTML_CHARS = 4 * 1024 * 1024;
const FILENAME_CHARS = 255;
const CONTENT_TYPE_CHARS = 255;
const ATTACHMENTS = 1_000;
const HEADER_NAME_CHARS = 998;
const NESTING_MAX = 100;
/** Of one picture that the HTML shows, and of all of them. */
const PICTURE_BYTES = 2 * 1024 * 1024;
const PICTURES_BYTES = 6 * 1024 * 1024;
const DEFAULT_TYPE = "application/octet-stream";

/** The parts that postal-mime joins into the bodies, in order. Not in its types: test/receiving checks it. */
type TextParts = { textMap: Map<unknown, Partial<Record<"plain" | "html", { value: unknown }[]>>> };

/** postal-mime creates a missing body by converting the other; only the mail's own bodies are used here. */
function joinParts({ textMap }: TextParts, kind: "plain" | "html", max: number): string | null {
  const parts = [...textMap.values()].flatMap((entry) => entry[kind] ?? []).map(({ value }) => value);
  const texts = parts.filter((value) => typeof value === "string");
  return texts.length === 0 ? null : storable(texts.join("\n"), max);
}

/** The text parts that have an HTML alternative. */
function textBesideHtml({ textMap }: TextParts): string {
  const parts = [...textMap.values()].flatMap(({ plain, html }) => (plain && html ? plain : []));
  return parts
    .map(({ value }) => value)
    .filter((value) => typeof value === "string")
    .join("\n")
    .slice(0, TEXT_CHARS);
}

function bytesOf({ content }: Attachment): Buffer {
  return typeof content === "string" ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
}

function describe(attachment: Attachment): AttachmentInfo {
  const { filename, mimeType, disposition, related } = attachment;
  return {
    id: newId(),
    filename: filename === null ? null : storable(filename.replace(/\p{Cc}+/gu, " "), FILENAME_CHARS),
    content_type: storable(mimeType, CONTENT_TYPE_CHARS) || DEFAULT_TYPE,
    size: bytesOf(attachment).length,
    inline: disposition === "inline" || related === true,
  };
}

/** Nested messages are attachments, never part of the outer body. */
async function parse(raw: Buffer) {
  requireFewParts(raw);
  const parser = new PostalMime({ forceRfc822Attachments: true, maxNestingDepth: NESTING_MAX });
  const { attachments } = await parser.parse(raw);
  return { parts: parser as unknown as TextParts, attachments: attachments.slice(0, ATTACHMENTS) };
}

async function parseBody(raw: Buffer): Promise<ParsedBody> {
  const { parts, attachments } = await parse(raw);
  const block = readHeaders(raw);
  const bodies = { text: joinParts(parts, "plain", TEXT_CHARS), html: joinParts(parts, "html", HTML_CHARS) };
  return {
    headers: block.lines.map(([name, value]) => [storable(name, HEADER_NAME_CHARS), storable(value, value.length)]),
    to: addressList(block, "to"),
    cc: addressList(block, "cc"),
    replyTo: addressList(block, "reply-to"),
    ...bodies,
    attachments: attachments.map(describe),
    reading: readBodies(block, summarize(block), { ...bodies, alternative: textBesideHtml(parts) }),
  };
}

type Node = {
  content: unknown;
  childNodes: Node[];
  contentType: { parsed: { params: Record<string, string | undefined> } };
};

/** The charset that the part of an attachment declares. postal-mime does not tell it, but keeps the parts. */
function declaredCharset(parser: unknown, attachment: Attachment): string | null {
  const open = [(parser as { root: Node }).root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.content && node.content === attachment.content) return node.contentType.parsed.params.charset ?? null;
    open.push(...node.childNodes);
  }
  return null;
}

/** The attachment at this index, and the charset that it declares. */
export async function parseFile(raw: Buffer, place: number): Promise<{ bytes: Uint8Array; charset: string | null }> {
  const { attachments, parts } = await parse(raw);
  const attachment = attachments[place];
  if (!attachment) return { bytes: new Uint8Array(), charset: null };
  return { bytes: new Uint8Array(bytesOf(attachment)), charset: declaredCharset(parts, attachment) };
}

/** The bytes of the attachments at these indexes, in the order of `attachments`. */
async function parseFiles(raw: Buffer, places: number[]): Promise<Uint8Array<ArrayBuffer>[]> {
  const { attachments } = await parse(raw);
  return places.map((place) => {
    const attachment = attachments[place];
    return new Uint8Array(attachment ? bytesOf(attachment) : Buffer.alloc(0));
  });
}

/** The parts with these content ids, in their order; empty if there is none, or it is too large to be shown. */
async function parsePictures(raw: Buffer, contentIds: string[]): Promise<Uint8Array<ArrayBuffer>[]> {
  const { attachments } = await parse(raw);
  let left = PICTURES_BYTES;
  return contentIds.map((contentId) => {
    const found = attachments.find((each) => each.contentId === `<${contentId}>`);
    const bytes = found ? bytesOf(found) : Buffer.alloc(0);
    if (bytes.length > PICTURE_BYTES || bytes.length > left) return new Uint8Array();
    left -= bytes.length;
    return new Uint8Array(bytes);
  });
}

/** Each mail has a result, whatever the others have. */
async function parseMany(raw: Buffer, sizes: number[]): Promise<ParsedRow[]> {
  const rows: ParsedRow[] = [];
  let start = 0;
  for (const size of sizes) {
    const end = start + size;
    try {
      rows.push({ row: parsedRow(await parseBody(raw.subarray(start, end))) });
    } catch (error) {
      rows.push({ error: error instanceof Error ? error.message : String(error) });
    }
    start = end;
  }
  return rows;
}

/** `row`: the values of the message as JSON. */
export type ParsedRow = { row: string } | { error: string };
/**
 * A question to the thread: the body of a mail, the bytes of its attachments at some `places`, the pictures in its HTML, or
 * the bodies of several mails of these `sizes`, one after the other in `raw`.
 */
export type ParseQuestion = {
  raw: Uint8Array<ArrayBuffer>;
  places?: number[];
  contentIds?: string[];
  sizes?: number[];
};
export type ParseAnswer = { body: ParsedBody } | { files: Uint8Array<ArrayBuffer>[] } | { rows: ParsedRow[] };

export async function answer({ raw: bytes, places, contentIds, sizes }: ParseQuestion): Promise<ParseAnswer> {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (sizes) return { rows: await parseMany(raw, sizes) };
  if (contentIds) return { files: await parsePictures(raw, contentIds) };
  return places ? { files: await parseFiles(raw, places) } : { body: await parseBody(raw) };
}

export function transfer(given: ParseAnswer): ArrayBuffer[] {
  return "files" in given ? given.files.map(({ buffer }) => buffer) : [];
}

replaceBlob();
