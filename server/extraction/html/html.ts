// Reads an HTML body like a person: the visible text, its links, and whether text was hidden.
import { annotator, bareLine, bodyLine, markedLine, withoutMarks } from "./annotations.ts";
import { isStrong } from "./colours.ts";
import { createCascade, type Declarations, readStylesheet, type Stylesheet } from "./css.ts";
import { holdsOnDesktop } from "./css-media.ts";
import { elementStack } from "./element-stack.ts";
import {
  BLOCK,
  CELL,
  CODE,
  closedBy,
  FORMATTING,
  isIndentation,
  isMarkedQuote,
  PARAGRAPH,
  partOf,
  SOMETIMES_SEEN,
  TABLE_PARTS,
  UNSEEN,
  VOID,
} from "./elements.ts";
import type { Frame, HtmlReading, Link, MarkedLines, Piece, Run, Span } from "./html-reading.ts";
import { type Attributes, presentation, readUrl, tokenize, tokensOf } from "./html-tokens.ts";
import { CITED_END, CITED_START, lineBuilder } from "./lines.ts";
import { derive, FIRST_LOOK, type Look } from "./look.ts";
import { CODE_ELEMENTS, isButton, setOff } from "./set-off.ts";
import { tableColumns } from "./table-columns.ts";
import { unseenText } from "./unseen.ts";
import { smuggledText, stripInvisible } from "./visible-text.ts";

/** Where no style sheet can be open any more, unless one has no end: usually behind the head. */
function endOfStyles(html: string): number {
  let last = "";
  let end = 0;
  for (const { 0: tag, index } of html.matchAll(/<\/?style/gi)) [last, end] = [tag, index + tag.length];
  if (last === "") return 0;
  const close = last.startsWith("</") && /[\s>]/.test(html[end] ?? "") ? html.indexOf(">", end) : -1;
  return close < 0 ? html.length : close + 1;
}

/** A style sheet also applies to elements before it, so all are read first. */
function collectStyles(html: string, end = endOfStyles(html)): Stylesheet {
  if (end === 0) return new Map();
  const styles: string[] = [];
  let inside = false;
  tokenize(html.slice(0, end), {
    open: (name, attributes) => {
      inside = name === "style" && holdsOnDesktop((attributes.get("media") ?? "all").toLowerCase());
    },
    close: () => {
      inside = false;
    },
    text: (text) => {
      if (inside) styles.push(text);
    },
  });
  if (inside && end < html.length) return collectStyles(html, html.length);
  return readStylesheet(styles.join("\n"));
}

const HTML_CHARS = 4 * 1024 * 1024;
const TEXT_CHARS = 2 * 1024 * 1024;
/** Deeper elements are not read. No legitimate mail nests that deep, and hidden text there could not be detected. */
const NESTING = 100_000;
const LINKS = 1_000;
const LINK_TEXT_CHARS = 1_000;
const PARTS = 1_000;
const TURNS = 2_000;
/** Each element with a style can be one. */
const LOOKS = 10_000;
const PROGRAM = new Set(["pre", "code"]);
const SLANTED = new Set(["i", "em", "cite"]);
/** What the styles of preview lines have beside small letters. */
const PREVIEW = ["line-height", "max-height", "mso-hide"];
const FOR_SCREEN_READERS =
  /^\.(?:sr-?only|visually-?hidden|screen-?reader(?:-(?:text|only))?|a11y-?hidden|u-?hidden-visually)$/i;
const PIECES = 100;
const PIECE_CHARS = 40;
/** What every code has: a digit, a group of capitals, or hyphens. */
const IN_PIECE = /\p{Nd}|[A-Z]{3}|[a-z]-[a-z]/u;
/** One digit or letter, or a dash between groups of them. */
const SINGLE = /^[\p{Nd}A-Za-z-]$/u;
/** How often formatting that was closed by mistake is reopened. */
const REOPENED = 10_000;
/** So many consecutive line breaks push the following text out of sight. */
const FAR_BREAKS = 100;

