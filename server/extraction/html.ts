// Reads an HTML body as a human would: the text that is seen, the links in it, and whether text was hidden.
import { cascade, readStylesheet, type Stylesheet } from "./css.ts";
import { elementStack, type Frame, TABLE_PARTS } from "./element-stack.ts";
import { BLOCK, CELL, closedBy, FORMATTING, PARAGRAPH, type Part, partOf, UNSEEN, VOID } from "./elements.ts";
import { type Attributes, presentation, readUrl, tokenize, tokensOf } from "./html-tokens.ts";
import { lineBuilder } from "./lines.ts";
import { derive, FIRST_LOOK, type Hiding, type Look } from "./look.ts";
import { stripInvisible } from "./visible-text.ts";

const HTML_CHARS = 4 * 1024 * 1024;
const TEXT_CHARS = 2 * 1024 * 1024;
/** Nothing is read beyond: no honest mail nests like that, and what is hidden there could not be told. */
const NESTING = 100_000;
const LINKS = 1_000;
const LINK_TEXT_CHARS = 1_000;
const PARTS = 1_000;
/** How often formatting that was closed by mistake is opened again. */
const REOPENED = 10_000;
/** Letters and digits. A preheader is no secret, more of them is. */
const EVERYDAY_HIDDEN_LETTERS = 200;
const TRICK_HIDDEN_LETTERS = 10;
const NOT_LETTERS = /[^\p{L}\p{N}]+/gu;
/** Unicode tags and variation selectors with which text is written that shows nothing. */
const SMUGGLED = /[\u{E0000}-\u{E0FFF}]/u;

/**
 * A link that is seen. `url` is the href as in the mail (white space that browsers ignore taken out, `//host` completed):
 * http, https or mailto, and javascript, data or vbscript for suspicious.ts. `text` is what a human reads as the link: its
 * text, else the alternative text of its image, else "".
 */
export type Link = { url: string; text: string };

/** Lines `from` (inclusive) to `to` (exclusive) of `text` that the sender's mail client marked as not newly written. */
export type MarkedLines = { part: Exclude<Part, "rest">; from: number; to: number };

/**
 * `text`: lines end in LF, quoted ones (`<blockquote>`) start with `> ` a level, list items with `- ` or `1. `, table cells are
 * separated by a space. At most 2 MiB characters.
 *
 * `hiddenText`: text that no human sees and that is more than everyday practice: any sentence hidden by colour, size or
 * position, or more than 200 letters hidden by `display:none` and its like, which newsletters use for preheaders.
 */
export type HtmlReading = { text: string; links: Link[]; hiddenText: boolean; marked: MarkedLines[] };

/** A style sheet holds for what stands before it, too, so all are read first. */
function collectStyles(html: string): Stylesheet {
  if (!/<style/i.test(html)) return new Map();
  const styles: string[] = [];
  let inside = false;
  tokenize(html, {
    open: (name) => {
      inside = name === "style";
    },
    close: () => {
      inside = false;
    },
    text: (text) => {
      if (inside) styles.push(text);
    },
  });
  return readStylesheet(styles.join("\n"));
}

