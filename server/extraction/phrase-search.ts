// Finds the phrases of instruction-phrases.ts in a text, in time that is linear in its length: at each place where a phrase may start, those
// that start with the same characters are tried.
import { PHRASES } from "./instruction-phrases.ts";
import { NAMES_WORDS, OF_OTHERS_WORDS } from "./instruction-phrases-world.ts";
import type { Own, Phrase } from "./phrase.ts";
import { plain, SENTENCE_END, UNSPACED_FROM } from "./plain-words.ts";

/** Of a text, so much is read. */
export const READ_CHARS = 512 * 1024;
const WITHIN_CHARS = 40;
const UNLESS_CHARS = 40;
/** Before and behind a phrase, for one word with "my". */
const OWN_CHARS = 24;
const UNSPACED_OWN_CHARS = 6;
/** Of a sentence before and behind a phrase. */
const SENTENCE_CHARS = 200;
const KEPT_WORD_CHARS = 16;
const KEY_CHARS = 4;
const SHORT_KEY_CHARS = 2;
/** Starts of phrases in one text. Legitimate texts have fewer, and each costs time. */
const BEGINNINGS = 8_000;
const FLOOD = "flood";
/** A phrase is only named: "the phrase …". */
export const SHOWN = "shown";
/** Letters with a blank or sign between them, in the words and as they are written. */
const APART = / \p{L} \p{L} \p{L} \p{L} /u;
const LETTERS_APART = /(?<![\p{L}\p{N}])\p{L}([ \u00a0._*·|/-])\p{L}(?:\1\p{L})+(?![\p{L}\p{N}])/gu;
/** So many letters in a row are several words. */
const JOINED_CHARS = 12;
const UNSPACED = /[\u2e80-\uffff]/;
const UNSPACED_OWN = /[\p{Script=Han}\p{Script=Hiragana}]/u;

/** Names of phrases; phrase.ts explains the strengths. */
export type Found = Record<Phrase["strength"], Set<string>>;
type Rule = Phrase & {
  heads: string[];
  followers: RegExp[];
  passage: RegExp | undefined;
  thing: RegExp | undefined;
  exception: RegExp | undefined;
  ofPeople: OwnPatterns | undefined;
};

const escaped = (text: string) => text.replace(/[|@]/g, (character) => (character === "@" ? "@" : ""));
const isUnspaced = (text: string) => (text.codePointAt(0) ?? 0) >= UNSPACED_FROM;

/** The words of a slot in a plain text. */
function beginningsOf(slot: string): string[] {
  return slot.split("|").map((written) => {
    const words = plain(escaped(written)).trim();
    return written.endsWith(" ") ? `${words} ` : words;
  });
}

/** For later slots: at the start of a word, or anywhere in scripts without spaces. */
function patternOf(slot: string): RegExp {
  return new RegExp(
    beginningsOf(slot)
      .map((words) => (isUnspaced(words) || words === "@" ? words : ` ${words}`))
      .join("|"),
    "u",
  );
}

const plainWords = (words: string) => beginningsOf(words).join("|");

/** Words that may go on, unless a space ends them. */
const openWords = (words: string) =>
  beginningsOf(words)
    .map((word) => (word.endsWith(" ") ? word : `${word}\\S{0,8} `))
    .join("|");

/** What a person said before, in the phrase or at the end of its sentence. */
type OwnPatterns = { first: RegExp | undefined; later: RegExp | undefined; last: RegExp | undefined };

const whole = (pattern: string) => (pattern === "" ? undefined : new RegExp(pattern, "u"));

/**
 * "my earlier instructions", "instructions of mine". `first` finds the first thing, and in its group "my" before it: behind another thing,
 * "my" may be of the order itself. Chinese and Japanese have no spaces around "my".
 */
function ownPatterns({ things, before = "", behind = "", endings = "" }: Own): OwnPatterns {
  const said = plainWords(things);
  const isJoined = UNSPACED_OWN.test(before);
  const my = isJoined ? `(?:${plainWords(before)}) ?\\S{0,2}` : ` (?:${openWords(before)})`;
  const bare = isJoined ? "" : " ?";
  const of = `\\S{0,12} (?:${openWords(behind)})`;
  const ending = endings && `(?:${said})\\S{0,8}(?:${endings})(?= )`;
  return {
    first: whole(before && `(${my})(?:${said})|${bare}(?:${said})`),
    later: whole([behind && `(?:${said})${of}`, ending].filter(Boolean).join("|")),
    last: whole(behind && `^${of}$`),
  };
}