type Reader = {
  cascade: ReturnType<typeof createCascade>;
  /** The last look of each declarations, and the one that it was derived from. */
  looks: WeakMap<Declarations, { under: Look; own: Look }>;
  stack: ReturnType<typeof elementStack<Frame>>;
  lines: ReturnType<typeof lineBuilder>;
  unseen: ReturnType<typeof unseenText>;
  notes: ReturnType<typeof annotator>;
  links: Link[];
  pieces: Piece[];
  /** Open `<q>` without text, from the outer to the inner one. */
  unquoted: Frame[];
  /** The last text was one digit or letter. */
  inRow: boolean;
  anySeen: boolean;
  marked: MarkedLines[];
  openLinks: Frame[];
  reopened: number;
  unseenDepth: number;
  sometimesDepth: number;
  citedDepth: number;
  breaks: number;
  quotes: number;
  /** Open `<pre>` and `<code>`. */
  codes: number;
  /** Open elements whose text is slanted. */
  slants: number;
  /** The cell of the row that is read. */
  column: number;
  /** Of the open tables, from the outer to the inner one, if tabs stand between cells. */
  tables: ReturnType<typeof tableColumns>[] | undefined;
  inMarked: boolean;
  restFrom: number | undefined;
  /** Where in the source they begin and end, in turns. */
  turns: { coloured: number[]; code: number[] };
  changes: { looks: Change<Shown>[]; columns: Change<number>[] };
};
/** How text is shown, with the elements around it. */
type Shown = { look: Look; slanted: boolean };
/** From a place in the source on, a property of the text has this value. */
type Change<Value> = { at: number; value: Value };

/**
 * The visible text of an HTML body. Never throws; linear in its length, of which 4 MiB characters are read.
 * @param subject of the mail: a title that repeats it counts as visible
 * @param hasTabs a row of a table is a line, in which tabs show the column of a cell, also behind empty and merged ones
 */
export function readHtml(html: string, subject = "", hasTabs = false): HtmlReading {
  const body = html.slice(0, HTML_CHARS);
  const reader = createReader(body, hasTabs);
  tokenize(body, {
    open(name, attributes, at) {
      reader.lines.seek(at);
      open(reader, name, attributes);
    },
    close: (name) => close(reader, name),
    text(written, at) {
      reader.lines.seek(at);
      text(reader, written, at);
    },
    comment: reader.unseen.comment,
  });
  while (reader.stack.size() > 0) end(reader);
  const { lines, notes, links, pieces, marked, unseen, restFrom, turns, changes } = reader;
  const { all, starts, citations } = lines.end();
  if (restFrom !== undefined) marked.push({ part: "quoted", from: restFrom, to: all.length });
  const joined = (line: (written: string) => string) => (notes.any() ? all.map(line) : all).join("\n");
  const seen = joined(bareLine);
  return {
    text: seen,
    safeText: joined(markedLine),
    bodyText: joined(bodyLine),
    links,
    pieces,
    cited: citedSpans(all, citations),
    unseen: unseen.result(`${subject}\n${seen}`),
    marked,
    coloured: linesBetween(turns.coloured, starts),
    looks: () => valuesOf(numbered(changes.looks), starts),
    columns: () => valuesOf(changes.columns, starts),
    code: linesBetween(turns.code, starts),
    starts,
  };
}

function createReader(body: string, hasTabs: boolean): Reader {
  const lines = lineBuilder(TEXT_CHARS);
  const unseen = unseenText();
  return {
    cascade: createCascade(collectStyles(body)),
    looks: new WeakMap(),
    stack: elementStack<Frame>(),
    lines,
    unseen,
    notes: annotator(lines, unseen),
    links: [],
    pieces: [],
    unquoted: [],
    inRow: false,
    anySeen: false,
    marked: [],
    openLinks: [],
    reopened: 0,
    unseenDepth: 0,
    sometimesDepth: 0,
    citedDepth: 0,
    breaks: 0,
    quotes: 0,
    codes: 0,
    slants: 0,
    column: 0,
    tables: hasTabs ? [] : undefined,
    inMarked: false,
    restFrom: undefined,
    turns: { coloured: [], code: [] },
    changes: { looks: [], columns: [] },
  };
}

