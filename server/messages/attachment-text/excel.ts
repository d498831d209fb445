// Reads the text of an Excel workbook: each sheet below its name, one line for each row, a tab between two columns.
import {
  type Archive,
  collect,
  type Lines,
  type Relation,
  readXml,
  relationsOf,
  relationsPath,
  TEXT_MAX_CHARS,
} from "./archive.ts";
import { type CellFormat, cellFormat, plainNumber } from "./cell-format.ts";
import { type Graphics, graphicsText } from "./graphics.ts";

/** More empty rows or columns than this are not written out: the address of what follows is. */
const GAP_MAX = 100;
const COLUMNS_MAX = 16_384;
const ROWS_MAX = 1_048_576;
const LETTERS = 26;

type Sheet = { name: string; relation: string; isHidden: boolean };
/** Columns count from 1. */
export type Cell = { column: number; text: string };
/** A sheet may have a million rows: their cells are not kept. */
type Row = { number: number; line: string };

/** The name of a column: A for 1, AA for 27. */
export function columnName(column: number): string {
  let name = "";
  for (let left = column; left > 0; left = Math.floor((left - 1) / LETTERS))
    name = String.fromCharCode(65 + ((left - 1) % LETTERS)) + name;
  return name;
}

/** A cell is one field of its line, whatever is in it. */
export const inOneLine = (text: string) => text.replace(/[\t\r\n\v\f\u0085\u2028\u2029]+/g, " ").trimEnd();

function lineOf(number: number, cells: Cell[]): string {
  const sorted = cells.some((cell, at) => cell.column <= (cells[at - 1]?.column ?? 0))
    ? cells.toSorted((a, b) => a.column - b.column)
    : cells;
  let line = "";
  let at = 1;
  for (const { column, text } of sorted) {
    const isFar = column - at > GAP_MAX;
    line += isFar ? `\t[${columnName(column)}${number}] ` : "\t".repeat(Math.max(0, column - at));
    line += inOneLine(text);
    at = column;
  }
  return line;
}

export type Rows = { add(number: number, cells: Cell[]): void; all: Row[] };

/** @throws Error (while they are collected) if their text becomes too long */
export function collectRows(): Rows {
  const all: Row[] = [];
  let length = 0;
  return {
    all,
    add(number, cells) {
      const line = lineOf(number, cells);
      length += line.length;
      if (length > TEXT_MAX_CHARS) throw new Error("the text is too large");
      all.push({ number, line });
    },
  };
}

/** The rows at their places. @param out gets the lines */
export function writeRows({ all: rows }: Rows, out: Lines): void {
  const sorted = rows.some((row, at) => row.number <= (rows[at - 1]?.number ?? 0))
    ? rows.toSorted((a, b) => a.number - b.number)
    : rows;
  let next = 1;
  for (const row of sorted) {
    const gap = row.number - next;
    out.add(gap > GAP_MAX ? `[row ${row.number}]\n` : "\n".repeat(Math.max(0, gap)));
    out.add(`${row.line}\n`);
    next = row.number + 1;
  }
}

function readWorkbook(xml: string): { sheets: Sheet[]; from1904: boolean } {
  const sheets: Sheet[] = [];
  let from1904 = false;
  readXml(xml, {
    open(name, attribute) {
      if (name === "workbookPr") from1904 = /^(?:1|true|on)$/.test(attribute("date1904") ?? "");
      if (name !== "sheet") return;
      const isHidden = (attribute("state") ?? "visible") !== "visible";
      sheets.push({ name: attribute("name") ?? "", relation: attribute(":id") ?? "", isHidden });
    },
  });
  return { sheets, from1904 };
}

/** The format of each style that a cell can name. */
function readStyles(xml: string, from1904: boolean): CellFormat[] {
  const codes = new Map<number, string>();
  const formats: number[] = [];
  let list = "";
  readXml(xml, {
    open(name, attribute) {
      if (name === "numFmts" || name === "cellXfs") list = name;
      // Differences for conditions have formats too, with ids of their own.
      else if (list === "numFmts" && name === "numFmt")
        codes.set(Number(attribute("numFmtId")), attribute("formatCode") ?? "");
      else if (list === "cellXfs" && name === "xf") formats.push(Number(attribute("numFmtId") ?? 0));
    },
    close(name) {
      if (name === list) list = "";
    },
  });
  const made = new Map<number, CellFormat>();
  return formats.map((id) => {
    const format = made.get(id) ?? cellFormat(id, codes.get(id), from1904);
    made.set(id, format);
    return format;
  });
}

