// Marks the parts of an HTML mail that are quotes while it is written anew: their texts, and the boxes that hold nothing else.
// A text is marked by where it is in the mail, whatever the elements around it are, so no other text can be hidden with it.
import { elementStack } from "./element-stack.ts";
import { BLOCK, closedBy, PARAGRAPH, TABLE_PARTS } from "./elements.ts";
import type { Span } from "./html-reading.ts";

/** The attribute of what is quoted. A mail cannot set it: no list of attributes has it. */
export const QUOTED = "data-quoted";

const words = (text: string) => new Set(text.split(" "));
/**
 * Boxes that may be marked. Inline elements are not followed: a browser continues them behind their end, so other text could be in
 * them.
 */
const MARKED = words(
  "address article aside blockquote center details dir div dl figure footer h1 h2 h3 h4 h5 h6 header hgroup main nav ol p pre " +
    "section table tr ul",
);

type Box = {
  name: string;
  tokens: string[];
  /** The place of its tag among the parts that were written. */
  tagAt: number;
  /** The number of the first content in it. */
  firstContent: number;
};

/**
 * @param out the parts of the HTML that are written: one for each tag
 * @param quotes of the mail, in order
 */
export function quoteMarker(out: string[], quotes: Span[]) {
  const boxes = elementStack<Box>();
  /** Contents are texts and pictures, by number. */
  let contents = 0;
  /** The last content that is new, and the last one of a quote; 0 if there is none. */
  let lastNew = 0;
  let lastQuoted = 0;
  /** How many boxes hold the last quote. */
  let quotedDepth = 0;
  /** The first quote that is not over yet. */
  let nextQuote = 0;
  /** Whether a `<span>` around a quoted text is open. */
  let isMarking = false;
  /** The places of tags without content since the last content. */
  let emptyTags: number[] = [];

  const mark = (tagAt: number) => {
    out[tagAt] = (out[tagAt] ?? "").replace(/^<[a-z\d]+/, `$& ${QUOTED}`);
  };

  function countContent(isQuote: boolean): void {
    // What is empty beside a quote belongs to it.
    if (isQuote || (lastQuoted === contents && contents > 0)) for (const tagAt of emptyTags) mark(tagAt);
    emptyTags = [];
    contents += 1;
    if (!isQuote) {
      lastNew = contents;
      return;
    }
    lastQuoted = contents;
    quotedDepth = boxes.size();
  }

  function quoteAt(at: number): Span | undefined {
    while (at >= (quotes[nextQuote]?.to ?? Number.POSITIVE_INFINITY)) nextQuote += 1;
    const quote = quotes[nextQuote];
    return quote && at >= quote.from ? quote : undefined;
  }

  function endBox(): void {
    const box = boxes.pop();
    quotedDepth = Math.min(quotedDepth, boxes.size());
    if (!box || !MARKED.has(box.name)) return;
    if (box.firstContent > contents) emptyTags.push(box.tagAt);
    else if (box.firstContent > lastNew) mark(box.tagAt);
  }

  function endTo(place: number): void {
    while (boxes.size() > place) endBox();
  }

  /** Elements whose end tag may be missing. Elements that a browser ends in fewer cases stay open. */
  function endBefore(name: string): void {
    const isPart = TABLE_PARTS.has(name) && name !== "table";
    if (isPart ? !boxes.isOpen("table") : !(PARAGRAPH.has(name) || BLOCK.has(name))) return;
    for (const other of closedBy(name) ?? []) {
      if (isPart ? !TABLE_PARTS.has(other) : other !== "p") continue;
      const place = boxes.find(other);
      if (place >= 0) endTo(place);
    }
  }

  /** A picture behind the last text of a quote is in it if it is in the same box, or if nothing new follows. */
  function isPictureQuoted(at: number): boolean {
    const quote = quoteAt(at);
    if (!quote) return false;
    if (quote.to === Number.POSITIVE_INFINITY) return true;
    const around = boxes.at(quotedDepth - 1);
    return around !== undefined && around.firstContent > lastNew;
  }

  function endMark(): void {
    if (isMarking) out.push("</span>");
    isMarking = false;
  }

  return {
    /** Ends the mark of a text; called before a tag is written. */
    endMark,
    /** @param name of the tag that was written last */
    opened(name: string, at: number, isVoid: boolean): void {
      const tagAt = out.length - 1;
      if (name === "img") {
        const isQuote = isPictureQuoted(at);
        countContent(isQuote);
        if (isQuote) mark(tagAt);
      } else if (isVoid) {
        if (name === "hr") endBefore(name);
        if (name === "br" || name === "hr") emptyTags.push(tagAt);
      } else if (MARKED.has(name) || TABLE_PARTS.has(name) || name === "li") {
        endBefore(name);
        if (TABLE_PARTS.has(name) && name !== "table" && !boxes.isOpen("table")) return;
        boxes.push({ name, tokens: [name], tagAt, firstContent: contents + 1 });
      }
    },
    closed(name: string): void {
      const place = boxes.find(name);
      if (place >= 0) endTo(place);
    },
    /** @param write escapes and writes a part of the text */
    text(written: string, at: number, write: (part: string) => void): void {
      if (written.trim() === "") {
        write(written);
        return;
      }
      for (let from = 0; from < written.length; ) {
        const quote = quoteAt(at + from);
        const bound = quote ? quote.to : (quotes[nextQuote]?.from ?? Number.POSITIVE_INFINITY);
        const part = written.slice(from, bound - at);
        from += part.length;
        if (part.trim() !== "") countContent(quote !== undefined);
        if (quote && !isMarking) out.push(`<span ${QUOTED}>`);
        else if (!quote) endMark();
        isMarking = quote !== undefined;
        write(part);
      }
    },
    end(): void {
      endMark();
      endTo(0);
      if (contents > 0 && lastQuoted === contents) for (const tagAt of emptyTags) mark(tagAt);
    },
  };
}
