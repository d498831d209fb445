// Finds the one-time code of a mail: scores candidates by the words around them and their distance.
import { type Candidate, candidatesIn } from "./code-candidates.ts";
import { isAscii, limitMarks } from "./marks.ts";
import { AGAINST_LABEL, OTHER_CODES, STRONG_LABEL, UNIT_AFTER, WEAK_LABEL } from "./words.ts";

/** A code is near the start of a mail; later text is not read. */
const READ_CHARS = 50_000;
const LOOK_BACK_CHARS = 400;
const LOOK_AHEAD_CHARS = 160;
const LABELS_PER_SIDE = 8;
const LINES_FROM_LABEL = 5;
const LABEL_LIMIT = 10_000;
const CONFIDENT_ENOUGH = 0.5;
const BEYOND_DOUBT = 0.95;
const NAMED_OTHERWISE = -1;
/** Between a name and its number: "code is", "code für Ihr Konto lautet". */
const CLOSE_WORDS = 4;
const NEAR_WORDS = 12;
const DIGITS_OF_COUNTS = 4;
const EQUALS = /(?:[:=]|(?<!\p{L})(?:is|ist|lautet|est|es|é|è|to|jest|это)|[为為是は])[\s"'([{«„“*_`-]*$/iu;

type Kind = "strong" | "weak" | "against";
type Label = { start: number; end: number; kind: Kind };
type Section = { text: string; labels: Label[]; bareCountsLess: boolean };

/** The code, and the confidence, 0–1. */
export type Found = { value: string; confidence: number };

/**
 * Normalizes text for the rules: NFKC (full-width digits and colons), every decimal digit in ASCII, zero-width
 * characters removed, one form of dashes and apostrophes, and quoted lines (`>`), URLs and addresses blanked.
 */
function normalise(text: string): string {
  const read = text.slice(0, READ_CHARS);
  return blankOthers(isAscii(read) ? read : toAscii(read));
}

/** Line ends, and what no code is taken from. */
function blankOthers(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").replace(/^[ \t]*>.*$/gm, "");
  const linked = /:\/\/|www\./i.test(lines) ? lines.replace(/(?:https?:\/\/|www\.)[^\s<>"]+/gi, "\ufffc") : lines;
  return linked.includes("@") ? linked.replace(/[^\s<>"@]{1,64}@[^\s<>"@]{1,255}/g, "\ufffc") : linked;
}

/** The characters of the rules in their ASCII form. */
function toAscii(text: string): string {
  const seen = text.replace(
    /[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g,
    "",
  );
  return (
    limitMarks(seen)
      .replace(/[，、]/g, ", ")
      .normalize("NFKC")
      .slice(0, READ_CHARS)
      .replace(/\p{Nd}/gu, asciiDigit)
      // "验证码820193,5分钟内有效": a comma between two things, not in an amount.
      .replace(/(\d{4}),(?=\d{1,2}\s?[分秒小天时時間])/g, "$1, ")
      .replace(/\r\n?|\u2028|\u2029/g, "\n")
      .replace(/[\u2010-\u2015\u2212]/g, "-")
      .replace(/[\u2018\u2019\u02bc]/g, "'")
      .replace(/İ/g, "I")
  );
}

/** Decimal digits stand in runs of ten in Unicode, from zero; the runs start at a character whose predecessor is no digit. */
function asciiDigit(digit: string): string {
  if (digit >= "0" && digit <= "9") return digit;
  const point = digit.codePointAt(0) ?? 0;
  let zero = point;
  while (point - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(point - zero);
}

/** Joins codes with one digit per cell or line, or in two short lines. */
function joinSplit(text: string): string {
  return text
    .replace(/(?<![\p{L}\p{N}.,:/-])\d(?:[ \t\n|]{1,6}\d(?!\p{N})){3,9}(?![\p{L}\p{N}.,:/%-])/gu, (run) =>
      run.replace(/\D/g, ""),
    )
    .replace(/^([ \t]*\d{2,4})[ \t]*\n{1,2}[ \t]*(\d{2,4}[ \t]*)$/gm, "$1 $2");
}

function labelsIn(text: string): Label[] {
  const all: Label[] = [];
  const kinds: [Kind, RegExp][] = [
    ["against", AGAINST_LABEL],
    ["strong", STRONG_LABEL],
    ["weak", WEAK_LABEL],
  ];
  for (const [kind, pattern] of kinds) {
    let left = LABEL_LIMIT;
    for (const { 0: found, index } of text.matchAll(pattern)) {
      if (left-- === 0) break;
      // "TAN" is a German code, "tan" ends many words.
      if (/tan$/i.test(found) && !found.endsWith("TAN")) continue;
      all.push({ start: index, end: index + found.length, kind });
    }
  }
  all.sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return all.filter((label) => {
    if (label.start < end) return false;
    end = label.end;
    return true;
  });
}

const words = (gap: string) => {
  const cjk = gap.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  return (gap.match(/\p{L}+/gu)?.length ?? 0) + Math.floor(cjk / 4);
};
const endsSentence = (gap: string) => /[.!?]\s|[。！？!?]/u.test(gap);
const worth = (kind: Kind, strong: number, weak: number) => (kind === "strong" ? strong : weak);

/** How many of the lines between a label and the candidate have text. */
const linesBetween = (gap: string) =>
  gap
    .split("\n")
    .slice(1, -1)
    .filter((line) => /[\p{L}\p{N}]/u.test(line)).length;

/** Scores a label before the number. Undefined if the number belongs to another label, 0 if there is none. */
function announcedBefore(section: Section, candidate: Candidate, last: number): number | undefined {
  const { text, labels } = section;
  const { start } = candidate;
  let best = 0;
  for (let at = last; at >= 0 && at > last - LABELS_PER_SIDE; at -= 1) {
    const label = labels[at] as Label;
    if (start - label.end > LOOK_BACK_CHARS) break;
    const gap = text.slice(label.end, start);
    if (label.kind === "against") {
      if (best === 0 && belongsTo(section, at, gap)) return;
      continue;
    }
    if (label.kind === "weak" && section.bareCountsLess) continue;
    best = Math.max(
      best,
      gap.includes("\n") ? acrossLines(label.kind, gap, candidate) : within(label.kind, gap, candidate),
    );
  }
  return best;
}

/**
 * "Order number: 4821" belongs to another label; "your code for order is 4821" does not, because the sentence is about
 * the code.
 */
function belongsTo({ text, labels }: Section, at: number, gap: string): boolean {
  if (!/\p{L}|\d/u.test(gap)) return gap.length <= 12 && !endsSentence(gap) && !/\n\s*\n/.test(gap);
  if (gap.length > 24 || words(gap) > 2 || /[\d\n]/.test(gap) || endsSentence(gap)) return false;
  const label = labels[at] as Label;
  const before = labels[at - 1];
  const sameSentence =
    before &&
    before.kind !== "against" &&
    !/[\n.!?]/.test(text.slice(before.end, label.start).slice(0, LOOK_BACK_CHARS));
  return !sameSentence;
}

function within(kind: Kind, gap: string, { yearLike, value }: Candidate): number {
  const count = words(gap);
  const interrupted = /\d/.test(gap) || endsSentence(gap);
  const close = count <= CLOSE_WORDS && !interrupted && gap.length <= 60;
  if (close && (!/\p{L}/u.test(gap) || EQUALS.test(gap))) return worth(kind, 0.97, 0.88);
  if (yearLike) return 0;
  // Without a word like "is" ("code scanning covers 4000 files"), four digits are too few.
  if (close) return value.length > DIGITS_OF_COUNTS ? worth(kind, 0.8, 0.55) : 0.45;
  if (count <= NEAR_WORDS && !interrupted) return worth(kind, 0.85, 0.6);
  // "The code for your payment of 20.00 to account 4417 is 482913"
  if (!endsSentence(gap) && EQUALS.test(gap)) return worth(kind, 0.8, 0.5);
  return worth(kind, 0.4, 0.2);
}

function acrossLines(kind: Kind, gap: string, { ownLine, yearLike }: Candidate): number {
  const lines = linesBetween(gap);
  // "Your verification code will arrive separately.\n\n2026 Example Inc."
  if (lines > LINES_FROM_LABEL || (yearLike && !ownLine)) return 0;
  if (ownLine) return worth(kind, 0.96, 0.88) - 0.08 * lines;
  const lineStart = gap.slice(gap.lastIndexOf("\n") + 1);
  // The announcement may be wrapped: "…verification code\nis 482913".
  if (lines === 0 && words(lineStart) <= 2 && !/\d/.test(lineStart)) return worth(kind, 0.75, 0.5);
  return worth(kind, 0.35, 0.2);
}

/** Scores a label after the number: "482913 is your code", or a line above such as "Use this code to sign in". */
function announcedAfter(section: Section, { end, ownLine }: Candidate, first: number): number {
  const { text, labels, bareCountsLess } = section;
  let best = 0;
  for (let at = first; at < labels.length && at < first + LABELS_PER_SIDE; at += 1) {
    const label = labels[at] as Label;
    if (label.start - end > LOOK_AHEAD_CHARS) break;
    if (label.kind === "against" || (label.kind === "weak" && bareCountsLess)) continue;
    const gap = text.slice(end, label.start);
    if (/\d/.test(gap)) break;
    if (!gap.includes("\n")) {
      if (endsSentence(gap) || /[:;]/.test(gap)) break;
      const count = words(gap);
      if (count <= 8) best = Math.max(best, worth(label.kind, 0.95, 0.85) - 0.02 * count);
    } else if (ownLine && linesBetween(gap) <= 1) {
      best = Math.max(best, worth(label.kind, 0.85, 0.75));
    }
  }
  return best;
}

/** Index of the first label that starts at or after `position`. */
function labelFrom(labels: Label[], position: number): number {
  let [low, high] = [0, labels.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((labels[middle] as Label).start < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function judge(section: Section, candidate: Candidate, subjectAnnounces: boolean): number {
  const { text, labels } = section;
  if (UNIT_AFTER.test(text.slice(candidate.end, candidate.end + 24))) return 0;
  const from = labelFrom(labels, candidate.end);
  const before = announcedBefore(section, candidate, labelFrom(labels, candidate.start) - 1);
  if (before === undefined) return NAMED_OTHERWISE;
  const directlyAfter = labels[from];
  if (directlyAfter?.kind === "against" && /^[ \t]{0,2}$/.test(text.slice(candidate.end, directlyAfter.start)))
    return 0;
  let score = Math.max(before, announcedAfter(section, candidate, from));
  if (score < 0.7 && subjectAnnounces && candidate.ownLine) score = 0.7;
  if (candidate.kind === "promotional") return before > 0.9 && score > 0.9 ? 0.6 : 0;
  if (candidate.kind === "letters") return before > 0.8 && candidate.ownLine ? 0.7 : 0;
  if (candidate.kind === "mixed" && score < 0.7) return 0;
  return Math.max(0, score + candidate.bonus);
}

/**
 * The best code of a mail's subject and bodies, or undefined. Linear in the input, of which 50,000 characters per part
 * are read. `code-candidates.ts` describes `value`.
 */
export function findCode(subject: string, bodies: string[]): Found | undefined {
  const heading = normalise(subject);
  const texts = [heading, ...bodies.map((body) => joinSplit(normalise(body)))];
  const read = texts.map((text, at) => ({ text, isHead: at === 0, candidates: candidatesIn(text) }));
  // Most mail has nothing in the form of a code, and labels cost most.
  const promising = read.filter(({ candidates }) => candidates.length > 0);
  if (promising.length === 0) return;
  const bareCountsLess = texts.some((text) => OTHER_CODES.test(text));
  const announces = labelsIn(heading).some(({ kind }) => kind === "strong");
  const judged: Found[] = [];
  for (const { text, isHead, candidates } of promising) {
    const section: Section = { text, labels: labelsIn(text), bareCountsLess };
    for (const candidate of candidates) {
      const confidence = judge(section, candidate, announces && !isHead);
      if (confidence >= CONFIDENT_ENOUGH || confidence === NAMED_OTHERWISE)
        judged.push({ value: candidate.value, confidence });
    }
  }
  return surest(judged);
}

/** A number that the mail also calls an order, a zip code or a phone needs a certain label. */
function surest(judged: Found[]): Found | undefined {
  const otherwise = new Set(
    judged.filter(({ confidence }) => confidence === NAMED_OTHERWISE).map(({ value }) => value),
  );
  let best: Found | undefined;
  for (const { value, confidence } of judged) {
    if (otherwise.has(value) && confidence < BEYOND_DOUBT) continue;
    if (confidence > (best?.confidence ?? 0)) best = { value, confidence: Math.min(1, confidence) };
  }
  return best;
}
