// Reads an HTML body like a person: the visible text, its links, and whether text was hidden.

import { annotator, bareLine, bodyLine, markedLine, withoutMarks } from "./annotations.ts";
import { cascade } from "./css.ts";
import { elementStack, type Frame, TABLE_PARTS } from "./element-stack.ts";
import {
  BLOCK,
  CELL,
  CODE,
  closedBy,
  FORMATTING,
  PARAGRAPH,
  partOf,
  SOMETIMES_SEEN,
  UNSEEN,
  VOID,
} from "./elements.ts";
import type { HtmlReading, Link, MarkedLines } from "./html-reading.ts";
import { type Attributes, presentation, readUrl, tokenize, tokensOf } from "./html-tokens.ts";
import { lineBuilder } from "./lines.ts";
import { derive, FIRST_LOOK, type Look } from "./look.ts";
import { collectStyles } from "./styles.ts";
import { unseenText } from "./unseen.ts";
import { smuggledText, stripInvisible } from "./visible-text.ts";

const HTML_CHARS = 4 * 1024 * 1024;
const TEXT_CHARS = 2 * 1024 * 1024;
/** Deeper elements are not read. No legitimate mail nests that deep, and hidden text there could not be detected. */
const NESTING = 100_000;
const LINKS = 1_000;
const LINK_TEXT_CHARS = 1_000;
const PARTS = 1_000;
/** How often formatting that was closed by mistake is reopened. */
const REOPENED = 10_000;
/** So many consecutive line breaks push the following text out of sight. */
const FAR_BREAKS = 100;

/**
 * The visible text of an HTML body. Never throws; linear in its length, of which 4 MiB characters are read.
 * @param subject of the mail: a title that repeats it counts as visible
 */
export function readHtml(html: string, subject = ""): HtmlReading {
  const body = html.slice(0, HTML_CHARS);
  const sheet = collectStyles(body);
  const stack = elementStack();
  const lines = lineBuilder(TEXT_CHARS);
  const unseen = unseenText();
  const notes = annotator(lines, unseen);
  const links: Link[] = [];
  const marked: MarkedLines[] = [];
  const openLinks: Frame[] = [];
  let reopened = 0;
  let unseenDepth = 0;
  let sometimesDepth = 0;
  let breaks = 0;
  let quotes = 0;
  let inMarked = false;
  let restFrom: number | undefined;

  const look = () => stack.top()?.look ?? FIRST_LOOK;
  const isShown = () => unseenDepth === 0 && look().gone === "no";

  function addToLink(text: string): void {
    const link = openLinks.at(-1)?.link;
    if (!link) return;
    if (link.text.length < LINK_TEXT_CHARS) link.text += text.slice(0, LINK_TEXT_CHARS);
    if (text.trim() !== "") link.seen = true;
  }

  function unseenElement(written: string): void {
    const name = stack.top()?.name ?? "";
    if (name === "style") unseen.css(written);
    else if (CODE.has(name)) unseen.code(written);
    else if (name === "title") unseen.title(written);
    else unseen.note(written);
  }

  function text(written: string): void {
    if (unseenDepth > 0) {
      unseenElement(written);
      return;
    }
    const { hides, pre } = look();
    if (hides !== "no") {
      unseen.hide(written, hides);
      return;
    }
    unseen.smuggled(smuggledText(written));
    if (sometimesDepth > 0) unseen.note(written);
    if (breaks >= FAR_BREAKS) unseen.hide(written, "deceptive");
    else if (written.trim() !== "") breaks = 0;
    lines.text(withoutMarks(written), pre);
    addToLink(written);
  }

  function image(attributes: Attributes, own: Look): void {
    const alt = attributes.get("alt") ?? "";
    const isPixel = ["width", "height"].some((side) => Number.parseFloat(attributes.get(side) ?? "") <= 1);
    if (own.gone !== "no" || own.invisible || isPixel) {
      unseen.hide(`${alt}\n`, isPixel ? "deceptive" : "usual");
      return;
    }
    if (alt.trim() !== "") notes.alt(alt);
    const link = openLinks.at(-1)?.link;
    if (!link) return;
    link.seen = true;
    if (link.imageText.length < LINK_TEXT_CHARS) link.imageText += ` ${alt.slice(0, LINK_TEXT_CHARS)}`;
  }

  function startBlock(name: string): void {
    if (!isShown()) {
      if (PARAGRAPH.has(name) || BLOCK.has(name) || CELL.has(name)) unseen.apart();
      return;
    }
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
    if (UNSEEN.has(name)) unseenDepth += 1;
    if (SOMETIMES_SEEN.has(name)) sometimesDepth += 1;
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
    if (UNSEEN.has(name)) unseenDepth -= 1;
    if (SOMETIMES_SEEN.has(name)) sometimesDepth -= 1;
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

  /** Closes the element at a position and all inside it; formatting without an end tag continues, as in a browser. */
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
    const declarations = cascade(sheet, tokens, stack.isOpen, presentation(name, attributes), attributes);
    const own = declarations ? derive(look(), declarations) : look();
    if (attributes.size > 0) notes.attributes(attributes, unseenDepth > 0 ? "usual" : own.hides);
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
    if (unseenDepth > 0) return;
    if (name === "img") image(attributes, own);
    if (own.gone !== "no") return;
    if (name === "br") {
      breaks += 1;
      lines.lineBreak();
    }
    if (name === "hr") lines.paragraph();
    const url = name === "area" ? readUrl(attributes.get("href") ?? "") : undefined;
    if (url !== undefined && links.length < LINKS)
      links.push({ url, text: stripInvisible(attributes.get("alt") ?? "").trim() });
  }

  tokenize(body, { open, close, text, comment: unseen.comment });
  while (stack.size() > 0) end();
  const all = lines.end();
  if (restFrom !== undefined) marked.push({ part: "quoted", from: restFrom, to: all.length });
  const joined = (line: (written: string) => string) => (notes.any() ? all.map(line) : all).join("\n");
  const seen = joined(bareLine);
  return {
    text: seen,
    safeText: joined(markedLine),
    bodyText: joined(bodyLine),
    links,
    unseen: unseen.result(`${subject}\n${seen}`),
    marked,
  };
}