/** `_x000D_` is the character of that number, and `_x005F_` the line before such a text (ECMA-376 part 1, §22.9.2.19). */
const unescaped = (text: string) =>
  text.includes("_x")
    ? text.replace(/_x([0-9a-f]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

/** Collects the text of `t` elements, but not of phonetic hints (`rPh`), which stand above the text. */
function textReader() {
  let text = "";
  let isText = false;
  let hints = 0;
  return {
    begin: () => {
      text = "";
    },
    open(name: string) {
      if (name === "rPh") hints += 1;
      isText = name === "t" && hints === 0;
    },
    close(name: string) {
      if (name === "rPh") hints -= 1;
      if (name === "t") isText = false;
    },
    text(more: string) {
      if (isText) text += more;
    },
    get: () => unescaped(text),
  };
}

function sharedTexts(xml: string): string[] {
  const texts: string[] = [];
  const reader = textReader();
  readXml(xml, {
    open(name) {
      if (name === "si") reader.begin();
      reader.open(name);
    },
    close(name) {
      reader.close(name);
      if (name === "si") texts.push(reader.get());
    },
    text: reader.text,
  });
  return texts;
}

type Book = { shared: string[]; styles: CellFormat[] };
type Raw = { type: string; style: number; value: string; formula: string; inline: string };

function cellText({ type, style, value, formula, inline }: Raw, { shared, styles }: Book): string {
  if (type === "inlineStr") return inline;
  // Programs that cannot compute leave value and type out, and Excel computes it when a person opens the file. `str`: it is computed.
  if (value === "") return formula === "" || type === "str" ? "" : `=${formula}`;
  if (type === "s") {
    const text = shared[Number(value)];
    if (text === undefined) throw new Error("a cell names a text that the workbook does not have");
    return text;
  }
  if (type === "b") return value.trim() === "1" || value.trim() === "true" ? "TRUE" : "FALSE";
  if (type === "d") return value.replace("T", " ").replace(/(?: 00:00:00)?(?:\.0+)?Z?$/, "");
  if (type !== "n") return unescaped(value);
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number)) return value;
  // An id of 16 digits and more is no number that JavaScript can hold.
  if (/^-?\d{16,}$/.test(value)) return value;
  return (styles[style] ?? plainNumber)(number);
}

function columnOf(address: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(address)?.[0] ?? "") column = column * LETTERS + letter.charCodeAt(0) - 64;
  return column;
}

/** What pages have above and below, with codes such as `&P` for the number of the page and `&"Arial,Bold"` for a font. */
const MARGINS = /^(?:odd|even|first)(?:Header|Footer)$/;
/** Stands for the number of the page, or of all pages. */
const PAGE = "\0";

/** Without the parts that number the pages: "Page &P of &N", "第 &P 页". */
function marginText(text: string): string {
  const plain = text.replace(/&(?:"[^"]*"|K[\dA-F]{6}|K[\d+-]+|\d{1,3}|([&LCR]|[PN])|\w)/g, (_, kept?: string) =>
    kept === "&" ? "&" : kept === "P" || kept === "N" ? PAGE : kept ? "\n" : "",
  );
  const parts = plain.split("\n").filter((part) => !isPageNumber(part));
  return parts.join(" ").replaceAll(PAGE, "");
}

function isPageNumber(part: string): boolean {
  const pages = part.split(PAGE).length - 1;
  const words = part.match(/\p{L}+/gu) ?? [];
  return pages > 0 && (words.length <= pages || words.every((word) => word.length === 1));
}

/** `margins`: the headers and footers of its pages. */
function readRows(xml: string, book: Book): { rows: Rows; margins: string } {
  const rows = collectRows();
  const margins = new Set<string>();
  let cells: Cell[] | undefined;
  let number = 0;
  let column = 0;
  let cell: Raw | undefined;
  let inside = "";
  const inline = textReader();
  readXml(xml, {
    open(name, attribute) {
      inline.open(name);
      if (name === "row") {
        number = Number(attribute("r") ?? number + 1);
        if (!(number >= 1 && number <= ROWS_MAX)) throw new Error("a row has a place that no sheet has");
        cells = [];
        column = 0;
      } else if (name === "c") {
        column = columnOf((attribute("r") ?? "").toUpperCase()) || column + 1;
        if (column > COLUMNS_MAX) throw new Error("a cell has a place that no sheet has");
        cell = { type: attribute("t") ?? "n", style: Number(attribute("s") ?? 0), value: "", formula: "", inline: "" };
        inline.begin();
      }
      inside = name;
    },
    close(name) {
      inline.close(name);
      inside = "";
      if (name === "c" && cell && cells) {
        const text = cellText({ ...cell, inline: inline.get() }, book);
        if (text !== "") cells.push({ column, text });
        cell = undefined;
      }
      if (name === "row" && cells) {
        if (cells.length > 0) rows.add(number, cells);
        cells = undefined;
      }
    },
    text(text) {
      inline.text(text);
      if (!cell) {
        if (MARGINS.test(inside)) margins.add(inOneLine(marginText(text)).trim());
        return;
      }
      if (inside === "v") cell.value += text;
      else if (inside === "f") cell.formula += text;
    },
  });
  return { rows, margins: [...margins].filter((text) => text !== "").join("\n") };
}

