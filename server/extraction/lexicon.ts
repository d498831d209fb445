// Looks up the words around a number: what names a code, what names another number, in the languages of code-words.ts.
import { whenNeeded } from "../base/when-needed.ts";
import { CODE_WORDS } from "./code-words.ts";

export const CODE = 1;
export const PURPOSE = 2;
export const OTHER = 4;
export const ENTER = 8;
export const COPULA = 16;
export const MINUTES = 32;
export const COMMON = 64;
export const NUMBER = 128;
export const NEVER = 256;
export const DIGITS = 512;
export const LINK_ACT = 2048;
export const ACCOUNT = 4096;
export const INVITE = 8192;
export const SCREEN = 16384;
export const SUBJECT = 32768;
export const KEPT = 65536;
export const CALL = 131072;
export const PICKUP = 262144;
/** The word ends like a listed one, and what stands before is in no list: "Buchungscode". */
export const COMPOUND = 1024;

const KINDS: Record<string, number> = {
  code: CODE,
  purpose: PURPOSE,
  other: OTHER,
  enter: ENTER,
  copula: COPULA,
  minutes: MINUTES,
  common: COMMON,
  number: NUMBER,
  never: NEVER,
  digits: DIGITS,
  act: LINK_ACT,
  account: ACCOUNT,
  invite: INVITE,
  screen: SCREEN,
  subject: SUBJECT,
  kept: KEPT | OTHER,
  pickup: PICKUP | PURPOSE,
  call: CALL,
};

/** A word of a text. `kinds`: the kinds of the lexicon that it has, 0 for none. */
export type Token = { start: number; end: number; kinds: number };

type Listed = { word: string; kinds: number };

export type Lexicon = {
  whole: Map<string, number>;
  capitals: Map<string, number>;
  /** By their first two letters. */
  beginnings: Map<string, Listed[]>;
  /** By their last two letters. */
  endings: Map<string, Listed[]>;
  /** As endings, in capitals: "mobileTAN". */
  capitalEndings: Listed[];
  /** Of scripts without spaces, by their first letter, the longest first. */
  unspaced: Map<string, Listed[]>;
  /** Words that were looked up before. */
  known: Map<string, number>;
};

const KEY_CHARS = 2;
/** A shorter word that ends like a listed one is another word. */
const COMPOUND_CHARS = 6;
const KNOWN_MAX = 20_000;
const KNOWN_CHARS = 24;
const WORD_CHARS = 40;
/** As the inside of a class of characters. */
export const SCRIPTS_WITHOUT_SPACES =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々";
/** The first letter of Thai; all scripts without spaces come after it. */
const UNSPACED_FROM = 0xe01;
const UNSPACED = new RegExp(`^[${SCRIPTS_WITHOUT_SPACES}]`, "u");
const SPACED = `[[\\p{L}\\p{M}]--[${SCRIPTS_WITHOUT_SPACES}]]+`;
/** Behind a part of a word: the rest of the Breton letter "c'h", or a hyphen. */
const JOINT = "(?:-|(?<=[Cc])'(?=[Hh]))";
const WORDS = new RegExp(
  `[${SCRIPTS_WITHOUT_SPACES}\\u0e30-\\u0e4e\\u0eb0-\\u0ecd\\u17b4-\\u17dd\\u102b-\\u103e]+|${SPACED}(?:${JOINT}${SPACED})*`,
  "gv",
);
const LATIN_WORDS = new RegExp(`[A-Za-z]+(?:${JOINT}[A-Za-z]+)*`, "g");
const OF_OWN_LETTERS = /[ıłøæœßđəŋðþ]/g;
const PLAIN = new Map([
  ...[..."ıiłløoæaœoßsđdəeŋnðd".matchAll(/../gu)].map(([pair]) => [...pair] as [string, string]),
  ["þ", "th"],
]);
/** Marks that are left out in writing: accents, Hebrew and Arabic vowels. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670]/g;
/** Words that Arabic and Hebrew write together with the next one. */
const JOINED_BEFORE = /^(?:[وفبلك]{0,2}ال|[وفبلك]|[והבלמשכ]{1,2})(?=.{2})/u;

/** Lower case without marks, as listed words are compared. */
function fold(word: string): string {
  return word
    .toLowerCase()
    .normalize("NFKD")
    .replace(MARKS, "")
    .normalize("NFC")
    .replace(OF_OWN_LETTERS, (letter) => PLAIN.get(letter) ?? letter);
}

function push(map: Map<string, Listed[]>, key: string, listed: Listed): void {
  const all = map.get(key);
  if (all) all.push(listed);
  else map.set(key, [listed]);
}

