// Observes what a person sees of each number in a mail: the words beside it, its place on the page, its form, and other numbers.
//
// No observation decides alone: code-weights.ts holds what each one is worth.
import { type Candidate, candidatesIn, MAY_HOLD } from "./code-candidates.ts";
import type { Piece } from "./html/html-reading.ts";
import { BIG, BOLD, FRAMED, MONOSPACED, SPACED } from "./html/set-off.ts";
import {
  ACCOUNT,
  CALL,
  CODE,
  COMMON,
  COMPOUND,
  COPULA,
  DIGITS,
  ENTER,
  KEPT,
  type Lexicon,
  MINUTES,
  NUMBER,
  OTHER,
  PICKUP,
  PURPOSE,
  SCREEN,
  SCRIPTS_WITHOUT_SPACES,
  SUBJECT,
  type Token,
  tokensIn,
} from "./lexicon.ts";
import { isAscii } from "./marks.ts";
import {
  ADVERBS,
  AUTHENTICATION,
  CONDITION,
  CONFIRMS,
  EXAMPLE,
  EXPIRED,
  HALF_OF_DAY,
  MEETING,
  POST_IN_INDIA,
  REVOKED,
  ROBOT,
  UNIT_AFTER,
  WRONG,
} from "./number-words.ts";

const FLOW_CHARS = 400;
const AFTER_CHARS = 160;
const LINE_CHARS = 200;
/** A shorter line ends where its sender ended it. */
const WRAPPED_CHARS = 50;
const LINES_ABOVE = 3;
const LINES_BELOW = 2;
/** How far from the name of a code the words are that say what it is for. */
const PHRASE_TOKENS = 3;
const PHRASE_CHARS = 24;
const CLOSE_WORDS = 4;
const NEAR_WORDS = 12;
const AFAR_WORDS = 20;
const AFTER_WORDS = 8;
const LABEL_WORDS = 4;
const PRONOUN_WORDS = 2;
const CLOSING_WORDS = 1;
const NEAR_CHARS = 300;
const DURATIONS = 50;
/** With more, a number is not the only one. */
const NUMBERS = 12;
/** Of the words of a text; fewer in a language that the lexicon does not have. */
const KNOWN_SHARE = 0.08;
const SHORT_CHARS = 400;
const MEDIUM_CHARS = 1_500;
const LONG_CHARS = 6_000;
const HEAD_LINES = 8;
/** Of a text so many candidates are looked at closely. */
const CLOSE_LOOKS = 40;
/** Where the name of a number is looked for, if no word is known. */
const NAME_CHARS = 60;
const STEM_CHARS = 4;
const STEMS = 24;
/** Words that repeat are looked for in so much text, for so few candidates. */
const REPEATS_CHARS = 3_000;
const REPEATS_CANDIDATES = 12;
const SENTENCE_CHARS = 80;
const NEAREST_CHARS = 24;

/**
 * How well the words of a mail are understood. `spoken`: it has words for codes. `silent`: it has none although its language is
 * known. `foreign`: its language is not known.
 */
export type Mode = "spoken" | "shared" | "silent" | "foreign";
export type Observed = { value: string; mode: Mode; features: Set<string> };

/** `subject` and `bodies` are normalised. */
export type Mail = { from: string; subject: string; bodies: string[]; pieces: Piece[]; links: number };

const NAMING_KINDS = CODE | PURPOSE | OTHER | ENTER | NUMBER | ACCOUNT;
type LabelKind = "strong" | "weak" | "enter" | "purpose" | "number" | "other";
/** `isOfOther`: "code" beside a word that the lexicon does not have. */
type Label = { start: number; end: number; kind: LabelKind; isOfOther: boolean };
/** `isLong`: as many as hours are counted, not minutes. */
type Duration = { at: number; known: boolean; isLong: boolean };
type Section = {
  text: string;
  tokens: Token[];
  labels: Label[];
  candidates: Candidate[];
  durations: Duration[];
  /** The first numbers of the text. `isUsual`: a date, a time, a telephone, a count, a serial number or one that is named otherwise. */
  numbers: { at: number; isUsual: boolean }[];
  /** The end of the first lines. */
  headEnd: number;
};

/** The labels of a text: names of codes and of other numbers. */
function labelsIn(text: string, tokens: Token[], from: string): Label[] {
  const labels: Label[] = [];
  for (const [at, { start, end, kinds }] of tokens.entries()) {
    if ((kinds & NAMING_KINDS) === 0) continue;
    const kind = kindOf(text, tokens, at, kinds);
    if (kind)
      labels.push({
        start,
        end,
        kind,
        isOfOther: kind === "weak" && (kinds & CODE) !== 0 && isOfUnknown(text, tokens, at, from),
      });
  }
  return labels;
}