function look(reader: Reader): Look {
  return reader.stack.top()?.look ?? FIRST_LOOK;
}

function ownLook(reader: Reader, declarations: Declarations): Look {
  const under = look(reader);
  const last = reader.looks.get(declarations);
  if (last?.under === under) return last.own;
  const own = derive(under, declarations);
  reader.looks.set(declarations, { under, own });
  return own;
}

function isShown(reader: Reader): boolean {
  return reader.unseenDepth === 0 && look(reader).gone === "no";
}

function addToLink(reader: Reader, text: string): void {
  const link = reader.openLinks.at(-1)?.link;
  if (!link) return;
  if (link.text.length < LINK_TEXT_CHARS) link.text += text.slice(0, LINK_TEXT_CHARS);
  if (text.trim() !== "") link.seen = true;
}

function unseenElement(reader: Reader, written: string): void {
  const name = reader.stack.top()?.name ?? "";
  if (name === "style") reader.unseen.css(written);
  else if (CODE.has(name)) reader.unseen.code(written);
  else if (name === "title") reader.unseen.title(written);
  else reader.unseen.note(written);
}

function text(reader: Reader, written: string, at: number): void {
  if (reader.unseenDepth > 0) {
    unseenElement(reader, written);
    return;
  }
  const { hides, pre } = look(reader);
  if (hides !== "no") {
    reader.unseen.hide(written, isUsual(reader) ? "usual" : hides);
    return;
  }
  reader.unseen.smuggled(smuggledText(written));
  if (reader.sometimesDepth > 0) reader.unseen.note(written);
  if (reader.breaks >= FAR_BREAKS) reader.unseen.hide(written, "deceptive");
  else if (written.trim() !== "") {
    reader.breaks = 0;
    reader.anySeen = true;
    noteTurns(reader, at);
  }
  if (written.trim() !== "") openQuotes(reader, pre);
  reader.lines.cite(reader.citedDepth > 0);
  reader.lines.text(withoutMarks(written), pre);
  addPiece(reader, written);
  addToLink(reader, written);
}

/** Browsers show `<q>` with quotation marks. Without them, a reader of the text alone cannot know what is quoted. */
function openQuotes(reader: Reader, pre: boolean): void {
  for (const frame of reader.unquoted) {
    frame.isQuoted = true;
    reader.lines.text("\u201c", pre);
  }
  reader.unquoted = [];
}

function closeQuote(reader: Reader, frame: Frame): void {
  if (frame.isQuoted) reader.lines.text("\u201d", false);
  else reader.unquoted.pop();
}

/** Where the body text has cited text: runs of it within a line. */
function citedSpans(all: string[], citations: Map<number, string>): Span[] {
  const spans: Span[] = [];
  if (citations.size === 0) return spans;
  let lineAt = 0;
  for (const [nth, line] of all.entries()) {
    let at = lineAt;
    const pieces = bodyLine(citations.get(nth) ?? "").split(CITED_START);
    for (const piece of pieces) {
      const [cited = "", rest] = piece.split(CITED_END);
      if (rest !== undefined) spans.push({ from: at, to: at + cited.length });
      at += cited.length + (rest?.length ?? 0);
    }
    lineAt += bodyLine(line).length + 1;
  }
  return spans;
}

/** Notes a place in the source where some property of the text changes. */
function turn(turns: number[], holds: boolean, at: number): void {
  if (holds !== (turns.length % 2 === 1) && turns.length < TURNS) turns.push(at);
}

/** Looks as numbers, which are equal where texts look the same to a person. */
function numbered(changes: Change<Shown>[]): Change<number>[] {
  const numbers = new Map<string, number>();
  const found: Change<number>[] = [];
  for (const { at, value } of changes) {
    const { colour, opacity, background, fontPx } = value.look;
    const key = [colour.rgb, colour.alpha * opacity, background, Math.round(fontPx), value.slanted].join(" ");
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    if (found.at(-1)?.value !== number) found.push({ at, value: number });
  }
  return found;
}

