// Reads the words that stand beside the text of an OOXML document: charts, diagrams and drawings.
import { type Archive, collect, type Relation, readXml, relationsOf, relationsPath } from "./archive.ts";
import { cellFormat } from "./cell-format.ts";
import { paragraphsOf } from "./word.ts";

/** Files of other programs within a document, which are not read. */
const UNREAD = new Set(["oleObject", "package", "control", "chartEx"]);

/** `isPartial`: there are words that are not read. */
export type Graphics = { text: string; isPartial: boolean };

/** What a part within a document says; undefined if it cannot be read, which is no fault of the rest. */
export function readable<Read>(read: () => Read): Read | undefined {
  try {
    return read();
  } catch {
    // Broken, locked or too large.
    return undefined;
  }
}

/** @param relations of the part that they stand in @param seen paths that were read before: parts may name each other */
export function graphicsText(archive: Archive, relations: Relation[], seen = new Set<string>()): Graphics {
  const out = collect();
  let isPartial = relations.some(({ type }) => UNREAD.has(type));
  const wanted = relations.filter(({ type }) => type === "chart" || type === "diagramData" || type === "drawing");
  const paths = [...new Set(wanted.map(({ target }) => target))].filter((path) => !seen.has(path));
  if (paths.length === 0) return { text: "", isPartial };
  const files = archive.read(paths.flatMap((path) => [path, relationsPath(path)]));
  for (const path of paths) {
    seen.add(path);
    const xml = files.get(path) ?? "";
    const isChart = wanted.some(({ type, target }) => type === "chart" && target === path);
    const text = readable(() => (isChart ? chartText(xml) : paragraphsOf(xml)));
    isPartial ||= text === undefined;
    if (text !== undefined && text.trim() !== "") out.add(`${text.trim()}\n`);
    // The numbers of a chart are in a workbook too.
    if (isChart) continue;
    const inner = graphicsText(archive, relationsOf(path, files.get(relationsPath(path)) ?? ""), seen);
    out.add(inner.text);
    isPartial ||= inner.isPartial;
  }
  return { text: out.text(), isPartial };
}

type Series = Record<"name" | "categories" | "values", Map<number, string>>;
const PLACES = new Map<string, keyof Series>([
  ["tx", "name"],
  ["cat", "categories"],
  ["xVal", "categories"],
  ["val", "values"],
  ["yVal", "values"],
]);

/** The titles of a chart, and a line for each series: `Sales: May = 12; June = 15`. */
function chartText(xml: string): string {
  const series: Series[] = [];
  let current: Series | undefined;
  let place: keyof Series | undefined;
  let inside = "";
  let code = "";
  let isNumber = false;
  let at = 0;
  readXml(xml, {
    open(name, attribute) {
      if (name === "ser") {
        current = { name: new Map(), categories: new Map(), values: new Map() };
        series.push(current);
      } else if (PLACES.has(name)) place = PLACES.get(name);
      else if (name === "numCache" || name === "strCache") [isNumber, code] = [name === "numCache", ""];
      else if (name === "pt") at = Number(attribute("idx") ?? at + 1);
      inside = name;
    },
    close(name) {
      inside = "";
      if (name === "ser") current = undefined;
      else if (PLACES.has(name)) place = undefined;
    },
    text(text) {
      if (inside === "formatCode") code += text;
      if (inside !== "v" || !current || !place) return;
      const number = Number(text);
      const shown =
        isNumber && text.trim() !== "" && Number.isFinite(number) ? cellFormat(0, code, false)(number) : text;
      current[place].set(at, `${current[place].get(at) ?? ""}${shown}`);
    },
  });
  const lines = series.map(({ name, categories, values }) => {
    const pairs = [...values].map(([n, value]) => (categories.has(n) ? `${categories.get(n)} = ${value}` : value));
    return `${name.size > 0 ? `${[...name.values()].join(" ")}: ` : ""}${pairs.join("; ")}\n`;
  });
  return `${paragraphsOf(xml)}${lines.join("")}`;
}