/** In scripts without spaces whose modifiers follow the name. */
const HEAD_FIRST = /^[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{4}/u;
const UNKNOWN_CHARS = 8;
const MODIFIER = /[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]$/u;

/** "PIN code 5601": postal numbers of India have six digits. */
const SHORT_NUMBER = /^(?:[ -]?[Cc]ode)?[^\p{L}\p{N}]{0,6}\p{Nd}{4,5}(?!\p{Nd}| \p{Nd})/u;
const SHORT_NUMBER_CHARS = 24;

/** Behind a word that is a part of groups of capitals and digits. */
const IN_CODE = /^\p{Nd}{0,4}-(?:\p{Lu}{0,4}\p{Nd}|\p{Lu}{3})/u;

/** Whether a word that the lexicon does not have, and that is not the sender's name, stands directly before or after another. */
function isOfUnknown(text: string, tokens: Token[], at: number, from: string): boolean {
  const own = tokens[at] as Token;
  if (own.kinds & COMPOUND) return true;
  if (POST_IN_INDIA.test(text.slice(Math.max(0, own.start - 5), own.end + 5)))
    return !SHORT_NUMBER.test(text.slice(own.end, own.end + SHORT_NUMBER_CHARS));
  const next = tokens[at + 1];
  if (HEAD_FIRST.test(text.slice(own.end, Math.min(next?.start ?? text.length, own.end + UNKNOWN_CHARS)))) return true;
  const before = text.slice(Math.max(0, own.start - 1), own.start);
  if (MODIFIER.test(before) && (tokens[at - 1]?.end ?? 0) < own.start) return true;
  // "code de réduction"
  const distance = (next?.kinds ?? 0) === COMMON ? 2 : 1;
  return [tokens[at - 1], tokens[at + distance]].some((beside) => {
    if (beside?.kinds !== 0 || beside.end - beside.start < 2) return false;
    // Letters of a code, as in "code KD72-9QX".
    if (IN_CODE.test(text.slice(beside.end, beside.end + UNKNOWN_CHARS))) return false;
    const gap = beside.end <= own.start ? text.slice(beside.end, own.start) : text.slice(own.end, beside.start);
    return /^[ '’\p{L}-]{0,8}$/u.test(gap) && !from.includes(text.slice(beside.start, beside.end).toLowerCase());
  });
}

/** Six digits, behind which their sentence does not go on. */
const POSTAL_NUMBER = /^(?:[ -]?[Cc]ode)?[^\p{L}\p{N}]{0,6}\p{Nd}{3} ?\p{Nd}{3}(?!\p{Nd}| \p{Ll})/u;

/** "Pune, PIN code 411038": in an address. */
const isPostal = (text: string, { start, end }: Token) =>
  POST_IN_INDIA.test(text.slice(Math.max(0, start - 5), end + 5)) &&
  POSTAL_NUMBER.test(text.slice(end, end + 24)) &&
  /,[^\n.:;,]{0,6}$/.test(text.slice(Math.max(0, start - 8), start));

function kindOf(text: string, tokens: Token[], at: number, kinds: number): LabelKind | undefined {
  if (kinds & CODE && isPostal(text, tokens[at] as Token)) return "other";
  if (kinds & CODE) return kinds & PURPOSE ? "strong" : kinds & OTHER ? "other" : named(text, tokens, at);
  if (kinds & NUMBER) return kindOfNumber(text, tokens, at, kinds);
  if (kinds & ACCOUNT) return hasNumber(text, tokens, at) ? "other" : kinds & PURPOSE ? "purpose" : undefined;
  if (kinds & OTHER) return "other";
  if (kinds & ENTER) return "enter";
  return kinds & PURPOSE ? "purpose" : undefined;
}

/** "Account 482913", "Account: 482913", but not "to open your account: 482913". */
function hasNumber(text: string, tokens: Token[], at: number): boolean {
  const { start, end } = tokens[at] as Token;
  const [, colon] = /^ ?(:?) ?[#(]?(?=[A-Z]{0,3}\d)/.exec(text.slice(end, end + 8)) ?? [];
  if (colon === undefined) return /\d[ -]?$/.test(text.slice(Math.max(0, start - 2), start));
  return colon === "" || (tokens[at - LABEL_WORDS + 1]?.start ?? -1) <= text.lastIndexOf("\n", start);
}

/** "Verification number" and "enter the number" name a code, "order number" another one; a bare "number" names any. */
function kindOfNumber(text: string, tokens: Token[], at: number, kinds: number): LabelKind {
  const own = tokens[at] as Token;
  if (kinds & PURPOSE || named(text, tokens, at) === "strong")
    return CONFIRMS.test(text.slice(Math.max(0, own.start - PHRASE_CHARS), own.end + PHRASE_CHARS))
      ? "other"
      : "purpose";
  const isEntered = [-3, -2, -1, 1, 2, 3].some((distance) => {
    const beside = tokens[at + distance];
    if (!beside || (beside.kinds & ENTER) === 0) return false;
    return !/[\d\n.:;!?。！？]/.test(
      distance < 0 ? text.slice(beside.end, own.start) : text.slice(own.end, beside.start),
    );
  });
  if (named(text, tokens, at) === "other" || own.kinds & OTHER) return "other";
  return isEntered ? "weak" : "number";
}

/** What a code is for: the closest word that says so decides, "zip code" and "code postal" are others. */
function named(text: string, tokens: Token[], at: number): LabelKind {
  const own = tokens[at] as Token;
  for (let distance = 1; distance <= PHRASE_TOKENS; distance += 1) {
    for (const beside of [tokens[at - distance], tokens[at + distance]]) {
      if (!beside || (beside.kinds & (PURPOSE | OTHER)) === 0) continue;
      const gap = beside.end <= own.start ? text.slice(beside.end, own.start) : text.slice(own.end, beside.start);
      if (/[\d\n.:;!?。！？]/.test(gap)) continue;
      if (beside.kinds & PURPOSE) return "strong";
      if (distance <= (beside.end <= own.start ? 1 : 2)) return "other";
    }
  }
  return "weak";
}

/** Numbers as durations have them. In scripts without spaces a word may stand directly before one. */
const USUAL_DURATION = new RegExp(
  `(?=\\d)(?<![[\\p{L}--[${SCRIPTS_WITHOUT_SPACES}]]\\p{N}.,:\\/+]|(?<!\\p{L})-)(?:[1-9]|10|12|15|20|24|25|30|45|48|60|72|90|120|180|300|600)(?![\\p{N}.,:\\/]\\p{N}|\\p{N}|%)`,
  "gv",
);

/** Numbers that count minutes, as far as the form tells: "10 minutes", "دقيقة 10". */
function durationsIn(text: string, tokens: Token[]): Duration[] {
  const found: Duration[] = [];
  for (const { 0: digits, index } of text.matchAll(USUAL_DURATION)) {
    if (found.length >= DURATIONS) break;
    const end = index + digits.length;
    const after = /^[ \t-]{0,2}\p{L}/u.test(text.slice(end, end + 3));
    const place = tokenFrom(tokens, end);
    const next = after ? tokens[place] : undefined;
    const previous = tokens[place - 1];
    const isBefore = previous !== undefined && index - previous.end <= 1;
    const known = Boolean(
      // "ttl: 300 s"
      /^ ?(?:s|sec|min)(?![\p{L}\p{N}])/u.test(text.slice(end, end + 5)) ||
        (next && next.start - end <= 2 && next.kinds & MINUTES) ||
        (isBefore && previous.kinds & MINUTES),
    );
    const isRound = /^(?:[235]|10|15|20|30|60)$/.test(digits);
    const closes =
      isBefore && digits.length > 1 && /^(?:[.!]?\s*(?:\n|$)|[.!] +\p{Lu}|[。।።])/u.test(text.slice(end, end + 4));
    if (known || (isRound && (after || closes)))
      found.push({ at: index, known, isLong: /^(?:24|25|48|72|90|[136][028]0|600)$/.test(digits) && digits !== "60" });
  }
  return found;
}

/** Index of the first token that starts at or after a position. */
function tokenFrom(tokens: { start: number }[], position: number): number {
  let [low, high] = [0, tokens.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens[middle] as { start: number }).start < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** "Eenmalige PIN (EMP)", "EMP (eenmalige PIN)": the word in the parentheses, or the one before them. */
const DEFINED = /\((\p{Lu}{2,6})\)|(?<=(?<![\p{L}\p{N}])(\p{Lu}{2,6})[ \t]?)\(/gu;
const DEFINED_WORDS = 3;
const DEFINED_MAX = 10;

/** Abbreviations that a text defines as the names of codes. */
function abbreviationsIn(text: string, tokens: Token[]): string[] {
  if (!text.includes("(")) return [];
  const found: string[] = [];
  for (const { 1: inside, 2: before = "", index } of text.matchAll(DEFINED)) {
    const at = tokenFrom(tokens, index);
    const beside = inside ? tokens.slice(Math.max(0, at - DEFINED_WORDS), at) : tokens.slice(at, at + DEFINED_WORDS);
    const kinds = beside.reduce((all, token) => all | token.kinds, 0);
    if (kinds & CODE && kinds & PURPOSE && found.push(inside ?? before) >= DEFINED_MAX) break;
  }
  return found;
}

function sectionOf(
  { text, tokens, candidates }: { text: string; tokens: Token[]; candidates: Candidate[] },
  from: string,
): Section {
  const labels = labelsIn(text, tokens, from);
  const durations = durationsIn(text, tokens);
  const numbers: Section["numbers"] = [];
  for (const { 0: digits, index } of text.matchAll(/\d+(?:[.,:/ -]?\d+)*/g)) {
    const isUsual =
      USUAL.test(digits) ||
      TELEPHONE.test(text.slice(Math.max(0, index - 1), index + digits.length)) ||
      /[A-Za-z]/.test(text[index - 1] ?? "") ||
      isNumberOfOther(text, labels, index);
    if (numbers.push({ at: index, isUsual }) >= NUMBERS) break;
  }
  return { text, tokens, labels, candidates, durations, numbers, headEnd: headEndOf(text) };
}

/** Whether the name of another number stands directly before a number. */
function isNumberOfOther(text: string, labels: Label[], index: number): boolean {
  const label = labels[tokenFrom(labels, index) - 1];
  return label?.kind === "other" && /^[ :.#№-]{0,3}$/.test(text.slice(label.end, index));
}

const USUAL = /^(?:\d{1,3}|(?:19|20)\d\d|(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[ -]?)?(?:\d{1,2}[:.]\d\d(?::\d\d)?)?)$/;
/** At least nine digits in groups, or behind a plus. */
const TELEPHONE = /^\+\d|^\D?(?=(?:[ -]?\d){9,15}$)\d+[ -]/;

function headEndOf(text: string): number {
  let at = 0;
  for (let lines = 0; lines < HEAD_LINES && at < text.length; ) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length + 1;
    if (!blank(text.slice(at, end))) lines += 1;
    at = end + 1;
  }
  return at;
}

/** Whether at most a label stands before a number in its line, or nothing after it. */
function startsLine(section: Section, { start, end }: Candidate): boolean {
  const { text } = section;
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const rest = text.slice(end, end + LINE_CHARS).split("\n", 1)[0] ?? "";
  return blank(text.slice(Math.max(from, start - LINE_CHARS), start)) || blank(rest);
}

const blank = (line: string) => !/[\p{L}\p{N}]/u.test(line);
const wordsIn = ({ tokens }: Section, from: number, to: number) => tokenFrom(tokens, to) - tokenFrom(tokens, from);

type Range = [from: number, to: number];
type Surroundings = { left: Range; right: Range; above: Range[]; below: Range[] };

/** The start of the line before the one that starts at a position above 0. */
const lineBefore = (text: string, at: number) => (at < 2 ? 0 : text.lastIndexOf("\n", at - 2) + 1);

/** The running text around a candidate, and the lines above and below. */
function surroundings(text: string, { start, end, ownLine }: Candidate): Surroundings {
  let from = text.lastIndexOf("\n", start - 1) + 1;
  for (let at = from; !ownLine && at > 0 && start - from < FLOW_CHARS; at = from) {
    const before = lineBefore(text, at);
    if (at - 1 - before < WRAPPED_CHARS) break;
    from = before;
  }
  const endOf = (at: number) => (text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at));
  let to = endOf(end);
  const isWrapped = to - (text.lastIndexOf("\n", start - 1) + 1) >= WRAPPED_CHARS;
  if (!ownLine && isWrapped && to < text.length && text[to + 1] !== "\n") to = endOf(to + 1);
  const above: Range[] = [];
  for (let at = from; at > 0 && above.length < LINES_ABOVE && start - at < FLOW_CHARS * 2; ) {
    const before = lineBefore(text, at);
    if (!blank(text.slice(Math.max(before, at - 1 - LINE_CHARS), at - 1)))
      above.push([Math.max(before, at - 1 - LINE_CHARS), at - 1]);
    at = before;
  }
  const below: Range[] = [];
  for (let at = to; at < text.length && below.length < LINES_BELOW && at - end < FLOW_CHARS * 2; ) {
    const next = endOf(at + 1);
    if (!blank(text.slice(at + 1, Math.min(next, at + 1 + LINE_CHARS))))
      below.push([at + 1, Math.min(next, at + 1 + LINE_CHARS)]);
    at = next;
  }
  return {
    left: [Math.max(from, start - FLOW_CHARS), start],
    right: [end, Math.min(to, end + AFTER_CHARS)],
    above,
    below,
  };
}

/** A full stop behind a short word before a number is that of an abbreviation: "ref. 4821", "Rs. 900". */
const SENTENCE_END = /[!?](?=\s)|\.(?=\s)(?<!(?<!\p{L})\p{L}{1,4}\.(?=[ \t]+[\d\p{Ll}]))|[。！？!?।]/gu;
const SENTENCE_STOP = /[!?](?:\s|$)|\.(?:\s|$)(?<!(?<!\p{L})\p{L}{1,4}\.[ \t](?=[ \t]*[\d\p{Ll}]))|[。！？!?।\n]/u;

/** Where the last sentence of a range starts. What stands behind the range says whether a full stop ends it. */
function sentenceStart(text: string, [from, to]: Range): number {
  let start = from;
  for (const { index } of text.slice(from, to + 1).matchAll(SENTENCE_END))
    if (from + index < to) start = from + index + 1;
  return start;
}

function sentenceStop(text: string, [from, to]: Range): number {
  const found = text.slice(from, to).search(SENTENCE_STOP);
  return found < 0 ? to : from + found;
}

const DISTANCES = ["tight", "close", "near", "near, led", "far"] as const;
type Distance = (typeof DISTANCES)[number];
const NAMING = ["strong", "weak", "enter", "purpose", "number"] as const;
/** Names of observations, made once. */
const BEFORE = Object.fromEntries(
  NAMING.map((kind) => [
    kind,
    Object.fromEntries(DISTANCES.map((distance) => [distance, `before: ${kind}, ${distance}`])),
  ]),
) as Record<Exclude<LabelKind, "other">, Record<Distance, string>>;

const EQUAL = Object.fromEntries(NAMING.map((kind) => [kind, `before: ${kind}, equal`])) as Record<
  Exclude<LabelKind, "other">,
  string
>;

const CALLED_EARLIER = "before: a code, sentence earlier, equal";

/** What names the number before it, in its sentence. */
function observeBefore(section: Section, start: number, left: Range, add: (feature: string) => void): void {
  const { text, tokens, labels } = section;
  const from = sentenceStart(text, left);
  const seen = new Set<LabelKind>();
  let isFirst = true;
  // "The code for order 4821 of 12.05.2026 is 482913", but not "code 482913, order: 4821".
  let isOtherwise = false;
  for (let at = tokenFrom(labels, start) - 1; at >= 0; at -= 1) {
    const label = labels[at] as Label;
    if (label.start < left[0]) break;
    const gap = text.slice(label.end, start);
    if (label.start < from) {
      if (label.kind === "strong" && !seen.has("strong")) add("before: strong, sentence earlier");
      // "You asked for a temporary PIN. It is 5830"
      if (
        isFirst &&
        (label.kind === "strong" || label.kind === "weak") &&
        wordsIn(section, from, start) <= PRONOUN_WORDS &&
        (tokens[tokenFrom(tokens, start) - 1]?.kinds ?? 0) & COPULA
      )
        add(CALLED_EARLIER);
      break;
    }
    const count = wordsIn(section, label.end, start);
    const copula = count === 1 && Boolean((tokens[tokenFrom(tokens, start) - 1]?.kinds ?? 0) & COPULA);
    const isLed = !copula && count > CLOSE_WORDS - 1 && isEqualTo(section, start, gap);
    const isCut = /\d{3}/.test(gap.replace(DATES, ""));
    const distance: Distance =
      isLed && count <= AFAR_WORDS && (!isCut || !isOtherwise)
        ? "near, led"
        : isCut || count > NEAR_WORDS
          ? "far"
          : count === 0 || copula
            ? "tight"
            : count <= CLOSE_WORDS
              ? "close"
              : "near";
    if (label.kind === "other") {
      // "Order 4821: your code is 482913", "no. 3 of 12.05.2026: 482913"
      if (OWN_NUMBER.test(gap)) {
        if (isFirst) add("before: other and its number");
        continue;
      }
      if (count <= 2) isOtherwise = true;
      if (isFirst && distance === "tight") {
        add("before: other, tight");
        if ((tokens[tokenFrom(tokens, label.start)]?.kinds ?? 0) & KEPT) add("before: what is kept, tight");
      } else if (isFirst && distance === "close" && count <= 2) add("before: other, close");
      else add("before: other, far");
    } else if (!seen.has(label.kind)) {
      add(BEFORE[label.kind][distance]);
      if (distance === "tight" && isEqualTo(section, start, gap)) add(EQUAL[label.kind]);
      if (label.isOfOther && distance !== "far") add("before: weak, of another word");
    }
    seen.add(label.kind);
    isFirst = false;
  }
}

/** Right behind the name of another number stands that number. */
const OWN_NUMBER = /^[\s:.,#(-]{0,3}(?=[A-Z-]{0,4}\d)[A-Z\d][A-Z\d./-]{0,24}(?![A-Z\d])[\s\S]*[^\s\d]/;
const OTHERS_NUMBER = /^[\s:.,#(-]{0,3}[A-Z]{0,4}\d[\dA-Z./-]{3,24}[\s\S]*[^\s\d]/;
const DATE_OR_TIME = /\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}:\d{2}/;
/** "6035 7110 2248 9013", but no part of an IBAN */
const CARD = /(?<![\p{L}\d] ?)\d{4}(?:[ -]?\d{4}){2,4}(?!\d)/u;
const DATES = /\d{1,4}[./-]\d{1,2}[./-]\d{1,4}/g;

/** Whether a colon or a word like "is" stands before the number. */
const isEqualTo = ({ tokens }: Section, start: number, gap: string) =>
  /[:：=]\s*$/u.test(gap) || Boolean((tokens[tokenFrom(tokens, start) - 1]?.kinds ?? 0) & COPULA);

function observeAfter(section: Section, end: number, right: Range, add: (feature: string) => void): void {
  const { text, labels } = section;
  const to = sentenceStop(text, right);
  const seen = new Set<LabelKind>();
  for (let at = tokenFrom(labels, end); at < labels.length; at += 1) {
    const label = labels[at] as Label;
    if (label.start >= to) break;
    const gap = text.slice(end, label.start);
    const count = wordsIn(section, end, label.start);
    if (/\d{3}|[:;]/.test(gap) || count > AFTER_WORDS) break;
    if (label.kind === "other") {
      if (count === 0 && !seen.has("other")) add("after: other, tight");
      seen.add("other");
      continue;
    }
    if (label.isOfOther && !seen.has(label.kind)) add("after: weak, of another word");
    // "To log in 482913 type": where the verb ends the sentence
    if (label.kind === "enter" && count === 0 && !seen.has("other") && wordsIn(section, label.end, to) <= CLOSING_WORDS)
      add("after: enter, closing");
    if (!seen.has(label.kind)) add(`after: ${label.kind}${seen.has("other") ? ", far" : count === 0 ? ", tight" : ""}`);
    seen.add(label.kind);
  }
}

/** The lines above and below a number that starts its line. */
function observeLines(
  section: Section,
  around: Surroundings,
  { ownLine, isCalled }: { ownLine: boolean; isCalled: boolean },
  add: (feature: string) => void,
): void {
  const { text, labels } = section;
  const own = ownLine ? "own line" : "in line";
  for (const [nth, range] of around.above.entries()) {
    const inLine = labels.slice(tokenFrom(labels, range[0]), tokenFrom(labels, range[1]));
    const kinds = new Set(inLine.map(({ kind }) => kind));
    const where = nth === 0 ? "above" : "further above";
    for (const kind of NAMING) if (kinds.has(kind)) add(`${where} ${own}: ${kind}`);
    if (inLine.some(({ isOfOther }) => isOfOther)) add(`${where} ${own}: weak, of another word`);
    if (nth > 0) continue;
    if (/[:：]\s*$/.test(text.slice(...range))) add(`above ${own}: colon`);
    // What its own line calls a code, the line above does not call otherwise.
    if (isCalled) continue;
    const isLabel = wordsIn(section, ...range) <= LABEL_WORDS || /:\s*$/.test(text.slice(...range));
    const last = inLine.at(-1);
    const isNumbered = last !== undefined && /^[^\n]{0,3}\d{3}/.test(text.slice(last.end, range[1]));
    if (last?.kind === "other")
      add(`above ${own}: other${isNumbered ? ", numbered" : isLabel ? ", as its label" : ""}`);
    if (inLine.at(-1)?.kind === "other" && /\d{3}[ -]?\d{3,}/.test(text.slice(...range)))
      add(`above ${own}: other and its number`);
  }
  for (const [nth, range] of around.below.entries()) {
    const inLine = labels.slice(tokenFrom(labels, range[0]), tokenFrom(labels, range[1]));
    const kinds = new Set(inLine.map(({ kind }) => kind));
    const where = nth === 0 ? "below" : "further below";
    for (const kind of NAMING) if (kinds.has(kind)) add(`${where} ${own}: ${kind}`);
    if (inLine.some(({ isOfOther }) => isOfOther)) add(`${where} ${own}: weak, of another word`);
    // "Phone 0161 5550101" names its own number.
    if (nth === 0 && inLine[0]?.kind === "other" && !/\d{3}/.test(text.slice(inLine[0].end, range[1])))
      add(`below ${own}: other`);
  }
}

/** What its sentence says of a number; of one alone on its line, the line above. */
type Said = {
  isCalled: boolean;
  isEntered: boolean;
  hasPurpose: boolean;
  isOfOther: boolean;
  isOnScreen: boolean;
  isKept: boolean;
  isOfPickup: boolean;
  isBesideOther: boolean;
};

function saidOf(
  section: Section,
  { start, end, ownLine }: Candidate,
  around: Surroundings,
  isCalledEarlier: boolean,
): Said {
  const { text, tokens, labels } = section;
  const [above] = around.above;
  const range: Range = ownLine && above ? above : [sentenceStart(text, around.left), sentenceStop(text, around.right)];
  const inside = labels.slice(tokenFrom(labels, range[0]), tokenFrom(labels, range[1]));
  const isNear = ({ start: from, end: to }: Label) =>
    ownLine || (to <= start ? wordsIn(section, to, start) : wordsIn(section, end, from)) <= CLOSE_WORDS;
  const has = (kind: LabelKind) => inside.some((label) => label.kind === kind);
  // "To see policy 55120934, enter 482913", "Enter 482913 at the gate"
  const others = inside.filter(({ kind }) => kind === "other");
  const numbered = others.filter(({ end: to }) => to < start && OTHERS_NUMBER.test(text.slice(to, start)));
  const isOther = others.some(
    (label) => !numbered.includes(label) && !(label.start > end && wordsIn(section, end, label.start) > 0),
  );
  let kinds = 0;
  for (let at = tokenFrom(tokens, range[0]); at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    if (token.start >= range[1]) break;
    kinds |= token.kinds;
  }
  return {
    isCalled: isCalledEarlier || has("weak") || has("strong"),
    isEntered: inside.some((label) => label.kind === "enter" && isNear(label)),
    hasPurpose: has("purpose") || has("strong"),
    isOnScreen: (kinds & SCREEN) !== 0,
    isKept: (kinds & KEPT) !== 0,
    isOfPickup: (kinds & PICKUP) !== 0,
    isBesideOther: numbered.length > 0,
    isOfOther: isOther || has("number") || inside.some(({ isOfOther }) => isOfOther),
  };
}

/** Whether a number is written as examples are: 1234, 012345, 987654, 0000, 111222, ABC-123, XXXX. */
function isMadeUp(value: string): boolean {
  const isCounted = "123456789".startsWith(value.replace(/^0(?=1234)/, "")) || "987654321".startsWith(value);
  const isRepeated = /^(\d)\1+(?:(\d)\2+)?$/.test(value);
  return isCounted || isRepeated || /^(?:ABC-?123|XXX+)$/.test(value);
}

/** @param written its first group */
function observeForm(candidate: Candidate, written: string, add: (feature: string) => void): void {
  const { value, kind, yearLike, grouped } = candidate;
  if (kind === "digits") add(value.length >= 9 ? "form: 9 digits or more" : `form: ${value.length} digits`);
  else add(kind === "letters" && value.includes("-") ? "form: letters in groups" : `form: ${kind}`);
  if (kind === "mixed" && /[a-z]/.test(value)) add("form: lower case");
  if (yearLike) add("form: year");
  if (kind === "digits" && value.length === 7 && written.length === 3) add("form: like a telephone");
  if (grouped) add(kind === "digits" && /^(?:19|20)\d\d$/.test(written) ? "form: a year and more" : "form: grouped");
  if (kind === "digits" && value.startsWith("0")) add("form: leading zero");
  if (isMadeUp(value)) add("form: made up");
  if (kind === "digits" && /0{3,}$/.test(value)) add("form: round");
}

/** Punctuation and place in the line. */
function observePlace(
  section: Section,
  candidate: Candidate,
  around: Surroundings,
  nth: number,
  add: (feature: string) => void,
): void {
  const { text } = section;
  const { start, end } = candidate;
  const left = text.slice(...around.left);
  const right = text.slice(...around.right);
  const before = left.slice(-8);
  if (candidate.ownLine) add("place: own line");
  else {
    const isStart = blank(text.slice(text.lastIndexOf("\n", start - 1) + 1, start));
    const isEnd = /^[\s"'»”)\]*]*(?:$|\n|[.!?](?:\s|$)|[。！？।])/u.test(right);
    if (isStart) add("place: line start");
    if (isEnd) add("place: sentence end");
    else if (/^\s?[,;(–-]/.test(right)) add("place: before a comma");
    if (!isStart && !isEnd) add("place: amid words");
    // "12 High Street, 85230 Springfield"
    if (/^[ \t]{1,2}\p{Lu}\p{Ll}/u.test(right))
      add(/\d\p{L}?, ?$/u.test(before) ? "place: in an address" : "place: before a name");
    if (/[:：]\s*["'([{«„“*_`]*$/u.test(before)) add("place: after a colon");
    else if (/[-=>→]\s*$/u.test(before)) add("place: after a dash");
    else if (/["'«»„“”「『]$/u.test(before)) add("place: in quotation marks");
    else if (/[([{*_`【]$/u.test(before)) add("place: in brackets");
    else if (/[.!?]\s*$|^\s*$/.test(before)) add("place: sentence start");
  }
  if (/(?:#|№|n[°º]|(?<!\p{L})(?:n\.|(?:nr|no|num|č|čís|br|ref|art|tel|id)\.?:?))\s*$/iu.test(before))
    add("place: after a number sign");
  const line = `${text.slice(text.lastIndexOf("\n", start - 1) + 1, start).slice(-LINE_CHARS)} ${right.split("\n", 1)[0]}`;
  if (PROGRAM.test(line)) add("place: in a program");
  if (!candidate.ownLine) {
    if (DATE_OR_TIME.test(line)) add("line: date or time");
    if ((line.match(/\d{3,}/g)?.length ?? 0) > 1) add("line: many numbers");
    if (AMOUNT.test(line)) add("line: amount");
  }
  if (ENDING.test(text.slice(end, end + 8))) add("place: with an ending");
  if (start < section.headEnd) add("place: head");
  if (nth > 0) observeFacts(text, start, add);
  const beside = [around.above[0], around.below[0]].flatMap((range) => (range ? [text.slice(...range)] : []));
  if (beside.some((each) => DATE_OR_TIME.test(each))) add("beside: date or time");
  if (beside.some((each) => CARD.test(each))) add("beside: a card's number");
  const near = section.durations.filter(
    ({ at }) => at >= start - NEAR_CHARS && at <= end + NEAR_CHARS && (at < start || at >= end),
  );
  const short = near.filter(({ isLong }) => !isLong);
  if (short.some(({ known }) => known)) add("near: minutes");
  else if (short.length > 0) add("near: duration");
  else if (near.length > 0) add("near: hours");
}

/** What some languages write to a number: "48291-dir", "48291'tür". */
const ENDING = /^[-':]\p{Ll}{1,4}(?![\p{L}\p{N}-])/u;
const EXAMPLE_CHARS = 30;
const WITHDRAWN_CHARS = 100;
/** A line of a program: `{"body": "Your code is 482913"}`, `-d 'body=482913'`. */
const PROGRAM = /[{,]\s?["']?\w{1,30}["']?\s?:\s?["'{[]|\s-[dF] ?["']|\w\(["']|["'];$/;
const FACT = /^[ \t]*[\p{L}№][^\n:：]{1,30}[:：][ \t]*[^\s:：][^\n]{0,60}$/u;
const FACTS_LINES = 3;

/** Whether the line of a number is one of several that say "name: value". */
function observeFacts(text: string, start: number, add: (feature: string) => void): void {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lines = (part: string) => part.split("\n").filter((line) => !blank(line));
  const before = lines(text.slice(Math.max(0, lineStart - LINE_CHARS), lineStart)).slice(-FACTS_LINES);
  const [own = "", ...after] = lines(text.slice(lineStart, lineStart + LINE_CHARS * 2));
  const count = (some: string[]) => {
    const end = some.findIndex((line) => !FACT.test(line));
    return end < 0 ? some.length : end;
  };
  const facts = count(before.reverse()) + count(after.slice(0, FACTS_LINES));
  if (facts > 0) add(`facts: ${FACT.test(own) ? "" : "beside "}${facts > 1 ? "several" : "one"}`);
}

const AMOUNT =
  /[$€£¥₽₺₩₹฿₫₪₴₦₱₸₾֏₼₮]|(?<!\d[.,]\d?)\d[.,]\d{2}(?![\d.,])|\d{1,3}(?:[.,]\d{3}){2}|(?<![A-Za-z])(?<![A-Za-z]\d{1,8})(?:EUR|USD|GBP|CHF|RUB|PLN|CZK|HUF|RON|SEK|NOK|DKK|TRY|INR|VND|Kč|zł|Ft|lei|kr|Rp|R\$|TSh|KSh|RM|Rs)(?![A-Za-z])|\d ?(?:đ|лв|дин|ден|сом|元|円|원|บาท|টাকা|ریال|تومان|درهم)/u;
const AMOUNTS = new RegExp(AMOUNT, "gu");

/** What holds for the whole mail. */
function observeMail(
  mail: Mail,
  sections: Section[],
): { features: string[]; words: number; share: number; names: boolean } {
  const features: string[] = [];
  const local = mail.from.slice(0, Math.max(0, mail.from.lastIndexOf("@"))).replace(/^.*</, "");
  if (AUTHENTICATION.test(local)) features.push("from: about accounts");
  else if (ROBOT.test(local)) features.push("from: no reply");
  const [head, ...bodies] = sections;
  const longest = bodies.reduce((a, { text }) => (text.length > a.length ? text : a), "");
  const size = longest.length;
  features.push(
    size <= SHORT_CHARS
      ? "mail: short"
      : size <= MEDIUM_CHARS
        ? "mail: medium"
        : size <= LONG_CHARS
          ? "mail: long"
          : "mail: very long",
  );
  const amounts = longest.match(AMOUNTS)?.length ?? 0;
  if (amounts > 0) features.push(amounts > 2 ? "mail: many amounts" : "mail: an amount");
  if (/\d ?%|% ?\d/.test(longest) || /\d ?%|% ?\d/.test(head?.text ?? "")) features.push("mail: percent");
  if (/(?:^|[^\d])(?:\+|00)\d{1,3}[ \d()-]{7,}|\(\d{2,4}\)[ \d-]{6,}|\b\d{3}[-. ]\d{3}[-. ]\d{4}\b/.test(longest))
    features.push("mail: phone");
  if (MEETING.test(longest.toLowerCase())) features.push("mail: meeting");
  if (/\d{11,}/.test(longest)) features.push("mail: long number");
  features.push(
    mail.links === 0 ? "links: none" : mail.links <= 2 ? "links: few" : mail.links <= 5 ? "links: some" : "links: many",
  );
  const kinds = new Set(head?.labels.map(({ kind }) => kind));
  for (const kind of kinds) features.push(`subject: ${kind}`);
  const others = Math.max(
    0,
    ...bodies.map(({ labels }) => labels.reduce((sum, { kind }) => sum + Number(kind === "other"), 0)),
  );
  features.push(
    others === 0
      ? "mail: no other labels"
      : others <= 2
        ? "mail: few other labels"
        : others <= 5
          ? "mail: some other labels"
          : "mail: many other labels",
  );
  const strong = bodies.some(({ labels }) => labels.some(({ kind }) => kind === "strong"));
  if (strong) features.push("mail: strong label");
  const weak = bodies.some(({ labels }) => labels.some(({ kind }) => kind === "weak"));
  if (weak) features.push("mail: weak label");
  if (bodies.some(({ labels }) => labels.some(({ kind }) => kind === "enter"))) features.push("mail: asks to enter");
  if (bodies.some(({ labels }) => labels.some(({ kind }) => kind === "purpose"))) features.push("mail: a purpose");
  if (!strong && !weak && !kinds.has("strong") && !kinds.has("weak")) features.push("mail: no code word");
  let words = 0;
  let common = 0;
  for (const { tokens } of sections) {
    let all = 0;
    words += tokens.length;
    for (const { kinds: own } of tokens) {
      all |= own;
      if (own & COMMON) common += 1;
    }
    if (all & KEPT) features.push(tokens === head?.tokens ? "subject: what is kept" : "mail: what is kept");
    if (all & PICKUP) features.push(tokens === head?.tokens ? "subject: a pick-up" : "mail: a pick-up");
  }
  const share = common / Math.max(1, words);
  return { features, words, share, names: strong || weak || kinds.has("strong") || kinds.has("weak") };
}

/** The words that name a number, and those that only say what a code is for. */
const NAMES = /^(?:before|after|above own|further above own|below own)\b.*(?:strong|weak)/;
const HINTS = /(?:strong|weak|enter|purpose)/;

/** The looks of texts of the HTML by the code that each of them is. */
function looksOf(pieces: Piece[], normalise: (text: string) => string): Map<string, number> {
  const looks = new Map<string, number>();
  for (const { text, look } of pieces) {
    if (!MAY_HOLD.test(text)) continue;
    const candidates = candidatesIn(normalise(text));
    const [only] = candidates;
    if (candidates.length === 1 && only?.ownLine) looks.set(only.value, (looks.get(only.value) ?? 0) | look);
  }
  return looks;
}

function observeLook(look: number | undefined, isOnly: boolean, add: (feature: string) => void): void {
  if (look === undefined) return;
  add("look: own element");
  if (isOnly) add("look: only one");
  if (look & BIG) add("look: big");
  if (look & BOLD) add("look: bold");
  if (look & SPACED) add("look: spaced");
  if (look & MONOSPACED) add("look: monospaced");
  if (look & FRAMED) add("look: framed");
}

/** Beginnings and ends of the words that may name a number, and pairs of letters of scripts without spaces. */
function stemsOf(text: string): Set<string> {
  const stems = new Set<string>();
  for (const [word] of text.matchAll(/[\p{L}\p{M}]+/gu)) {
    if (
      /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar}/u.test(
        word,
      )
    ) {
      const size = /\p{Script=Han}|\p{Script=Hangul}/u.test(word) ? 2 : STEM_CHARS;
      for (let at = 0; at + size <= word.length; at += size === 2 ? 1 : 2) stems.add(word.slice(at, at + size));
    } else if (word.length >= STEM_CHARS - 1) {
      stems.add(word.slice(0, STEM_CHARS));
      if (word.length >= STEM_CHARS * 2) stems.add(word.slice(-STEM_CHARS));
    }
    if (stems.size >= STEMS) break;
  }
  return stems;
}

/**
 * Whether the word that may name a number comes again: "Kod … The kod is valid for 10 minutes". A person who does not know the
 * language sees it.
 */
function observeRepeats(
  mail: Mail,
  section: Section,
  candidate: Candidate,
  around: Surroundings,
  add: (feature: string) => void,
): void {
  const text = section.text.slice(0, REPEATS_CHARS).toLowerCase();
  if (candidate.start >= text.length || text.length !== Math.min(section.text.length, REPEATS_CHARS)) return;
  const left: Range = [
    Math.max(sentenceStart(section.text, around.left), candidate.start - NAME_CHARS),
    candidate.start,
  ];
  const right: Range = [candidate.end, Math.min(sentenceStop(section.text, around.right), candidate.end + NAME_CHARS)];
  const [above] = around.above;
  const zone: Range =
    candidate.ownLine && above ? [Math.max(above[0], above[1] - NAME_CHARS), candidate.end] : [left[0], right[1]];
  const part = text.slice(...zone);
  const from = mail.from.toLowerCase();
  const stems = [...stemsOf(part)].filter((stem) => !from.includes(stem));
  const [before, after, subject] = [text.slice(0, zone[0]), text.slice(zone[1]), mail.subject.toLowerCase()];
  if (stems.some((stem) => subject.includes(stem))) add("word: in subject");
  const named = [...stemsOf(subject)];
  if (named.length > 0 && named.every((stem) => part.includes(stem))) add("word: whole subject");
  const nearest = candidate.ownLine
    ? part
    : text.slice(Math.max(zone[0], candidate.start - NEAREST_CHARS), candidate.start);
  const directly = named.length > 0 ? stemsOf(nearest.slice(nearest.search(/\P{L}/u) + 1)) : undefined;
  if (directly && named.some((stem) => directly.has(stem))) add("word: nearest in subject");
  const again = stems.filter((stem) => before.includes(stem) || after.includes(stem));
  if (again.length > 0) add("word: again");
  if (again.some((stem) => after.includes(stem, after.indexOf(stem) + 1))) add("word: twice below");
  const sentences = section.durations
    .filter(({ at }) => at < zone[0] || at >= zone[1])
    .map(({ at }) =>
      text.slice(
        Math.max(zone[1] <= at ? zone[1] : 0, at - SENTENCE_CHARS),
        at < zone[0] ? Math.min(at + NAME_CHARS, zone[0]) : at + NAME_CHARS,
      ),
    );
  if (again.some((stem) => sentences.some((sentence) => sentence.includes(stem)))) add("word: with a duration");
}

/** Combinations that mean more than their parts, above all where no word is known. */
const NAMED_AFTER = ["after: strong, tight", "after: strong", "after: weak, tight", "after: weak"];

const PURPOSE_BEFORE = ["tight", "close", "near"].map((distance) => `before: purpose, ${distance}`);

function combine(features: Set<string>, isSpoken: boolean): void {
  const isAlone = features.has("place: own line") || features.has("look: own element");
  const isSetOff =
    features.has("look: big") ||
    features.has("look: bold") ||
    features.has("look: spaced") ||
    features.has("look: framed");
  // In a language that is known, only minutes are a duration: "2 дни" are days.
  const ends = features.has("near: minutes") || (features.has("near: duration") && !isSpoken);
  const isOnly = features.has("rivals: none");
  const has = (some: string[]) => some.some((feature) => features.has(feature));
  if (features.has("form: year") && (features.has("before: strong, tight") || features.has("before: weak, tight")))
    features.add("both: year, named");
  if (isAlone && ends) features.add("both: alone, duration");
  if (isAlone && isSetOff) features.add("both: alone, set off");
  if (isAlone && isSetOff && ends) features.add("all: alone, set off, duration");
  if (features.has("place: after a colon") && ends) features.add("both: colon, duration");
  if (features.has("place: sentence end") && ends) features.add("both: sentence end, duration");
  if (features.has("place: in subject too") && ends) features.add("both: in subject, duration");
  if (isOnly && ends) features.add("both: only, duration");
  if (isOnly && features.has("mail: short")) features.add("both: only, short");
  if (features.has("from: no reply") && ends) features.add("both: no reply, duration");
  if (features.has("form: 6 digits") && ends) features.add("both: 6 digits, duration");
  const isEntered = has(["before: enter, tight", "before: enter, close"]);
  const isEnteredLast = features.has("after: enter, closing");
  if ((isEntered || isEnteredLast) && ends) features.add("both: entered, duration");
  if (
    (isEntered && has(["after: purpose", "after: purpose, tight", ...PURPOSE_BEFORE])) ||
    (isEnteredLast && has(PURPOSE_BEFORE))
  )
    features.add("both: entered, for a purpose");
  if (!ends && [...features].some((feature) => feature.endsWith("of another word")))
    features.add("both: of another word, no duration");
  // "482913 is your login code"
  if (features.has("place: sentence start") && NAMED_AFTER.some((feature) => features.has(feature)))
    features.add("both: begins, named after");
}

/** Whether a mail has no digits but these, again and again, and durations. */
const isOnlyNumber = (sections: Section[], value: string, besideUsual = false) =>
  sections.every(
    ({ numbers, durations, candidates }) =>
      numbers.length < NUMBERS &&
      numbers.every(
        ({ at, isUsual }) =>
          (besideUsual && isUsual) ||
          durations.some((duration) => duration.at === at) ||
          candidates.some((candidate) => candidate.value === value && at >= candidate.start && at < candidate.end),
      ),
  );

/** What a person makes of all that is said of a number, and of its being the only one. */
function combineSaid(features: Set<string>, said: Said, ownLine: boolean): void {
  const isOnly = features.has("rivals: none");
  const what = said.isCalled
    ? "called"
    : said.isEntered
      ? said.hasPurpose
        ? "entered, for a purpose"
        : "entered"
      : said.hasPurpose
        ? "for a purpose"
        : "nothing";
  const isFact = features.has("facts: one") || features.has("facts: several");
  const isOther = said.isOfOther || (isFact && !said.isCalled);
  if (said.isBesideOther && said.isEntered) features.add("both: entered, beside another and its number");
  if (said.isKept) features.add(`said: of what is kept, ${said.isCalled ? "called" : "not called"}`);
  if (said.isOfPickup) features.add(`said: of a pick-up, ${said.isCalled ? "called" : "not called"}`);
  if (said.isOnScreen) features.add(said.isEntered ? "both: entered, on a screen" : "said: on a screen");
  features.add(`said${ownLine ? " above" : ""}: ${what}${isOther ? ", of another" : ""}${isOnly ? ", only" : ""}`);
  if (isOnly && features.has("mail: short") && (features.has("from: no reply") || features.has("from: about accounts")))
    features.add("all: only, short, no answer");
  if (isOnly && features.has("subject: purpose") && !features.has("subject: other"))
    features.add(ownLine ? "all: only, purpose in subject, alone" : "both: only, purpose in subject");
}

const WELL_KNOWN_SHARE = 0.2;
const WELL_KNOWN_WORDS = 8;
const SILENT = [
  "hinted",
  "named",
  "mail: a purpose",
  "mail: asks to enter",
  "mail: strong label",
  "mail: weak label",
  "subject: purpose",
  "subject: enter",
  "subject: weak",
  "subject: strong",
];

/**
 * What is seen of each candidate of a mail, an entry for each place it stands in.
 * @param normalise of a piece of HTML, as the bodies were
 */
export function observe(mail: Mail, lexicon: Lexicon, normalise: (text: string) => string): Observed[] {
  const found = [mail.subject, ...mail.bodies].map((text) => ({ text, candidates: candidatesIn(text) }));
  if (found.every(({ candidates }) => candidates.length === 0)) return [];
  const from = mail.from.toLowerCase();
  const read = found.map((part) => ({ ...part, tokens: tokensIn(lexicon, part.text, isAscii(part.text)) }));
  const abbreviations = new Set(read.flatMap(({ text, tokens }) => abbreviationsIn(text, tokens)));
  if (abbreviations.size > 0)
    for (const { text, tokens } of read)
      for (const token of tokens)
        if (abbreviations.has(text.slice(token.start, token.end))) token.kinds |= CODE | PURPOSE;
  const sections = read.map((part) => sectionOf(part, from));
  const whole = observeMail(mail, sections);
  const isMeeting = whole.features.includes("mail: meeting");
  const looks = looksOf(mail.pieces, normalise);
  const identifiers = identifiersIn(sections);
  const said = new Set(sections.flatMap(saidLengths));
  const discounts = discountsIn(sections);
  const observed: Seen[] = [];
  const withdrawn = new Set<string>();
  for (const [nth, section] of sections.entries()) {
    for (const candidate of section.candidates.slice(0, CLOSE_LOOKS)) {
      const { text } = section;
      if (
        /^\s?[\p{L}%‰°$€£¥₽₺₩]/u.test(text.slice(candidate.end, candidate.end + 2)) &&
        isCounted(candidate.value, text.slice(candidate.end, candidate.end + 24))
      )
        continue;
      const features = new Set<string>();
      const add = (feature: string) => features.add(feature);
      const around = surroundings(text, candidate);
      if (!candidate.ownLine && EXAMPLE.test(text.slice(...around.left).slice(-EXAMPLE_CHARS))) continue;
      if (isWithdrawn(text, candidate, around)) {
        withdrawn.add(candidate.value);
        continue;
      }
      observeForm(candidate, text.slice(candidate.start, candidate.end).split(/[ -]/, 1)[0] ?? "", add);
      if (candidate.kind === "promotional" && discounts.has(/\d+$/.exec(candidate.value)?.[0] ?? ""))
        add("form: ends in a discount");
      if (nth === 0) add("place: subject");
      observePlace(section, candidate, around, nth, add);
      const unnamed = features.size;
      observeBefore(section, candidate.start, around.left, add);
      observeAfter(section, candidate.end, around.right, add);
      if (nth > 0 && (candidate.ownLine || startsLine(section, candidate)))
        observeLines(
          section,
          around,
          { ownLine: candidate.ownLine, isCalled: CALLED.some((each) => features.has(each)) },
          add,
        );
      const words = features.size > unnamed ? [...features].slice(unnamed) : [];
      if (nth > 0) observeLook(looks.get(candidate.value), looks.size === 1, add);
      if (identifiers.has(candidate.value)) add("elsewhere: after a number sign");
      if (said.size > 0 && candidate.kind === "digits" && !said.has(candidate.value.length))
        add("form: not as long as said");
      if (isCalledUp(section, candidate, around)) continue;
      if (isEndOfPhone(section, candidate, around) && !words.some((feature) => /(?:strong|weak), tight$/.test(feature)))
        continue;
      const isLed = features.has("place: after a colon") && features.has("before: strong, close");
      // The passcode of a meeting is no one-time code.
      const isBelowMeeting =
        isMeeting && around.above.some((range) => MEETING.test(text.slice(...range).toLowerCase()));
      if (isBelowMeeting) continue;
      if (isMeeting && !words.some((feature) => feature.includes("strong"))) continue;
      if (candidate.yearLike && !isLed && !YEARS.some((feature) => features.has(feature))) continue;
      observed.push({
        value: candidate.value,
        mode: "silent",
        features,
        isNamed: words.some((feature) => NAMES.test(feature)),
        isHinted: words.some((feature) => HINTS.test(feature)),
        isHead: nth === 0,
        said: saidOf(section, candidate, around, features.has(CALLED_EARLIER)),
        candidate,
        section,
        around,
      });
    }
  }
  const valid = observed.filter(({ value }) => !withdrawn.has(value));
  return compare(mail, sections, valid, whole);
}

const WORD_BEFORE = /\p{L}\s["'«“„(]?$/u;
const WORD_BEHIND = /^[^\p{L}\n]{0,4}\p{L}/u;

const isExpired = (behind: string) => EXPIRED.test(behind) || EXPIRED.test(behind.replace(ADVERBS, ""));

/** Whether the words beside a number say that it expired, was used, was blocked or is not right, and not what to do if so. */
function isWithdrawn(text: string, candidate: Candidate, { left, right }: Surroundings): boolean {
  const { start, end, ownLine } = candidate;
  const rest = text.slice(end, Math.min(sentenceStop(text, right), end + WITHDRAWN_CHARS));
  const wrong = WRONG.exec(rest);
  if (wrong && !CONDITION.test(rest.slice(0, wrong.index))) return true;
  const isOver = WORD_BEHIND.test(text.slice(right[0], right[0] + 5)) && isExpired(text.slice(...right));
  if (ownLine) return isOver;
  if (!isOver && !WORD_BEFORE.test(text.slice(Math.max(left[0], start - 3), start))) return false;
  const before = text.slice(Math.max(left[0], start - WITHDRAWN_CHARS), start);
  return (isOver || REVOKED.test(before)) && !CONDITION.test(before);
}

const DIGITS_OF_TIME = 4;
const LAST_TIME = 1259;

/** Whether a unit stands behind a number. "630918 am Drehkreuz" is no time. */
const isCounted = (value: string, after: string) =>
  UNIT_AFTER.test(after) || (value.length === DIGITS_OF_TIME && Number(value) <= LAST_TIME && HALF_OF_DAY.test(after));

/** Messages to a phone, of which a mail says that they hold the code. */
const TEXT_MESSAGE =
  /(?<!\p{L})(?:sms|смс|text message|text-?nachricht|tekstivies|tekstovou zpráv)|短信|簡訊|ショートメッセージ|문자/iu;
const PHONE_END_DIGITS = 4;

/** "We sent a code by SMS to the number that ends in 4471" */
function isEndOfPhone({ text }: Section, candidate: Candidate, { left, right }: Surroundings): boolean {
  if (candidate.ownLine || candidate.kind !== "digits" || candidate.value.length > PHONE_END_DIGITS) return false;
  const sentence =
    text.slice(sentenceStart(text, left), candidate.start) + text.slice(candidate.end, sentenceStop(text, right));
  return TEXT_MESSAGE.test(sentence);
}

const CALLED_DIGITS = 7;

/** "Call us to confirm: 0711 5550": digits in groups or after a zero, of which the sentence says to call them and not that they are a code. */
function isCalledUp({ text, tokens }: Section, candidate: Candidate, { left, above }: Surroundings): boolean {
  const { value, kind, start, grouped, ownLine } = candidate;
  if (kind !== "digits" || value.length < CALLED_DIGITS || !(grouped || value.startsWith("0"))) return false;
  const from = ownLine && above[0] ? above[0][0] : sentenceStart(text, left);
  let kinds = 0;
  for (const token of tokens.slice(tokenFrom(tokens, from), tokenFrom(tokens, start))) kinds |= token.kinds;
  return (kinds & CALL) !== 0 && (kinds & (CODE | ENTER)) === 0;
}

const IDENTIFIER = /(?:#|№|\b[nN][°º] ?|\b[A-Z]{2,6}-)(\d{4,12})/g;
/** "operazione n. 884120" */
const NUMBERED = /(?<!\p{L})\p{L}{3,20}(?=[ \t](?:n|nr|no|nro|num|núm|č|br)\.[ \t]?(\d{4,12}))/giu;

/**
 * Numbers that stand somewhere behind a number sign or letters, or behind the name of another thing and an abbreviation of "number". The
 * line "@host #482913" at the end of a mail is a code for a browser.
 */
function identifiersIn(sections: Section[]): Set<string> {
  const found = new Set<string>();
  for (const { text, tokens } of sections) {
    for (const { 1: digits = "", index } of text.matchAll(IDENTIFIER))
      if (!/@\S+ $/.test(text.slice(Math.max(0, index - LINE_CHARS), index))) found.add(digits);
    for (const { 0: word, 1: digits = "", index } of text.matchAll(NUMBERED)) {
      const named = tokens[tokenFrom(tokens, index)];
      const isCode = named && named.start < index + word.length && named.kinds & (CODE | PURPOSE | NUMBER | ENTER);
      if (!isCode) found.add(digits);
    }
  }
  return found;
}

/** "SAVE15" is what saves "15 %". */
const discountsIn = (sections: Section[]) =>
  new Set(
    sections.flatMap(({ text }) => [...text.matchAll(DISCOUNT)].map(([, before, after]) => before ?? after ?? "")),
  );
const DISCOUNT = /(?<!\d)(\d{1,3})[ \u00a0]?[%€$£]|[%€$£][ \u00a0]?(\d{1,3})(?!\d)/g;

/** How many digits the mail says that its code has: "6-digit code", "code à 6 chiffres", "6 位验证码". */
function saidLengths({ text, tokens, labels }: Section): number[] {
  if (!labels.some(({ kind }) => kind === "weak" || kind === "strong")) return [];
  return [...text.matchAll(/[4-9](?<![\p{N}.,:/+-]\d)(?=[ -]{0,2}\p{L})/gu)].flatMap(({ 0: digit, index }) => {
    const next = tokens[tokenFrom(tokens, index)];
    return next && next.start - index <= 3 && next.kinds & (NUMBER | DIGITS) ? [Number(digit)] : [];
  });
}

const CALLED = ["before: strong, tight", "before: strong, close", "before: weak, tight"];

/** A year is a code only where the mail says so. */
const YEARS = [
  "place: own line",
  "look: own element",
  "before: strong, tight",
  "before: strong, near, led",
  "before: weak, tight",
  "before: enter, tight",
  "after: strong, tight",
  "after: weak, tight",
];

/** A number that is called otherwise is no rival of a code. */
const OTHERWISE = [
  "before: other, tight",
  "before: other, close",
  "above own line: other, as its label",
  "place: after a number sign",
];

/** How closely a number is called a code, the closest first. */
const CLOSENESS = [
  ["before: strong, equal", "before: strong, tight", "before: strong, near, led", "after: strong, tight"],
  [CALLED_EARLIER, "before: weak, equal", "before: weak, tight", "before: weak, near, led", "after: weak, tight"],
  ["above own line: strong", "above own line: weak", "before: enter, tight", "before: enter, close", "after: strong"],
  ["before: strong, close", "before: weak, close", "after: weak", "after: purpose, tight", "before: purpose, close"],
];

/** "The number is in the subject of this mail" */
const pointsToSubject = ({ tokens }: Section) =>
  tokens.some(
    ({ kinds }, at) =>
      kinds & SUBJECT &&
      tokens.slice(Math.max(0, at - AFTER_WORDS), at + AFTER_WORDS).some((beside) => beside.kinds & (CODE | NUMBER)),
  );

const closenessOf = (features: Set<string>) => {
  const place = CLOSENESS.findIndex((some) => some.some((feature) => features.has(feature)));
  return place < 0 ? CLOSENESS.length : place;
};

type Seen = Observed & {
  isNamed: boolean;
  isHinted: boolean;
  isHead: boolean;
  said: Said;
  candidate: Candidate;
  section: Section;
  around: Surroundings;
};

/** Compares the candidates of a mail, and adds what holds for the mail. */
function compare(
  mail: Mail,
  sections: Section[],
  observed: Seen[],
  whole: { features: string[]; words: number; share: number; names: boolean },
): Observed[] {
  const inSubject = new Set(observed.filter(({ isHead }) => isHead).map(({ value }) => value));
  const excluded = new Set<string>();
  for (const { value, features, candidate } of observed) {
    const isOther = OTHERWISE.some((feature) => features.has(feature));
    const isNamed = features.has("before: strong, tight") || features.has("before: weak, tight");
    // "On your profile page, paste this code: JD4-9PX"
    if (isOther && !features.has("before: strong, near, led")) excluded.add(value);
    if (candidate.yearLike && !candidate.ownLine && !isNamed) excluded.add(value);
  }
  const rivals = new Set(observed.map(({ value }) => value).filter((value) => !excluded.has(value)));
  const shape = (value: string) => value.replace(/\d/g, "0").replace(/[a-z]/gi, "a");
  const shapes = new Map([...rivals].map((value) => [value, shape(value)]));
  const isOfSubject = sections.slice(1).some((section) => section.candidates.length === 0 && pointsToSubject(section));
  const isTimed = sections.some(({ durations }) => durations.length > 0);
  const called = new Set(observed.filter(({ said }) => said.isCalled).map(({ value }) => value));
  const closest = new Map<string, number>();
  for (const { value, features } of observed)
    closest.set(value, Math.min(closest.get(value) ?? CLOSENESS.length, closenessOf(features)));
  for (const one of observed) {
    const { features, value } = one;
    const others = [...rivals].filter((rival) => rival !== value);
    features.add(
      others.length === 0
        ? "rivals: none"
        : others.length === 1
          ? "rivals: one"
          : others.length <= 3
            ? "rivals: few"
            : "rivals: many",
    );
    const own = shape(value);
    const close = closenessOf(features);
    if (rivals.size > 1 && close < CLOSENESS.length && others.every((rival) => (closest.get(rival) ?? 0) > close))
      features.add(`called closest: ${close}`);
    if (others.some((rival) => shapes.get(rival) === own)) features.add("rivals: same shape");
    if (!one.isHead && inSubject.has(value)) features.add("place: in subject too");
    if (excluded.has(value)) features.add("elsewhere: other");
    for (const feature of whole.features) features.add(feature);
    const names = one.isHinted;
    const isKnownLanguage = whole.share >= KNOWN_SHARE;
    if (names || whole.names) one.mode = isKnownLanguage ? "spoken" : "shared";
    else one.mode = isKnownLanguage && whole.words >= 4 ? "silent" : "foreign";
    if (one.isNamed) features.add("named");
    else if (names) features.add("hinted");
    if ((one.mode !== "spoken" || (names && !one.isNamed)) && !one.isHead && observed.length <= REPEATS_CANDIDATES)
      observeRepeats(mail, one.section, one.candidate, one.around, (feature) => features.add(feature));
    if (isOnlyNumber(sections, value)) features.add(isTimed ? "numbers: it and a duration" : "numbers: only it");
    else if (isOnlyNumber(sections, value, true)) features.add("numbers: no other but dates, telephones and counts");
    combine(features, one.mode === "spoken");
    combineSaid(features, one.said, one.candidate.ownLine);
    if (excluded.has(value) && features.has("mail: no code word")) features.add("both: other, no code word");
    if (one.isHead && isOfSubject) features.add("mail: points to its subject");
    if (one.said.isCalled) {
      if (called.size === 1) features.add("said: no other is called");
      features.add(`said: called, of ${one.candidate.kind}`);
    }
    const isKnown = whole.share >= WELL_KNOWN_SHARE && whole.words >= WELL_KNOWN_WORDS;
    if ((isKnown || features.has("near: minutes")) && SILENT.every((each) => !features.has(each)))
      features.add(`mail: known${isKnown ? "" : " minutes"}, says nothing${one.candidate.ownLine ? ", alone" : ""}`);
  }
  // A language that is known says what one of several numbers in a sentence is.
  return observed
    .filter(
      ({ mode, features }) =>
        mode !== "silent" || !features.has("place: amid words") || !features.has("line: many numbers"),
    )
    .map(({ value, mode, features }) => ({ value, mode, features }));
}
