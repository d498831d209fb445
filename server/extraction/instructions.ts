// Finds phrases that instruct an assistant instead of a human reader.
import { ASSISTANT_LINE, MARKS, PHRASES, SYSTEM_LINE, TOKEN, TURN_BEGIN, TURN_END } from "./instruction-phrases.ts";
import { CONDITIONS, MODEL, NAMES_WORDS } from "./instruction-phrases-world.ts";
import type { Phrase } from "./phrase.ts";
import { plain, SENTENCE_END, UNSPACED_FROM } from "./plain-words.ts";

const READ_CHARS = 512 * 1024;
const WITHIN_CHARS = 40;
const UNLESS_CHARS = 40;
const KEPT_WORD_CHARS = 16;
const KEY_CHARS = 4;
const SHORT_KEY_CHARS = 2;
/** Starts of phrases in one text. Legitimate texts have fewer, and each costs time. */
const BEGINNINGS = 8_000;
const FLOOD = "flood";
const TURN = "turn";
const MARK = "mark";
const ASSISTANT = "assistant line";
const ADDRESS = "address of a model";
const SHOWN = "shown";
/** What people say to people and to their assistants, too, and what orders nothing. It counts beside something else. */
const USUAL = new Set([
  "assistant",
  "exfiltrate",
  "correction",
  "answer",
  "mode",
  "approval",
  "memory",
  "topic",
  ASSISTANT,
  SHOWN,
]);
const TURN_SIGNS = ["<|", "[/", "</", "<e"];
/** Between the end of a turn and the beginning of the next. */
const TURN_CHARS = 20;
/** What is said before and after the name of a model in the line that addresses it. */
const BEFORE_MODEL_CHARS = 40;
const AFTER_MODEL_CHARS = 80;
const BEFORE_MODEL =
  /(?:^|[\n.,!?。！？…])[^\p{L}\p{N}\n]{0,8}((?:\p{L}[\p{L}\p{M}'’-]{0,20} ){0,6}(?:\p{L}{1,3}['’])?)$/u;
