// Reads the XML files of a ZIP archive: office documents are such archives. Everything is limited in what it inflates to.
import { unzipSync } from "fflate";
import { decodeText } from "../../mime/charset.ts";

const FILES_MAX = 5_000;
/** All files that are read, inflated. The inflater never writes more than a file declares. */
const INFLATED_MAX_BYTES = 24 * 1024 * 1024;
/** Of the text that a document becomes: references and repeats make it longer than its XML. */
export const TEXT_MAX_CHARS = 16 * 1024 * 1024;

/** What may still be inflated: of an archive, and of the archives within it. */
export type Room = { left: number };

export type Archive = {
  room: Room;
  has(path: string): boolean;
  /** Those of the files that exist, in the order of `paths`. @throws Error if they are too large */
  read(paths: string[]): Map<string, string>;
  /** Undecoded. @throws Error if it is too large */
  octets(path: string): Uint8Array<ArrayBuffer> | undefined;
};

/** Some programs write capitals or backslashes, which Windows does not tell apart. */
const keyOf = (path: string) => path.replaceAll("\\", "/").replace(/^\/+/, "").toLowerCase();

/** @throws Error if the archive is broken or too large */
export function openArchive(bytes: Uint8Array, room: Room = { left: INFLATED_MAX_BYTES }): Archive {
  const names = new Map<string, string>();
  /** By their names in the archive. */
  const known = new Map<string, string>();
  unzipSync(bytes, {
    filter({ name }) {
      if (names.size >= FILES_MAX) throw new Error(`the archive has more than ${FILES_MAX} files`);
      names.set(keyOf(name), name);
      return false;
    },
  });
  const inflate = (isWanted: (name: string) => boolean) =>
    unzipSync(bytes, {
      filter({ name, size, originalSize }) {
        if (!isWanted(name)) return false;
        // A file that is stored as it is has the size that it takes in the archive, whatever it declares.
        room.left -= Math.max(size, originalSize);
        if (room.left < 0) throw new Error("the archive is too large when it is unpacked");
        return true;
      },
    });
  return {
    room,
    has: (path) => names.has(keyOf(path)),
    octets(path) {
      const wanted = names.get(keyOf(path));
      return wanted === undefined ? undefined : inflate((name) => name === wanted)[wanted];
    },
    read(paths) {
      const wanted = new Set(paths.map((path) => names.get(keyOf(path))));
      const inflated = inflate((name) => wanted.has(name) && !known.has(name));
      for (const [name, content] of Object.entries(inflated))
        known.set(name, decodeText(Buffer.from(content), "").text);
      return new Map(
        paths.flatMap((path) => {
          const text = known.get(names.get(keyOf(path)) ?? "");
          return text === undefined ? [] : [[path, text]];
        }),
      );
    },
  };
}

// Reads the tags and texts of an XML document, one after the other. Entities other than the five of XML are left out.
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi;
const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const LAST_CODE_POINT = 0x10ffff;

/** Of an element, by its name without the prefix, or with a colon before it if only the name with a prefix is meant. */
export type Attribute = (name: string) => string | undefined;

export type XmlEvents = {
  /** `name` without its prefix. A tag that closes itself is opened and closed. */
  open?(name: string, attribute: Attribute): void;
  close?(name: string): void;
  text?(text: string): void;
};

const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const GREATER = 0x3e;

/** The place of the `>` of a tag: quoted values may hold that sign. */
function endOfTag(xml: string, from: number): number {
  let quote = 0;
  for (let at = from; at < xml.length; at += 1) {
    const code = xml.charCodeAt(at);
    if (quote) quote = code === quote ? 0 : quote;
    else if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) quote = code;
    else if (code === GREATER) return at;
  }
  return -1;
}

/** What is between two marks, if it begins here: comments, CDATA and instructions. */
const MARKED = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
  ["<!", ">"],
] as const;

/**
 * Linear in the length of the document. The name of a DTD is skipped, as formulas of older programs have one.
 * @throws Error if a DTD stands in it: its entities hold words
 */
