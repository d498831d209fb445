// Reads the text of a Word document: each word that a person sees, once. Headers come first, since they often hold the number of an
// invoice, then the body, notes and footers.
import { type Archive, collect, readXml, relationsOf, relationsPath } from "./archive.ts";
import { symbolOf } from "./symbol-fonts.ts";

const BEFORE = ["header"];
const AFTER = ["footnotes", "endnotes", "comments", "footer"];
/** Of a document without relationships. */
const USUAL = ["header1", "footnotes", "endnotes", "comments", "footer1"];
/** A table has at most so many columns. */
const COLUMNS_MAX = 63;

/** Text that was moved or deleted, the properties that a part had before a change, and how a word is pronounced. */
const SKIPPED = new Set(["moveFrom", "del", "rPrChange", "pPrChange", "rt"]);
const isOff = (value: string | undefined) => /^(?:0|false|off)$/.test(value ?? "");
const columns = (value: string | undefined) => Math.min(COLUMNS_MAX, Math.max(0, Number(value) || 0));

type Row = { hasCell: boolean; covered: number };

/** Paragraphs are lines. A row of a table is a line with a tab between two columns; what a cell holds stands in one line. */
export function paragraphsOf(xml: string): string {
  const out = collect();
  /** A cell may hold another table. */
  const rows: Row[] = [];
  /** For each choice of renderings that is open: how many words there were before it. */
  const choices: number[] = [];
  /** For each rendering and each field that is open: whether it is left out. */
  const leftOut: boolean[] = [];
  const hiddenRuns: boolean[] = [];
  let words = 0;
  let skipped = 0;
  let properties = 0;
  let isText = false;
  let isNewLine = true;
  let needsSpace = false;

  const add = (text: string) => {
    if (text === "" || skipped > 0 || hiddenRuns.at(-1)) return;
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
      else if (name === "pPr") properties += 1;
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
      else if (properties > 0) return;
      else if (name === "br" || name === "cr") breakLine();
      else if (name === "tab" || name === "ptab") add(rows.length > 0 ? " " : "\t");
      else if (name === "noBreakHyphen") add("-");
      else if (name === "sym") add(symbolOf(attribute("font"), attribute("char")));
    },
    close(name) {
      if (name === "AlternateContent") choices.pop();
      else if (name === "Choice" || name === "Fallback" || name === "fld") skipped -= leftOut.pop() ? 1 : 0;
      else if (SKIPPED.has(name)) skipped -= 1;
      else if (name === "pPr") properties -= 1;
      else if (name === "r") hiddenRuns.pop();
      else if (name === "t") isText = false;
      else if (name === "p") breakLine();
      else if (name === "tc") closeCell(rows.at(-1));
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

/** @param main the path of the body */
export function wordText(archive: Archive, main: string): string {
  const relationsFile = relationsPath(main);
  const first = archive.read([main, relationsFile]);
  const written = relationsOf(main, first.get(relationsFile) ?? "");
  const relations =
    written.length > 0 ? written : USUAL.map((name) => ({ type: name.replace(/\d/, ""), target: `word/${name}.xml` }));
  const pathsOf = (types: string[]) =>
    types.flatMap((type) => relations.filter((each) => each.type === type).map(({ target }) => target));
  const files = archive.read([...pathsOf(BEFORE), ...pathsOf(AFTER)]);
  const seen = new Set<string>();
  const out = collect();
  // First pages and even pages often have a header of their own with the same words.
  for (const path of [...pathsOf(BEFORE), main, ...pathsOf(AFTER)]) {
    const text = paragraphsOf((path === main ? first : files).get(path) ?? "");
    const isRepeated = path !== main && (text.trim() === "" || seen.has(text));
    seen.add(text);
    if (!isRepeated) out.add(text);
  }
  return out.text();
}
