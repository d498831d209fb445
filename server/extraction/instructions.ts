// Finds phrases that instruct an assistant instead of a human reader.
import { CHAT_MARKERS, PHRASES, ROLE_MARKERS } from "./instruction-phrases.ts";
import { isAscii } from "./marks.ts";
import type { Phrase } from "./phrase.ts";

const READ_CHARS = 512 * 1024;
const WITHIN_CHARS = 40;
const UNLESS_CHARS = 40;
const KEY_CHARS = 2;
const SENTENCE_END = "|";
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
const ENCODED_RUNS = 60;
const DECODED_CHARS = 64 * 1024;
/** Letters of other scripts that look like Latin ones within a Latin word. */
const LOOKALIKES = new Map(
  [..."аaеeоoрpсcуyхxіiѕsјjԁdοoαaεeιiνvρpτt".matchAll(/../gu)].map(([pair]) => [...pair] as [string, string]),
);
const MARKS = /\p{M}+/gu;
const WORD = /[a-z\p{Script=Cyrillic}\p{Script=Greek}]+/gu;
const LATIN = /[a-z]/;
const FOREIGN = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;
const PLAIN = new Map([..."ıiłlßsøoæaœo".matchAll(/../gu)].map(([pair]) => [...pair] as [string, string]));
/** Scripts without spaces, or with attached endings: a phrase may start anywhere. */
const UNSPACED_FROM = 0x2e80;
const UNSPACED = /[\u2e80-\uffff]/;

/** Names of phrases; phrase.ts explains strong and weak. */
type Found = { strong: Set<string>; weak: Set<string> };
type Rule = Phrase & { heads: string[]; followers: RegExp[]; exception: RegExp | undefined };

function withoutLookalikes(word: string): string {
  if (!LATIN.test(word) || !FOREIGN.test(word)) return word;
  return word.replace(/[^a-z]/gu, (letter) => LOOKALIKES.get(letter) ?? letter);
}

/**
 * Lower case without marks, look-alikes and punctuation; one space between words, `|` between sentences. Starts with a
 * space.
 */
function plain(text: string): string {
  const read = text.slice(0, READ_CHARS);
  if (isAscii(read)) return plainAscii(read);
  const folded = read
    // Also before: normalizing a long row of marks takes quadratic time.
    .replace(MARKS, "")
    .normalize("NFKD")
    .slice(0, READ_CHARS)
    .toLowerCase()
    .replace(MARKS, "")
    .normalize("NFC")
    .replace(/[ıłßøæœ]/g, (letter) => PLAIN.get(letter) ?? letter)
    .replace(/(?<![.!?。！？;…])[.!?。！？;…]+(?=\s|$|[\u2e80-\uffff])|\n\s*\n/g, ` ${SENTENCE_END} `)
    .replace(/[^\p{L}\p{N}|@]+/gu, " ");
  const latin = FOREIGN.test(folded) ? folded.replace(WORD, withoutLookalikes) : folded;
  return ` ${latin} `;
}

/** As `plain`, which changes no ASCII character in any other way. */
function plainAscii(text: string): string {
  const words = text
    .toLowerCase()
    .replace(/(?<![.!?;])[.!?;]+(?=\s|$)|\n\s*\n/g, ` ${SENTENCE_END} `)
    .replace(/[^a-z0-9|@]+/g, " ");
  return ` ${words} `;
}

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

/** Rules by the first characters of their first words. */
const BY_KEY = Map.groupBy(
  RULES.flatMap((rule) => rule.heads.map((head) => ({ head, rule }))),
  ({ head }) => head.slice(0, KEY_CHARS),
);

/** A number for the two code units at a position, which different ones may share. */
const mixed = (first: number, second: number) => (31 * first + second) & 0xff_ff;
/** Whether a head may start with such a number, so that few positions of a text are looked up. A head has two characters or more. */
const STARTS = new Uint8Array(0x1_00_00);
for (const key of BY_KEY.keys()) STARTS[mixed(key.charCodeAt(0), key.charCodeAt(1))] = 1;

/** The next position at which a phrase may start. */
function nextStart(text: string, at: number, isSpaced: boolean): number {
  for (let next = at; next < text.length; next += 1) {
    if (isSpaced) {
      const space = text.indexOf(" ", next - 1);
      if (space < 0) return text.length;
      next = space + 1;
    } else if (text[next - 1] !== " " && text.charCodeAt(next) < UNSPACED_FROM) continue;
    if (STARTS[mixed(text.charCodeAt(next), text.charCodeAt(next + 1))] === 1) return next;
  }
  return text.length;
}

/** The end of the rest of a phrase that starts before a position; -1 if it does not match. */
function endOfPhrase(text: string, { followers, within = WITHIN_CHARS }: Rule, from: number): number {
  let at = from;
  for (const follower of followers) {
    // One step back: the first slot may end with the space before the next word.
    const window = text.slice(at - 1, at + within).split(SENTENCE_END, 1)[0] ?? "";
    const found = follower.exec(window);
    if (!found) return -1;
    at += found.index - 1 + found[0].length;
  }
  return at;
}

function isInstruction(text: string, head: string, rule: Rule, at: number): boolean {
  const end = endOfPhrase(text, rule, at + head.length);
  return end >= 0 && !rule.exception?.test(text.slice(at - 1, end + UNLESS_CHARS).split(SENTENCE_END, 1)[0] ?? "");
}

/** The names of the phrases in a text, of which 512 KiB characters are read. Linear in its length. */
function find(written: string): Found {
  const found: Found = { strong: new Set(), weak: new Set() };
  const text = plain(written);
  let begun = 0;
  const isSpaced = !UNSPACED.test(text);
  for (let at = nextStart(text, 1, isSpaced); at < text.length; at = nextStart(text, at + 1, isSpaced)) {
    if (begun >= BEGINNINGS) break;
    for (const { head, rule } of BY_KEY.get(text.slice(at, at + KEY_CHARS)) ?? []) {
      if (found[rule.strength].has(rule.name) || !text.startsWith(head, at)) continue;
      begun += 1;
      if (isInstruction(text, head, rule, at)) found[rule.strength].add(rule.name);
    }
  }
  if (begun >= BEGINNINGS) found.strong.add(FLOOD);
  const raw = written.slice(0, READ_CHARS).toLowerCase();
  if (CHAT_MARKERS.some((marker) => raw.includes(marker))) found.strong.add(CHAT_MARKER);
  if (ROLE_MARKERS.some((marker) => marker.test(raw))) found.weak.add(ROLE_MARKER);
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
  for (const [run] of read.matchAll(BASE64)) {
    if (left-- <= 0 || out.length > DECODED_CHARS) break;
    take(Buffer.from(run.replace(/\s/g, ""), "base64"));
  }
  for (const [run] of read.matchAll(HEX)) {
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