const RULES: Rule[] = PHRASES.map((phrase) => ({
  ...phrase,
  heads: beginningsOf(phrase.slots[0] ?? ""),
  followers: phrase.slots.slice(1).map(patternOf),
  passage: phrase.through === undefined ? undefined : new RegExp(`^\\S*(?: (?:${phrase.through}))*$`, "u"),
  thing: phrase.about === undefined ? undefined : new RegExp(`^\\S* (?:${plainWords(phrase.about)}) `, "u"),
  exception: phrase.unless === undefined ? undefined : patternOf(phrase.unless),
  ofPeople: phrase.own === undefined ? undefined : ownPatterns(phrase.own),
}));
/** The words of the phrases in Latin letters, the longest first. */
const VOCABULARY = new RegExp(
  [
    ...new Set(
      PHRASES.flatMap(({ slots }) => slots.flatMap((slot) => plain(escaped(slot.replaceAll("|", " "))).split(" "))),
    ),
  ]
    .filter((word) => /^[a-z]{3,}$/.test(word))
    .toSorted((one, other) => other.length - one.length)
    .join("|"),
  "g",
);
const OF_OTHERS = patternOf(OF_OTHERS_WORDS);
const NAMING = new Set(plain(NAMES_WORDS).trim().split(" "));

type Head = { head: string; rule: Rule };
const HEADS: Head[] = RULES.flatMap((rule) => rule.heads.map((head) => ({ head, rule })));
const isShort = ({ head }: Head) => head.length < KEY_CHARS;

/** Heads of two or three characters by their first two. */
const BY_SHORT_KEY = Map.groupBy(HEADS.filter(isShort), ({ head }) => head.slice(0, SHORT_KEY_CHARS));
/** The others by their first four, and with them the short ones, in the order of the rules. */
const BY_KEY = new Map(
  HEADS.filter((each) => !isShort(each)).map(({ head }) => {
    const key = head.slice(0, KEY_CHARS);
    const isNear = (each: Head) => each.head.startsWith(key.slice(0, isShort(each) ? SHORT_KEY_CHARS : KEY_CHARS));
    return [key, HEADS.filter(isNear)];
  }),
);

/** A number for two code units, which different ones may share. */
const mixed = (first: number, second: number) => (31 * first + second) & 0xff_ff;
const keyNumber = (text: string, at: number) => mixed(text.charCodeAt(at), text.charCodeAt(at + 1));
/** What the two code units at a place may start: nothing, a longer head, a short one; and whether four may start a longer one. */
const MAY_BE_LONG = 1;
const MAY_BE_SHORT = 2;
const STARTS = new Uint8Array(0x1_00_00);
const LONG_STARTS = new Uint8Array(0x1_00_00);
for (const each of HEADS) {
  const key = keyNumber(each.head, 0);
  STARTS[key] = Math.max(STARTS[key] as number, isShort(each) ? MAY_BE_SHORT : MAY_BE_LONG);
  if (!isShort(each)) LONG_STARTS[mixed(key, keyNumber(each.head, 2))] = 1;
}

function mayStart(text: string, at: number): boolean {
  const key = keyNumber(text, at);
  const start = STARTS[key] as number;
  return start >= MAY_BE_SHORT || (start > 0 && LONG_STARTS[mixed(key, keyNumber(text, at + 2))] === 1);
}

/** The next position at which a phrase may start. */
function nextStart(text: string, at: number, isSpaced: boolean): number {
  for (let next = at; next < text.length; next += 1) {
    if (isSpaced) {
      const space = text.indexOf(" ", next - 1);
      if (space < 0) return text.length;
      next = space + 1;
    } else if (text[next - 1] !== " " && text.charCodeAt(next) < UNSPACED_FROM) continue;
    if (mayStart(text, next)) return next;
  }
  return text.length;
}

/** The heads of which one may stand there. */
function headsAt(text: string, at: number): Head[] {
  const heads = BY_KEY.get(text.slice(at, at + KEY_CHARS));
  return heads ?? BY_SHORT_KEY.get(text.slice(at, at + SHORT_KEY_CHARS)) ?? [];
}

/** The rest of a sentence between two places. */
function sentence(text: string, from: number, to: number): string {
  const window = text.slice(from, to);
  const end = window.indexOf(SENTENCE_END);
  return end < 0 ? window : window.slice(0, end);
}

