// Finds the new part of a reply: the text without quotes, attribution lines and signatures. Where it is unsure, a line is new.
import type { HtmlReading, MarkedLines, Run, Span } from "./html/html-reading.ts";
import { stripInvisible } from "./html/visible-text.ts";
import { comparing, type Letters } from "./letters.ts";
import {
  isBulleted,
  type Mark,
  otherMark,
  quoteMarks,
  unmarked,
  withoutMarks,
  withoutOtherMark,
} from "./quote-marks.ts";
import {
  areOf,
  areParagraphsOf,
  type EarlierText,
  foreignTo,
  insertedLines,
  isThreadKnown,
  type Message,
  messageOf,
  repeatedLines,
  setApartLines,
  standIn,
  wrappedLines,
} from "./repeated.ts";
import {
  attributionOf,
  beginsAttribution,
  isBareMarker,
  isCapitalMarker,
  isReplyMarker,
  isSentFrom,
  PHRASE_CHARS,
  saysForward,
  startsForward,
  startsOriginal,
} from "./reply-phrases.ts";
import {
  attributionAbove,
  bareSubject,
  hasAddress,
  headerBlock,
  headerTable,
  introduces,
  isBetweenMarks,
  isDashed,
  isDated,
  isForwardSubject,
  isFull,
  isHeaderLine,
  isRuler,
  isUnendedAttribution,
  SENTENCE_END,
} from "./reply-shapes.ts";
import { isDelimiter, signatureEnd } from "./signature.ts";

