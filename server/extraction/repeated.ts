// Finds what a mail repeats of earlier messages of its thread, by the letters alone: quote marks, line ends and emphasis do not count.
import type { HtmlReading } from "./html/html-reading.ts";
import type { Letters } from "./letters.ts";

/** An earlier message of the thread. `fresh`: its new part. `own`: it has the same sender as the mail. `isAnswered`: the mail answers it. */
export type EarlierText = { text: string; fresh: string; own: boolean; isAnswered?: boolean };

/** Of each earlier message. What stands further down is mostly quoted itself. */
export const EARLIER_CHARS = 32 * 1024;
/** Letters compared at a time. */
const WINDOW = 12;
/** A mail repeats a message if it holds this part of the first letters that were new in the message. */
const CONTAINED = 0.7;
const CONTAINED_CHARS = 2_000;
/** Answers behind its lines leave this part. */
const ANSWERED = 0.5;
/** Shorter messages and passages may be the sender's own words: "Yes, thank you". */
const PASSAGE_CHARS = 20;
/** A whole line of a message may be shorter than a passage. */
const LINE_CHARS = 8;
/** A mail repeats a message if it holds this part of the message's letters in whole lines, with other lines between them. */
const LINES_CONTAINED = 0.9;
/** A line is repeated if this part of it is. */
const LINE_PART = 0.8;
/** This part of the passages of a changed line stands unchanged in the mail. */
const TWICE = 0.5;
const BITS_MIN = 16;
const BITS_MAX = 23;
const BITS_PER_CHAR = 4;

const BASE = 0x01000193;
/** Weight of the letter that leaves a window. */
const FIRST_WEIGHT = Array.from({ length: WINDOW - 1 }).reduce((weight: number) => Math.imul(weight, BASE), 1);

/** Calls back with the start and a hash of each window. */
function eachWindow(letters: string, visit: (at: number, hash: number) => void): void {
  let hash = 0;
  for (let end = 0; end < letters.length; end += 1) {
    if (end >= WINDOW) hash -= Math.imul(letters.charCodeAt(end - WINDOW), FIRST_WEIGHT);
    hash = (Math.imul(hash, BASE) + letters.charCodeAt(end)) | 0;
    if (end >= WINDOW - 1) visit(end - WINDOW + 1, Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d));
  }
}

