// Reads the text of an OpenDocument file (LibreOffice): text, sheets and slides.
import { type Archive, type Attribute, collect, type Lines, readXml } from "./archive.ts";
import { plainNumber } from "./cell-format.ts";
import { type Cell, collectRows, columnName, inOneLine, writeRows } from "./excel.ts";
import { type Graphics, readable } from "./graphics.ts";

const CONTENT = "content.xml";
const STYLES = "styles.xml";
const MANIFEST = "META-INF/manifest.xml";
const MIMETYPE = "mimetype";
/** Of spaces that stand as a number. */
const SPACES_MAX = 1_000;
const COLUMNS_MAX = 16_384;
/** In which a flat file says what it is: its first tag has many namespaces. */
const FLAT_START_CHARS = 32_768;
/** Elements within each other. */
const DEPTH_MAX = 10_000;
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

/** Deleted text, what forms hold, the mark of a note, how a word is pronounced, and what a flat file has in one: pages, pictures. */
const SKIPPED = new Set(["tracked-changes", "ruby-text", "forms", "note-citation", "master-styles", "binary-data"]);
/** In a paragraph and in a chart these are words that a person reads; elsewhere they describe a picture or say who wrote a comment. */
const FIELDS = new Set(["creator", "date", "date-string", "desc", "title"]);
const WORDED = new Set(["p", "h", "span", "a", "chart", "axis"]);
/** What stands within a paragraph of the file, but not of the page: the words of the paragraph go on behind it. */
const ASIDE = new Set(["note-body", "annotation", "text-box", "custom-shape"]);

type Value = { type: string; value: string | undefined; currency: string | undefined; shown: string };

/** Times are written as `PT18H30M00S`. */
function clock(duration: string, display: string): string | undefined {
  const [, hours = "", minutes = "", seconds = ""] = /^-?PT(\d+)H(\d+)M([\d.]+)S$/.exec(duration) ?? [];
  if (hours === "") return undefined;
  const rest = String(Math.floor(Number(seconds)));
  const sign = duration.startsWith("-") ? "-" : "";
  const places = /:\d\d[.,](\d{1,3})(?!\d)/.exec(display)?.[1]?.length ?? 0;
  const fraction = places > 0 ? `.${(seconds.split(".")[1] ?? "").slice(0, places).padEnd(places, "0")}` : "";
  if (fraction)
    return `${sign}${hours.padStart(2, "0")}:${minutes.padStart(2, "0")}:${rest.padStart(2, "0")}${fraction}`;
  return `${sign}${hours.padStart(2, "0")}:${minutes.padStart(2, "0")}${Number(rest) > 0 ? `:${rest.padStart(2, "0")}` : ""}`;
}

/** As of cells of Excel: no digit is left out, dates are in one form, and a currency is there. */
function cellText({ type, value, currency, shown }: Value): string {
  if (value === undefined) return shown;
  const number = Number(value);
  if (type === "date") return value.replace("T", " ").replace(/ 00:00:00(?:\.0+)?$|(?<=:\d\d):00(?:\.0+)?$/, "");
  if (type === "time") return clock(value, shown) ?? shown;
  if (type === "boolean") return value === "true" ? "TRUE" : "FALSE";
  if (!Number.isFinite(number)) return shown || value;
  if (type === "percentage") return `${plainNumber(number * 100)}%`;
  if (type === "currency") return `${plainNumber(number)} ${currency ?? ""}`.trim();
  // Digits that are shown with zeros before them, or with dashes between them, are a number of something.
  const isMask =
    /^[\d\s().\-/+]*$/.test(shown) && /^0\d|\d[\s()\-/]+\d/.test(shown) && !/^\d{1,3}(?:\s\d{3})+$/.test(shown);
  if (isMask && Number(shown.replace(/\D/g, "")) === Math.abs(number)) return shown;
  return withUnit(shown, number) ?? plainNumber(number);
}

