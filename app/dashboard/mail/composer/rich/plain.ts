// Turns plain text into HTML to go on with, and what is formatted into the plain text that is sent beside it.
import type { JSONContent } from "@tiptap/react";

/** Deeper quotes stay as they are typed. */
const QUOTES_MAX = 5;
const QUOTED = /^>(?: |$)?/;

const ESCAPED: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string) => text.replace(/[&<>]/g, (char) => ESCAPED[char] ?? char);

/** Paragraphs, and lines after ">" as quotes. */
export function htmlOf(text: string, quotes = 0): string {
  const parts: { isQuote: boolean; lines: string[] }[] = [];
  for (const line of text.trim().split("\n")) {
    const isQuote = quotes < QUOTES_MAX && QUOTED.test(line);
    const last = parts.at(-1);
    if (last?.isQuote === isQuote) last.lines.push(line);
    else parts.push({ isQuote, lines: [line] });
  }
  return parts
    .map(({ isQuote, lines }) =>
      isQuote
        ? `<blockquote>${htmlOf(lines.map((line) => line.replace(QUOTED, "")).join("\n"), quotes + 1)}</blockquote>`
        : paragraphsOf(lines.join("\n")),
    )
    .join("");
}

function paragraphsOf(text: string): string {
  const paragraphs = text.trim().split(/\n{2,}/);
  return paragraphs.map((paragraph) => `<p>${escaped(paragraph).replaceAll("\n", "<br>")}</p>`).join("");
}

/** Quotes get ">", items "-" or their number, links their address. */
export function textOf(document: JSONContent): string {
  return linesOf(document).join("\n").trim();
}

function linesOf(node: JSONContent): string[] {
  const children = node.content ?? [];
  switch (node.type) {
    case "paragraph":
      return children.map(inlineOf).join("").split("\n");
    case "blockquote":
      return apart(children).map((line) => (line === "" ? ">" : `> ${line}`));
    case "bulletList":
      return children.flatMap((item) => itemOf(item, "- "));
    case "orderedList":
      return children.flatMap((item, place) => itemOf(item, `${Number(node.attrs?.start ?? 1) + place}. `));
    case "listItem":
      return children.flatMap(linesOf);
    default:
      return apart(children);
  }
}

/** Blocks with an empty line between them. */
function apart(blocks: JSONContent[]): string[] {
  return blocks.flatMap((block, place) => (place === 0 ? linesOf(block) : ["", ...linesOf(block)]));
}

function itemOf(item: JSONContent, mark: string): string[] {
  return linesOf(item).map((line, place) => (place === 0 ? mark + line : " ".repeat(mark.length) + line));
}

function inlineOf({ type, text = "", marks = [] }: JSONContent): string {
  if (type === "hardBreak") return "\n";
  const address: unknown = marks.find((mark) => mark.type === "link")?.attrs?.href;
  return typeof address !== "string" || address === text ? text : `${text} <${address}>`;
}