export function readXml(xml: string, { open, close, text }: XmlEvents): void {
  let at = 0;
  while (at < xml.length) {
    const tag = xml.indexOf("<", at);
    if (tag < 0) break;
    if (tag > at && text) text(decode(xml.slice(at, tag)));
    const isMarked = xml[tag + 1] === "!" || xml[tag + 1] === "?";
    const marked = isMarked ? MARKED.find(([start]) => xml.startsWith(start, tag)) : undefined;
    const end = marked ? xml.indexOf(marked[1], tag + marked[0].length) : endOfTag(xml, tag + 1);
    if (end < 0) break;
    if (marked?.[0] === "<!" && !/^<!DOCTYPE[^[\]]*$/i.test(xml.slice(tag, end)))
      throw new Error("the document has a DTD");
    at = end + (marked ? marked[1].length : 1);
    if (marked?.[0] === "<![CDATA[") text?.(xml.slice(tag + marked[0].length, end));
    if (!marked) readTag(xml.slice(tag + 1, end), open, close);
  }
}

function readTag(tag: string, open: XmlEvents["open"], close: XmlEvents["close"]): void {
  const [whole] = /^\/?[^\s/]+/.exec(tag) ?? [""];
  const name = whole.slice(Math.max(whole.indexOf(":"), whole.startsWith("/") ? 0 : -1) + 1);
  if (name === "") return;
  if (whole.startsWith("/")) {
    close?.(name);
    return;
  }
  open?.(name, (wanted) => attributeOf(tag, wanted));
  if (tag.endsWith("/")) close?.(name);
}

function attributeOf(tag: string, wanted: string): string | undefined {
  if (!tag.includes("=")) return undefined;
  for (const [, name = "", double, single] of tag.matchAll(
    /(?<![^\s=/"'])([^\s=/"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g,
  )) {
    if (wanted.startsWith(":") ? name.endsWith(wanted) : name.slice(name.indexOf(":") + 1) === wanted)
      return decode(double ?? single ?? "");
  }
  return undefined;
}

function decode(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(ENTITY, (_, decimal?: string, hex?: string, name?: string) => {
    if (name) return NAMED[name.toLowerCase()] ?? "";
    const point = decimal ? Number(decimal) : Number.parseInt(hex ?? "", 16);
    return point <= LAST_CODE_POINT ? String.fromCodePoint(point) : "";
  });
}

// Collects what a document becomes.
export type Lines = {
  add(text: string): void;
  /** How much there is so far. */
  length(): number;
  text(): string;
};

/** @throws Error (while it is collected) if it becomes too long */
export function collect(): Lines {
  const pieces: string[] = [];
  let length = 0;
  return {
    add(text) {
      length += text.length;
      if (length > TEXT_MAX_CHARS) throw new Error("the text is too large");
      pieces.push(text);
    },
    length: () => length,
    text: () => pieces.join(""),
  };
}

// Finds the parts of an OOXML document (ECMA-376 part 2) by their relationships: their names are up to the program that wrote it.
export type Relation = { id: string; type: string; target: string };

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** `../media/a.xml` from `xl/worksheets/` is `xl/media/a.xml`; a path that begins with `/` is from the top. */
function resolve(folder: string, target: string): string {
  const path: string[] = [];
  for (const step of `${target.startsWith("/") ? "" : folder}${target}`.split("/")) {
    if (step === "..") path.pop();
    else if (step !== "" && step !== ".") path.push(step);
  }
  return path.join("/");
}

/** Where the relationships of a part are; of the archive itself for the empty path. */
export function relationsPath(part: string): string {
  const folder = folderOf(part);
  return `${folder}_rels/${part.slice(folder.length)}.rels`;
}

/** @param xml what is at `relationsPath(part)`. `type` is the last word of its URI, which is the same in both forms of the standard */
export function relationsOf(part: string, xml: string): Relation[] {
  const relations: Relation[] = [];
  readXml(xml, {
    open(name, attribute) {
      if (name !== "Relationship" || attribute("TargetMode") === "External") return;
      const type = attribute("Type") ?? "";
      relations.push({
        id: attribute("Id") ?? "",
        type: type.slice(type.lastIndexOf("/") + 1),
        target: resolve(folderOf(part), attribute("Target") ?? ""),
      });
    },
  });
  return relations;
}