/** An attribution is wrapped over at most so many lines. */
const ATTRIBUTION_LINES = 3;
const SENT_FROM_LINES = 3;
/** So many lines of two dashes may begin a signature. */
const DELIMITERS = 1_000;
/** Runs of marked lines of which one may introduce all. */
const RUNS = 500;
/** Lines of a quote in which its own attribution or header lines begin. */
const FIRST_LINES = 12;
/** A service's own lines begin so near its marker. */
const MARKER_LINES = 3;
/** Header lines begin within so many "Word: value" lines. */
const HEADER_STARTS = 3;
/** A quote in a quote. */
const NESTED = /^\s?[>＞]\s?[>＞]/u;
/** What a person cites in own words begins so. */
const CITED = /^["'“”„«»‘’「『《]/u;

/**
 * The kind of a line: new text, a quote or its introduction, a signature, or a block that quotes only if something says so
 * (`<blockquote>` without a mail client's mark).
 */
type Kind = "new" | "quote" | "signature" | "block";

/**
 * `answers`: the mail answers another. `isForeign`: the earlier messages of the thread are known, and the mail repeats none.
 * `contentFrom`: where a forwarded mail begins. `firstMarked`: the first line with a quote mark.
 */
type Draft = {
  lines: string[];
  kinds: Kind[];
  subject: string;
  answers: boolean;
  isForeign: boolean;
  contentFrom: number;
  firstMarked: number;
};

/** The next line with something on it, `lines.length` when there is none. */
function nextFilled({ lines }: Draft, from: number): number {
  let at = from;
  while (at < lines.length && lines[at]?.trim() === "") at += 1;
  return at;
}

/** The line before with something on it, -1 when there is none. */
function filledAbove(lines: string[], from: number): number {
  let at = from - 1;
  while (at >= 0 && lines[at]?.trim() === "") at -= 1;
  return at;
}

function fill({ kinds }: Draft, from: number, to: number, kind: Kind): void {
  for (let at = from; at < to; at += 1) kinds[at] = kind;
}

/** The start of the attribution that ends on this line, and the confidence. */
function findAttribution({ lines, kinds }: Draft, end: number): { from: number; certain: boolean } | undefined {
  const last = lines[end]?.trim() ?? "";
  if (!/[:：]$|[-‐]{2}$/.test(last.slice(-PHRASE_CHARS))) return undefined;
  let joined = "";
  let best: { from: number; certain: boolean } | undefined;
  for (let from = end; from > end - ATTRIBUTION_LINES && from >= 0; from -= 1) {
    const line = lines[from]?.trim() ?? "";
    if (line === "" || kinds[from] !== "new" || joined.length + line.length > PHRASE_CHARS) break;
    joined = joined === "" ? line : `${line} ${joined}`;
    // Includes another line only at the start of a paragraph, because it may be the sender's own.
    if (best && SENTENCE_END.test(line)) break;
    if (best && (lines[from - 1] ?? "").trim() !== "") continue;
    const found = beginsAttribution(line) && attributionOf(joined);
    if (found) best = { from, certain: found === "certain" };
  }
  const alone = best ? undefined : attributionOf(last);
  return best ?? (alone && { from: end, certain: alone === "certain" });
}

type Attribution = { from: number; certain: boolean };

/** The end of the quoted lines from here on, of which none is in between. */
function quoteEnd({ kinds }: Draft, from: number): number {
  let end = from;
  while (kinds[end] === "block") end += 1;
  return end;
}

/**
 * Without quote marks directly below it, lines are an attribution only if they name address and date, as mail clients write it: people
 * write "On 3 May the server wrote:", too.
 */
function isClients({ lines }: Draft, { from }: Attribution, end: number): boolean {
  const words = lines
    .slice(from, end + 1)
    .join(" ")
    .trim();
  return (hasAddress(words) && isDated(words)) || isDashed(words) || /^[-‐]{2}.*[-‐]{2}:?$/u.test(words);
}

/**
 * Text after an attribution is quoted: the lines with `>`, or all the rest if no line is marked. Marked lines further
 * down mean that the text between is a reply.
 */
function takeAttribution(draft: Draft, attribution: Attribution, end: number, lastQuote: number): boolean {
  const next = nextFilled(draft, end + 1);
  const follows = draft.kinds[next] === "quote" || draft.kinds[next] === "block";
  if (!follows) {
    if (!draft.answers || !attribution.certain || !isClients(draft, attribution, end)) return false;
    if (lastQuote <= end && (draft.isForeign || CITED.test(draft.lines[next]?.trim() ?? ""))) return false;
  }
  fill(draft, attribution.from, end + 1, "quote");
  if (follows) fill(draft, next, quoteEnd(draft, next), "quote");
  if (follows || lastQuote > end) return false;
  fill(draft, end + 1, draft.lines.length, "quote");
  return true;
}

/** A paragraph of one line with an address in brackets, a date and a time, ended by a colon: only mail clients write that. */
function isFullAttribution({ lines }: Draft, at: number): boolean {
  const isAlone = (lines[at - 1] ?? "").trim() === "" && (lines[at + 1] ?? "").trim() === "";
  return isAlone && isFull(lines[at]?.trim() ?? "");
}

/**
 * An attribution by its shape, where quoted lines follow, or by its words. In a mail that answers nothing, people cite books: an
 * attribution has an address and a date there, or the words of a client in a paragraph that ends at the quote.
 */
function attributionAt(draft: Draft, at: number): Attribution | undefined {
  const { lines, kinds, answers } = draft;
  const worded = findAttribution(draft, at);
  const found = anyAttributionAt(draft, at, worded);
  if (!found || answers || isClients(draft, found, at)) return found;
  const isParagraph = worded && (lines[worded.from - 1] ?? "").trim() === "";
  return isParagraph && kinds[at + 1] === "quote" ? worded : undefined;
}

/** A paragraph of one line above the first quote that names an address, a day and a time, and goes on in what follows. */
function isUnended({ lines, firstMarked }: Draft, at: number): boolean {
  return at < firstMarked && (lines[at - 1] ?? "").trim() === "" && isUnendedAttribution(lines[at]?.trim() ?? "");
}

function anyAttributionAt(draft: Draft, at: number, words: Attribution | undefined): Attribution | undefined {
  const follows = draft.kinds[nextFilled(draft, at + 1)];
  const isQuoted = follows === "quote" || follows === "block";
  const from = isQuoted ? attributionAbove(draft.lines, at, (line) => draft.kinds[line] === "new") : undefined;
  if (isQuoted && !words && from === undefined && isUnended(draft, at)) return { from: at, certain: true };
  const worded = words ?? (isFullAttribution(draft, at) ? { from: at, certain: true } : undefined);
  if (from === undefined) return worded;
  return { from: Math.min(from, worded?.from ?? from), certain: true };
}

/** Header lines of a quoted mail, or a line that says so, quote the rest; lines known from the thread show which part of it. */
function takeRest(draft: Draft, from: number, end: number, lastQuote: number): boolean {
  if (lastQuote > end) {
    fill(draft, from, end, "quote");
    return false;
  }
  fill(draft, from, draft.lines.length, "quote");
  return true;
}

/**
 * The end of what introduces the text without marks below it: GroupWise's line, or header lines that are all that is marked. Undefined if
 * this line begins none.
 */
function introductionEnd(draft: Draft, at: number, lastQuote: number): number | undefined {
  const { lines, kinds, subject } = draft;
  if (isBetweenMarks(lines[at]?.trim() ?? "")) {
    const below = lines[nextFilled(draft, at + 1)]?.trim() ?? "";
    return below.startsWith(">") && !isBetweenMarks(below) ? undefined : at + 1;
  }
  if (kinds[at] !== "quote" || kinds[at - 1] === "quote" || lastQuote >= at + FIRST_LINES) return undefined;
  const marked = lines.slice(at, lastQuote + 1).map(unmarked);
  const { isBlock, end } = headerBlock(marked, 0, subject);
  return isBlock && marked.slice(end).every((line) => line === "") ? lastQuote + 1 : undefined;
}

/** Whether a ruler or a link stands on one of the next lines: what a service writes below its marker. */
function isBeforeService(draft: Draft, at: number): boolean {
  let line = at;
  for (let left = MARKER_LINES; left > 0; left -= 1) {
    line = nextFilled(draft, line + 1);
    const words = draft.lines[line]?.slice(0, PHRASE_CHARS).trim() ?? "";
    if (isRuler(words) || /^https?:\/\/\S+$/.test(words)) return true;
  }
  return false;
}

/** Where "Reply above this line" begins: between rulers on this line, or on the line above or below this ruler, or in capital letters. */
function markerFrom(draft: Draft, at: number, line: string): number | undefined {
  if (isReplyMarker(line)) return at;
  if (isCapitalMarker(line) && isBeforeService(draft, at)) return at;
  if (!isRuler(line)) return undefined;
  const { lines } = draft;
  if (isBareMarker(lines[nextFilled(draft, at + 1)]?.trim() ?? "")) return at;
  const above = filledAbove(lines, at);
  return isBareMarker(lines[above]?.trim() ?? "") ? above : undefined;
}

/**
 * Whether header lines of a forwarded mail stand below this line: it says so, or it names the sender between rulers, as another ruler
 * ends the mail. A reply has no such end.
 */
function introducesForward(draft: Draft, at: number, line: string): boolean {
  const { lines, subject } = draft;
  const isEnclosing = isDashed(line) && hasAddress(line) && !isDated(line) && !startsOriginal(line);
  if (!isEnclosing && !(isHeaderLine(lines[at + 1] ?? "") && saysForward(line))) return false;
  const { isBlock, end } = headerBlock(lines, nextFilled(draft, at + 1), subject);
  return isBlock && (!isEnclosing || lines.findLastIndex((other) => isDashed(other.trim())) >= end);
}

function markQuotes(draft: Draft, attributions: Set<number>, lastRepeated: number): void {
  const { lines, kinds, subject } = draft;
  const lastQuote = kinds.lastIndexOf("quote");
  let hasNew = false;
  let headerLines = 0;
  for (let at = 0; at < lines.length; at += 1) {
    if (at >= draft.contentFrom) return;
    if (attributions.has(at) && takeAttribution(draft, { from: at, certain: true }, at, lastQuote)) return;
    const line = lines[at]?.trim() ?? "";
    const introduced =
      draft.answers && hasNew && line.startsWith(">") ? introductionEnd(draft, at, lastQuote) : undefined;
    if (introduced && takeRest(draft, at, introduced, lastRepeated)) return;
    if (kinds[at] !== "new" || line === "") continue;
    const marker = hasNew ? markerFrom(draft, at, line) : undefined;
    if (marker === undefined && (startsForward(line) || introducesForward(draft, at, line))) {
      draft.contentFrom = at;
      fill(draft, at, lines.length, "new");
      return;
    }
    headerLines = isHeaderLine(line) ? headerLines + 1 : 0;
    const isStart = headerLines > 0 && headerLines <= HEADER_STARTS;
    // In a mail that answers nothing, "Name: …, Date: …, From: …" without an address is a form.
    const found = isStart ? headerBlock(lines, at, subject) : undefined;
    const isForm = !draft.answers && found && !lines.slice(found.from, found.end).some(hasAddress);
    const block = isForm ? undefined : found;
    if (block?.isBlock || startsOriginal(line) || marker !== undefined) {
      if (takeRest(draft, Math.min(block?.from ?? at, marker ?? at), Math.max(block?.end ?? 0, at + 1), lastRepeated))
        return;
      continue;
    }
    const table = draft.answers ? headerTable(lines, at, subject) : undefined;
    if (table && takeRest(draft, table.from, table.end, lastRepeated)) return;
    const attribution = attributionAt(draft, at);
    if (attribution && takeAttribution(draft, attribution, at, lastQuote)) return;
    hasNew ||= kinds[at] === "new";
  }
}

/** Whether the first lines of a quote are its attribution, or its header lines. */
function introducesItself({ lines, subject }: Draft, from: number, to: number): boolean {
  const first = lines.slice(from, Math.min(to, from + FIRST_LINES)).map(unmarked);
  const filled = [...first.keys()].filter((at) => first[at] !== "");
  const begin = filled[0];
  if (begin === undefined) return false;
  const isAttribution = (count: number) => isFull(first.slice(begin, begin + count).join(" "));
  // A line of words may stand above the header lines.
  const hasHeader = filled.slice(0, 2).some((at) => headerBlock(first, at, subject).isBlock);
  return isAttribution(1) || isAttribution(2) || isAttribution(ATTRIBUTION_LINES) || hasHeader;
}

/** The ranges of lines in a row for which something holds. */
function rangesOf(lines: string[], holds: (at: number) => boolean): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (let from = 0; from < lines.length; from += 1) {
    if (!holds(from)) continue;
    let to = from + 1;
    while (to < lines.length && holds(to)) to += 1;
    ranges.push({ from, to });
    from = to;
  }
  return ranges;
}

