// What reading an HTML body finds.
import type { Declarations } from "./css.ts";
import type { Part } from "./elements.ts";
import type { Look } from "./look.ts";
import type { Unseen } from "./unseen.ts";

/**
 * A link that is seen. `url` is the href as in the mail (white space that browsers ignore taken out, `//host` completed):
 * http, https or mailto, and javascript, data or vbscript for suspicious.ts. `text` is what a human reads as the link: its
 * text, else the alternative text of its image, else "". `button`: it has the shape of one.
 */
export type Link = { url: string; text: string; button?: boolean };

/**
 * A short text that stands in an element of its own and may be a code, or the digits of one that stand in an element each.
 * `look`: how it is set off, flags of set-off.ts.
 */
export type Piece = { text: string; look: number };

/** From the first (inclusive) to the last (exclusive) of lines or characters in a row. */
export type Span = { from: number; to: number };

/** Lines `from` (inclusive) to `to` (exclusive) of `text` that the sender's mail client marked as not newly written. */
export type MarkedLines = Span & { part: Exclude<Part, "rest"> };

/** Lines in a row. `isAfterText`: other text stands before it in the first. */
export type Run = Span & { isAfterText: boolean };

export type HtmlReading = {
  /**
   * Lines end in LF, quoted ones (`<blockquote>` that does more than indent) start with `> ` a level, list items with `- ` or `1. `,
   * table cells are separated by a space, or by tabs. At most 2 MiB characters.
   */
  text: string;
  /**
   * The same with what attributes say of images and elements, marked as such: `[alt: Logo]`, `[title: Our shop]`. In `text` an
   * image's alternative text stands bare, and other attributes are left out.
   */
  safeText: string;
  /** Without attribute texts. */
  bodyText: string;
  links: Link[];
  /** At most 100, of what is seen. */
  pieces: Piece[];
  /** What of `bodyText` stands in elements for code, in its order. */
  cited: Span[];
  /** What the mail holds beside the text. */
  unseen: Unseen;
  marked: MarkedLines[];
  /** Lines that end in text of a strong colour, or on one. Links do not count. */
  coloured: Run[];
  /** Of each line, a number for how its text looks (colour, size, slant), links left out; -1 for a line with several looks. */
  looks: () => number[];
  /** Of each line, in which cell of a row it stands, from 1 on; 0 outside of tables, -1 in several. */
  columns: () => number[];
  /** Lines that end in `<pre>` or `<code>` outside of `<blockquote>`. */
  code: Run[];
  /** Where the first text of each line of `text` is in the HTML. */
  starts: number[];
};

/** An open element. */
export type Frame = {
  name: string;
  /** How its text looks. */
  look: Look;
  declarations: Declarations | undefined;
  /** Its name, its `#id` and its `.class` names. */
  tokens: string[];
  /** Of an element with an address. */
  link?: Link & { imageText: string; seen: boolean };
  /** The last number of an ordered list. */
  counter?: number;
  /** The lines of the part that it begins. */
  marked?: MarkedLines | undefined;
  /** A `<q>` with text. */
  isQuoted?: boolean;
  /** A `<blockquote>` that no mail client marked. */
  isUnmarkedQuote?: boolean;
  /** Of such a quote: it only indents its text. */
  isIndented?: boolean;
};
