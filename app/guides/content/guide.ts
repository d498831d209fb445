// Reads the guides from their Markdown files, when the pages are built.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lexer, type Token, type Tokens } from "marked";
import { ENTRIES, type Entry } from "./contents.ts";

const FOLDER = "docs/guides";

export type Heading = { depth: number; text: string; anchor: string };

/** A part of a guide: its heading, and what follows until the next one. */
type Section = { heading: Heading; tokens: Token[] };

export type Guide = Entry & { title: string; sections: Section[] };

/** The text of tokens without their marks. */
export function plainText(tokens: Token[] | undefined): string {
  return (tokens ?? []).map(textOf).join("");
}

function textOf(token: Token): string {
  switch (token.type) {
    case "html":
      return "";
    case "space":
    case "br":
      return " ";
    case "list":
      return (token as Tokens.List).items.map((item) => `${plainText(item.tokens)} `).join("");
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].map((row) => `${row.map((cell) => plainText(cell.tokens)).join(" ")} `).join("");
    }
    default:
      return "tokens" in token && token.tokens ? plainText(token.tokens) : "text" in token ? String(token.text) : "";
  }
}

/** The anchor that code hosts give the heading too, so that a link works in both places. */
function anchorOf(text: string, taken: Set<string>): string {
  const base = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
  let anchor = base;
  for (let count = 1; taken.has(anchor); count++) anchor = `${base}-${count}`;
  taken.add(anchor);
  return anchor;
}

export function readGuide(entry: Entry): Guide {
  const tokens = lexer(readFileSync(join(process.cwd(), entry.file), "utf8"));
  const taken = new Set<string>();
  const sections: Section[] = [];
  for (const token of tokens) {
    if (token.type === "heading") {
      const text = plainText(token.tokens);
      sections.push({ heading: { depth: token.depth, text, anchor: anchorOf(text, taken) }, tokens: [] });
    } else sections.at(-1)?.tokens.push(token);
  }
  const title = sections[0]?.heading;
  if (title?.depth !== 1) throw new Error(`${entry.file} does not begin with a heading of the first level.`);
  return { ...entry, title: title.text, sections };
}

/** All guides, in the order of the contents; fails when a file is missing there. */
export function readGuides(): Guide[] {
  const listed = new Set(ENTRIES.map(({ file }) => file));
  const missing = readdirSync(join(process.cwd(), FOLDER)).filter((file) => !listed.has(`${FOLDER}/${file}`));
  if (missing.length > 0) throw new Error(`Add ${missing.join(", ")} to app/guides/content/contents.ts.`);
  return ENTRIES.map(readGuide);
}
