// Reads a workbook that is one XML file, as Excel 2003 and many programs write it (XML Spreadsheet), mostly with the name `.xls`.
import { collect, readXml } from "./archive.ts";
import { cellFormat } from "./cell-format.ts";
import { type Cell, collectRows, inOneLine, writeRows } from "./excel.ts";

const COLUMNS_MAX = 16_384;
const ROWS_MAX = 1_048_576;
/** Formats that have a name instead of a code. */
const NAMED = new Map([
  ["Percent", "0.00%"],
  ["General", ""],
]);

function dataText(type: string, text: string, code: string): string {
  if (type === "Boolean") return text.trim() === "1" ? "TRUE" : "FALSE";
  if (type === "DateTime") {
    const [date = "", clock = ""] = text
      .trim()
      .replace(/(?::00)?(?:\.0+)?$/, "")
      .split("T");
    // Times without a day are of the last day of 1899.
    return date === "1899-12-31" ? clock : clock === "" || clock === "00:00" ? date : `${date} ${clock}`;
  }
  const number = Number(text);
  if (type !== "Number" || text.trim() === "" || !Number.isFinite(number)) return text;
  return cellFormat(0, NAMED.get(code) ?? (/[0#?%]/.test(code) ? code : undefined), false)(number);
}

/** Each sheet below its name. Comments stand behind their sheet: `[row 2] words`. @throws Error if a place is outside of a sheet */
export function xmlSpreadsheet(xml: string): string {
  const out = collect();
  const formats = new Map<string, string>();
  let style = "";
  let rows = collectRows();
  let comments = collect();
  let cells: Cell[] = [];
  let [row, column, covered] = [0, 0, 0];
  let cell: { style: string; type: string; text: string } | undefined;
  let isComment = false;
  let isData = false;
  let comment = "";
  readXml(xml, {
    open(name, attribute) {
      if (name === "Style") style = attribute("ID") ?? "";
      else if (name === "NumberFormat") formats.set(style, attribute("Format") ?? "");
      else if (name === "Worksheet") {
        if (out.length() > 0) out.add("\n");
        out.add(`# ${inOneLine(attribute("Name") ?? "")}\n`);
        [rows, comments, row] = [collectRows(), collect(), 0];
      } else if (name === "Row") {
        row = Number(attribute("Index") ?? row + 1);
        if (!(row >= 1 && row <= ROWS_MAX)) throw new Error("a row has a place that no sheet has");
        [cells, column, covered] = [[], 0, 0];
      } else if (name === "Cell") {
        column = Number(attribute("Index") ?? column + covered + 1);
        covered = Math.max(0, Number(attribute("MergeAcross")) || 0);
        if (!(column >= 1 && column <= COLUMNS_MAX)) throw new Error("a cell has a place that no sheet has");
        cell = { style: attribute("StyleID") ?? "", type: "", text: "" };
      } else if (name === "Comment") [isComment, comment] = [true, ""];
      else if (name === "Data") {
        isData = true;
        if (cell && !isComment) cell.type = attribute("Type") ?? "";
      }
    },
    close(name) {
      if (name === "Data") isData = false;
      else if (name === "Comment") {
        isComment = false;
        if (comment.trim() !== "") comments.add(`[row ${row}] ${inOneLine(comment).trim()}\n`);
      } else if (name === "Cell" && cell) {
        const text = dataText(cell.type, cell.text, formats.get(cell.style) ?? "");
        if (text !== "") cells.push({ column, text });
        cell = undefined;
      } else if (name === "Row" && cells.length > 0) rows.add(row, cells);
      else if (name === "Worksheet") {
        writeRows(rows, out);
        out.add(comments.text());
      }
    },
    text(text) {
      if (!isData) return;
      if (isComment) comment += text;
      else if (cell) cell.text += text;
    },
  });
  return out.text();
}