/**
 * Marks are no quote by themselves where a person may have written them: in a mail that answers nothing, around words that the messages
 * of the thread do not have, and marks that are rare. They are one if an attribution or header lines introduce a part of them.
 */
function settleMarks(draft: Draft, isLoose: (at: number) => boolean, attributions: Set<number>): void {
  const { lines, kinds } = draft;
  const isOpen = (at: number) => isLoose(at) && kinds[at] === "new";
  const ranges = rangesOf(lines, isOpen);
  for (const { from, to } of ranges) fill(draft, from, to, "quote");
  const isIntroduced = ranges.slice(0, RUNS).some(({ from, to }) => {
    const above = filledAbove(lines, from);
    if (attributions.has(above)) return true;
    // Gnus marks the line that introduces: ">>>>> Ann Lee <ann@shop.example> writes:".
    if (kinds[above] === "quote" && introduces(unmarked(lines[above] ?? ""))) return true;
    return (kinds[above] === "new" && attributionAt(draft, above)) || introducesItself(draft, from, to);
  });
  if (!isIntroduced) for (const { from, to } of ranges) fill(draft, from, to, "new");
}

/** Where the first quote is introduced, by the client's element or an attribution; `lines.length` if none is. */
function introducedFrom(draft: Draft, marked: MarkedLines[], runs: { from: number; to: number }[]): number {
  const { lines } = draft;
  const element = marked.find(({ part }) => part === "attribution" || part === "quoted")?.from ?? lines.length;
  const run = runs.slice(0, RUNS).find(({ from, to }) => {
    const above = filledAbove(lines, from);
    return from >= element || attributionAt(draft, above) !== undefined || introducesItself(draft, from, to);
  });
  return Math.min(element, run?.from ?? lines.length);
}