/** @param isLeftOut languages whose lines are not read */
export function createLexicon(isLeftOut: (language: string) => boolean = () => false, words = CODE_WORDS): Lexicon {
  const lexicon: Lexicon = {
    whole: new Map(),
    capitals: new Map(),
    beginnings: new Map(),
    endings: new Map(),
    capitalEndings: [],
    unspaced: new Map(),
    known: new Map(),
  };
  const unspaced = new Map<string, number>();
  for (const line of words.trim().split("\n")) {
    const [language = "", kind = "", written = ""] = line.split(" ");
    if (isLeftOut(language)) continue;
    const kinds = KINDS[kind] ?? 0;
    const bare = written.replace(/[*\u200b-\u200f]/g, "");
    const word = fold(bare);
    if (UNSPACED.test(word)) unspaced.set(word, (unspaced.get(word) ?? 0) | kinds);
    else if (written.endsWith("*")) push(lexicon.beginnings, word.slice(0, KEY_CHARS), { word, kinds });
    else if (/^\*[A-Z]+$/.test(written)) lexicon.capitalEndings.push({ word: bare, kinds });
    else if (written.startsWith("*")) push(lexicon.endings, word.slice(-KEY_CHARS), { word, kinds });
    else if (/^[A-Z]{2,}$/.test(bare)) lexicon.capitals.set(bare, (lexicon.capitals.get(bare) ?? 0) | kinds);
    else lexicon.whole.set(word, (lexicon.whole.get(word) ?? 0) | kinds);
  }
  for (const [word, own] of unspaced) {
    // "验证码" holds "验证".
    const isNamed =
      (own & CODE) !== 0 && [...unspaced].some(([other, kinds]) => kinds & PURPOSE && word.includes(other));
    push(lexicon.unspaced, word[0] ?? "", { word, kinds: isNamed ? own | PURPOSE : own });
  }
  for (const all of lexicon.unspaced.values()) all.sort((a, b) => b.word.length - a.word.length);
  return lexicon;
}

/** The lexicon of all languages. */
export const lexiconOfAll: () => Lexicon = whenNeeded(() => createLexicon());

function lookUp(lexicon: Lexicon, folded: string): number {
  const whole = lexicon.whole.get(folded) ?? 0;
  let kinds = 0;
  for (const { word, kinds: more } of lexicon.beginnings.get(folded.slice(0, KEY_CHARS)) ?? [])
    if (folded.startsWith(word)) kinds |= more;
  if (folded.length >= COMPOUND_CHARS) {
    for (const { word, kinds: more } of lexicon.endings.get(folded.slice(-KEY_CHARS)) ?? [])
      if (folded.endsWith(word)) kinds |= kinds === 0 && folded.length > word.length + 1 ? more | COMPOUND : more;
  }
  // "activity" is no "activation".
  if (whole & OTHER) kinds &= ~PURPOSE;
  // A whole word says more than the beginning of another.
  if (whole & (ENTER | PURPOSE)) kinds &= ~OTHER;
  return whole === 0 ? kinds : (kinds | whole) & ~COMPOUND;
}

function kindsOf(lexicon: Lexicon, word: string): number {
  if (word.length > WORD_CHARS) return 0;
  const known = lexicon.known.get(word);
  if (known !== undefined) return known;
  const folded = fold(word);
  let kinds = lookUp(lexicon, folded) | (lexicon.capitals.get(word) ?? 0);
  for (const { word: end, kinds: more } of lexicon.capitalEndings) if (word.endsWith(end)) kinds |= more;
  if (kinds === 0) {
    const rest = folded.replace(JOINED_BEFORE, "");
    if (rest !== folded) kinds = lookUp(lexicon, rest);
  }
  // An article or another word before it: "il-kodiċi", "SMS-kod".
  if (kinds === 0 && folded.includes("-")) kinds = lookUp(lexicon, folded.slice(folded.lastIndexOf("-") + 1));
  // What a language hangs on it: "kod-mañ", "code-là".
  if (kinds === 0 && folded.includes("-")) kinds = lookUp(lexicon, folded.slice(0, folded.indexOf("-")));
  // Strangers choose the words.
  if (lexicon.known.size >= KNOWN_MAX) lexicon.known.clear();
  if (word.length <= KNOWN_CHARS) lexicon.known.set(word, kinds);
  return kinds;
}

/** The listed words in a run of a script without spaces. */
function readRun(lexicon: Lexicon, run: string, start: number, tokens: Token[]): void {
  for (let at = 0; at < run.length; ) {
    const listed = lexicon.unspaced.get(run[at] ?? "")?.find(({ word }) => run.startsWith(word, at));
    if (listed) tokens.push({ start: start + at, end: start + at + listed.word.length, kinds: listed.kinds });
    at += listed?.word.length ?? 1;
  }
}

/** The words of a normalised text in order. Of scripts without spaces only those that are listed. */
export function tokensIn(lexicon: Lexicon, text: string, isAscii: boolean): Token[] {
  const tokens: Token[] = [];
  for (const { 0: word, index } of text.matchAll(isAscii ? LATIN_WORDS : WORDS)) {
    if (!isAscii && word.charCodeAt(0) >= UNSPACED_FROM && UNSPACED.test(word)) readRun(lexicon, word, index, tokens);
    else tokens.push({ start: index, end: index + word.length, kinds: kindsOf(lexicon, word) });
  }
  return tokens;
}
