// Reads a mail: its words and its files. Whatever its structure says, the words are there; the octets of files are unchanged.
import { READING_NOTES, type ReadingNote } from "#db/message-parts.ts";
import { readArmour } from "./armour.ts";
import { decodeText } from "./charset.ts";
import { joinFlowed } from "./flowed.ts";
import { declaredCharset, type HeaderBlock, readHeaders } from "./headers.ts";
import { openSigned } from "./signed.ts";
import { isKnownKind, type Leaf, PARTS_MAX, readStructure } from "./structure.ts";
import { isTnef, openTnef } from "./tnef.ts";
import { hasControls, takeBlocks, undo } from "./transfer.ts";

/** Containers in containers. */
const CONTAINERS_DEEP = 5;
/** Of all compressed content of a mail, and of `winmail.dat` in other containers, whose files are there more than once. */
const INFLATED_BYTES = 32 * 1024 * 1024;

/** `alternative`: the same for the texts of one multipart/alternative. */
export type MailText = { kind: "plain" | "html"; value: string; alternative: object | undefined };
export type MailFile = {
  filename: string | null;
  /** Media type without parameters, in lower case. */
  contentType: string;
  /** The charset that the part declares; "" if it does not. */
  charset: string;
  /** What a calendar asks for (RFC 6047 §2.4). */
  method?: string;
  isInline: boolean;
  /** Without angle brackets; "" if there is none. */
  contentId: string;
  octets: Buffer;
};
/** Texts and files in the order of the mail. */
export type Mail = { texts: MailText[]; files: MailFile[]; notes: ReadingNote[] };

type Reading = {
  texts: MailText[];
  files: MailFile[];
  notes: Set<ReadingNote>;
  /** Texts that count if the mail has no other words. */
  spare: { texts: () => MailText[]; file?: MailFile }[];
  inflatedLeft: number;
  partsLeft: number;
};
type Source = { raw: Buffer; charset: string; depth: number };

const isWords = ({ type }: Leaf) => type.value === "text/plain" || type.value === "text/html";
/** PGP in the form that mutt and pine wrote before PGP/MIME. */
const isPgpText = ({ type }: Leaf) => type.value === "application/pgp" && type.parameters.get("format") === "text";
/** Types of data that name text. */
const DATA_AS_TEXT = /^application\/(?:x-)?(?:pgp|plain|te?xt|html)$/;
const filenameOf = ({ type, disposition }: Leaf) =>
  disposition.parameters.get("filename") || disposition.parameters.get("name") || type.parameters.get("name") || null;

/** A text with a file name is a file, unless it is one of several forms of the words. */
function isText(leaf: Leaf): boolean {
  if ((!isWords(leaf) && !isPgpText(leaf)) || leaf.disposition.value === "attachment") return false;
  return leaf.isRoot || leaf.alternative !== undefined || filenameOf(leaf) === null;
}

/** With LF line breaks, and one at its end. */
function readText({ notes, files }: Reading, leaf: Leaf, { raw, charset }: Source): MailText {
  const { type, alternative } = leaf;
  const kind = type.value.endsWith("html") ? "html" : "plain";
  const { octets, isIgnored, isBinary } = undo(raw.subarray(leaf.start, leaf.end), leaf.encoding, true);
  if (isIgnored) notes.add("encoding_ignored");
  const { text: words, blocks } = kind === "plain" ? takeBlocks(octets) : { text: octets, blocks: [] };
  for (const block of blocks) {
    if (!block.isWhole) notes.add("part_unreadable");
    files.push(blockFile(block));
  }
  const { text, isGuessed } = decodeText(words, type.parameters.get("charset") ?? "", charset);
  if (isGuessed) notes.add("charset_guessed");
  const lines = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  const isFlowed = kind === "plain" && type.parameters.get("format")?.toLowerCase() === "flowed";
  const joined = isFlowed ? joinFlowed(lines, type.parameters.get("delsp")?.toLowerCase() === "yes") : lines;
  const value = isBinary || joined === "" || joined.endsWith("\n") ? joined : `${joined}\n`;
  if (kind === "plain" && readArmour(value).isEncrypted) notes.add("part_unreadable");
  return { kind, value, alternative: alternative ?? leaf };
}