/** Marks above the introduction of a quote are the sender's around words that neither the quote nor the thread has: code, a poem. */
function keepCited(draft: Draft, marked: MarkedLines[], { earlier, lettersOf }: Thread): void {
  const { lines, kinds } = draft;
  const runs = rangesOf(lines, (at) => kinds[at] === "quote");
  const first = runs.length > 1 || marked.length > 0 ? introducedFrom(draft, marked, runs) : 0;
  if (first >= lines.length || first <= (runs[0]?.from ?? 0)) return;
  const isIn = standIn([...lines.slice(first), ...earlier.map(({ all }) => all)], lettersOf);
  for (const { from, to } of runs.filter((run) => run.to <= first)) {
    if (!isIn(lines.slice(from, to))) fill(draft, from, to, "new");
  }
}

/** The earlier messages of the thread, and how the letters of a mail are compared with theirs. */
type Thread = { earlier: Message[]; lettersOf: Letters };

/** A `<blockquote>` without a client's mark is a quote if it introduces itself. */
function settleBlocks(draft: Draft): void {
  if (!draft.kinds.includes("block")) return;
  for (const { from, to } of rangesOf(draft.lines, (at) => draft.kinds[at] === "block")) {
    if (introducesItself(draft, from, to)) fill(draft, from, to, "quote");
  }
}