/** The whole number with what is shown beside it, if that is the number, rounded: `3.3 kg` of 3.25 is `3.25 kg`. */
function withUnit(shown: string, number: number): string | undefined {
  const [, before = "", digits = "", after = ""] =
    /^(\D{0,40}?)(\d(?:[\d.,'’\s]{0,40}\d)?)(\D{0,40})$/.exec(shown) ?? [];
  const unsigned = (text: string) => text.replace(/[-−()+]/g, "");
  if (!/[^\s.,]/.test(unsigned(before) + unsigned(after))) return undefined;
  const [, whole = "", decimals = ""] = /^(.*?)(?:[.,](\d+))?$/.exec(digits) ?? [];
  const isShown = [
    { text: digits.replace(/\D/g, ""), places: 0 },
    { text: `${whole.replace(/\D/g, "")}.${decimals}`, places: decimals.length },
  ].some(({ text, places }) => Math.abs(Number(text) - Math.abs(number)) <= 0.5001 * 10 ** -places);
  const sign = number < 0 ? "-" : "";
  return isShown ? `${sign}${unsigned(before)}${plainNumber(Math.abs(number))}${unsigned(after)}`.trim() : undefined;
}

const repeated = (attribute: Attribute, name: string, most: number) =>
  Math.min(most, Math.max(1, Number(attribute(name)) || 1));

type Place = { paragraphs: number; table: number; columns: number; needsSpace: boolean; isNewLine: boolean };
const START: Place = { paragraphs: 0, table: 0, columns: 0, needsSpace: false, isNewLine: true };
type Aside = { name: string; outer: Place; out: Lines };

/** Paragraphs of text and slides; sheets when `isSheets`. */
function readContent(xml: string, isSheets: boolean): string {
  const out = collect();
  /** Footnotes and comments, which stand at the end. */
  const notes = collect();
  /** Of frames in the paragraph that is open. */
  let frames = collect();
  const asides: Aside[] = [];
  const hiddenStyles = new Set<string>();
  /** The elements that are open, and for each of those that a style may hide whether it does. */
  const parents: string[] = [];
  const hidden: boolean[] = [];
  let style = "";
  let skipped = 0;
  let slide = 0;
  let at = { ...START };
  let budget = REPEATED_MAX;
  let rows = collectRows();
  let cells: Cell[] = [];
  let rowRepeat = 1;
  let next = 1;
  let cell: (Value & { repeat: number }) | undefined;
  /** Comments of the sheet by their addresses, and the one that is open. */
  let comments = collect();
  let comment: string | undefined;

  const add = (text: string) => {
    if (text === "" || skipped > 0) return;
    if (cell) {
      cell.shown += (at.needsSpace && cell.shown !== "" ? " " : "") + text;
    } else {
      (asides.at(-1)?.out ?? out).add((at.needsSpace && !at.isNewLine ? " " : "") + text);
      at.isNewLine = text.endsWith("\n") || text.endsWith("\t");
    }
    at.needsSpace = false;
  };
  const breakLine = () => {
    if (cell || at.table > 0) at.needsSpace = true;
    else add("\n");
  };
  const endParagraph = () => {
    at.paragraphs -= 1;
    breakLine();
    if (at.paragraphs > 0 || asides.length > 0 || frames.length() === 0) return;
    const text = frames.text();
    frames = collect();
    add(at.table > 0 ? inOneLine(text) : text);
    at.needsSpace = at.table > 0;
  };
  const beginAside = (name: string) => {
    const isNote = name === "note-body" || name === "annotation";
    const isOuter = asides.length === 0;
    const place = name === "notes" ? collect() : isNote ? notes : isOuter ? frames : (asides.at(-1)?.out ?? out);
    asides.push({ name, outer: at, out: place });
    at = { ...START };
  };
  const endAside = () => {
    const ended = asides.pop();
    if (!ended) return;
    at = ended.outer;
    if (ended.name === "notes" && ended.out.text().trim() !== "") add(`Notes: ${ended.out.text().trim()}\n`);
  };
  const isDescription = (name: string) => FIELDS.has(name) && !WORDED.has(parents.at(-1) ?? "");
  const isAside = (name: string) => (ASIDE.has(name) && at.paragraphs > 0) || (name === "notes" && slide > 0);
  const mayHide = (name: string) => name === "span" || name === "p" || name === "h" || name === "section";
  const endSheetCell = () => {
    if (!cell) return;
    const text = inOneLine(cellText({ ...cell, shown: cell.shown.trim() }));
    // Repeated cells with words are few; repeated empty cells fill a sheet.
    if (text !== "") {
      budget -= cell.repeat - 1;
      if (budget < 0) throw new Error("the sheet repeats too many cells");
      for (let i = 0; i < cell.repeat; i += 1) cells.push({ column: at.columns + i, text });
    }
    at.columns = Math.min(at.columns + cell.repeat, COLUMNS_MAX + 1);
    cell = undefined;
    at.needsSpace = false;
  };
  const endSheetRow = () => {
    if (cells.length > 0) {
      budget -= (rowRepeat - 1) * cells.length;
      if (budget < 0) throw new Error("the sheet repeats too many cells");
      for (let i = 0; i < rowRepeat; i += 1) rows.add(next + i, cells);
    }
    next += rowRepeat;
  };
  const openCell = (attribute: Attribute) => {
    if (isSheets) {
      const type = attribute("value-type") ?? "";
      cell = {
        type,
        value: attribute(type === "date" || type === "time" || type === "boolean" ? `${type}-value` : "value"),
        currency: attribute("currency"),
        shown: "",
        repeat: repeated(attribute, "number-columns-repeated", COLUMNS_MAX),
      };
    } else if (at.table === 1) {
      const before = at.columns;
      at.columns += repeated(attribute, "number-columns-repeated", COLUMNS_MAX);
      if (at.columns > COLUMNS_MAX) throw new Error("a table has too many columns");
      at.needsSpace = false;
      add("\t".repeat(at.columns - Math.max(1, before)));
    }
  };
  readXml(xml, {
    open(name, attribute) {
      if (SKIPPED.has(name) || isDescription(name)) skipped += 1;
      else if (name === "annotation" && isSheets) {
        skipped += 1;
        comment = "";
      } else if (isAside(name)) beginAside(name);
      else if (name === "style") style = attribute("name") ?? "";
      else if (name === "table-properties" && attribute("display") === "false") hiddenStyles.add(style);
      else if (name === "text-properties" && attribute("display") === "none") hiddenStyles.add(style);
      else if (name === "drawing-page-properties" && attribute("visibility") === "hidden") hiddenStyles.add(style);
      else if (name === "s") add(" ".repeat(repeated(attribute, "c", SPACES_MAX)));
      else if (name === "tab") add(cell || at.table > 0 ? " " : "\t");
      else if (name === "line-break") breakLine();
      else if (name === "page" && !isSheets && attribute("master-page-name") !== undefined) {
        slide += 1;
        const isHidden = hiddenStyles.has(attribute("style-name") ?? "");
        add(`${slide > 1 ? "\n" : ""}# Slide ${slide}${isHidden ? " (hidden)" : ""}\n`);
      } else if (name === "table" && isSheets && at.table === 0) {
        at.table = 1;
        if (out.length() > 0) out.add("\n");
        const isHidden = hiddenStyles.has(attribute("style-name") ?? "");
        out.add(`# ${inOneLine(attribute("name") ?? "")}${isHidden ? " (hidden)" : ""}\n`);
        [rows, next] = [collectRows(), 1];
      } else if (name === "table") at.table += 1;
      else if (name === "table-row" && isSheets) {
        cells = [];
        at.columns = 1;
        rowRepeat = repeated(attribute, "number-rows-repeated", Number.MAX_SAFE_INTEGER);
      } else if (name === "table-row" && at.table === 1) at.columns = 0;
      else if (name === "table-cell" || name === "covered-table-cell") openCell(attribute);
      if (name === "p" || name === "h") at.paragraphs += 1;
      if (mayHide(name)) {
        const isHidden = hiddenStyles.has(attribute("style-name") ?? "") || attribute("display") === "none";
        hidden.push(isHidden);
        if (isHidden) skipped += 1;
      }
      parents.push(name);
      if (parents.length > DEPTH_MAX) throw new Error("the elements are nested too deep");
    },
    close(name) {
      parents.pop();
      if (mayHide(name) && hidden.pop()) skipped -= 1;
      if (SKIPPED.has(name) || isDescription(name)) skipped -= 1;
      else if (name === "annotation" && isSheets) {
        skipped -= 1;
        const words = inOneLine(comment ?? "").trim();
        if (words !== "") comments.add(`[${columnName(at.columns)}${next}] ${words}\n`);
        comment = undefined;
      } else if (asides.at(-1)?.name === name && at.paragraphs === 0) endAside();
      else if (name === "p" || name === "h") endParagraph();
      else if ((name === "table-cell" || name === "covered-table-cell") && isSheets) endSheetCell();
      else if (name === "table-row" && isSheets) endSheetRow();
      else if (name === "table-row" && at.table === 1) {
        at.needsSpace = false;
        add("\n");
      } else if (name === "table") {
        at.table -= 1;
        if (isSheets && at.table === 0) {
          writeRows(rows, out);
          out.add(comments.text());
          comments = collect();
        }
      }
    },
    text(text) {
      // White space of the file is one space; what is meant is written as elements.
      if (at.paragraphs > 0 && comment !== undefined) comment += `${parents.at(-1) === "p" ? " " : ""}${text}`;
      if (at.paragraphs > 0) add(text.replace(/[\t\r\n ]+/g, " "));
    },
  });
  out.add(notes.text());
  return out.text();
}

/** Headers or footers of pages, which are written as styles. */
function pageParts(xml: string, part: RegExp): string {
  const out = collect();
  let depth = 0;
  let text = "";
  readXml(xml, {
    open(name) {
      if (part.test(name)) depth += 1;
      if (name === "tab" && depth > 0) text += "\t";
    },
    close(name) {
      if (part.test(name)) depth -= 1;
      if (depth > 0 && (name === "p" || name === "h") && text.trim() !== "") out.add(`${text.trim()}\n`);
      if (name === "p" || name === "h") text = "";
    },
    text(more) {
      if (depth > 0) text += more.replace(/[\t\r\n ]+/g, " ");
    },
  });
  return out.text();
}

/** What stands in a document as a document: charts and formulas. `isPartial`: some are of a kind that has no paragraphs, or is not read. */
function objectsText(archive: Archive, content: string): Graphics {
  const paths = new Set<string>();
  let isPartial = false;
  if (!content.includes("draw:object")) return { text: "", isPartial };
  readXml(content, {
    open(name, attribute) {
      const path = (attribute("href") ?? "").replace(/^\.\/|\/$/g, "");
      if (name === "object-ole") isPartial = true;
      else if (name === "object" && path !== "") paths.add(`${path}/${CONTENT}`);
    },
  });
  const out = collect();
  const files = archive.read([...paths]);
  for (const path of paths) {
    const xml = files.get(path) ?? "";
    const text = readable(() => readContent(xml, /<office:spreadsheet[\s>]/.test(xml)).trim());
    if (text) out.add(`${text}\n`);
    else isPartial = true;
  }
  return { text: out.text(), isPartial };
}

function withPageParts(content: string, styles: string): string {
  return `${pageParts(styles, /^header(?:-left|-first)?$/)}${content}${pageParts(styles, /^footer(?:-left|-first)?$/)}`;
}

export function openDocumentText(archive: Archive, kind: OpenKind): Graphics {
  const files = archive.read([CONTENT, STYLES]);
  const xml = files.get(CONTENT) ?? "";
  const content = readContent(xml, kind === "ods");
  const objects = objectsText(archive, xml);
  const text = kind === "odt" ? withPageParts(content, files.get(STYLES) ?? "") : content;
  return { text: text + objects.text, isPartial: objects.isPartial };
}

/** A document in one XML file (`.fodt`, `.fods`, `.fodp`). Undefined if it is none */
export function flatDocument(xml: string): { kind: OpenKind; text: string } | undefined {
  const [root = ""] = /<office:document\s[^>]*>/.exec(xml.slice(0, FLAT_START_CHARS)) ?? [];
  const kind = KINDS.find(([type]) => root.includes(`mimetype="application/vnd.oasis.${type}"`))?.[1];
  if (!kind) return undefined;
  const content = readContent(xml, kind === "ods");
  return { kind, text: kind === "odt" ? withPageParts(content, xml) : content };
}
