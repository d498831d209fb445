// Opens `winmail.dat` (MS-OXTNEF): the body and the files that Outlook puts there.
import { decodeText } from "./charset.ts";
import { inflateRtf } from "./compressed-rtf.ts";
import { readRtf } from "./rtf.ts";

const SIGNATURE = 0x223e9f78;
const ATTRIBUTES_MAX = 10_000;
const PROPERTIES_MAX = 10_000;
const FILES_MAX = 1_000;

const BODY = 0x0002800c;
const MESSAGE_PROPERTIES = 0x00069003;
const CODE_PAGE = 0x00069007;
const NEW_FILE = 0x00069002;
const FILE_TITLE = 0x00018010;
const FILE_DATA = 0x0006800f;
const FILE_PROPERTIES = 0x00069005;

const PR_BODY = 0x1000;
const PR_RTF = 0x1009;
const PR_HTML = 0x1013;
const PR_FILE_DATA = 0x3701;
const PR_FILE_NAME = 0x3704;
const PR_LONG_NAME = 0x3707;
const PR_MEDIA_TYPE = 0x370e;
const PR_CONTENT_ID = 0x3712;
const PR_INTERNET_CODE_PAGE = 0x3fde;

const MULTIPLE = 0x1000;
const FIXED_BYTES: Record<number, number> = {
  1: 0,
  2: 4,
  3: 4,
  4: 4,
  5: 8,
  6: 8,
  7: 8,
  10: 4,
  11: 4,
  20: 8,
  64: 8,
  72: 16,
};
const UNICODE = 0x1f;
const OBJECT = 0x0d;
const VARIABLE = [0x0d, 0x1e, UNICODE, 0x0102];

export type Winmail = {
  /** Whether it ends, and all of it could be read. */
  isWhole: boolean;
  text: string | undefined;
  html: string | undefined;
  files: { name: string; contentType: string; contentId: string; octets: Buffer }[];
};

type Property = { type: number; octets: Buffer };
type Properties = Map<number, Property>;

const padded = (size: number) => (size + 3) & ~3;

/** The properties of MAPI, as far as they can be read. */
function readProperties(data: Buffer): Properties {
  const found: Properties = new Map();
  const count = data.length < 4 ? 0 : Math.min(data.readUInt32LE(0), PROPERTIES_MAX);
  let at = 4;
  for (let n = 0; n < count && at + 4 <= data.length; n += 1) {
    const [type, id] = [data.readUInt16LE(at), data.readUInt16LE(at + 2)];
    at += 4;
    if (id >= 0x8000) {
      // A named property: its set, and a number or a name.
      if (at + 24 > data.length) break;
      const isName = data.readUInt32LE(at + 16) === 1;
      at += isName ? 24 + padded(data.readUInt32LE(at + 20)) : 24;
    }
    const kind = type & ~MULTIPLE;
    const isVariable = VARIABLE.includes(kind);
    let values = 1;
    if (isVariable || (type & MULTIPLE) !== 0) {
      if (at + 4 > data.length) break;
      values = data.readUInt32LE(at);
      at += 4;
    }
    for (let value = 0; value < values && at < data.length; value += 1) {
      let size = FIXED_BYTES[kind];
      if (isVariable) {
        if (at + 4 > data.length) return found;
        size = data.readUInt32LE(at);
        at += 4;
      }
      if (size === undefined) return found;
      if (value === 0) found.set(id, { type: kind, octets: data.subarray(at, Math.min(at + size, data.length)) });
      at += padded(size);
    }
  }
  return found;
}

function textOf(property: Property | undefined, charset: string): string | undefined {
  if (!property || property.type === OBJECT) return;
  const text =
    property.type === UNICODE ? property.octets.toString("utf16le") : decodeText(property.octets, charset).text;
  return text.replace(/(?<!\0)\0+$/, "");
}

function number(property: Property | undefined): number | undefined {
  return property && property.octets.length >= 4 ? property.octets.readUInt32LE(0) : undefined;
}