/** The value of each line of which all text has one, else -1. */
function valuesOf(changes: Change<number>[], starts: number[]): number[] {
  let passed = 0;
  return starts.map((start, line) => {
    while ((changes[passed + 1]?.at ?? Number.POSITIVE_INFINITY) <= start) passed += 1;
    const isOne =
      (changes[passed + 1]?.at ?? Number.POSITIVE_INFINITY) >= (starts[line + 1] ?? Number.POSITIVE_INFINITY);
    return isOne ? (changes[passed]?.value ?? 0) : -1;
  });
}

/** Notes where coloured text and code of the sender begin and end, and where text begins to look in another way. */
function noteTurns(reader: Reader, at: number): void {
  const { turns, openLinks, stack, codes, quotes, changes, column } = reader;
  const own = stack.top()?.look ?? FIRST_LOOK;
  if (openLinks.length > 0) return;
  const slanted = own.slanted || reader.slants > 0;
  const [{ value: shown } = {}, { value: place } = {}] = [changes.looks.at(-1), changes.columns.at(-1)];
  if ((shown?.look !== own || shown.slanted !== slanted) && changes.looks.length < LOOKS)
    changes.looks.push({ at, value: { look: own, slanted } });
  if (place !== column && changes.columns.length < TURNS) changes.columns.push({ at, value: column });
  const isColoured = isStrong(own.colour.rgb) || (own.background !== "unknown" && isStrong(own.background));
  turn(turns.coloured, isColoured, at);
  turn(turns.code, codes > 0 && quotes === 0, at);
}

/** The lines that end between two turns, in runs. */
function linesBetween(turns: number[], starts: number[]): Run[] {
  const runs: Run[] = [];
  let passed = 0;
  for (const [at, start] of starts.entries()) {
    while ((turns[passed] ?? Number.POSITIVE_INFINITY) <= start) passed += 1;
    const startsIn = passed % 2 === 1;
    const next = starts[at + 1] ?? Number.POSITIVE_INFINITY;
    while ((turns[passed] ?? Number.POSITIVE_INFINITY) < next) passed += 1;
    if (passed % 2 === 0) continue;
    const last = runs.at(-1);
    if (startsIn && last?.to === at) last.to = at + 1;
    else runs.push({ from: at, to: at + 1, isAfterText: !startsIn });
  }
  return runs;
}

/**
 * Whether hidden text is a preview line, which stands before all that is seen and has flat lines, or for screen readers, by the class
 * that frameworks give it. Both are short: unseen.ts limits them.
 */
function isUsual(reader: Reader): boolean {
  return reader.stack
    .ancestors()
    .some(
      ({ tokens, declarations }) =>
        (!reader.anySeen && PREVIEW.some((name) => declarations?.has(name))) ||
        tokens.some((token) => FOR_SCREEN_READERS.test(token)),
    );
}

function addPiece(reader: Reader, written: string): void {
  if (written.length > PIECE_CHARS * 4) {
    reader.inRow = false;
    return;
  }
  const text = written.trim();
  if (text === "") return;
  const isSingle = SINGLE.test(text);
  const last = reader.pieces.at(-1);
  if (isSingle && reader.inRow && last && last.text.length < PIECE_CHARS) {
    last.text += text;
    return;
  }
  reader.inRow = isSingle && reader.pieces.length < PIECES;
  if ((!isSingle && (text.length > PIECE_CHARS || !IN_PIECE.test(text))) || reader.pieces.length >= PIECES) return;
  reader.pieces.push({ text, look: setOff(reader.stack.ancestors(), look(reader).fontPx) });
}

