// Reads the paragraphs and tables of Word, and the paragraphs of slides and drawings: each word that a person sees, once.
import { collect, readXml } from "./archive.ts";
import type { Listed, NumberOf } from "./numbering.ts";
import { symbolOf } from "./symbol-fonts.ts";

/** A table has at most so many columns. */
const COLUMNS_MAX = 63;

/** Text that was moved or deleted, the properties that a part had before a change, and how a word is pronounced. */
const SKIPPED = new Set(["moveFrom", "del", "rPrChange", "pPrChange", "rt"]);
const isOff = (value: string | undefined) => /^(?:0|false|off)$/.test(value ?? "");
const columns = (value: string | undefined) => Math.min(COLUMNS_MAX, Math.max(0, Number(value) || 0));

/** Fields of a form, and the elements that say what is chosen; the last one counts. */
const FORMS = new Set(["checkBox", "ddList"]);
const FORM_VALUES = new Set(["default", "checked", "result"]);

type Row = { hasCell: boolean; covered: number };

/**
 * Paragraphs are lines. A row of a table is a line with a tab between two columns; what a cell holds stands in one line.
 * @param chunkOf the words of a file of another kind that stands in the text
 * @param numberOf the number before a paragraph
 */
export function paragraphsOf(
  xml: string,
  chunkOf: (id: string) => string = () => "",
  numberOf: NumberOf = () => "",
): string {
  const out = collect();
  /** A cell may hold another table. */
  const rows: Row[] = [];
  /** For each choice of renderings that is open: how many words there were before it. */
  const choices: number[] = [];
  /** For each rendering and each field that is open: whether it is left out. */
  const leftOut: boolean[] = [];
  const hiddenRuns: boolean[] = [];
  /** For each field that is open: whether its instruction goes on. What a field within an instruction shows is part of a condition. */
  let fields: boolean[] = [];
  let listed: Listed = { style: "", num: undefined, level: undefined };
  let form: { value: string; entries: string[] } | undefined;
  let words = 0;
  let skipped = 0;
  let properties = 0;
  let isText = false;
  let isNewLine = true;
  let needsSpace = false;

  const add = (text: string) => {
    if (text === "" || skipped > 0 || hiddenRuns.at(-1) || fields.lastIndexOf(true, -2) >= 0) return;
    if (needsSpace && !isNewLine) out.add(" ");
    needsSpace = false;
    isNewLine = text.endsWith("\n") || text.endsWith("\t");
    out.add(text);
  };
  const separate = (text: string) => {
    needsSpace = false;
    add(text);
  };
  const breakLine = () => {
    if (rows.length > 0) needsSpace = true;
    else separate("\n");
  };
  const begin = (isLeftOut: boolean) => {
    leftOut.push(isLeftOut);
    if (isLeftOut) skipped += 1;
  };
  const changeField = (type: string | undefined) => {
    if (type === "begin") fields.push(true);
    else if (type === "separate") fields[fields.length - 1] = false;
    else if (type === "end") fields.pop();
  };
  const openProperties = () => {
    properties += 1;
    if (properties === 1) listed = { style: "", num: undefined, level: undefined };
  };
  const readProperty = (name: string, value: string | undefined) => {
    if (name === "pStyle") listed.style = value ?? "";
    else if (name === "numId") listed.num = value;
    else if (name === "ilvl") listed.level = Math.max(0, Number(value) || 0);
  };
  const closeProperties = () => {
    properties -= 1;
    if (properties > 0 || skipped > 0) return;
    const number = numberOf(listed);
    if (number !== "") add(`${number} `);
  };
  const openCell = (row: Row | undefined) => {
    if (!row) return;
    if (rows.length > 1) needsSpace = true;
    else if (row.hasCell) separate("\t");
    Object.assign(row, { hasCell: true, covered: 0 });
  };
  const closeCell = (row: Row | undefined) => {
    if (row && rows.length === 1 && row.covered > 0) separate("\t".repeat(row.covered));
  };

  readXml(xml, {
    open(name, attribute) {
      const row = rows.at(-1);
      if (name === "AlternateContent") choices.push(words);
      // The same content for another program: one of them is read.
      else if (name === "Choice" || name === "Fallback") begin(words !== (choices.at(-1) ?? words));
      else if (name === "fld") begin(attribute("type") === "slidenum");
      else if (SKIPPED.has(name)) skipped += 1;
      else if (name === "pPr") openProperties();
      else if (name === "r") hiddenRuns.push(false);
      else if (name === "vanish" && properties === 0 && hiddenRuns.length > 0)
        hiddenRuns[hiddenRuns.length - 1] = !isOff(attribute("val"));
      else if (name === "t") isText = true;
      else if (name === "txbxContent" && !isNewLine) breakLine();
      else if (name === "tr") rows.push({ hasCell: false, covered: 0 });
      else if (name === "tc") openCell(row);
      else if (name === "gridBefore" && row && rows.length === 1 && columns(attribute("val")) > 0) {
        separate("\t".repeat(columns(attribute("val")) - 1));
        row.hasCell = true;
      } else if (name === "gridSpan" && row) row.covered = Math.max(0, columns(attribute("val")) - 1);
      else if (properties > 0) {
        if (skipped === 0) readProperty(name, attribute("val"));
      } else if (name === "fldChar") changeField(attribute("fldCharType"));
      else if (name === "altChunk") {
        const chunk = chunkOf(attribute(":id") ?? "").trim();
        add(rows.length > 0 ? chunk.replace(/[\t\r\n]+/g, " ") : chunk);
        if (chunk !== "") breakLine();
      } else if (FORMS.has(name)) form = { value: "", entries: [] };
      else if (form && FORM_VALUES.has(name)) form.value = attribute("val") ?? "1";
      else if (form && name === "listEntry") form.entries.push(attribute("val") ?? "");
      else if (name === "textpath") {
        // Words that are drawn as a picture: a watermark.
        add(attribute("string") ?? "");
        breakLine();
      } else if (name === "br" || name === "cr") breakLine();
      else if (name === "tab" || name === "ptab") add(rows.length > 0 ? " " : "\t");
      else if (name === "noBreakHyphen") add("-");
      else if (name === "sym") add(symbolOf(attribute("font"), attribute("char")));
    },
    close(name) {
      if (name === "AlternateContent") choices.pop();
      else if (name === "Choice" || name === "Fallback" || name === "fld") skipped -= leftOut.pop() ? 1 : 0;
      else if (SKIPPED.has(name)) skipped -= 1;
      else if (name === "pPr") closeProperties();
      else if (name === "r") hiddenRuns.pop();
      else if (name === "t") isText = false;
      else if (form && FORMS.has(name)) {
        add(name === "ddList" ? (form.entries[Number(form.value)] ?? "") : isOff(form.value || "0") ? "[ ] " : "[x] ");
        form = undefined;
      } else if (name === "p") {
        // An instruction that never ends hides nothing behind its paragraph.
        if (fields.length > 0) fields = fields.map(() => false);
        breakLine();
      } else if (name === "tc") closeCell(rows.at(-1));
      else if (name === "tr") {
        rows.pop();
        breakLine();
      }
    },
    text(text) {
      if (!isText) return;
      if (skipped === 0 && text.trim() !== "") words += 1;
      add(rows.length > 0 ? text.replace(/[\t\r\n]/g, " ") : text);
    },
  });
  return out.text();
}
