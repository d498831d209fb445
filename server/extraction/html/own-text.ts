// The text of HTML that a sender of this service wrote, for lists, digests and search: in linear time, so that it can be read on the thread of
// all calls. It hides nothing that styles hide; mail of strangers is read by html.ts.
import { BLOCK, CELL, PARAGRAPH, UNSEEN } from "./elements.ts";
import { tokenize } from "./html-tokens.ts";

/** What is not text: elements that are never shown, which reach to the end if they do not end, comments, and tags. */
const NO_TEXT = new RegExp(
  `<(${[...UNSEEN].join("|")})\\b[\\s\\S]*?(?:</\\1\\b[^>]*>?|$)|<!--[\\s\\S]*?(?:-->|$)|</?([a-z][a-z\\d]*)[^>]*(?:>|$)|<[!?/][^>]*(?:>|$)`,
  "gi",
);

function gapOf(tag: string): string {
  if (tag === "br" || BLOCK.has(tag) || PARAGRAPH.has(tag)) return "\n";
  return CELL.has(tag) ? " " : "";
}

/** A line for each block. @param html may be cut anywhere */
export function ownText(html: string): string {
  const between = html
    .replace(/\s+/g, " ")
    .replace(NO_TEXT, (_, _unseen, tag: string | undefined) => (tag === undefined ? "" : gapOf(tag.toLowerCase())));
  let text = "";
  const events = {
    open: () => {},
    close: () => {},
    text: (more: string) => {
      text += more;
    },
  };
  tokenize(between.replaceAll("<", "&lt;"), events);
  return text.replace(/ *\n[ \n]*/g, "\n").trim();
}