/** A set of hashes in a fixed number of bits; it rarely finds one that was not added. */
function windowSet(chars: number) {
  const size = Math.ceil(Math.log2(Math.max(1, chars))) + BITS_PER_CHAR;
  const bits = Math.min(BITS_MAX, Math.max(BITS_MIN, size));
  const words = new Uint32Array(2 ** (bits - 5));
  const place = (hash: number) => hash >>> (32 - bits);
  return {
    add(letters: string): void {
      eachWindow(letters, (_, hash) => {
        const at = place(hash);
        words[at >>> 5] = (words[at >>> 5] ?? 0) | (1 << (at & 31));
      });
    },
    has(hash: number): boolean {
      const at = place(hash);
      return ((words[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0;
    },
  };
}

type Windows = ReturnType<typeof windowSet>;

function setOf(texts: string[]): Windows {
  const set = windowSet(texts.reduce((sum, text) => sum + text.length, 0));
  for (const text of texts) set.add(text);
  return set;
}

/** The part of the windows of some letters that a set has. */
function shareOf(letters: string, set: Windows): number {
  let all = 0;
  let found = 0;
  eachWindow(letters, (_, hash) => {
    all += 1;
    if (set.has(hash)) found += 1;
  });
  return all === 0 ? 0 : found / all;
}

/** 1 at the start of each window that the set does not have. */
function missesOf(letters: string, set: Windows): Uint8Array {
  const misses = new Uint8Array(letters.length);
  eachWindow(letters, (at, hash) => {
    if (!set.has(hash)) misses[at] = 1;
  });
  return misses;
}

/** 1 for each letter that belongs to a passage without a missing window. */
function markPassages(misses: Uint8Array): Uint8Array {
  const marks = new Uint8Array(misses.length);
  const last = misses.length - WINDOW;
  let start = 0;
  for (let at = 0; at <= last + 1; at += 1) {
    if (at <= last && misses[at] === 0) continue;
    if (at > start && at - 1 + WINDOW - start >= PASSAGE_CHARS) marks.fill(1, start, at - 1 + WINDOW);
    start = at + 1;
  }
  return marks;
}

/** Of the beginning of what is looked for: places that begin alike are found by a hash. */
const PLACE_BITS = 14;
/** Places that are compared with a passage. What begins more often alike is not found. */
const PLACES = 16;

/** Where a passage begins in some letters, from a place on; -1 if it is not found. Linear in the letters once, and in the passage, whatever both hold. */
type Places = (passage: string, from?: number) => number;

function placesIn(letters: string): Places {
  const beginning = (text: string, at: number) => {
    let hash = 0;
    for (let next = at; next < at + LINE_CHARS; next += 1) hash = Math.imul(hash, BASE) + text.charCodeAt(next);
    return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> (32 - PLACE_BITS);
  };
  /** The first place of each hash, and from each place the next one with the same hash; 0: none, others are counted from 1 on. */
  let index: { first: Int32Array; next: Int32Array } | undefined;
  const indexed = () => {
    const [first, next] = [new Int32Array(2 ** PLACE_BITS), new Int32Array(letters.length)];
    for (let at = letters.length - LINE_CHARS; at >= 0; at -= 1) {
      const hash = beginning(letters, at);
      next[at] = first[hash] ?? 0;
      first[hash] = at + 1;
    }
    return { first, next };
  };
  return (passage, from = 0) => {
    if (passage.length < LINE_CHARS) return letters.indexOf(passage, from);
    if (passage.length > letters.length) return -1;
    index ??= indexed();
    let place = index.first[beginning(passage, 0)] ?? 0;
    for (let left = PLACES; left > 0 && place > 0; left -= 1) {
      if (place > from && letters.startsWith(passage, place - 1)) return place - 1;
      place = index.next[place - 1] ?? 0;
    }
    return -1;
  };
}

/** An earlier message by its letters. `isKnown`: it is so long that it would be recognized. */
export type Message = {
  own: boolean;
  isAnswered: boolean;
  isKnown: boolean;
  isWhole: boolean;
  /** As it is written. */
  raw: string;
  all: string;
  inAll: Places;
  /** Of passages within one line. */
  inLine: Places;
  fresh: string;
  lines: string[];
  freshLines: string[];
};

export function messageOf({ text, fresh, own, isAnswered = false }: EarlierText, letters: Letters): Message {
  const linesOf = (written: string) => written.slice(0, EARLIER_CHARS).split("\n").map(letters);
  const lines = linesOf(text);
  const freshLines = fresh === text ? lines : linesOf(fresh);
  const all = lines.join("");
  return {
    own,
    isAnswered,
    isKnown: fresh.length >= KNOWN_CHARS,
    isWhole: text.length < EARLIER_CHARS,
    raw: text.slice(0, EARLIER_CHARS),
    lines,
    freshLines,
    all,
    inAll: placesIn(all),
    inLine: placesIn(lines.join("\n")),
    fresh: freshLines.join(""),
  };
}

/** The part of the letters of some lines that stands in whole lines of the mail. */
function shareInLines(lines: string[], inMail: Set<string>): number {
  let all = 0;
  let found = 0;
  for (const { length } of lines) all += length;
  for (const line of lines) if (inMail.has(line)) found += line.length;
  return all === 0 ? 0 : found / all;
}

/**
 * Whole lines of the messages, as often as these have them, the last ones first: who answers with a line of the message writes it
 * once more.
 */
function markLines(texts: string[], messages: Message[], isRepeated: boolean[]): void {
  const left = new Map<string, number>();
  for (const { lines } of messages) for (const line of lines) left.set(line, (left.get(line) ?? 0) + 1);
  for (let at = texts.length - 1; at >= 0; at -= 1) {
    const text = texts[at] ?? "";
    const count = text.length >= LINE_CHARS ? (left.get(text) ?? 0) : 0;
    if (count === 0) continue;
    isRepeated[at] = true;
    left.set(text, count - 1);
  }
}

const sumOf = (numbers: Uint8Array, from: number, to: number) => {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += numbers[at] ?? 0;
  return sum;
};

/** Lines most of whose letters belong to passages of the messages. */
function markInPassages(texts: string[], messages: Message[], isRepeated: boolean[]): void {
  const set = setOf(messages.map(({ all }) => all));
  const misses = missesOf(texts.join(""), set);
  const marks = markPassages(misses);
  const changed: number[] = [];
  let from = 0;
  for (const [at, { length }] of texts.entries()) {
    const to = from + length;
    if (length > 0 && sumOf(marks, from, to) >= length * LINE_PART) {
      isRepeated[at] = true;
      if (sumOf(misses, from, to - WINDOW + 1) > 0) changed.push(at);
    }
    from = to;
  }
  keepChanged(texts, { changed, set }, isRepeated);
}

/** A line that differs from one of a message is the sender's where the mail has that one, too: "on Friday", above "on Thursday". */
function keepChanged(
  texts: string[],
  { changed, set }: { changed: number[]; set: Windows },
  isRepeated: boolean[],
): void {
  if (changed.length === 0) return;
  for (const at of changed) isRepeated[at] = false;
  const whole = setOf([texts.map((text, at) => (isRepeated[at] ? text : "\n")).join("")]);
  for (const at of changed) {
    let [known, twice] = [0, 0];
    eachWindow(texts[at] ?? "", (_, hash) => {
      if (!set.has(hash)) return;
      known += 1;
      if (whole.has(hash)) twice += 1;
    });
    isRepeated[at] = twice < known * TWICE;
  }
}

/** The lines with letters, each with the one before it and after it. */
function eachLine(texts: string[], visit: (line: { text: string; at: number; before: string; after: string }) => void) {
  const places = [...texts.keys()].filter((at) => (texts[at] ?? "").trim() !== "");
  for (const [n, at] of places.entries()) {
    const textAt = (place: number | undefined) => (place === undefined ? "" : (texts[place] ?? ""));
    visit({ text: textAt(at), at, before: textAt(places[n - 1]), after: textAt(places[n + 1]) });
  }
}

/** A line of a message that stands apart from the lines around it there is the sender's where the mail has it among these, too. */
function keepCopies(texts: string[], messages: Message[], isRepeated: boolean[]): void {
  const pairs = new Set<string>();
  for (const { lines } of messages)
    eachLine(lines, ({ text, after }) => after !== "" && pairs.add(`${text}\n${after}`));
  const apart: { text: string; at: number }[] = [];
  const among = new Set<string>();
  eachLine(texts, ({ text, at, before, after }) => {
    if (pairs.has(`${text}\n${after}`) || pairs.has(`${before}\n${text}`)) among.add(text);
    else apart.push({ text, at });
  });
  for (const { text, at } of apart) if (among.has(text)) isRepeated[at] = false;
}

function markedOf(texts: string[], messages: Message[]): boolean[] {
  const isRepeated = texts.map(() => false);
  if (messages.length === 0) return isRepeated;
  markInPassages(texts, messages, isRepeated);
  markLines(texts, messages, isRepeated);
  keepCopies(texts, messages, isRepeated);
  return isRepeated;
}

type Mail = { texts: string[]; contained: Message[]; answered: Message[] };

/** The letters of the lines that are looked at, and the messages which these hold nearly whole, or with answers behind many lines. */
function compare(letters: string[], isOpen: (at: number) => boolean, earlier: Message[]): Mail {
  const texts = letters.map((line, at) => (isOpen(at) ? line : "\n"));
  const inMail = { windows: setOf([texts.join("")]), lines: new Set(texts) };
  const long = earlier.filter(({ fresh }) => fresh.length >= PASSAGE_CHARS);
  const shares = new Map(
    long.map((message) => [message, shareOf(message.fresh.slice(0, CONTAINED_CHARS), inMail.windows)]),
  );
  const shareIn = (message: Message) => shares.get(message) ?? 0;
  const contained = long.filter(
    (message) => shareIn(message) >= CONTAINED || shareInLines(message.freshLines, inMail.lines) >= LINES_CONTAINED,
  );
  return { texts, contained, answered: long.filter((message) => shareIn(message) >= ANSWERED) };
}

/** Lines that may introduce a message within a quote. */
const INTRODUCTIONS = 4;
/** Sentences of the sender above a quote, which the message has further down. */
const COMMON_LINES = 8;
/** Of the beginning of a message at the end of a mail. A shorter one may be a formula. */
const CUT_LINES = 60;
const CUT_CHARS = 30;

/** A client's introduction ends so; without a number or an address people cite so, too: "I confirm:" */
const INTRODUCES = /[\p{Nd}@].*[:：]$/u;

const endOf = (line: string | undefined) => (line ?? "").slice(-LINE_READ_CHARS).replace(/[\s*_]{1,20}$/, "");

/** Whether what begins on a line was not written by the sender: a paragraph, or lines below an introduction. */
function isApart(lines: string[], texts: string[], at: number): boolean {
  let above = at - 1;
  while (above >= 0 && texts[above] === "") above -= 1;
  const words = endOf(lines[above]);
  return /[:：]$/.test(words) ? INTRODUCES.test(words) : above >= 0 && above < at - 1;
}

/** The first line of the end of a mail that is the beginning of a message: a quote that was cut. Undefined if there is none. */
function cutFrom(lines: string[], texts: string[], { fresh }: Message): number | undefined {
  let tail = "";
  let from: number | undefined;
  for (let at = texts.length - 1; at > 0 && at >= texts.length - CUT_LINES && tail.length < CONTAINED_CHARS; at -= 1) {
    const text = texts[at] ?? "";
    if (text === "\n") break;
    tail = text + tail;
    if (text !== "" && tail.length >= CUT_CHARS && fresh.startsWith(tail) && isApart(lines, texts, at)) from = at;
  }
  return from;
}

/** The lines directly above a quote that are, from their first to their last, the sender's message that the mail answers. */
function answeredAbove(lines: string[], texts: string[], first: number, { fresh }: Message): number[] {
  const found: number[] = [];
  let left = fresh.length;
  let introductions = INTRODUCTIONS;
  for (let at = first - 1; at >= 0 && left > 0; at -= 1) {
    const text = texts[at] ?? "";
    if (text === "") continue;
    if (fresh.endsWith(text, left)) {
      left -= text.length;
      found.unshift(at);
    } else {
      introductions -= 1;
      if (found.length > 0 || introductions < 0 || !INTRODUCES.test(endOf(lines[at]))) break;
    }
  }
  return left === 0 && fresh.length >= LINE_CHARS ? found : [];
}

/** A sentence above a quote is the sender's if the message has it below what follows: "Thank you for your help!" */
function keepCommon(texts: string[], messages: Message[], isRepeated: boolean[]): void {
  for (let left = COMMON_LINES; left > 0; left -= 1) {
    const first = isRepeated.indexOf(true);
    const second = first < 0 ? -1 : isRepeated.indexOf(true, first + 1);
    if (second < 0) return;
    const isTurned = messages.some(({ inAll }) => {
      const [above, below] = [inAll(texts[first] ?? ""), inAll(texts[second] ?? "")];
      return below >= 0 && above > below;
    });
    if (!isTurned) return;
    isRepeated[first] = false;
  }
}

/**
 * The lines that repeat earlier messages, in order. Only messages that the lines hold nearly whole count, or from their beginning to the
 * end of the lines, of another sender than the mail's: who repeats a sentence, or sends the own mail again, quotes nothing. Of own
 * messages what stands below such a message counts, and directly above it the one that the mail answers. Linear in both.
 * @param letters of each line
 * @param isOpen whether a line can be part of what is repeated
 */
export function repeatedLines(
  lines: string[],
  letters: string[],
  isOpen: (at: number) => boolean,
  earlier: Message[],
): number[] {
  if (earlier.length === 0) return [];
  const { texts, contained } = compare(letters, isOpen, earlier);
  const others = contained.filter(({ own }) => !own);
  const ofOthers = markedOf(texts, others);
  keepCommon(texts, others, ofOthers);
  const cuts = earlier.flatMap((each) =>
    each.own || others.includes(each) ? [] : (cutFrom(lines, texts, each) ?? []),
  );
  const cut = Math.min(texts.length, ...cuts);
  const start = Math.min(cut, (ofOthers.indexOf(true) + 1 || texts.length + 1) - 1);
  if (start === texts.length) return [];
  const ofAll = others.length === contained.length ? ofOthers : markedOf(texts, contained);
  const answered = earlier.find(({ own, isAnswered }) => own && isAnswered);
  const above = answered ? answeredAbove(lines, texts, start, answered) : [];
  const found = ofAll.flatMap((isRepeated, at) => ((isRepeated && at >= start) || at >= cut ? [at] : []));
  return [...above, ...found];
}

/** How the lines of a mail are set: how each looks and in which cell it stands, as `HtmlReading` has it, and which end what is above. */
export type Setting = Pick<HtmlReading, "looks" | "columns"> & { isDelimiter: (at: number) => boolean };

/** A sentence, also of one line: "Shall I bring the keys?" */
const SENTENCE = /[.!?…。！？؟।]["'”»)\]]{0,3}\s*$/u;
/** Letters of the new lines. */
const NEW_CHARS = 8;

/**
 * The lines that repeat an own message nearly whole and are set apart from the new lines: they look different, stand in another cell of
 * the rows, or follow a delimiter to the end. Without such a sign, who repeats an own message sends it again.
 */
export function setApartLines(
  lines: string[],
  letters: string[],
  isOpen: (at: number) => boolean,
  earlier: Message[],
  setting: Setting,
): number[] {
  const own = earlier.filter((message) => message.own);
  if (own.length === 0) return [];
  const { texts, contained } = compare(letters, isOpen, own);
  if (contained.length === 0) return [];
  const isMarked = markedOf(texts, contained);
  const known = setOf(contained.map(({ all }) => all));
  const isRepeated = (at: number) => isMarked[at] === true && !missesOf(texts[at] ?? "", known).includes(1);
  const places = [...texts.keys()].filter((at) => (texts[at] ?? "").trim() !== "");
  const repeated = places.filter(isRepeated);
  const fresh = places.filter((at) => !isRepeated(at));
  const lettersAt = (found: number[]) => found.map((at) => texts[at] ?? "").join("");
  if (lettersAt(fresh).length < NEW_CHARS) return [];
  const [looks, columns] = [setting.looks(), setting.columns()];
  const otherLooks = new Set(fresh.map((at) => looks[at]));
  const otherColumns = new Set(fresh.map((at) => columns[at]));
  const last = lines.findLastIndex((_, at) => isOpen(at) && setting.isDelimiter(at));
  const apart = [
    otherLooks.has(-1) ? [] : repeated.filter((at) => (looks[at] ?? -1) >= 0 && !otherLooks.has(looks[at])),
    // Names of rows are no sentences.
    repeated.filter((at) => (columns[at] ?? 0) > 0 && !otherColumns.has(columns[at]) && SENTENCE.test(lines[at] ?? "")),
    last > (fresh[0] ?? last)
      ? belowSignature(
          repeated.filter((at) => at > last),
          fresh,
        )
      : [],
  ];
  const isWhole = (found: number[]) => {
    const set = setOf([lettersAt(found)]);
    return contained.some((message) => shareOf(message.fresh.slice(0, CONTAINED_CHARS), set) >= CONTAINED);
  };
  const columnsBeside = Math.max(0, ...otherColumns.values().map((column) => column ?? 0));
  return apart.find((found, kind) => found.length > 0 && (kind !== 1 || columnsBeside > 0) && isWhole(found)) ?? [];
}

/** Repeated lines below which nothing is new. */
function belowSignature(repeated: number[], fresh: number[]): number[] {
  const last = fresh.at(-1) ?? -1;
  return repeated.filter((at) => at > last);
}

/** A message this long, or longer, would be recognized. */
const KNOWN_CHARS = 60;

/** Whether what the mail quotes would be recognized. */
export const isThreadKnown = (earlier: Message[]) => earlier.some(({ isKnown, own }) => !own && isKnown);

/** A test whether some lines, long enough to tell, have no passage of the messages. */
export function foreignTo(earlier: Message[], lettersOf: Letters): (lines: string[]) => boolean {
  const known = setOf(earlier.map(({ all }) => all));
  return (lines) => {
    const letters = lines.map(lettersOf).join("");
    return letters.length >= PASSAGE_CHARS && shareOf(letters, known) === 0;
  };
}

/** A test whether most of what some lines say stands in the others. */
export function standIn(others: string[], lettersOf: Letters): (lines: string[]) => boolean {
  const lettersIn = (lines: string[]) => lines.map(lettersOf).join("");
  const all = lettersIn(others);
  const known = setOf([all]);
  return (lines) => {
    const letters = lettersIn(lines);
    return letters.length < WINDOW ? all.includes(letters) : shareOf(letters, known) >= LINE_PART;
  };
}

/** A test whether each of some lines is a line of the messages, or long enough to tell and within one. */
export function areOf(earlier: Message[], lettersOf: Letters): (lines: string[]) => boolean {
  const whole = new Set(earlier.flatMap((message) => message.lines));
  const isOf = (line: string) =>
    whole.has(line) || (line.length >= LINE_CHARS && earlier.some(({ inAll }) => inAll(line) >= 0));
  return (lines) => {
    const letters = lines.map(lettersOf).filter((line) => line !== "");
    return letters.length > 0 && letters.every(isOf);
  };
}

/** Letters behind other signs than the usual one that are looked for, of a mail. */
const SIGNED_CHARS = 2 * EARLIER_CHARS;

/** The places in the letters of a message where paragraphs begin and end. */
function paragraphEdges(lines: string[]): { starts: Set<number>; ends: Set<number> } {
  const [starts, ends] = [new Set<number>(), new Set<number>()];
  let at = 0;
  for (const [n, { length }] of lines.entries()) {
    if (length > 0 && !lines[n - 1]) starts.add(at);
    at += length;
    if (length > 0 && !lines[n + 1]) ends.add(at);
  }
  return { starts, ends };
}

/** Whether passages are whole paragraphs of a message, in its order. Other lines may stand between two passages of one paragraph. */
function isWholeIn({ lines, inAll }: Message, passages: string[]): boolean {
  const { starts, ends } = paragraphEdges(lines);
  let end = 0;
  let isComplete = true;
  for (const passage of passages) {
    const start = inAll(passage, end);
    if (start < 0 || (isComplete ? !starts.has(start) : start !== end)) return false;
    end = start + passage.length;
    isComplete = ends.has(end);
  }
  return isComplete;
}

/** A test whether runs of lines, several together, are whole paragraphs of a message of another sender. */
export function areParagraphsOf(earlier: Message[], lettersOf: Letters): (runs: string[][]) => boolean {
  const others = earlier.filter(({ own }) => !own);
  let left = SIGNED_CHARS;
  return (runs) => {
    const lines = runs.map((run) => run.map(lettersOf).filter((line) => line !== ""));
    const passages = lines.map((run) => run.join("")).filter((passage) => passage !== "");
    const { length } = passages.join("");
    left -= length;
    if (left < 0 || length < PASSAGE_CHARS || lines.flat().length < 2) return false;
    return others.some((message) => length <= message.all.length && isWholeIn(message, passages));
  };
}

/** Of the end of a line that a program wrapped, and how many such are looked for. */
const WRAPPED_CHARS = 24;
const WRAPPED_LINES = 100;
/** Letters of a line that is so long that programs wrap it. */
const LONG_LINE_CHARS = 40;

/** The lines below a quoted one that go on with the same line of a message: a program wrapped it, and only its first part has a mark. */
export function wrappedLines(
  letters: string[],
  isQuoted: (at: number) => boolean,
  isOpen: (at: number) => boolean,
  earlier: Message[],
): number[] {
  const found: number[] = [];
  let left = earlier.length > 0 ? WRAPPED_LINES : 0;
  for (let at = 1; at < letters.length && left > 0; at += 1) {
    const [before, text] = [letters[at - 1] ?? "", letters[at] ?? ""];
    if (text === "" || before.length < LONG_LINE_CHARS || !isOpen(at)) continue;
    if (!isQuoted(at - 1) && found.at(-1) !== at - 1) continue;
    left -= 1;
    const both = before.slice(-WRAPPED_CHARS) + text;
    if (earlier.some(({ inLine }) => inLine(both) >= 0)) found.push(at);
  }
  return found;
}

/** Letters beside inserted lines. */
const BESIDE_CHARS = 24;
const INSERTIONS = 200;
const LINE_READ_CHARS = 500;
/** Lines below the end of a message. */
const BELOW_LINES = 12;
/** What clients put into a quote: "[image: Logo]", an address, a number of a list. */
const CLIENTS = /^[>|]*\s*(?:[[<(].*[\])>]|https?:\S+|[\p{P}\p{S}\s]*|\p{Nd}{1,3}[.)])$/u;
/** A line below a quoted message may be of an older one, or of a list: a ruler, a delimiter, an introduction, a link. */
const OLDER = /^[\s>|]*[-_=*~]{2}|[:：]\s*$|\S@\S|https?:|www\./u;

/** Letters of repeated lines from a line on, upwards or downwards, to the next line that is not repeated. */
function beside({ texts }: Mail, isRepeated: boolean[], from: number, step: 1 | -1): string {
  let letters = "";
  for (let at = from; letters.length < BESIDE_CHARS && at >= 0 && at < texts.length; at += step) {
    const text = texts[at] ?? "";
    if (text === "") continue;
    if (!isRepeated[at]) break;
    letters = step === 1 ? letters + text : text + letters;
  }
  return step === 1 ? letters.slice(0, BESIDE_CHARS) : letters.slice(-BESIDE_CHARS);
}

/** Runs of quoted lines that are not repeated, below one that is. `to`: the line after the run that has letters. */
function gapsOf({ texts }: Mail, isRepeated: boolean[]): { from: number; to: number }[] {
  const gaps: { from: number; to: number }[] = [];
  let last = -1;
  let isOpen = false;
  for (const [at, text] of texts.entries()) {
    if (text === "") continue;
    if (isRepeated[at]) {
      if (last >= 0 && at > last + 1) gaps.push({ from: last + 1, to: at });
      last = at;
    }
    isOpen = text !== "\n";
    if (!isOpen) {
      if (last >= 0 && at > last + 1) gaps.push({ from: last + 1, to: at });
      last = -1;
    }
  }
  if (last >= 0 && isOpen) gaps.push({ from: last + 1, to: texts.length });
  return gaps;
}

/** Lines of a message that begin alike and are compared with one of the mail. */
const ALIKE_LINES = 8;

/** The quoted lines that go on behind a whole line of a message with words that the messages do not have there: an answer in the line. */
function answeredLines(texts: string[], isQuoted: (at: number) => boolean, messages: Message[]): number[] {
  const byStart = new Map<string, string[]>();
  for (const line of messages.flatMap(({ lines }) => lines.filter(({ length }) => length >= WINDOW))) {
    const alike = byStart.get(line.slice(0, WINDOW)) ?? [];
    if (alike.length < ALIKE_LINES) byStart.set(line.slice(0, WINDOW), [...alike, line]);
  }
  const isAnswer = (text: string, line: string) => {
    const added = text.slice(line.length);
    if (added === "" || !text.startsWith(line)) return false;
    const both = line.slice(-WINDOW) + added.slice(0, WINDOW);
    return !messages.some(({ inAll }) => inAll(both) >= 0 || (added.length >= WINDOW && inAll(added) >= 0));
  };
  return texts.flatMap((text, at) => {
    const alike = isQuoted(at) ? byStart.get(text.slice(0, WINDOW)) : undefined;
    return alike?.some((line) => line === text) === false && alike.some((line) => isAnswer(text, line)) ? [at] : [];
  });
}

/**
 * The lines that the sender wrote into a quote: they stand between two parts that follow each other in an earlier message, or below its
 * end, or behind one of its lines.
 * @param letters of each line
 * @param isQuoted whether a line was found to be quoted
 */
export function insertedLines(
  lines: string[],
  letters: string[],
  isQuoted: (at: number) => boolean,
  earlier: Message[],
): number[] {
  if (earlier.length === 0) return [];
  const mail = compare(letters, isQuoted, earlier);
  const isRepeated = markedOf(mail.texts, mail.contained);
  const inLines = answeredLines(mail.texts, isQuoted, mail.answered).slice(0, INSERTIONS);
  const between = gapsOf(mail, isRepeated)
    .slice(0, INSERTIONS)
    .flatMap(({ from, to }) => {
      const places = Array.from({ length: to - from }, (_, n) => from + n).filter(
        (at) => mail.texts[at] !== "" && !CLIENTS.test((lines[at] ?? "").slice(0, LINE_READ_CHARS).trim()),
      );
      const above = beside(mail, isRepeated, from - 1, -1);
      const below = beside(mail, isRepeated, to, 1);
      const isWithin = below !== "" && above.length + below.length >= PASSAGE_CHARS;
      if (isWithin && mail.contained.some(({ inAll }) => inAll(above + below) >= 0)) return places;
      const isLast = below === "" && above.length >= PASSAGE_CHARS && places.length <= BELOW_LINES;
      const isOwn = isLast && !lines.slice(from, to).some((line) => OLDER.test(line.slice(0, LINE_READ_CHARS)));
      return isOwn && mail.contained.some(({ all, isWhole }) => isWhole && all.endsWith(above)) ? places : [];
    });
  return [...between, ...inLines];
}