function image(reader: Reader, attributes: Attributes, own: Look): void {
  const alt = attributes.get("alt") ?? "";
  const isPixel = ["width", "height"].some((side) => Number.parseFloat(attributes.get(side) ?? "") <= 1);
  if (own.gone !== "no" || own.invisible || isPixel) {
    reader.unseen.hide(`${alt}\n`, isPixel ? "deceptive" : "usual");
    return;
  }
  if (alt.trim() !== "") reader.notes.alt(alt);
  const link = reader.openLinks.at(-1)?.link;
  if (!link) return;
  link.seen = true;
  if (link.imageText.length < LINK_TEXT_CHARS) link.imageText += ` ${alt.slice(0, LINK_TEXT_CHARS)}`;
}

function startBlock(reader: Reader, name: string): void {
  if (!isShown(reader)) {
    if (PARAGRAPH.has(name) || BLOCK.has(name) || CELL.has(name)) reader.unseen.apart();
    return;
  }
  if (PARAGRAPH.has(name)) reader.lines.paragraph();
  else if (BLOCK.has(name)) reader.lines.newLine();
  else return;
  addToLink(reader, " ");
}

function startPart(reader: Reader, frame: Frame): void {
  if (reader.quotes > 0 || reader.inMarked || reader.marked.length >= PARTS) return;
  const part = partOf(frame.tokens) ?? (frame.isUnmarkedQuote ? "block" : undefined);
  if (part === undefined) return;
  if (part === "rest") {
    reader.restFrom ??= reader.lines.mark();
    return;
  }
  frame.marked = { part, from: reader.lines.mark(), to: 0 };
  reader.inMarked = true;
}

function startItem(reader: Reader, list: Frame | undefined): void {
  if (list?.counter !== undefined) list.counter += 1;
  reader.lines.item(list?.counter === undefined ? "- " : `${list.counter}. `);
}

function start(reader: Reader, frame: Frame): void {
  const { name } = frame;
  const parent = reader.stack.top();
  reader.stack.push(frame);
  if (UNSEEN.has(name)) reader.unseenDepth += 1;
  if (SOMETIMES_SEEN.has(name)) reader.sometimesDepth += 1;
  if (CODE_ELEMENTS.has(name)) reader.citedDepth += 1;
  if (name === "q") reader.unquoted.push(frame);
  if (TABLE_PARTS.has(name)) reader.lines.cellEnd();
  startBlock(reader, name);
  startPart(reader, frame);
  if (name === "blockquote" && !frame.isIndented) {
    reader.lines.quote(1);
    reader.quotes += 1;
  }
  if (PROGRAM.has(name)) reader.codes += 1;
  if (SLANTED.has(name)) reader.slants += 1;
  if (name === "tr") reader.column = 0;
  if (CELL.has(name)) reader.column += 1;
  if (name === "li" && isShown(reader)) startItem(reader, parent);
  if (frame.link) reader.openLinks.push(frame);
}

function endLink(reader: Reader, frame: Frame): void {
  if (!frame.link) return;
  reader.openLinks.pop();
  const { url, text, imageText, seen, button } = frame.link;
  const plain = (written: string) => stripInvisible(written.slice(0, LINK_TEXT_CHARS)).replace(/\s+/g, " ").trim();
  if (seen && reader.links.length < LINKS)
    reader.links.push({ url, text: plain(text) || plain(imageText), ...(button && { button }) });
}

function end(reader: Reader): void {
  const { name, isIndented } = reader.stack.top() ?? {};
  if (name === undefined) return;
  if (UNSEEN.has(name)) reader.unseenDepth -= 1;
  if (SOMETIMES_SEEN.has(name)) reader.sometimesDepth -= 1;
  if (CODE_ELEMENTS.has(name)) reader.citedDepth -= 1;
  if (name === "blockquote" && !isIndented) {
    reader.lines.quote(-1);
    reader.quotes -= 1;
  }
  if (PROGRAM.has(name)) reader.codes -= 1;
  if (SLANTED.has(name)) reader.slants -= 1;
  if (name === "table") reader.column = 0;
  if (name === "li") reader.lines.item("");
  if (TABLE_PARTS.has(name)) reader.lines.cellEnd();
  startBlock(reader, name);
  if (name === "table") reader.tables?.pop();
  if (CELL.has(name)) reader.lines.space();
  const frame = reader.stack.pop();
  if (frame && name === "q") closeQuote(reader, frame);
  if (frame?.link) endLink(reader, frame);
  if (!frame?.marked) return;
  reader.inMarked = false;
  frame.marked.to = reader.lines.mark();
  if (frame.marked.to > frame.marked.from) reader.marked.push(frame.marked);
}