/** What the sender wrote into a quote is new. */
function keepInserted({ lines, kinds }: Draft, letters: string[], earlier: Message[]): void {
  for (const at of insertedLines(lines, letters, (line) => kinds[line] === "quote", earlier)) {
    kinds[at] = "new";
    lines[at] = withoutMarks(lines[at] ?? "");
  }
}

/** The text of the first quoted message whose header lines stand among quoted lines, to those of the next. */
function firstQuoted({ lines, kinds, subject }: Draft): Span | undefined {
  let headerLines = 0;
  let first: number | undefined;
  for (const [at, line] of lines.entries()) {
    headerLines = kinds[at] === "quote" && isHeaderLine(line) ? headerLines + 1 : 0;
    if (headerLines === 0 || headerLines > HEADER_STARTS) continue;
    const { isBlock, from, end } = headerBlock(lines, at, subject);
    if (isBlock && first !== undefined && at >= first) return { from: first, to: from };
    if (isBlock) first ??= end;
  }
  return first === undefined ? undefined : { from: first, to: lines.length };
}

/**
 * Answers that the sender coloured and wrote between the lines of the message below header lines: runs that the thread does not have, each
 * below or behind text in another colour.
 */
function keepColoured(draft: Draft, coloured: Run[], { earlier, lettersOf }: Thread): void {
  const { lines, kinds } = draft;
  const quoted = firstQuoted(draft);
  if (!quoted) return;
  const isIn = areOf(earlier, lettersOf);
  for (const { from, to, isAfterText } of coloured.slice(0, RUNS)) {
    const above = isAfterText ? from : filledAbove(lines, from);
    if (above < quoted.from || to > quoted.to) continue;
    const isQuoted = lines.slice(from, to).every((line, at) => kinds[from + at] === "quote" && !line.startsWith(">"));
    if (isQuoted && !isIn(lines.slice(from, to))) fill(draft, from, to, "new");
  }
}

/**
 * Blocks that nothing introduced are content. Their marks show what the sender cites; an editor that wraps the whole mail in one cites
 * nothing.
 */
