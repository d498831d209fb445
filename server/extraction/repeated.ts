// Finds what a mail repeats of earlier messages of its thread, by the letters alone: quote marks, line ends and emphasis do not count.

/** An earlier message of the thread. `fresh`: its new part. `own`: it has the same sender as the mail. */
export type EarlierText = { text: string; fresh: string; own: boolean };

/** Of each earlier message. What stands further down is mostly quoted itself. */
export const EARLIER_CHARS = 32 * 1024;
/** Letters compared at a time. */
const WINDOW = 12;
/** A mail repeats a message if it holds this part of the first letters that were new in the message. */
const CONTAINED = 0.7;
const CONTAINED_CHARS = 2_000;
/** Shorter messages and passages may be the sender's own words: "Yes, thank you". */
const PASSAGE_CHARS = 20;
/** A whole line of a message may be shorter than a passage. */
const LINE_CHARS = 8;
/** A mail repeats a message if it holds this part of the message's letters in whole lines, with other lines between them. */
const LINES_CONTAINED = 0.9;
/** A line is repeated if this part of it is. */
const LINE_PART = 0.8;
const BITS_MIN = 12;
const BITS_MAX = 23;
const BITS_PER_CHAR = 4;

const NO_LETTERS = /[\s*_>|＞\u00ad\u200b-\u200f\u2060\ufeff]+/g;
const lettersOf = (text: string) => text.replace(NO_LETTERS, "").toLowerCase();

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

/** 1 for each letter that belongs to a passage that the set has. */
function markPassages(letters: string, set: Windows): Uint8Array {
  const marks = new Uint8Array(letters.length);
  let start = -1;
  const endAt = (last: number) => {
    if (start >= 0 && last + WINDOW - start >= PASSAGE_CHARS) marks.fill(1, start, last + WINDOW);
    start = -1;
  };
  eachWindow(letters, (at, hash) => {
    if (!set.has(hash)) endAt(at - 1);
    else if (start < 0) start = at;
  });
  endAt(letters.length - WINDOW);
  return marks;
}

type Message = { own: boolean; all: string; fresh: string; lines: string[]; freshLines: string[] };

function messageOf({ text, fresh, own }: EarlierText): Message {
  const lines = (written: string) => written.slice(0, EARLIER_CHARS).split("\n").map(lettersOf);
  return { own, lines: lines(text), freshLines: lines(fresh), all: lines(text).join(""), fresh: lines(fresh).join("") };
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

/** Lines most of whose letters belong to passages of the messages. */
function markInPassages(texts: string[], messages: Message[], isRepeated: boolean[]): void {
  const marks = markPassages(texts.join(""), setOf(messages.map(({ all }) => all)));
  let from = 0;
  for (const [at, text] of texts.entries()) {
    let marked = 0;
    for (let place = from; place < from + text.length; place += 1) marked += marks[place] ?? 0;
    if (text.length > 0 && marked >= text.length * LINE_PART) isRepeated[at] = true;
    from += text.length;
  }
}

function markedOf(texts: string[], messages: Message[]): boolean[] {
  const isRepeated = texts.map(() => false);
  if (messages.length === 0) return isRepeated;
  markInPassages(texts, messages, isRepeated);
  markLines(texts, messages, isRepeated);
  return isRepeated;
}

/**
 * The lines that repeat earlier messages, in order. Only messages that the lines hold nearly whole count, of another sender than the
 * mail's: who repeats a sentence, or sends the own mail again, quotes nothing. Of own messages what stands below such a message counts.
 * Linear in both.
 * @param isOpen whether a line can be part of what is repeated
 */
export function repeatedLines(lines: string[], isOpen: (at: number) => boolean, earlier: EarlierText[]): number[] {
  if (earlier.length === 0) return [];
  const texts = lines.map((line, at) => (isOpen(at) ? lettersOf(line) : "\n"));
  const inMail = { windows: setOf([texts.join("")]), lines: new Set(texts) };
  const contained = earlier.map(messageOf).filter(({ fresh, freshLines }) => {
    if (fresh.length < PASSAGE_CHARS) return false;
    const share = shareOf(fresh.slice(0, CONTAINED_CHARS), inMail.windows);
    return share >= CONTAINED || shareInLines(freshLines, inMail.lines) >= LINES_CONTAINED;
  });
  const first = markedOf(
    texts,
    contained.filter(({ own }) => !own),
  ).indexOf(true);
  if (first < 0) return [];
  return markedOf(texts, contained).flatMap((isRepeated, at) => (isRepeated && at >= first ? [at] : []));
}