/** Closes the element at a position and all inside it; formatting without an end tag continues, as in a browser. */
function endTo(reader: Reader, place: number, name: string): void {
  const again: Frame[] = [];
  while (reader.stack.size() > place) {
    const frame = reader.stack.top();
    const goesOn = frame?.declarations && reader.stack.size() > place + 1 && FORMATTING.has(frame.name);
    if (frame && goesOn && !TABLE_PARTS.has(name)) again.push(frame);
    end(reader);
  }
  for (const frame of again.reverse()) {
    reader.reopened += 1;
    if (reader.reopened > REOPENED || !frame.declarations) return;
    start(reader, { ...frame, look: ownLook(reader, frame.declarations), marked: undefined });
  }
}

function close(reader: Reader, name: string): void {
  if (name === "br") reader.lines.lineBreak();
  const place = name === "body" || name === "html" ? -1 : reader.stack.find(name);
  if (place >= 0) endTo(reader, place, name);
}

function open(reader: Reader, name: string, attributes: Attributes): void {
  for (const other of closedBy(name) ?? []) {
    const place = reader.stack.find(other);
    if (place >= 0) endTo(reader, place, other);
  }
  const tokens = tokensOf(name, attributes);
  const declarations = reader.cascade(tokens, reader.stack.isOpen, {
    hints: presentation(name, attributes),
    attributes,
  });
  const own = declarations ? ownLook(reader, declarations) : look(reader);
  if (attributes.size > 0) reader.notes.attributes(attributes, reader.unseenDepth > 0 ? "usual" : own.hides);
  if (VOID.has(name)) openVoid(reader, name, attributes, own);
  else openElement(reader, { name, look: own, declarations, tokens }, attributes);
}

function openElement(reader: Reader, frame: Frame, attributes: Attributes): void {
  if (reader.stack.size() >= NESTING) return;
  const { name } = frame;
  const url = name === "a" ? readUrl(attributes.get("href") ?? "") : undefined;
  if (name === "ol") frame.counter = 0;
  if (name === "blockquote") {
    frame.isUnmarkedQuote = !isMarkedQuote(attributes, frame.tokens, reader.stack.isOpen);
    frame.isIndented = frame.isUnmarkedQuote && isIndentation(attributes.get("style") ?? "");
  }
  if (url !== undefined)
    frame.link = { url, text: "", imageText: "", seen: false, button: isButton(frame, reader.stack.top()) };
  start(reader, frame);
  if (reader.tables) startTablePart(reader, reader.tables, name, attributes);
}

function startTablePart(
  reader: Reader,
  tables: NonNullable<Reader["tables"]>,
  name: string,
  attributes: Attributes,
): void {
  if (name === "table") tables.push(tableColumns());
  if (!isShown(reader)) return;
  const columns = tables.at(-1);
  if (name === "tr") columns?.row();
  if (columns && CELL.has(name)) reader.lines.cell(columns.cell(attributes.get("colspan"), attributes.get("rowspan")));
}

function openVoid(reader: Reader, name: string, attributes: Attributes, own: Look): void {
  if (reader.unseenDepth > 0) return;
  if (name === "img") image(reader, attributes, own);
  if (own.gone !== "no") return;
  if (name === "br") {
    reader.breaks += 1;
    reader.lines.lineBreak();
  }
  if (name === "hr") reader.lines.paragraph();
  const url = name === "area" ? readUrl(attributes.get("href") ?? "") : undefined;
  if (url !== undefined && reader.links.length < LINKS)
    reader.links.push({ url, text: stripInvisible(attributes.get("alt") ?? "").trim() });
}
