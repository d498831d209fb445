// Reads the text of an OpenDocument file (LibreOffice): text, sheets and slides.
import { type Archive, type Attribute, collect, readXml } from "./archive.ts";
import { plainNumber } from "./cell-format.ts";
import { inOneLine, writeRows } from "./excel.ts";

const CONTENT = "content.xml";
const STYLES = "styles.xml";
const MANIFEST = "META-INF/manifest.xml";
const MIMETYPE = "mimetype";
/** Of spaces that stand as a number. */
const SPACES_MAX = 1_000;
const COLUMNS_MAX = 16_384;
/** Of all cells that are written because they are repeated. */
const REPEATED_MAX = 200_000;

export type OpenKind = "odt" | "ods" | "odp";
const KINDS: [string, OpenKind][] = [
  ["opendocument.spreadsheet", "ods"],
  ["opendocument.presentation", "odp"],
  ["opendocument.text", "odt"],
];

/** Undefined if the archive is none. @throws Error if it is encrypted */
export function openKind(archive: Archive): OpenKind | undefined {
  if (!archive.has(CONTENT)) return undefined;
  const files = archive.read([MIMETYPE, MANIFEST]);
  const said = `${files.get(MIMETYPE) ?? ""} ${files.get(MANIFEST) ?? ""}`;
  const kind = KINDS.find(([type]) => said.includes(type))?.[1];
  if (kind && said.includes("encryption-data")) throw new Error("the file has a password");
  return kind;
}

/** Deleted text, comments' authors, and texts that stand above or behind others. */
const SKIPPED = new Set(["tracked-changes", "ruby-text", "creator", "date", "date-string", "forms", "desc", "title"]);

type Value = { type: string; value: string | undefined; currency: string | undefined; shown: string };

/** Times are written as `PT18H30M00S`. */
function clock(duration: string): string | undefined {
  const [, hours = "", minutes = "", seconds = ""] = /^-?PT(\d+)H(\d+)M([\d.]+)S$/.exec(duration) ?? [];
  if (hours === "") return undefined;
  const rest = String(Math.floor(Number(seconds)));
  const sign = duration.startsWith("-") ? "-" : "";
  return `${sign}${hours.padStart(2, "0")}:${minutes.padStart(2, "0")}${Number(rest) > 0 ? `:${rest.padStart(2, "0")}` : ""}`;
}

/** As of cells of Excel: no digit is left out, dates are in one form, and a currency is there. */
function cellText({ type, value, currency, shown }: Value): string {
  if (value === undefined) return shown;
  const number = Number(value);
  if (type === "date") return value.replace("T", " ").replace(/ 00:00:00(?:\.0+)?$|(?<=:\d\d):00(?:\.0+)?$/, "");
  if (type === "time") return clock(value) ?? shown;
  if (type === "boolean") return value === "true" ? "TRUE" : "FALSE";
  if (!Number.isFinite(number)) return shown || value;
  if (type === "percentage") return `${plainNumber(number * 100)}%`;
  if (type === "currency") return `${plainNumber(number)} ${currency ?? ""}`.trim();
  // Digits that are shown with zeros before them, or with dashes between them, are a number of something.
  if (/^[\d\s().\-/+]*$/.test(shown) && /^0\d|\d[\s()\-/]+\d/.test(shown)) return shown;
  return plainNumber(number);
}

const repeated = (attribute: Attribute, name: string, most: number) =>
  Math.min(most, Math.max(1, Number(attribute(name)) || 1));

type Row = { number: number; cells: { column: number; text: string }[] };