/** "… that reads this:", "… only ###" */
const AFTER_MODEL = /^(?:[^\n.!?。！？:：]{0,60}[:：]|[^\n.!?,。！？:：#=*\]]{0,30}[#=*\]>]|へ|에게)/u;
/** "Dear AI assistant," */
const AFTER_GREETED = /^[ \p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}]{0,10}[,!，！、]/u;
const GREETING = new RegExp(`^(?:\\p{L}+ )?$|^(?:${CONDITIONS}) `, "u");
const MODELS = 200;
const ADDRESSED_CHARS = 600;
/** Text in quotation marks in one line, also a pattern between slashes. What surrounds it says what it is. The values of JSON are none. */
const QUOTATION =
  /(?:["“”„«»「『`]|(?<!\p{L})['‘])(?<!"\s{0,4}:\s{0,4}")([^"“”„«»「」『』`\n]{8,240})(?:["“”„«»」』`]|['’](?!\p{L}))|(?<![\p{L}\p{N}:/])\/(?=[^\n/]{0,200}[()|*?\\[])[^\n/]{8,200}\/[a-z]{0,6}(?![\p{L}\p{N}/])/gu;
/** A pattern with signs for blanks, for any character or for a group. */
const PATTERN = /\\[sbwSBW]|\.\*|\(\?/;
const FENCE = /^[ \t>]{0,20}(?:`{3}|~{3})/;
const MOVED = /^(?: {4}|\t)\s{0,40}\S/;
const LIST_ITEM = /^[ \t>]{0,20}(?:\d{1,3}[.)]|[-*•–])\s/;
const ADDED_LINE = /^[ \t>]{0,20}\+/;
/** Lines of a list. An order has fewer of its kind. */
const LIST_LINES = 3;
const CITED = 100;
const WORDS_AROUND = 8;
/** Two letters are a word in scripts without spaces. */
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2}|\p{L}{2,}/gu;
/** Letters with a blank or sign between them, in the words and as they are written. */
const APART = / \p{L} \p{L} \p{L} \p{L} /u;
const LETTERS_APART = /(?<![\p{L}\p{N}])\p{L}([ \u00a0._*·|/-])\p{L}(?:\1\p{L})+(?![\p{L}\p{N}])/gu;
/** So many letters in a row are several words. */
const JOINED_CHARS = 12;
const ROT13 = /rot[- ]?13/i;
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

/** Names of phrases; phrase.ts explains the strengths. */
type Found = Record<Phrase["strength"], Set<string>>;
type Rule = Phrase & {
  heads: string[];
  followers: RegExp[];
  passage: RegExp | undefined;
  thing: RegExp | undefined;
  exception: RegExp | undefined;
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

const RULES: Rule[] = PHRASES.map((phrase) => ({
  ...phrase,
  heads: beginningsOf(phrase.slots[0] ?? ""),
  followers: phrase.slots.slice(1).map(patternOf),
  passage: phrase.through === undefined ? undefined : new RegExp(`^\\S*(?: (?:${phrase.through}))*$`, "u"),
  thing: phrase.about === undefined ? undefined : new RegExp(`^\\S* (?:${plainWords(phrase.about)}) `, "u"),
  exception: phrase.unless === undefined ? undefined : patternOf(phrase.unless),
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

function isInstruction(text: string, head: string, rule: Rule, at: number): boolean {
  const end = endOfPhrase(text, rule, at + head.length);
  return (
    end >= 0 &&
    !rule.thing?.test(text.slice(end, end + UNLESS_CHARS)) &&
    !rule.exception?.test(sentence(text, at - 1, end + UNLESS_CHARS))
  );
}

const nothing = (): Found => ({ strong: new Set(), weak: new Set(), beside: new Set() });

/** Letters that stand apart are put together, and cut into the words of the phrases where no blanks say where words end. */
function together(written: string): string {
  return written.replace(LETTERS_APART, (run: string) => {
    const letters = run.replace(/[^\p{L}]/gu, "").toLowerCase();
    return letters.length < JOINED_CHARS ? letters : letters.replace(VOCABULARY, "$& ");
  });
}

/** The words of a text, of which 512 KiB characters are read. */
function wordsOf(written: string): string {
  // A bracket and a question mark begin a group of a pattern, and end no sentence.
  const words = plain(written.replaceAll("(?", "("));
  return APART.test(words) ? plain(together(written.slice(0, READ_CHARS))) : words;
}

/** Whether a line or a sentence begins with whom it addresses, that is a model, and a phrase follows: "To the AI that reads this: …". */
function addressesModel(text: string): boolean {
  let left = MODELS;
  for (const found of text.matchAll(MODEL)) {
    if (left-- <= 0) return false;
    const end = found.index + found[0].length;
    const before = BEFORE_MODEL.exec(text.slice(Math.max(0, found.index - BEFORE_MODEL_CHARS), found.index))?.[1];
    if (before === undefined) continue;
    const after = text.slice(end, end + AFTER_MODEL_CHARS);
    if (!AFTER_MODEL.test(after) && !(AFTER_GREETED.test(after) && GREETING.test(before))) continue;
    const addressed = nothing();
    findPhrases(wordsOf(text.slice(end, end + ADDRESSED_CHARS)), addressed);
    if (addressed.weak.size > 0) return true;
  }
  return false;
}

/** Whether a text ends a turn of a chat that it did not begin, and begins another. */
function breaksTurn(written: string): boolean {
  if (!TURN_SIGNS.some((sign) => written.includes(sign))) return false;
  const raw = written.slice(0, READ_CHARS).toLowerCase();
  const end = TURN_END.exec(raw);
  if (!end) return false;
  const between = (TURN_BEGIN.exec(raw)?.index ?? 0) - end.index - end[0].length;
  return between >= 0 && between <= TURN_CHARS;
}

/** What the lines of roles are. In the copy of a chat a bot has several turns. */
function lineMarks(raw: string): string[] {
  const turns = raw.includes("assistant") ? (raw.match(ASSISTANT_LINE)?.length ?? 0) : 0;
  const isSystem = turns < 2 && /system|developer/.test(raw) && SYSTEM_LINE.test(raw);
  return [...(turns > 0 ? [ASSISTANT] : []), ...(isSystem ? [MARK] : [])];
}

function findPhrases(text: string, found: Found): void {
  let begun = 0;
  const isSpaced = !UNSPACED.test(text);
  for (let at = nextStart(text, 1, isSpaced); at < text.length; at = nextStart(text, at + 1, isSpaced)) {
    if (begun >= BEGINNINGS) break;
    for (const { head, rule } of headsAt(text, at)) {
      if (found[rule.strength].has(rule.name) || !text.startsWith(head, at)) continue;
      begun += 1;
      if (!isInstruction(text, head, rule, at)) continue;
      if (rule.strength === "strong" && isNamed(text, at)) found.beside.add(SHOWN);
      else found[rule.strength].add(rule.name);
    }
  }
  if (begun >= BEGINNINGS) found.strong.add(FLOOD);
}

/** The names of the phrases and marks in a text. Linear in its length. */
function find(written: string): Found {
  const found = nothing();
  // Most mail hides nothing.
  if (written.trim() === "") return found;
  findPhrases(wordsOf(written), found);
  if (breaksTurn(written)) found.strong.add(TURN);
  if (found.weak.size === 0) return found;
  const raw = written.slice(0, READ_CHARS).toLowerCase();
  if (MARKS.some(({ words, mark }) => words.some((word) => raw.includes(word)) && mark.test(raw)))
    found.beside.add(MARK);
  for (const mark of lineMarks(raw)) found.beside.add(mark);
  if (!isOrder(found) && addressesModel(raw)) found.beside.add(ADDRESS);
  return found;
}

/** Whether what was found is more than a person says to a person. */
function isOrder({ strong, weak, beside }: Found): boolean {
  if (strong.size > 0) return true;
  const unusual = [...weak, ...beside].filter((name) => !USUAL.has(name));
  const same = weak.has("answer") && weak.has("exfiltrate secrets") ? 1 : 0;
  return weak.size > 0 && unusual.length > 0 && weak.size + beside.size - same > 1;
}

/** The lines of a text, and those that show something: code, the lines of a change, the items of a list that say nothing else. */
function withoutShownLines(read: string): { rest: string[]; shown: string[] } {
  const lines = read.split("\n");
  const isList = lines.filter((line) => LIST_ITEM.test(line)).length >= LIST_LINES;
  const [rest, shown]: [string[], string[]] = [[], []];
  let fences = lines.filter((line) => FENCE.test(line)).length;
  let inFence = false;
  let inMoved = false;
  let before = "";
  for (const line of lines) {
    const isFence = FENCE.test(line);
    if (isFence) {
      fences -= 1;
      inFence = !inFence && fences > 0;
    }
    const isBlank = line.trim() === "";
    inMoved = isBlank ? inMoved : MOVED.test(line) && (inMoved || before.endsWith(":"));
    if (!isBlank) before = line.trimEnd();
    const isCode = !isFence && (inFence || inMoved);
    const isAlone = () => (isList && LIST_ITEM.test(line)) || ADDED_LINE.test(line);
    (isCode || (isAlone() && ordersNothingElse(line)) ? shown : rest).push(line);
  }
  return { rest, shown };
}

function ordersNothingElse(line: string): boolean {
  const { strong, weak } = find(line);
  return strong.size === 1 && [...weak].every((name) => name === "correction" || strong.has(name));
}

/** A text without what it quotes or shows, and what that is. */
function withoutShown(text: string, cited: string[]): { rest: string; cut: string } {
  const parts: string[] = [];
  const take = (part: string, left: string) => {
    parts.push(part);
    return left;
  };
  const read = cited
    .slice(0, CITED)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .reduce((left, part) => left.replace(part, () => take(part, " ")), text.slice(0, READ_CHARS));
  const { rest: lines, shown } = withoutShownLines(read);
  const unpatterned = lines.join("\n").replace(/\S+/g, (word) => (PATTERN.test(word) ? take(word, "") : word));
  const rest = unpatterned.replace(QUOTATION, (whole) => take(whole, whole.slice(0, 1) + whole.slice(-1)));
  return { rest, cut: [shown.join("\n"), ...parts].join("\n\n") };
}

/** What is seen. A phrase that stands whole in what a text quotes or shows is an example, if there are other words around it. */
function findSeen(text: string, cited: string[]): Found {
  const found = find(text);
  if (found.strong.size === 0) return found;
  const { rest, cut } = withoutShown(text, cited);
  if (cut.trim() === "" || (rest.match(WORDS)?.length ?? 0) < WORDS_AROUND) return found;
  const [outside, inside] = [find(rest), find(cut)];
  const missing = [...found.strong].filter((name) => !outside.strong.has(name));
  if (missing.some((name) => !inside.strong.has(name))) return found;
  if (missing.length > 0) outside.beside.add(SHOWN);
  return outside;
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
  if (ROT13.test(read)) out += `\n\n${read.replace(/[a-z]/gi, moved)}`;
  return out.slice(0, DECODED_CHARS);
}

/** A letter moved by thirteen places. */
function moved(letter: string): string {
  const first = letter < "a" ? "A" : "a";
  const place = letter.charCodeAt(0) - first.charCodeAt(0);
  return String.fromCharCode(first.charCodeAt(0) + ((place + 13) % 26));
}

export type Instructions = "none" | "visible" | "hidden";

/**
 * Whether a mail instructs an assistant.
 * @param mail.seen the visible text
 * @param mail.unseen hidden text and attribute texts
 * @param mail.code scripts and style sheets, where only strong phrases count
 * @param mail.cited parts of the visible text that are shown as code
 * @returns `hidden` if only hidden text does so
 */
export function findInstructions(mail: { seen: string; unseen: string; code: string; cited: string[] }): Instructions {
  const [seen, unseen, code] = [findSeen(mail.seen, mail.cited), find(mail.unseen), find(mail.code)];
  const encoded = decoded(`${mail.seen}\n\n${mail.unseen}`);
  // Nobody reads it but a program.
  if (encoded !== "" && isOrder(find(encoded))) return "hidden";
  const isNew = (name: string) => !seen.strong.has(name);
  if ([...unseen.strong, ...code.strong].some(isNew)) return "hidden";
  const weak = [...unseen.weak].filter((name) => isNew(name) && !seen.weak.has(name));
  if (weak.some((name) => !USUAL.has(name) || name === "exfiltrate") || (weak.length > 0 && isOrder(unseen)))
    return "hidden";
  if (TOKEN.test(mail.unseen) && !TOKEN.test(mail.seen)) return "hidden";
  return isOrder(seen) ? "visible" : "none";
}