function keepBlocks({ lines, kinds }: Draft): void {
  const isWhole = !kinds.some((kind, at) => kind === "new" && lines[at]?.trim() !== "");
  for (const [at, kind] of kinds.entries()) {
    if (kind !== "block") continue;
    kinds[at] = "new";
    if (isWhole) lines[at] = (lines[at] ?? "").replace(/^> ?/, "");
  }
}

function markSignatures({ lines, kinds, contentFrom }: Draft, sender: string): void {
  let left = DELIMITERS;
  let isParted = false;
  for (let at = 0; at < contentFrom && left > 0; at += 1) {
    if (kinds[at] !== "new" || !isDelimiter(lines[at] ?? "")) continue;
    left -= 1;
    const end = signatureEnd(lines, at, (line) => kinds[line] === "new", { sender, isParted });
    if (end > at) kinds.fill("signature", at, end);
    else isParted = true;
  }
}

/** Without lines of quote marks alone around it, and the end of a block: empty lines, rulers above a quote, "Sent from my iPhone". */
function trimmed(written: string[], isBeforeQuote: boolean): string[] {
  let length = written.length;
  let left = SENT_FROM_LINES;
  for (; length > 0; length -= 1) {
    const last = written[length - 1] ?? "";
    const line = last === "" ? "" : unmarked(last);
    if (line === "" || (isBeforeQuote && isRuler(line))) continue;
    if (left === 0 || !isSentFrom(line)) break;
    left -= 1;
  }
  const start = written.findIndex((line) => line !== "" && unmarked(line) !== "");
  return written.slice(Math.max(0, start), length);
}

function compose({ lines, kinds }: Draft): string {
  const parts: string[] = [];
  let written: string[] = [];
  for (let at = 0; at <= lines.length; at += 1) {
    if (kinds[at] === "new") {
      written.push(lines[at] ?? "");
      continue;
    }
    if (written.length === 0) continue;
    const part = trimmed(written, kinds[at] === "quote")
      .join("\n")
      .trim();
    if (part !== "") parts.push(part);
    written = [];
  }
  return parts.join("\n\n").replace(/\n{3,}/g, "\n\n");
}

/** Gmail's attribution of a forwarded mail has a ruler, in every language. */
function isForward(lines: string[], { part, from, to }: MarkedLines): boolean {
  if (part === "forward") return true;
  if (part !== "attribution") return false;
  return lines.slice(from, Math.min(to, from + ATTRIBUTION_LINES)).some((line) => isDashed(line.trim()));
}

/** Where a forwarded mail begins that a client marked; it is content to its end. */
function forwardedFrom(lines: string[], marks: Mark[], marked: MarkedLines[]): number {
  const found = marked.find((lineRange) => isForward(lines, lineRange));
  if (found) return found.from;
  // Apple Mail writes the line that says so into the quote.
  const quoted = marks.findIndex((mark) => mark !== "none");
  return quoted >= 0 && startsForward(unmarked(lines[quoted] ?? "")) ? quoted : lines.length;
}

/**
 * Marks may be the sender's in code below own words, and around words that no message of the thread has; those that may be are a quote
 * around words that one has.
 */
function compareMarks(lines: string[], marks: Mark[], code: Run[], { earlier, lettersOf }: Thread): void {
  if (!marks.some((mark) => mark !== "none")) return;
  const isAnsweredKnown = earlier.some(({ isAnswered, isKnown, isWhole }) => isAnswered && isKnown && isWhole);
  const isForeign = isAnsweredKnown ? foreignTo(earlier, lettersOf) : () => false;
  const inCode = new Set<number>();
  for (const { from, to, isAfterText } of code) {
    if (isAfterText || filledAbove(lines, from) >= 0) for (let at = from; at < to; at += 1) inCode.add(at);
  }
  const runs = (mark: Mark) => rangesOf(lines, (at) => marks[at] === mark).slice(0, RUNS);
  const [quoted, all] = [runs("quoted"), runs("loose")];
  // Those behind a bar are compared as those behind other signs are.
  const loose = all.filter(({ from }) => otherMark(lines[from] ?? "") === undefined);
  const isIn = inCode.size + loose.length > 0 ? areOf(earlier, lettersOf) : () => false;
  for (const { from, to } of quoted) {
    const run = lines.slice(from, to);
    const isCode = inCode.has(from) && !isIn(run);
    if (isCode || (!run.some((line) => NESTED.test(line)) && isForeign(run))) marks.fill("loose", from, to);
  }
  for (const { from, to } of loose) {
    const run = lines.slice(from, to);
    if (isIn(run)) marks.fill("quoted", from, to);
  }
}