/** Paragraphs of text and slides; sheets when `isSheets`. */
function readContent(xml: string, isSheets: boolean): string {
  const out = collect();
  const hiddenStyles = new Set<string>();
  let style = "";
  let skipped = 0;
  let paragraphs = 0;
  let slide = 0;
  let table = 0;
  let columns = 0;
  let needsSpace = false;
  let isNewLine = true;
  let budget = REPEATED_MAX;
  let rows: Row[] = [];
  let row: Row = { number: 0, cells: [] };
  let rowRepeat = 1;
  let next = 1;
  let cell: (Value & { repeat: number }) | undefined;

  const add = (text: string) => {
    if (text === "" || skipped > 0) return;
    if (cell) {
      cell.shown += (needsSpace && cell.shown !== "" ? " " : "") + text;
    } else {
      out.add((needsSpace && !isNewLine ? " " : "") + text);
      isNewLine = text.endsWith("\n") || text.endsWith("\t");
    }
    needsSpace = false;
  };
  const breakLine = () => {
    if (cell || table > 0) needsSpace = true;
    else add("\n");
  };
  const endSheetCell = () => {
    if (!cell) return;
    const text = inOneLine(cellText({ ...cell, shown: cell.shown.trim() }));
    // Repeated cells with words are few; repeated empty cells fill a sheet.
    if (text !== "") {
      budget -= cell.repeat - 1;
      if (budget < 0) throw new Error("the sheet repeats too many cells");
      for (let i = 0; i < cell.repeat; i += 1) row.cells.push({ column: columns + i, text });
    }
    columns += cell.repeat;
    if (columns > COLUMNS_MAX + 1) columns = COLUMNS_MAX + 1;
    cell = undefined;
    needsSpace = false;
  };
  const endSheetRow = () => {
    if (row.cells.length > 0) {
      budget -= (rowRepeat - 1) * row.cells.length;
      if (budget < 0) throw new Error("the sheet repeats too many cells");
      for (let i = 0; i < rowRepeat; i += 1) rows.push({ number: next + i, cells: row.cells });
    }
    next += rowRepeat;
  };
  readXml(xml, {
    open(name, attribute) {
      if (SKIPPED.has(name)) skipped += 1;
      else if (name === "style") style = attribute("name") ?? "";
      else if (name === "table-properties" && attribute("display") === "false") hiddenStyles.add(style);
      else if (name === "p" || name === "h") paragraphs += 1;
      else if (name === "s") add(" ".repeat(repeated(attribute, "c", SPACES_MAX)));
      else if (name === "tab") add(cell || table > 0 ? " " : "\t");
      else if (name === "line-break") breakLine();
      else if (name === "page" && !isSheets && attribute("master-page-name") !== undefined) {
        slide += 1;
        add(`${slide > 1 ? "\n" : ""}# Slide ${slide}\n`);
      } else if (name === "notes" && slide > 0) add("Notes:\n");
      else if (name === "table" && isSheets && table === 0) {
        table = 1;
        if (out.length() > 0) out.add("\n");
        const hidden = hiddenStyles.has(attribute("style-name") ?? "") ? " (hidden)" : "";
        out.add(`# ${inOneLine(attribute("name") ?? "")}${hidden}\n`);
        [rows, next] = [[], 1];
      } else if (name === "table") table += 1;
      else if (name === "table-row" && isSheets) {
        row = { number: next, cells: [] };
        columns = 1;
        rowRepeat = repeated(attribute, "number-rows-repeated", Number.MAX_SAFE_INTEGER);
      } else if (name === "table-row" && table === 1) columns = 0;
      else if (name === "table-cell" || name === "covered-table-cell") {
        if (isSheets) {
          const type = attribute("value-type") ?? "";
          cell = {
            type,
            value: attribute(type === "date" || type === "time" || type === "boolean" ? `${type}-value` : "value"),
            currency: attribute("currency"),
            shown: "",
            repeat: repeated(attribute, "number-columns-repeated", COLUMNS_MAX),
          };
        } else if (table === 1) {
          const before = columns;
          columns += repeated(attribute, "number-columns-repeated", COLUMNS_MAX);
          if (columns > COLUMNS_MAX) throw new Error("a table has too many columns");
          needsSpace = false;
          add("\t".repeat(columns - Math.max(1, before)));
        }
      }
    },
    close(name) {
      if (SKIPPED.has(name)) skipped -= 1;
      else if (name === "p" || name === "h") {
        paragraphs -= 1;
        breakLine();
      } else if ((name === "table-cell" || name === "covered-table-cell") && isSheets) endSheetCell();
      else if (name === "table-row" && isSheets) endSheetRow();
      else if (name === "table-row" && table === 1) {
        needsSpace = false;
        add("\n");
      } else if (name === "table") {
        table -= 1;
        if (isSheets && table === 0) writeRows(rows, out);
      }
    },
    text(text) {
      // White space of the file is one space; what is meant is written as elements.
      if (paragraphs > 0) add(text.replace(/[\t\r\n ]+/g, " "));
    },
  });
  return out.text();
}

/** The headers and footers of pages, which are written as styles. */
function pageParts(xml: string): string {
  const out = collect();
  let depth = 0;
  let text = "";
  readXml(xml, {
    open(name) {
      if (/^(?:header|footer)(?:-left|-first)?$/.test(name)) depth += 1;
      if (name === "tab" && depth > 0) text += "\t";
    },
    close(name) {
      if (/^(?:header|footer)(?:-left|-first)?$/.test(name)) depth -= 1;
      if (depth > 0 && (name === "p" || name === "h") && text.trim() !== "") out.add(`${text.trim()}\n`);
      if (name === "p" || name === "h") text = "";
    },
    text(more) {
      if (depth > 0) text += more.replace(/[\t\r\n ]+/g, " ");
    },
  });
  return out.text();
}

export function openDocumentText(archive: Archive, kind: OpenKind): string {
  const files = archive.read([CONTENT, STYLES]);
  const content = readContent(files.get(CONTENT) ?? "", kind === "ods");
  return kind === "odt" ? `${pageParts(files.get(STYLES) ?? "")}${content}` : content;
}