/** The end of the rest of a phrase that starts before a position; -1 if it does not match. */
function endOfPhrase(text: string, { followers, passage, within = WITHIN_CHARS }: Rule, from: number): number {
  let at = from;
  for (const [n, follower] of followers.entries()) {
    // One step back: the first slot may end with the space before the next word.
    const found = follower.exec(sentence(text, at - 1, at + within));
    if (!found) return -1;
    const start = at + found.index - 1;
    if (passage && n === followers.length - 1 && !passage.test(text.slice(at - 1, start).trimEnd())) return -1;
    at = start + found[0].length;
  }
  return at;
}

/** Whether the word before a place says that words are only named: "the phrase …". */
function isNamed(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - KEPT_WORD_CHARS), at - 1);
  return NAMING.has(before.slice(before.lastIndexOf(" ") + 1));
}

/** The part of a sentence before a place, of which so many characters are read. */
function sentenceBefore(text: string, at: number, characters: number): string {
  const before = text.slice(Math.max(0, at - characters), at);
  return before.slice(before.lastIndexOf(SENTENCE_END) + 1);
}

/** Whether a person takes back what he said, and nothing that all or a system said. */
function takesBack(text: string, at: number, end: number, { first, later, last }: OwnPatterns): boolean {
  const behind = sentence(text, end, end + SENTENCE_CHARS);
  if (OF_OTHERS.test(`${sentenceBefore(text, at, SENTENCE_CHARS)}${text.slice(at, end)}${behind}`)) return false;
  const before = sentenceBefore(text, at, text.charCodeAt(at) < UNSPACED_FROM ? OWN_CHARS : UNSPACED_OWN_CHARS);
  const beside = before.slice(before.trimEnd().lastIndexOf(" ") + 1);
  const word = /^\S*/.exec(behind)?.[0] ?? "";
  const phrase = ` ${beside}${text.slice(at, end)}${word} `;
  if (first?.exec(phrase)?.[1] !== undefined || later?.test(phrase)) return true;
  return behind.length <= OWN_CHARS && last?.test(`${behind.trimEnd()} `) === true;
}

function isInstruction(text: string, head: string, rule: Rule, at: number, isHidden: boolean): boolean {
  const end = endOfPhrase(text, rule, at + head.length);
  return (
    end >= 0 &&
    !rule.thing?.test(text.slice(end, end + UNLESS_CHARS)) &&
    !rule.exception?.test(sentence(text, at - 1, end + UNLESS_CHARS)) &&
    !(rule.ofPeople && !isHidden && takesBack(text, at, end, rule.ofPeople))
  );
}

/** Letters that stand apart are put together, and cut into the words of the phrases where no blanks say where words end. */
function together(written: string): string {
  return written.replace(LETTERS_APART, (run: string) => {
    const letters = run.replace(/[^\p{L}]/gu, "").toLowerCase();
    return letters.length < JOINED_CHARS ? letters : letters.replace(VOCABULARY, "$& ");
  });
}

/** The words of a text, of which 512 KiB characters are read. */
export function wordsOf(written: string): string {
  // A bracket and a question mark begin a group of a pattern, and end no sentence.
  const words = plain(written.replaceAll("(?", "("));
  return APART.test(words) ? plain(together(written.slice(0, READ_CHARS))) : words;
}

export const nothing = (): Found => ({ strong: new Set(), weak: new Set(), beside: new Set(), machine: new Set() });

/** Adds the names of the phrases in words (`wordsOf`) to what was found. No person takes anything back in text that is not seen. */
export function findPhrases(text: string, found: Found, isHidden = false): void {
  let begun = 0;
  const isSpaced = !UNSPACED.test(text);
  for (let at = nextStart(text, 1, isSpaced); at < text.length; at = nextStart(text, at + 1, isSpaced)) {
    if (begun >= BEGINNINGS) break;
    for (const { head, rule } of headsAt(text, at)) {
      if (found[rule.strength].has(rule.name) || !text.startsWith(head, at)) continue;
      begun += 1;
      if (!isInstruction(text, head, rule, at, isHidden)) continue;
      if (rule.strength === "strong" && isNamed(text, at)) found.beside.add(SHOWN);
      else found[rule.strength].add(rule.name);
    }
  }
  if (begun >= BEGINNINGS) found.strong.add(FLOOD);
}