/** A test whether a message has a line with the sign that it begins with: the point of a list, the row of a table. */
function signedIn(earlier: Message[]): (line: string | undefined) => boolean {
  const written = earlier.flatMap(({ raw }) =>
    raw.split("\n").map((line) => line.replace(/^[\s>＞]{0,40}/u, "").trimEnd()),
  );
  const signed = new Set(written.filter(otherMark));
  return (line = "") => signed.has(line.trim());
}

/**
 * Lines that begin with one sign, any but the usual one and those of lists, are quoted where all of them are whole paragraphs of a message
 * of another sender that has them without it, and no new line above announces them.
 */
function markKnown(lines: string[], marks: Mark[], { earlier, lettersOf }: Thread): void {
  if (earlier.length === 0) return;
  const signs = lines.map((line, at) => (marks[at] === "quoted" ? undefined : otherMark(line)));
  const kinds = new Set(signs.filter((sign) => sign !== undefined && !isBulleted(sign)));
  if (kinds.size === 0) return;
  const areParagraphs = areParagraphsOf(earlier, lettersOf);
  const hasSign = signedIn(earlier);
  for (const kind of kinds) {
    const runs = rangesOf(lines, (at) => signs[at] === kind);
    if (runs.length > RUNS || runs.some(({ from }, n) => hasSign(lines[from]) || isAnnounced(lines, marks, from, n)))
      continue;
    if (!areParagraphs(runs.map(({ from, to }) => lines.slice(from, to).map(withoutOtherMark)))) continue;
    for (const { from, to } of runs) marks.fill("quoted", from, to);
  }
}

/** Whether a new line above a line may announce it: any but an attribution; between quotes, where it may answer the one above, one with a colon. */
function isAnnounced(lines: string[], marks: Mark[], at: number, quotesAbove: number): boolean {
  const place = filledAbove(lines, at);
  const above = lines[place]?.slice(-PHRASE_CHARS).trim() ?? "";
  if (above === "" || marks[place] === "quoted") return false;
  return /[:：]$/.test(above) ? !(hasAddress(above) || isDated(above)) : quotesAbove === 0;
}

function draftOf(
  text: string,
  html: HtmlReading | undefined,
  { subject = "", answers = true }: ReplyContext,
  thread: Thread,
): { draft: Draft; attributions: Set<number> } {
  const lines = text.split("\n");
  const marked = html?.marked ?? [];
  const marks = quoteMarks(lines);
  compareMarks(lines, marks, html?.code ?? [], thread);
  markKnown(lines, marks, thread);
  const kinds = marks.map((mark): Kind => (mark === "quoted" && answers ? "quote" : "new"));
  const contentFrom = forwardedFrom(lines, marks, marked);
  const firstMarked = marks.findIndex((mark) => mark !== "none");
  const draft: Draft = {
    lines,
    kinds,
    subject: bareSubject(subject),
    answers,
    isForeign: false,
    contentFrom,
    firstMarked,
  };
  const attributions = new Set<number>();
  for (const { part, from, to } of marked) {
    if (part === "forward") continue;
    fill(draft, from, to, part === "signature" ? "signature" : part === "block" ? "block" : "quote");
    if (part === "attribution") attributions.add(to - 1);
  }
  fill(draft, contentFrom, lines.length, "new");
  settleMarks(draft, (at) => at < contentFrom && marks[at] !== "none", attributions);
  settleBlocks(draft);
  if (kinds.includes("quote")) keepCited(draft, marked, thread);
  return { draft, attributions };
}