function blockFile({ name, octets }: { name: string; octets: Buffer }): MailFile {
  const contentType = "application/octet-stream";
  return { filename: name || null, contentType, charset: "", isInline: false, contentId: "", octets };
}

function readFile({ notes }: Reading, leaf: Leaf, { raw }: Source): MailFile {
  const { type, disposition, contentId, isRelated } = leaf;
  const { octets, isIgnored, name } = undo(raw.subarray(leaf.start, leaf.end), leaf.encoding, false);
  if (isIgnored) notes.add("encoding_ignored");
  return {
    filename: filenameOf(leaf) || name || null,
    contentType: type.value,
    charset: type.parameters.get("charset") ?? "",
    method: type.parameters.get("method") ?? "",
    isInline: disposition.value === "inline" || (isRelated && contentId !== ""),
    contentId,
    octets,
  };
}

/** Whether a part that is the whole mail is its words, although it is declared as data. */
function isTextAsData(leaf: Leaf, { octets, charset }: MailFile): boolean {
  const { value } = leaf.type;
  const isAny = value === "application/octet-stream" || !isKnownKind(value);
  if (!DATA_AS_TEXT.test(value) && !(isAny && filenameOf(leaf) === null)) return false;
  return !hasControls(octets) && !decodeText(octets, charset).isGuessed;
}

const isSigned = ({ contentType, filename }: MailFile) =>
  /^application\/(?:x-)?pkcs7-mime$/.test(contentType) ||
  (contentType === "application/octet-stream" && /\.p7m$/i.test(filename ?? ""));

const NOTHING = { content: undefined, isWhole: false };

/** Whether the file was opened and is whole, so that its content takes its place. */
function openContainer(reading: Reading, file: MailFile, source: Source): boolean {
  const isDeep = source.depth >= CONTAINERS_DEEP;
  if (isSigned(file)) {
    const { content, isWhole } = isDeep ? NOTHING : openSigned(file.octets, reading.inflatedLeft);
    if (!isWhole) reading.notes.add("part_unreadable");
    if (!content) return false;
    if (content.length > file.octets.length) reading.inflatedLeft -= content.length;
    readInto(reading, content, readHeaders(content), source.depth + 1);
    return isWhole;
  }
  if (!file.contentType.startsWith("application/")) return false;
  // The first part of PGP/MIME, which some servers put into another multipart.
  if (file.contentType === "application/pgp-encrypted") reading.notes.add("part_unreadable");
  if (!isTnef(file.octets)) return false;
  const inner = source.depth > 0 ? file.octets.length : 0;
  if (isDeep || inner > reading.inflatedLeft) {
    reading.notes.add("part_unreadable");
    return false;
  }
  reading.inflatedLeft -= inner;
  const winmail = openTnef(file.octets);
  if (!winmail) return false;
  const { text, html, files, isWhole } = winmail;
  if (!isWhole) reading.notes.add("part_unreadable");
  const alternative = {};
  const texts: MailText[] = [];
  if (text !== undefined) texts.push({ kind: "plain", value: text.replace(/\r\n?/g, "\n"), alternative });
  if (html !== undefined) texts.push({ kind: "html", value: html.replace(/\r\n?/g, "\n"), alternative });
  // Outlook sends the same words beside it.
  if (texts.length > 0) reading.spare.push({ texts: () => texts });
  for (const { name, contentType, contentId, octets } of files) {
    const own = { filename: name || null, contentType, charset: "", isInline: contentId !== "", contentId, octets };
    if (!openContainer(reading, own, { ...source, depth: source.depth + 1 })) reading.files.push(own);
  }
  return isWhole;
}

/** A message, whole (RFC 2046 §5.2.1) or the only one of its parts (§5.2.2). */
const isMessage = ({ value, parameters }: Leaf["type"]) =>
  /^message\/(?:rfc822|global)$/.test(value) || (value === "message/partial" && parameters.get("total") === "1");

/** The words of the message that is all of a mail. Its files stay in it. */
function textsOfMessage({ notes, inflatedLeft, partsLeft }: Reading, { octets }: MailFile, depth: number): MailText[] {
  const inner = { ...newReading(), notes, inflatedLeft, partsLeft };
  readInto(inner, octets, readHeaders(octets), depth);
  return wordsOf(inner).texts;
}