/** Comments of a sheet by the addresses of their cells: `[B2] words`. Excel writes those with answers twice, once as an explanation. */
function commentsText(archive: Archive, relations: Relation[]): string {
  const pathsOf = (wanted: string) => relations.filter(({ type }) => type === wanted).map(({ target }) => target);
  const [threads, notes] = [pathsOf("threadedComment"), pathsOf("comments")];
  if (threads.length + notes.length === 0) return "";
  const files = archive.read([...threads, ...notes]);
  const threaded = new Set<string>();
  const out = collect();
  for (const path of [...threads, ...notes]) {
    const isThread = threads.includes(path);
    let address = "";
    let words = "";
    const text = textReader();
    text.begin();
    readXml(files.get(path) ?? "", {
      open(name, attribute) {
        text.open(isThread && name === "text" ? "t" : name);
        if (name === "comment" || name === "threadedComment") [address] = [attribute("ref") ?? "", text.begin()];
      },
      close(name) {
        text.close(isThread && name === "text" ? "t" : name);
        if (name !== "comment" && name !== "threadedComment") return;
        if (isThread) threaded.add(address);
        words = inOneLine(text.get()).trim();
        if (words !== "" && (isThread || !threaded.has(address))) out.add(`[${address}] ${words}\n`);
      },
      text: text.text,
    });
  }
  return out.text();
}

/** Files without relationships are numbered; no program that is known writes them so, but it is what there is. */
function sheetPath(relations: Relation[], { relation }: Sheet, at: number): Relation {
  const numbered = { id: "", type: "worksheet", target: `xl/worksheets/sheet${at + 1}.xml` };
  if (relations.length === 0) return numbered;
  const found = relations.find(({ id }) => id === relation);
  if (!found) throw new Error("a sheet has no file");
  return found;
}

/** @param main the path of the workbook */
export function excelText(archive: Archive, main: string): Graphics {
  const relationsFile = relationsPath(main);
  const first = archive.read([main, relationsFile]);
  const { sheets, from1904 } = readWorkbook(first.get(main) ?? "");
  const relations = relationsOf(main, first.get(relationsFile) ?? "");
  const pathOf = (type: string, usual: string) => relations.find((each) => each.type === type)?.target ?? usual;
  const [sharedPath, stylesPath] = [pathOf("sharedStrings", "xl/sharedStrings.xml"), pathOf("styles", "xl/styles.xml")];
  const placed = sheets.map((sheet, at) => ({ sheet, ...sheetPath(relations, sheet, at) }));
  const files = archive.read([
    sharedPath,
    stylesPath,
    ...placed.flatMap(({ target }) => [target, relationsPath(target)]),
  ]);
  const book = {
    shared: sharedTexts(files.get(sharedPath) ?? ""),
    styles: readStyles(files.get(stylesPath) ?? "", from1904),
  };
  const out = collect();
  let isPartial = false;
  for (const { sheet, type, target } of placed) {
    if (out.length() > 0) out.add("\n");
    out.add(`# ${inOneLine(sheet.name)}${sheet.isHidden ? " (hidden)" : ""}\n`);
    const xml = files.get(target);
    if (type === "worksheet") {
      if (xml === undefined) throw new Error("a sheet has no file");
      const { rows, margins } = readRows(xml, book);
      writeRows(rows, out);
      if (margins !== "") out.add(`${margins}\n`);
    }
    const beside = relationsOf(target, files.get(relationsPath(target)) ?? "");
    out.add(commentsText(archive, beside));
    const graphics = graphicsText(archive, beside);
    out.add(graphics.text);
    isPartial ||= graphics.isPartial;
  }
  return { text: out.text(), isPartial };
}