/** What a human would see of an HTML body. Never throws; linear in its length, of which 4 MiB characters are read. */
export function readHtml(html: string): HtmlReading {
  const body = html.slice(0, HTML_CHARS);
  const sheet = collectStyles(body);
  const stack = elementStack();
  const lines = lineBuilder(TEXT_CHARS);
  const links: Link[] = [];
  const marked: MarkedLines[] = [];
  const openLinks: Frame[] = [];
  const hidden: Record<Hiding, number> = { no: 0, everyday: 0, trick: 0 };
  let reopened = 0;
  let unseen = 0;
  let quotes = 0;
  let inMarked = false;
  let restFrom: number | undefined;

  const look = () => stack.top()?.look ?? FIRST_LOOK;
  const isShown = () => unseen === 0 && look().gone === "no";

  function hide(text: string, how: Hiding): void {
    if (hidden[how] <= EVERYDAY_HIDDEN_LETTERS) hidden[how] += text.replace(NOT_LETTERS, "").length;
  }

  function addToLink(text: string): void {
    const link = openLinks.at(-1)?.link;
    if (!link) return;
    if (link.text.length < LINK_TEXT_CHARS) link.text += text.slice(0, LINK_TEXT_CHARS);
    if (text.trim() !== "") link.seen = true;
  }

  function text(written: string): void {
    if (unseen > 0) return;
    const { hides, pre } = look();
    if (hides !== "no") {
      hide(written, hides);
      return;
    }
    if (SMUGGLED.test(written)) hidden.trick += written.length - stripInvisible(written).length;
    lines.text(written, pre);
    addToLink(written);
  }

  function image(attributes: Attributes, own: Look): void {
    const alt = attributes.get("alt") ?? "";
    const isPixel = ["width", "height"].some((side) => Number.parseFloat(attributes.get(side) ?? "") <= 1);
    if (own.gone !== "no" || own.invisible || isPixel) {
      hide(alt, isPixel ? "trick" : "everyday");
      return;
    }
    lines.text(alt, false);
    const link = openLinks.at(-1)?.link;
    if (!link) return;
    link.seen = true;
    if (link.imageText.length < LINK_TEXT_CHARS) link.imageText += ` ${alt.slice(0, LINK_TEXT_CHARS)}`;
  }

  function startBlock(name: string): void {
    if (!isShown()) return;
    if (PARAGRAPH.has(name)) lines.paragraph();
    else if (BLOCK.has(name)) lines.newLine();
    else return;
    addToLink(" ");
  }

  function startPart(frame: Frame): void {
    const part = quotes > 0 || inMarked || marked.length >= PARTS ? undefined : partOf(frame.tokens);
    if (part === undefined) return;
    if (part === "rest") {
      restFrom ??= lines.mark();
      return;
    }
    frame.marked = { part, from: lines.mark(), to: 0 };
    inMarked = true;
  }

  function startItem(list: Frame | undefined): void {
    if (list?.counter !== undefined) list.counter += 1;
    lines.item(list?.counter === undefined ? "- " : `${list.counter}. `);
  }

  function start(frame: Frame): void {
    const { name } = frame;
    const parent = stack.top();
    stack.push(frame);
    if (UNSEEN.has(name)) unseen += 1;
    startBlock(name);
    startPart(frame);
    if (name === "blockquote") {
      lines.quote(1);
      quotes += 1;
    }
    if (name === "li" && isShown()) startItem(parent);
    if (frame.link) openLinks.push(frame);
  }

  function endLink(frame: Frame): void {
    if (!frame.link) return;
    openLinks.pop();
    const { url, text, imageText, seen } = frame.link;
    const plain = (written: string) => stripInvisible(written.slice(0, LINK_TEXT_CHARS)).replace(/\s+/g, " ").trim();
    if (seen && links.length < LINKS) links.push({ url, text: plain(text) || plain(imageText) });
  }

  function end(): void {
    const { name } = stack.top() ?? {};
    if (name === undefined) return;
    if (UNSEEN.has(name)) unseen -= 1;
    if (name === "blockquote") {
      lines.quote(-1);
      quotes -= 1;
    }
    if (name === "li") lines.item("");
    startBlock(name);
    if (CELL.has(name)) lines.space();
    const frame = stack.pop();
    if (frame?.link) endLink(frame);
    if (!frame?.marked) return;
    inMarked = false;
    frame.marked.to = lines.mark();
    if (frame.marked.to > frame.marked.from) marked.push(frame.marked);
  }

  /** Ends the element at a place and all in it; formatting that had no end tag goes on after it, as in a browser. */
  function endTo(place: number, name: string): void {
    const again: Frame[] = [];
    while (stack.size() > place) {
      const frame = stack.top();
      const goesOn = frame?.declarations && stack.size() > place + 1 && FORMATTING.has(frame.name);
      if (frame && goesOn && !TABLE_PARTS.has(name)) again.push(frame);
      end();
    }
    for (const frame of again.reverse()) {
      reopened += 1;
      if (reopened > REOPENED || !frame.declarations) return;
      start({ ...frame, look: derive(look(), frame.declarations), marked: undefined });
    }
  }

  function close(name: string): void {
    if (name === "br") lines.lineBreak();
    const place = name === "body" || name === "html" ? -1 : stack.find(name);
    if (place >= 0) endTo(place, name);
  }

  function open(name: string, attributes: Attributes): void {
    for (const other of closedBy(name) ?? []) {
      const place = stack.find(other);
      if (place >= 0) endTo(place, other);
    }
    const tokens = tokensOf(name, attributes);
    const declarations = cascade(sheet, tokens, stack.isOpen, presentation(name, attributes), attributes.get("style"));
    const own = declarations ? derive(look(), declarations) : look();
    if (VOID.has(name)) openVoid(name, attributes, own);
    else openElement({ name, look: own, declarations, tokens }, attributes);
  }

  function openElement(frame: Frame, attributes: Attributes): void {
    if (stack.size() >= NESTING) return;
    const { name } = frame;
    const url = name === "a" ? readUrl(attributes.get("href") ?? "") : undefined;
    if (name === "ol") frame.counter = 0;
    if (url !== undefined) frame.link = { url, text: "", imageText: "", seen: false };
    start(frame);
  }

  function openVoid(name: string, attributes: Attributes, own: Look): void {
    if (unseen > 0) return;
    if (name === "img") image(attributes, own);
    if (own.gone !== "no") return;
    if (name === "br") lines.lineBreak();
    if (name === "hr") lines.paragraph();
    const url = name === "area" ? readUrl(attributes.get("href") ?? "") : undefined;
    if (url !== undefined && links.length < LINKS)
      links.push({ url, text: stripInvisible(attributes.get("alt") ?? "").trim() });
  }

  tokenize(body, { open, close, text });
  while (stack.size() > 0) end();
  const all = lines.end();
  if (restFrom !== undefined) marked.push({ part: "quoted", from: restFrom, to: all.length });
  return {
    text: all.join("\n"),
    links,
    hiddenText: hidden.everyday > EVERYDAY_HIDDEN_LETTERS || hidden.trick > TRICK_HIDDEN_LETTERS,
    marked,
  };
}