/** As `decodeText` names it. */
function charsetOf(codePage: number | undefined): string {
  if (codePage === 65001) return "utf-8";
  return codePage === undefined || codePage === 0 ? "" : `cp${codePage}`;
}

type Attribute = { id: number; data: Buffer; isCut: boolean };

function readAttributes(octets: Buffer): { attributes: Attribute[]; isWhole: boolean } {
  const attributes: Attribute[] = [];
  let at = 6;
  // Level, id, size, data, check sum.
  while (at + 9 <= octets.length && attributes.length < ATTRIBUTES_MAX) {
    const [id, size] = [octets.readUInt32LE(at + 1), octets.readUInt32LE(at + 5)];
    const end = at + 9 + size;
    attributes.push({ id, data: octets.subarray(at + 9, end), isCut: end > octets.length });
    at += size + 11;
  }
  // Some programs write no last check sum.
  return { attributes, isWhole: at <= octets.length + 2 && attributes.length < ATTRIBUTES_MAX };
}

type File = { title: Buffer | undefined; data: Buffer | undefined; properties: Properties };

function fileOf({ title, data, properties }: File, charset: string): Winmail["files"][number] | undefined {
  const stored = properties.get(PR_FILE_DATA);
  // An object starts with the id of its interface.
  const octets = data ?? (stored?.type === OBJECT ? stored.octets.subarray(16) : stored?.octets);
  if (!octets) return;
  const name = textOf(properties.get(PR_LONG_NAME), charset) ?? textOf(properties.get(PR_FILE_NAME), charset);
  return {
    name: name || decodeText(title ?? Buffer.alloc(0), charset).text.replace(/(?<!\0)\0+$/, ""),
    contentType: textOf(properties.get(PR_MEDIA_TYPE), charset)?.toLowerCase() || "application/octet-stream",
    contentId: (textOf(properties.get(PR_CONTENT_ID), charset) ?? "").replace(/^<|>$/g, ""),
    octets,
  };
}

export function isTnef(octets: Buffer): boolean {
  return octets.length >= 6 && octets.readUInt32LE(0) === SIGNATURE;
}

/** Undefined: it is whole and has neither words nor files. */
export function openTnef(octets: Buffer): Winmail | undefined {
  const files: File[] = [];
  let [body, codePage]: [Buffer | undefined, number | undefined] = [undefined, undefined];
  let message: Properties = new Map();
  const { attributes, isWhole } = readAttributes(octets);
  for (const { id, data, isCut } of attributes) {
    const file = files.at(-1);
    if (id === CODE_PAGE && data.length >= 4) codePage = data.readUInt32LE(0);
    else if (id === BODY) body = data;
    else if (id === MESSAGE_PROPERTIES) message = readProperties(data);
    else if (id === NEW_FILE) {
      if (files.length === FILES_MAX) break;
      files.push({ title: undefined, data: undefined, properties: new Map() });
    } else if (file && id === FILE_TITLE) file.title = data;
    // A file that is cut is in the container alone.
    else if (isCut) break;
    else if (file && id === FILE_DATA) file.data = data;
    else if (file && id === FILE_PROPERTIES) file.properties = readProperties(data);
  }
  const charset = charsetOf(codePage);
  const found = files.map((file) => fileOf(file, charset)).filter((file) => file !== undefined);
  const html = textOf(message.get(PR_HTML), charsetOf(number(message.get(PR_INTERNET_CODE_PAGE))));
  const written =
    textOf(message.get(PR_BODY), charset) ?? (body && decodeText(body, charset).text.replace(/(?<!\0)\0+$/, ""));
  const packed = written === undefined && html === undefined ? message.get(PR_RTF) : undefined;
  const rtf = packed && readRtf(inflateRtf(packed.octets), charset);
  const text = written ?? rtf?.text;
  if (isWhole && !text?.trim() && !html?.trim() && found.length === 0) return;
  return { isWhole: isWhole && rtf?.isWhole !== false, text, html, files: found };
}
