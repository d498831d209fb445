// Finds the words of a search in the text of a message, and cuts fragments around them. No input or output.
import { isAscii } from "./marks.ts";
import { fold, readTerms, type Term } from "./search.ts";
import { wholeCharacters } from "./whole-characters.ts";

/** Of a body, so much is searched for fragments. Hostile text takes 2 µs for a character, on the main thread. */
export const HIGHLIGHT_BODY_CHARS = 2_000;
const LINE_CHARS = 1_000;
const ADDRESSES_MAX = 20;
const FRAGMENT_CHARS = 160;
/** Of those, before the first match. */
const LEAD_CHARS = 40;
/** A longer word is not in the index. */
const WORD_CHARS = 1_000;

export const HIGHLIGHT_FIELDS = ["subject", "from", "from_name", "to", "text"] as const;
/** The parts of a fragment, joined, are its text. */
export type Highlight = {
  field: (typeof HIGHLIGHT_FIELDS)[number];
  parts: { text: string; match: boolean }[];
};
type HighlightedText = { subject: string; from: string; from_name: string | null; to: string[]; text: string | null };
type Range = { start: number; end: number };
/** A word of the text, or a run of a script without spaces, and where it is. `folded`: as searches compare it. */
type Token = Range & { folded: string; raw: string; run: boolean };
/** Words that must stand next to each other, or one run. */
type Sequence = { words: string[]; run: boolean; isPrefix: boolean };

/** As in the index, with the invisible characters that a word may hold. */
const TOKENS =
  /([[\p{L}\p{M}\p{N}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]+)|[[\p{L}\p{M}\p{N}\p{Default_Ignorable_Code_Point}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]+|\p{Extended_Pictographic}/gv;
/** The same in text that is only ASCII, many times as fast. */
const ASCII_TOKENS = /([^\0-\x7f])|[A-Za-z0-9]+/g;
/** Control characters and line breaks become blanks. Invisible ones, such as those that turn the direction of text, go. */
const BLANKS = /[\p{Cc}\s]+/gu;
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

function tokensOf(text: string): Token[] {
  return Array.from(text.matchAll(isAscii(text) ? ASCII_TOKENS : TOKENS), (match) => {
    const [raw, run] = match;
    const folded = raw.length > WORD_CHARS ? "" : fold(raw);
    return { start: match.index, end: match.index + raw.length, folded, raw, run: run !== undefined };
  }).filter(({ folded }) => folded !== "");
}

/** Runs stand alone: a search finds them wherever they are. */
function sequencesOf({ units, isPrefix }: Term): Sequence[] {
  const sequences: Sequence[] = [];
  let open: Sequence | undefined;
  for (const [i, { text, run }] of units.entries()) {
    const isLast = i === units.length - 1;
    if (run || !open) sequences.push({ words: [text], run, isPrefix: isPrefix && isLast });
    else Object.assign(open, { words: [...open.words, text], isPrefix: isPrefix && isLast });
    open = run ? undefined : sequences.at(-1);
  }
  return sequences;
}

/** Where a run stands within a longer one. All of it, where folding changed its length. */
function inRun({ start, end, folded, raw }: Token, wanted: string): Range | undefined {
  const at = folded.indexOf(wanted);
  if (at < 0) return;
  return folded.length === raw.length ? { start: start + at, end: start + at + wanted.length } : { start, end };
}

function matchAt(tokens: Token[], i: number, { words, run, isPrefix }: Sequence): Range | undefined {
  const [first, last] = [tokens[i], tokens[i + words.length - 1]];
  if (!first || !last || first.run !== run) return;
  if (run) return inRun(first, words[0] ?? "");
  const matches = words.every((word, n) => {
    const { folded = "", run: isRun } = tokens[i + n] ?? {};
    return !isRun && (isPrefix && n === words.length - 1 ? folded.startsWith(word) : folded === word);
  });
  return matches ? { start: first.start, end: last.end } : undefined;
}

/** Ranges in order, without overlaps. */
function rangesOf(text: string, sequences: Sequence[]): Range[] {
  const tokens = tokensOf(text);
  const found: Range[] = [];
  for (const [i, { folded }] of tokens.entries()) {
    for (const sequence of sequences) {
      const range = folded.includes(sequence.words[0] ?? "") ? matchAt(tokens, i, sequence) : undefined;
      if (range) found.push(range);
    }
  }
  const merged: Range[] = [];
  for (const range of found.sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && range.start < last.end) last.end = Math.max(last.end, range.end);
    else merged.push({ ...range });
  }
  return merged;
}

function fragmentOf(text: string, ranges: Range[]): Highlight["parts"] {
  const [first] = ranges;
  if (!first) return [];
  const start = wholeCharacters(text, Math.max(0, first.start - LEAD_CHARS));
  const end = Math.max(first.end, wholeCharacters(text, Math.min(text.length, start + FRAGMENT_CHARS)));
  const parts: Highlight["parts"] = [];
  let at = start;
  const add = (until: number, match: boolean) => {
    const part = text.slice(at, until).replace(BLANKS, " ").replace(UNSEEN, "");
    if (part !== "") parts.push({ text: part, match });
    at = until;
  };
  for (const range of ranges.filter((each) => each.end <= end)) {
    add(range.start, false);
    add(range.end, true);
  }
  add(end, false);
  return parts;
}

/**
 * @param q a search
 * @returns a function that gives a fragment of each field that has a match, around its first one
 */
export function createHighlighter(q: string): (message: HighlightedText) => Highlight[] {
  const terms = readTerms(q).flat();
  const sequences = terms.filter(({ isExcluded }) => !isExcluded).flatMap(sequencesOf);
  return ({ subject, from, from_name, to, text }) => {
    const fields: [Highlight["field"], string[]][] = [
      ["subject", [subject.slice(0, LINE_CHARS)]],
      ["from", [from.slice(0, LINE_CHARS)]],
      ["from_name", [(from_name ?? "").slice(0, LINE_CHARS)]],
      ["to", to.slice(0, ADDRESSES_MAX).map((address) => address.slice(0, LINE_CHARS))],
      ["text", [(text ?? "").slice(0, HIGHLIGHT_BODY_CHARS)]],
    ];
    return fields.flatMap(([field, texts]) => {
      const fragments = texts.map((each) => fragmentOf(each, rangesOf(each, sequences)));
      const parts = fragments.find((fragment) => fragment.length > 0);
      return parts ? [{ field, parts }] : [];
    });
  };
}
