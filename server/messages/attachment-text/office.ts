// Reads the text of Word and Excel documents. Macros are not read.
import { unzipSync } from "fflate";

// Reads the XML files of a ZIP archive, within limits of what they may inflate to.
const FILES_MAX = 2_000;
/** All files that are read, inflated. The inflater never writes more than a file declares. */
const INFLATED_MAX_BYTES = 24 * 1024 * 1024;

/**
 * @param wanted whether to read the file of this name
 * @throws Error if the archive is broken or too large
 */
function readZip(bytes: Uint8Array, wanted: (name: string) => boolean): Map<string, string> {
  let files = 0;
  let inflated = 0;
  const read = unzipSync(bytes, {
    filter({ name, originalSize }) {
      files += 1;
      if (files > FILES_MAX) throw new Error(`the archive has more than ${FILES_MAX} files`);
      if (!wanted(name)) return false;
      inflated += originalSize;
      if (inflated > INFLATED_MAX_BYTES) throw new Error("the archive is too large when it is unpacked");
      return true;
    },
  });
  const decoder = new TextDecoder();
  return new Map(Object.entries(read).map(([name, content]) => [name, decoder.decode(content)]));
}

// Reads the tags and texts of an XML document, one after the other. DTDs and entities other than the five of XML are left out.
/** Linear: no part of it can match the same characters in two ways. */
const TOKEN = /<!\[CDATA\[([\s\S]*?)\]\]>|<[!?][^>]*>|<(\/?)([^\s<>/]+)([^<>]*)>|([^<]+)/g;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi;
const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const LAST_CODE_POINT = 0x10ffff;

type XmlEvents = {
  /** `name` without its prefix. A tag that closes itself is opened and closed. */
  open(name: string, attribute: (name: string) => string | undefined): void;
  close(name: string): void;
  text(text: string): void;
};

function readXml(xml: string, events: XmlEvents): void {
  for (const [, data, slash, tag = "", rest = "", text] of xml.matchAll(TOKEN)) {
    if (data !== undefined) events.text(data);
    else if (text !== undefined) events.text(decode(text));
    else if (tag) {
      const name = tag.slice(tag.indexOf(":") + 1);
      if (!slash) events.open(name, (wanted) => attributeOf(rest, wanted));
      if (slash || rest.endsWith("/")) events.close(name);
    }
  }
}

function attributeOf(rest: string, wanted: string): string | undefined {
  for (const [, name, double, single] of rest.matchAll(/([^\s=/]+)=(?:"([^"]*)"|'([^']*)')/g)) {
    if (name === wanted) return decode(double ?? single ?? "");
  }
  return undefined;
}

function decode(text: string): string {
  return text.replace(ENTITY, (_, decimal?: string, hex?: string, name?: string) => {
    if (name) return NAMED[name.toLowerCase()] ?? "";
    const point = decimal ? Number(decimal) : Number.parseInt(hex ?? "", 16);
    return point <= LAST_CODE_POINT ? String.fromCodePoint(point) : "";
  });
}

const WORD = /^word\/(document|footnotes|endnotes|comments)\.xml$/;
const SHEET = /^xl\/worksheets\/sheet(\d+)\.xml$/;
const SHEET_NAMES = "xl/workbook.xml";
const SHARED = "xl/sharedStrings.xml";

export type Office = { kind: "docx" | "xlsx"; text: string };

/** Undefined if the archive is neither. @throws Error if it is broken or too large */
export function readOffice(bytes: Uint8Array): Office | undefined {
  const files = readZip(
    bytes,
    (name) => WORD.test(name) || SHEET.test(name) || name === SHEET_NAMES || name === SHARED,
  );
  if (files.has("word/document.xml")) return { kind: "docx", text: wordText(files) };
  return files.has(SHEET_NAMES) ? { kind: "xlsx", text: excelText(files) } : undefined;
}

/** One line for each paragraph; the cells of a table row are separated by tabs. */
function wordText(files: Map<string, string>): string {
  const parts = [...files].filter(([name]) => WORD.test(name)).sort(([a], [b]) => rankOf(a) - rankOf(b));
  return parts.map(([, xml]) => paragraphsOf(xml)).join("\n");
}

function rankOf(name: string): number {
  return name === "word/document.xml" ? 0 : 1;
}

function paragraphsOf(xml: string): string {
  const out: string[] = [];
  let isText = false;
  let depth = 0;
  readXml(xml, {
    open(name) {
      if (name === "t") isText = true;
      else if (name === "tc") depth += 1;
      else if (name === "tab") out.push("\t");
      else if (name === "br" || name === "cr") out.push("\n");
    },
    close(name) {
      if (name === "t") isText = false;
      else if (name === "tr") out.push("\n");
      else if (name === "p") out.push(depth > 0 ? " " : "\n");
      else if (name === "tc") {
        depth -= 1;
        out.push("\t");
      }
    },
    text(text) {
      if (isText) out.push(text);
    },
  });
  return out.join("");
}

/** One line for each row, cells separated by tabs, below the name of each sheet. */
function excelText(files: Map<string, string>): string {
  const shared = sharedTexts(files.get(SHARED) ?? "");
  const names = sheetNames(files.get(SHEET_NAMES) ?? "");
  const sheets = [...files].flatMap(([name, xml]) => {
    const number = SHEET.exec(name)?.[1];
    return number === undefined ? [] : [{ at: Number(number), xml }];
  });
  return sheets
    .sort((a, b) => a.at - b.at)
    .map(({ at, xml }) => `# ${names[at - 1] ?? `Sheet ${at}`}\n${rowsOf(xml, shared)}`)
    .join("\n");
}

function sheetNames(xml: string): string[] {
  const names: string[] = [];
  readXml(xml, {
    open: (name, attribute) => void (name === "sheet" && names.push(attribute("name") ?? "")),
    close() {},
    text() {},
  });
  return names;
}

function sharedTexts(xml: string): string[] {
  const texts: string[] = [];
  let isText = false;
  readXml(xml, {
    open(name) {
      if (name === "si") texts.push("");
      isText = name === "t";
    },
    close() {
      isText = false;
    },
    text(text) {
      if (isText && texts.length > 0) texts[texts.length - 1] += text;
    },
  });
  return texts;
}

function rowsOf(xml: string, shared: string[]): string {
  const out: string[] = [];
  let type = "";
  let value = "";
  let isValue = false;
  readXml(xml, {
    open(name, attribute) {
      if (name === "c") [type, value] = [attribute("t") ?? "n", ""];
      isValue = name === "v" || name === "t";
    },
    close(name) {
      isValue = false;
      if (name === "c") out.push(type === "s" ? (shared[Number(value)] ?? "") : value, "\t");
      if (name === "row") out.push("\n");
    },
    text(text) {
      if (isValue) value += text;
    },
  });
  return out.join("");
}