/** A multipart that is encoded in whole, against RFC 2045 §6.4: what it decodes to, behind its type. */
function decodedMultipart({ multipart, start, end, encoding }: Leaf, raw: Buffer): Buffer | undefined {
  const isQuoted = /^\s*quoted-printable\s*$/i.test(encoding);
  if (multipart === undefined || !(isQuoted || /^\s*base64\s*$/i.test(encoding))) return;
  const { octets, isIgnored } = undo(raw.subarray(start, end), encoding, !isQuoted);
  return isIgnored && !isQuoted
    ? undefined
    : Buffer.concat([Buffer.from(`Content-Type: ${multipart}\r\n\r\n`), octets]);
}

function readInto(reading: Reading, raw: Buffer, block: HeaderBlock, depth: number): void {
  const source = { raw, charset: block.charset || declaredCharset(raw, block.bodyStart), depth };
  const structure = readStructure(raw, { ...block, charset: source.charset }, reading.partsLeft);
  const { leaves, parts, isRepaired, isCut, isEncrypted } = structure;
  reading.partsLeft = Math.max(0, reading.partsLeft - parts);
  if (isRepaired) reading.notes.add("structure_repaired");
  if (isCut || isEncrypted) reading.notes.add("part_unreadable");
  for (const leaf of leaves) {
    const isOpened = depth < CONTAINERS_DEEP && reading.partsLeft > 0;
    const decoded = isOpened ? decodedMultipart(leaf, raw) : undefined;
    if (decoded) {
      readInto(reading, decoded, readHeaders(decoded), depth + 1);
      continue;
    }
    if (isText(leaf)) {
      reading.texts.push(readText(reading, leaf, source));
      continue;
    }
    const file = readFile(reading, leaf, source);
    if (openContainer(reading, file, source)) continue;
    reading.files.push(file);
    if (leaf.disposition.value === "attachment") continue;
    if (leaf.isRoot && isMessage(leaf.type) && depth < CONTAINERS_DEEP)
      reading.spare.push({ texts: () => textsOfMessage(reading, file, depth + 1) });
    // A text of another kind, or with a name, is shown if there is nothing else to show.
    const isOther = /^text\/(?!calendar|csv|css|vcard|x-vcard)/.test(leaf.type.value);
    if (!isOther && !(leaves.length === 1 && isTextAsData(leaf, file))) continue;
    // What may be data stays in the list of files too.
    const isBoth = !isOther && !DATA_AS_TEXT.test(leaf.type.value);
    reading.spare.push({ texts: () => [readText(reading, leaf, source)], ...(!isBoth && { file }) });
  }
}

/**
 * The files as versions listed them that did not say how a mail was read: containers are closed, named texts are words. The
 * places in the lists that they stored are those in this one.
 */
export function readClosedFiles(raw: Buffer): Buffer[] {
  const block = readHeaders(raw);
  const charset = block.charset || declaredCharset(raw, block.bodyStart);
  const { leaves } = readStructure(raw, { ...block, charset });
  const files = leaves.filter((leaf) => leaf.isRetyped || !isWords(leaf) || leaf.disposition.value === "attachment");
  return files.map((leaf) => undo(raw.subarray(leaf.start, leaf.end), leaf.encoding, false).octets);
}

const newReading = (): Reading => ({
  texts: [],
  files: [],
  notes: new Set(),
  spare: [],
  inflatedLeft: INFLATED_BYTES,
  partsLeft: PARTS_MAX,
});

/** Texts that count only where there is nothing else, if there is nothing else. */
function wordsOf({ texts, files, spare: [spare] }: Reading): Pick<Mail, "texts" | "files"> {
  if (!spare || texts.some(({ value }) => value.trim() !== "")) return { texts, files };
  return { texts: spare.texts(), files: files.filter((file) => file !== spare.file) };
}

/** Pure. Linear in the size of the mail; the thread it runs in limits it. */
export function readMail(raw: Buffer, block = readHeaders(raw)): Mail {
  const reading = newReading();
  readInto(reading, raw, block, 0);
  return { ...wordsOf(reading), notes: READING_NOTES.filter((note) => reading.notes.has(note)) };
}
