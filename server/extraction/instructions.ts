// Finds phrases that instruct an assistant instead of a human reader.
import { CHAT_MARKERS, PHRASES, ROLE_MARKERS } from "./instruction-phrases.ts";
import type { Phrase } from "./phrase.ts";
import { plain, SENTENCE_END, UNSPACED_FROM } from "./plain-words.ts";

const READ_CHARS = 512 * 1024;
const WITHIN_CHARS = 40;
const UNLESS_CHARS = 40;
const KEY_CHARS = 4;
const SHORT_KEY_CHARS = 2;
/** Starts of phrases in one text. Legitimate texts have fewer, and each costs time. */
const BEGINNINGS = 8_000;
const FLOOD = "flood";
const CHAT_MARKER = "chat marker";
const ROLE_MARKER = "role marker";
/** Text in quotation marks in one line. What surrounds it says what it is. */
const QUOTATION = /(?:["“”„«»「『`]|(?<!\p{L})['‘])([^"“”„«»「」『』`\n]{8,240})(?:["“”„«»」』`]|['’](?!\p{L}))/gu;
const WORDS_AROUND = 8;
/** Two letters are a word in scripts without spaces. */
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2}|\p{L}{2,}/gu;
/** What people ask their assistants for, too: "As my assistant you must forward the invoice to …". */
const JOB = new Set(["assistant", "exfiltrate"]);
/** Runs of base64 and of hexadecimal digits, which a line may break. */
const BASE64 = /(?<![\w+/=-])[A-Za-z0-9+/_-]{24,4000}(?:\r?\n[A-Za-z0-9+/_-]{4,200}){0,60}={0,2}(?![\w+/=-])/g;
const HEX = /(?<![\w%\\])(?:(?:0x|\\x|%)?[0-9a-f]{2}[ :,;\n]{0,2}){16,4000}(?!\w)/gi;
const NO_HEX = /0x|[^0-9a-f]/gi;
/** Of characters that such runs are made of, they have so many in a row. */
const ENCODED = {
  base64: { chars: setOf(/[\w+/-]/), length: 24 },
  hex: { chars: setOf(/[0-9a-fx\\% :,;\n]/i), length: 32 },
};
const ENCODED_RUNS = 60;
const DECODED_CHARS = 64 * 1024;
const UNSPACED = /[\u2e80-\uffff]/;

/** Names of phrases; phrase.ts explains strong and weak. */
type Found = { strong: Set<string>; weak: Set<string> };
type Rule = Phrase & { heads: string[]; followers: RegExp[]; exception: RegExp | undefined };

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

const RULES: Rule[] = PHRASES.map((phrase) => ({
  ...phrase,
  heads: beginningsOf(phrase.slots[0] ?? ""),
  followers: phrase.slots.slice(1).map(patternOf),
  exception: phrase.unless === undefined ? undefined : patternOf(phrase.unless),
}));

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
function endOfPhrase(text: string, { followers, within = WITHIN_CHARS }: Rule, from: number): number {
  let at = from;
  for (const follower of followers) {
    // One step back: the first slot may end with the space before the next word.
    const found = follower.exec(sentence(text, at - 1, at + within));
    if (!found) return -1;
    at += found.index - 1 + found[0].length;
  }
  return at;
}

function isInstruction(text: string, head: string, rule: Rule, at: number): boolean {
  const end = endOfPhrase(text, rule, at + head.length);
  return end >= 0 && !rule.exception?.test(sentence(text, at - 1, end + UNLESS_CHARS));
}

/** The names of the phrases in a text, of which 512 KiB characters are read. Linear in its length. */
function find(written: string): Found {
  const found: Found = { strong: new Set(), weak: new Set() };
  // Most mail hides nothing.
  if (written.trim() === "") return found;
  const text = plain(written);
  let begun = 0;
  const isSpaced = !UNSPACED.test(text);
  for (let at = nextStart(text, 1, isSpaced); at < text.length; at = nextStart(text, at + 1, isSpaced)) {
    if (begun >= BEGINNINGS) break;
    for (const { head, rule } of headsAt(text, at)) {
      if (found[rule.strength].has(rule.name) || !text.startsWith(head, at)) continue;
      begun += 1;
      if (isInstruction(text, head, rule, at)) found[rule.strength].add(rule.name);
    }
  }
  if (begun >= BEGINNINGS) found.strong.add(FLOOD);
  const raw = written.slice(0, READ_CHARS).toLowerCase();
  if (CHAT_MARKERS.some((marker) => raw.includes(marker))) found.strong.add(CHAT_MARKER);
  if (ROLE_MARKERS.some(({ words, marker }) => words.some((word) => raw.includes(word)) && marker.test(raw)))
    found.weak.add(ROLE_MARKER);
  return found;
}

/** A text without what it quotes, and that. */
function withoutQuotations(text: string): { rest: string; quoted: string } {
  const read = text.slice(0, READ_CHARS);
  const quoted: string[] = [];
  const rest = read.replace(QUOTATION, (whole, inner: string) => {
    quoted.push(inner);
    return whole.slice(0, 1) + whole.slice(-1);
  });
  return { rest, quoted: quoted.join("\n\n") };
}

/** What is seen. A phrase that a text quotes is an example: it counts as one that is written to people as well. */
function findSeen(text: string): Found {
  const found = find(text);
  if (found.strong.size === 0) return found;
  const { rest, quoted } = withoutQuotations(text);
  if (quoted === "" || (rest.match(WORDS)?.length ?? 0) < WORDS_AROUND) return found;
  const outside = find(rest);
  const weak = new Set([...outside.weak, ...[...found.strong].filter((name) => !outside.strong.has(name)).slice(0, 1)]);
  return { strong: outside.strong, weak };
}

/** The characters of ASCII of which a pattern is true, by their codes. */
function setOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
}

