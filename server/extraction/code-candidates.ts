// Which pieces of a text have the form of a one-time code, and what a person would type for each.
//
// What `value` holds:
// - digits, in one piece or in groups (`123 456`, `123-456`, `1 2 3 4`): the digits joined, 4–10 of them;
// - a prefix of up to three capitals, a hyphen and digits alone (`G-123456`): the digits, as its senders ask for;
// - letters and digits (`GH72KD`), letters in groups (`QWKD-RTXM`): as written, hyphens and case included;
// - three or four words joined by hyphens (`amber-river-stone`), with a short number behind them or not, alone on a line, after a colon or before a stop: as written.

/** What every text with a code has, as it is written: a digit, a group of capitals, or a word before a hyphen. */
export const MAY_HOLD = /\p{N}|[A-Z\uff21-\uff3a]{3}|[a-z]\p{Cf}*\p{Pd}/u;

const CANDIDATES = 300;
const DIGITS_MIN = 4;
const DIGITS_MAX = 10;
const MIXED_MAX = 10;
/** "0711 555010" */
const TELEPHONE = /^0(?=(?:[ \t-]*\d){8,13}$)/;
/** All but decoration around a code that is still alone on its line. */
const WRITTEN = /[^\s\p{P}\p{S}\ufffc]/u;
const LINE_CHARS = 80;
const SHORT_YEARS_FROM = 20;
const SHORT_YEARS_TO = 40;
const NUMBERS = /\d+(?:[.,:/]\d+|[ \t]?-[ \t]?\d+|[ \t]{1,3}\d+)*/g;
/** Only words that hold a digit or a group of capitals are looked at. */
const MIXED = /(?<![A-Za-z0-9])(?=[A-Za-z-]{0,20}\d|[A-Z]{3})[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*/g;
/** What every match has. Looking for it costs less. */
const HOLDS_MIXED = /[A-Za-z]-?\d|\d-?[A-Za-z]|[A-Z]{3}/;
const LETTER = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u;

const WORDS = /(?<![\w/.@-])[A-Za-z]{3,10}(?:-[A-Za-z]{3,10}){2,3}(?:-\d{2,4})?(?![\w/@-]|\.\w)/g;
/** "k4p-wzd": only alone on its line, because names of things are written so, too. */
const LOWER_GROUPS = /^(?=.*\d)(?=.*[a-z])[a-z\d]{3,5}(?:-[a-z\d]{3,5}){1,2}$/;
/** A suffix that a language adds to numbers: "482913-as". */
const SUFFIX = /^-\p{Ll}{2,3}(?![\p{L}\p{N}-])/u;
/** A word that a language joins to what follows: "ngu-482913". */
const PREFIX = /(?<![\p{L}\p{N}_-])[a-z]{2,3}-$/u;
/** The name of an offer or of a person, and a number: "SAVE50", "GIFT2026", "JONAS-4821", but not "QWKD4815". */
const NAME_AND_NUMBER = /^(?=[A-Z]*[AEIOUY])(?:[A-Z]{3,}(?:\d{1,3}|20\d\d|\d0{2,3})|[A-Z]{4,}-\d{1,6})$/;

/** `ownLine`: nothing else on its line. `grouped`: written in several groups. */
export type Candidate = {
  value: string;
  start: number;
  end: number;
  kind: "digits" | "mixed" | "letters" | "promotional" | "words";
  ownLine: boolean;
  yearLike: boolean;
  grouped: boolean;
};

/** What every candidate has: a digit, a group of capitals, or hyphens. */
const NEEDED = /\d|[A-Z]{3}|[a-z]-[a-z]/;

/** Candidates of normalised text, at most 300. */
export function candidatesIn(text: string): Candidate[] {
  const found: Candidate[] = [];
  if (!NEEDED.test(text)) return found;
  for (const match of text.matchAll(NUMBERS)) {
    if (found.length >= CANDIDATES) return found;
    for (const { start, end, value } of numbersOf(match[0], match.index)) {
      if (standsAlone(text, match.index, start, end)) found.push(describe(text, { start, end, value }, "digits"));
    }
  }
  for (const match of HOLDS_MIXED.test(text) ? text.matchAll(MIXED) : []) {
    if (found.length >= CANDIDATES) return found;
    const [start, end] = [match.index, match.index + match[0].length];
    // "LT-01103 Vilnius": the number of the post, with its country, before its place.
    if (/^[A-Z]{1,2}-\d{4,5}$/.test(match[0]) && /^,?[ \t]+\p{Lu}/u.test(text.slice(end, end + 8))) continue;
    const read = readMixed(match[0]) ?? readLower(text, start, match[0]);
    // "[KASSA] 60718": the sender
    if (read?.kind === "letters" && /(?:^|\n)[ \t]*[[【(]$/.test(text.slice(Math.max(0, start - 8), start))) continue;
    if (read?.kind === "letters" && isInCapitals(text, start, end)) continue;
    if (read && standsAlone(text, start, start, end))
      found.push(describe(text, { start, end, value: read.value }, read.kind));
  }
  if (!/[a-z]-[a-z]/.test(text)) return found;
  for (const { 0: value, index: start } of text.matchAll(WORDS)) {
    if (found.length >= CANDIDATES) return found;
    const candidate = describe(text, { start, end: start + value.length, value }, "words");
    const [before, after] = [text.slice(Math.max(0, start - 2), start), text.slice(candidate.end, candidate.end + 2)];
    if (candidate.ownLine || /[:：]\s?$/.test(before) || /^(?:\.?\s|\.?$)/.test(after)) found.push(candidate);
  }
  return found;
}

type Piece = { start: number; end: number; value: string };

/** A chain of digits and separators as one code, or its parts that are long enough to be codes. */
function numbersOf(chain: string, index: number): Piece[] {
  if (chain.length > LINE_CHARS) return [];
  const value = joined(chain) ?? dotted(chain);
  if (value) return [{ start: index, end: index + chain.length, value }];
  if (!/[ \t]/.test(chain) || TELEPHONE.test(chain)) return [];
  return [...chain.matchAll(/[^ \t]+/g)]
    .filter(({ 0: part }) => /^\d{5,8}$/.test(part))
    .map(({ 0: part, index: at }) => ({ start: index + at, end: index + at + part.length, value: part }));
}

/** The digits of a chain, when its groups have the form of a code and not of a date, a phone number or an amount. */
function joined(chain: string): string | undefined {
  if (/[.,:/]/.test(chain)) return;
  const groups = chain.split(/[ \t-]+/);
  const digits = groups.join("");
  if (digits.length < DIGITS_MIN || digits.length > DIGITS_MAX) return;
  if (groups.length === 1 || groups.every((group) => group.length === 1)) return digits;
  if (/-/.test(chain) && /\d[ \t]+\d/.test(chain)) return;
  const [first = "", second = ""] = groups;
  if (groups.length === 2) {
    const years = isYear(first) && (isYear(second) || (second.length === 2 && chain.includes("-")));
    // "852 30" is a place, "54 9750" two numbers. "602 7415" may be the number of a telephone.
    const even =
      first.length === second.length ||
      (first.length === 2 && second.length === 3) ||
      (first.length === 3 && second.length === 4);
    return even && first.length >= 2 && first.length <= 5 && !years ? digits : undefined;
  }
  if (isDate(groups) || (chain.includes("-") && isShortDate(groups))) return;
  const last = groups.at(-1)?.length ?? 0;
  const even = groups.slice(0, -1).every((group) => group.length === first.length);
  // "940-261-7": a digit alone at the end
  const isLong = last >= 2 || (last === 1 && first.length === 3 && chain.includes("-"));
  return even && first.length >= 2 && isLong && last <= first.length ? digits : undefined;
}

/** `482.913`, `4.8.2.9.1.3`: also written with dots are amounts and dates, so the words around decide. */
function dotted(chain: string): string | undefined {
  if (/^\d{3}\.\d{3}$|^\d{4}\.\d{4}$|^\d(?:\.\d){4,7}$/.test(chain)) return chain.replaceAll(".", "");
  return;
}

const isYear = (digits: string) => /^(?:19|20)\d\d$/.test(digits);

function isDate(groups: string[]): boolean {
  if (groups.length !== 3) return false;
  const [a, b, c] = groups.map(Number) as [number, number, number];
  const day = (n: number) => n >= 1 && n <= 31;
  const yearFirst = isYear(groups[0] ?? "") && day(b) && day(c);
  return yearFirst || (isYear(groups[2] ?? "") && day(a) && day(b));
}

/** "28-05-26" */
function isShortDate(groups: string[]): boolean {
  if (groups.length !== 3 || groups.some((group) => group.length !== 2)) return false;
  const [a, b, c] = groups.map(Number) as [number, number, number];
  return a >= 1 && a <= 31 && b >= 1 && b <= 31 && (a <= 12 || b <= 12) && c >= SHORT_YEARS_FROM && c <= SHORT_YEARS_TO;
}

/** Whether its neighbours do not make it part of an amount, a phone number, a path, a masked card or a word. */
function standsAlone(text: string, chainStart: number, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, chainStart - 4), chainStart);
  const [previous = "", next = ""] = [text[start - 1], text[end]];
  if (
    /\d\)[ \t]?$/.test(before) ||
    /[$€£¥₽₺₩#+@&/\\%^~〒][ \t]?$/.test(before) ||
    // "if (code == 100000)"
    /[=!<>]=[ \t]?$/.test(before) ||
    (/(?:[A-Za-z0-9][-_]|\d[.,:])$/.test(before) && !PREFIX.test(text.slice(Math.max(0, start - 5), start))) ||
    // "*** *** 8813": the end of a number that is not shown. "*** 8813 ***" is set off.
    (/[*•…×]{2}[ -]$/.test(before) && !/^[ -]?[*•]{2}/.test(text.slice(end, end + 4)))
  )
    return false;
  if (LETTER.test(previous) || LETTER.test(next) || /[@/\\%°$€£¥₽₺₩]/.test(next)) return false;
  if (next === "=" && previous !== next) return false;
  if (/[*•_.…xX×]/.test(previous) && previous !== next) return false;
  const after = text.slice(end, end + 4);
  return SUFFIX.test(after) || !/^(?:[-_.][A-Za-z]|[-_.,:]\d)/.test(after);
}

/** "ENTER THE PIN ON THE PANEL": a word of a line in capitals, unless a colon stands before it. */
function isInCapitals(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - LINE_CHARS), start);
  const left = before.slice(before.lastIndexOf("\n") + 1);
  if (/[:=] *$/.test(left)) return false;
  const line = `${left} ${text.slice(end, end + LINE_CHARS).split("\n", 1)[0]}`;
  return !/\p{Ll}/u.test(line) && (line.match(/\p{Lu}{2,}/gu)?.length ?? 0) > 1;
}