/** What is known of a mail beside its body. `sender`: the name. `answers`: by its headers it answers another mail. */
export type ReplyContext = { subject?: string; sender?: string; answers?: boolean; earlier?: EarlierText[] };

type Body = { text: string | null; html: HtmlReading | null };

/** What each line of a mail is; undefined for a forwarded mail, which is content. */
function judge(body: Body, text: string, context: ReplyContext): Draft | undefined {
  if (isForwardSubject(context.subject ?? "")) return undefined;
  const known = context.earlier ?? [];
  const lettersOf = comparing(known.length > 0 ? text : "");
  const earlier = known.map((message) => messageOf(message, lettersOf));
  const html = text === body.html?.text ? body.html : undefined;
  const { draft, attributions } = draftOf(text, html, context, { earlier, lettersOf });
  const { lines, kinds } = draft;
  const letters = earlier.length > 0 ? lines.map(lettersOf) : [];
  const isOpen = (at: number) => at < draft.contentFrom && kinds[at] !== "quote" && kinds[at] !== "signature";
  const repeated = repeatedLines(lines, letters, isOpen, earlier);
  for (const at of repeated) kinds[at] = "quote";
  const apart = setApartLines(lines, letters, isOpen, earlier, {
    looks: () => html?.looks() ?? [],
    columns: () => html?.columns() ?? [],
    isDelimiter: (at) => isDelimiter(lines[at] ?? "") || isRuler(lines[at]?.trim() ?? ""),
  });
  for (const at of apart) kinds[at] = "quote";
  for (const at of wrappedLines(letters, (line) => kinds[line] === "quote", isOpen, earlier)) kinds[at] = "quote";
  draft.isForeign = repeated.length === 0 && isThreadKnown(earlier);
  markQuotes(draft, attributions, repeated.at(-1) ?? -1);
  if (kinds.includes("quote")) keepInserted(draft, letters, earlier);
  if (html && html.coloured.length > 0) keepColoured(draft, html.coloured, { earlier, lettersOf });
  keepBlocks(draft);
  markSignatures(draft, context.sender ?? "");
  return draft;
}

/** What is seen of the HTML body when there is one with text, else the text. */
function seenOf({ text, html }: Body): string {
  return html?.text.trim() ? html.text : stripInvisible((text ?? "").replace(/\r\n?/g, "\n"));
}

/**
 * Which lines of what `newText` reads are quotes, with what introduces them. None are if nothing else would be left.
 */
export function quotedLines(body: Body, context: ReplyContext = {}): { lines: string[]; isQuote: boolean[] } {
  const text = seenOf(body);
  const draft = judge(body, text, context);
  const isNew = draft !== undefined && compose(draft) !== "";
  const lines = text.split("\n");
  return { lines, isQuote: lines.map((_, at) => isNew && draft.kinds[at] === "quote") };
}

/**
 * The new part of a reply, lines ended by LF: of what is seen of the HTML body when there is one with text, else of the text.
 * Quotes, the lines that introduce them, what repeats an earlier message of the thread, and signatures are left out. What was written
 * between quotes is kept, parts separated by an empty line. A forwarded mail is content, and where nothing would be left it is the whole text.
 * @returns `text`: null when the mail has no text at all. `isQuote`: it is the whole text, and what is new in it is nothing but a signature.
 */
export function newPart(body: Body, context: ReplyContext = {}): { text: string | null; isQuote: boolean } {
  const text = seenOf(body);
  const draft = judge(body, text, context);
  const fresh = draft && compose(draft);
  return { text: fresh || text.trim() || null, isQuote: fresh === "" && draft?.kinds.includes("quote") === true };
}

/** The text of `newPart`. */
export const newText = (body: Body, context: ReplyContext = {}): string | null => newPart(body, context).text;