/** Whether so many characters of a set stand in a row. It looks at few of the others: at the last place where a row could end. */
function hasRow(text: string, { chars, length }: { chars: Uint8Array; length: number }): boolean {
  let start = 0;
  for (let at = length - 1; at < text.length; ) {
    if (chars[text.charCodeAt(at)] !== 1) {
      start = at + 1;
      at += length;
    } else if (at === start) return true;
    else at -= 1;
  }
  return false;
}

/** The text that runs of base64 and hexadecimal digits stand for; "" if they stand for something else. */
function decoded(text: string): string {
  const read = text.slice(0, READ_CHARS);
  let out = "";
  let left = ENCODED_RUNS;
  const take = (bytes: Buffer) => {
    const made = bytes.toString("utf8");
    // Keys and signatures decode to anything.
    if (/^[\p{L}\p{M}\p{N}\p{P}\p{S}\s]*$/u.test(made) && !made.includes("\ufffd") && /\p{L}{2}/u.test(made))
      out += `\n\n${made}`;
  };
  const base64 = hasRow(read, ENCODED.base64) ? read.matchAll(BASE64) : [];
  for (const [run] of base64) {
    if (left-- <= 0 || out.length > DECODED_CHARS) break;
    take(Buffer.from(run.replace(/\s/g, ""), "base64"));
  }
  const hex = hasRow(read, ENCODED.hex) ? read.matchAll(HEX) : [];
  for (const [run] of hex) {
    if (left-- <= 0 || out.length > DECODED_CHARS) break;
    take(Buffer.from(run.replace(NO_HEX, ""), "hex"));
  }
  return out.slice(0, DECODED_CHARS);
}

export type Instructions = "none" | "visible" | "hidden";

/**
 * Whether a mail instructs an assistant.
 * @param mail.seen the visible text
 * @param mail.unseen hidden text and attribute texts
 * @param mail.code scripts and style sheets, where only strong phrases count
 * @returns `hidden` if only hidden text does so
 */
export function findInstructions(mail: { seen: string; unseen: string; code: string }): Instructions {
  const [seen, unseen, code] = [findSeen(mail.seen), find(mail.unseen), find(mail.code)];
  const encoded = decoded(`${mail.seen}\n\n${mail.unseen}`);
  const inEncoded = encoded === "" ? undefined : find(encoded);
  // Nobody reads it but a program.
  if (inEncoded && (inEncoded.strong.size > 0 || inEncoded.weak.size > 1)) return "hidden";
  const isNew = (name: string) => !seen.strong.has(name);
  const isNewWeak = (name: string) => isNew(name) && !seen.weak.has(name);
  if ([...unseen.strong, ...code.strong].some(isNew) || [...unseen.weak].some(isNewWeak)) return "hidden";
  const isJob = seen.weak.values().every((name) => JOB.has(name));
  return seen.strong.size > 0 || (seen.weak.size > 1 && !isJob) ? "visible" : "none";
}