type Mixed = { value: string; kind: Candidate["kind"] };

function readMixed(token: string): Mixed | undefined {
  // An ordinary word: nothing without a digit is a code unless it is in capitals.
  if (/[a-z]/.test(token) && !/\d/.test(token)) return;
  if (token.length > 2 * MIXED_MAX || !/[A-Za-z]/.test(token)) return;
  const prefixed = /^[A-Z]{1,3}-(\d{4,8})$/.exec(token);
  if (prefixed?.[1]) return { value: prefixed[1], kind: "mixed" };
  const groups = token.split("-");
  const length = token.length - groups.length + 1;
  if (length < DIGITS_MIN || length > MIXED_MAX) return;
  if (NAME_AND_NUMBER.test(token)) return { value: token, kind: "promotional" };
  if (!/\d/.test(token)) {
    return token === token.toUpperCase() &&
      groups.every((group) => group.length === groups[0]?.length && group.length > 2)
      ? { value: token, kind: "letters" }
      : undefined;
  }
  if (groups.length > 1) {
    const fits = groups.every(
      (group, nth) => group.length <= 6 && (/\d/.test(group) ? group.length >= 2 || nth >= 2 : /^[A-Z]+$/.test(group)),
    );
    return fits ? { value: token, kind: "mixed" } : undefined;
  }
  // "12th", "1200px", "1024x768", "12JUN26", "Windows11"
  if (/^\d+(?:[a-z]{1,3}|[A-Z]{2})$/.test(token) || /^\d+x\d+$/i.test(token)) return;
  if (/^\d{1,2}[A-Z]{3}\d{2,4}$/.test(token) || /^[A-Z]?[a-z]{3,}\d{1,4}$/.test(token)) return;
  return { value: token, kind: "mixed" };
}

function readLower(text: string, start: number, token: string): Mixed | undefined {
  if (!LOWER_GROUPS.test(token)) return;
  const { ownLine } = describe(text, { start, end: start + token.length, value: token }, "mixed");
  return ownLine ? { value: token, kind: "mixed" } : undefined;
}

function describe(text: string, { start, end, value }: Piece, kind: Candidate["kind"]): Candidate {
  const before = text.slice(Math.max(0, start - LINE_CHARS), start);
  const after = text.slice(end, end + LINE_CHARS);
  const [left = "", right = ""] = [before.slice(before.lastIndexOf("\n") + 1), after.split("\n", 1)[0]];
  const ownLine = !WRITTEN.test(left) && !WRITTEN.test(right);
  const yearLike = kind === "digits" && value.length === 4 && isYear(value);
  const grouped = end - start > value.length || (kind === "mixed" && value.includes("-"));
  return { value, start, end, kind, ownLine, yearLike, grouped };
}
