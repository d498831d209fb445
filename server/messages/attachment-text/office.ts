// Reads the text of Word and Excel documents. Macros are not read.
import { readXml } from "./xml.ts";
import { readZip } from "./zip.ts";

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
