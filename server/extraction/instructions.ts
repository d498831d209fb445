// Finds phrases that instruct an assistant instead of a human reader.
import { hidesItself, ordersMachine } from "./addressed.ts";
import { OWN_TEXT } from "./addressed-words.ts";
import { decoded } from "./encoded-text.ts";
import type { Span } from "./html/html-reading.ts";
import { ASSISTANT_LINE, MARKS, SYSTEM_LINE, TOKEN, TURN_BEGIN, TURN_END } from "./instruction-phrases.ts";
import { type Found, findPhrases, nothing, READ_CHARS, SHOWN, wordsOf } from "./phrase-search.ts";

const TURN = "turn";
const MARK = "mark";
const ASSISTANT = "assistant line";
const ADDRESSED = "order to a machine";
const GREETING = "address";
const SECRECY = "secrecy";
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

/** The names of the phrases and marks in a text. Linear in its length. */
function find(written: string, isHidden = false): Found {
  const found = nothing();
  // Most mail hides nothing.
  if (written.trim() === "") return found;
  findPhrases(wordsOf(written), found, isHidden);
  if (breaksTurn(written)) found.strong.add(TURN);
  if (found.strong.size === 0 && ordersMachine(written, found.machine.size > 0, isHidden)) found.strong.add(ADDRESSED);
  if (isHidden && found.machine.has(OWN_TEXT.name) && hidesItself(written)) found.strong.add(SECRECY);
  if (found.weak.size === 0) return found;
  const raw = written.slice(0, READ_CHARS).toLowerCase();
  if (MARKS.some(({ words, mark }) => words.some((word) => raw.includes(word)) && mark.test(raw)))
    found.beside.add(MARK);
  for (const mark of lineMarks(raw)) found.beside.add(mark);
  return found;
}

/** Whether what was found is more than a person says to a person. */
function isOrder({ strong, weak, beside }: Found): boolean {
  if (strong.size > 0) return true;
  const unusual = [...weak, ...beside].filter((name) => !USUAL.has(name));
  const same = weak.has("answer") && weak.has("exfiltrate secrets") ? 1 : 0;
  return weak.size > 0 && unusual.length > 0 && weak.size + beside.size - same > 1;
}

const FENCE = /^[ \t>]{0,20}(?:`{3}|~{3})/;
const MOVED = /^(?: {4}|\t)\s{0,40}\S/;
const LIST_ITEM = /^[ \t>]{0,20}(?:\d{1,3}[.)]|[-*•–])\s/;
const ADDED_LINE = /^[ \t>]{0,20}\+/;
/** Lines of a list. An order has fewer of its kind. */
const LIST_LINES = 3;
/** Of what stands before code in lines of its own. */
const LINES_BEFORE = 3;

/** What is judged of the parts of one text, which takes time. Further parts are no examples. */
const JUDGED = 2_000;
/** An example is short. Code in lines of its own and patterns may be longer. */
const EXAMPLE_CHARS = 240;
const SHORTEST_CHARS = 8;
/** So near before an example, the mark of a turn or a role says that it is meant. */
const MARKED_CHARS = 40;
/** Of what stands before an example. */
const BEFORE_CHARS = 1_000;
const IN_JSON = /"\s?:\s?(?:\[\s?)*$/;

/** Whether what stands before a part makes it the value of JSON, or the text of a turn or a role. */
function isMeant(text: string): boolean {
  const before = text
    .slice(-BEFORE_CHARS)
    .toLowerCase()
    .replace(/\s+/g, (blanks) => (blanks.includes("\n") ? "\n" : " "));
  if (IN_JSON.test(before)) return true;
  const nearAt = Math.max(0, before.length - MARKED_CHARS);
  const tagAt = before.lastIndexOf("<");
  const near = before.slice(before.indexOf(">", tagAt) >= nearAt && tagAt >= 0 ? Math.min(tagAt, nearAt) : nearAt);
  // What is cut off at its beginning is no beginning of a line.
  const lines = nearAt > 0 ? near.slice(near.indexOf("\n") + 1) : near;
  return MARKS.some(({ mark }) => mark.test(near)) || SYSTEM_LINE.test(lines) || lineMarks(lines).length > 0;
}

const addressesMachine = ({ strong }: Found) => strong.has(ADDRESSED) || strong.has(GREETING);

/** Judges the parts of a text that may be examples, and keeps those that are. */
function exampleJudge() {
  const examples: string[] = [];
  let left = JUDGED;
  return {
    examples,
    /** Whether a part is an example: a phrase stands whole in it. Of another part, a phrase may begin or end outside. */
    isExample(part: string, before: string, allows: (found: Found) => boolean = () => true): boolean {
      if (part.length < SHORTEST_CHARS || left <= 0) return false;
      left -= 1;
      const found = find(part);
      if (found.strong.size + found.weak.size === 0 || !allows(found) || isMeant(before)) return false;
      examples.push(part);
      return true;
    },
  };
}
type Judge = ReturnType<typeof exampleJudge>["isExample"];

/** A text without the code in its lines, the lines of a change and the items of a list that say nothing else. */
function withoutShownLines(read: string, isExample: Judge): string {
  const lines = read.split("\n");
  const isList = lines.filter((line) => LIST_ITEM.test(line)).length >= LIST_LINES;
  const rest: string[] = [];
  let block: string[] = [];
  const before = () => rest.slice(-LINES_BEFORE).join("\n");
  const endBlock = () => {
    if (block.length > 0 && !isExample(block.join("\n"), before())) for (const line of block) rest.push(line);
    block = [];
  };
  let fences = lines.filter((line) => FENCE.test(line)).length;
  let inFence = false;
  let inMoved = false;
  let last = "";
  for (const line of lines) {
    const isFence = FENCE.test(line);
    if (isFence) {
      fences -= 1;
      inFence = !inFence && fences > 0;
    }
    const isBlank = line.trim() === "";
    inMoved = isBlank ? inMoved : MOVED.test(line) && (inMoved || last.endsWith(":"));
    if (!isBlank) last = line.trimEnd();
    if (!isFence && (inFence || inMoved)) {
      block.push(line);
      continue;
    }
    endBlock();
    const isAdded = ADDED_LINE.test(line);
    const isItem = (isList && LIST_ITEM.test(line)) || isAdded;
    if (!isItem || !isExample(line, before(), (found) => ordersNothingElse(found, isAdded))) rest.push(line);
  }
  endBlock();
  return rest.join("\n");
}

/** An order to a machine that a page addresses is meant for who reads of the change, too. */
function ordersNothingElse(found: Found, isAdded: boolean): boolean {
  if (isAdded && addressesMachine(found)) return false;
  return found.strong.size === 1 && [...found.weak].every((name) => name === "correction" || found.strong.has(name));
}

/**
 * Text in quotation marks in one line, also a pattern between slashes. What surrounds it says what it is. Marks with one form begin and end
 * words. A quotation that is too short or too long is passed over, so that its end begins no other.
 */
const QUOTATION =
  /["`](?<![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]["`])(?=\S)[^"“”„«»「」『』`\n]*["“”„«»」』`](?<!\s["`])|[“”„«»「『][^"“”„«»「」『』`\n]*["“”„«»」』`]|(?<!\p{L})['‘](?![\s\p{N}])[^"“”„«»「」『』`\n]{1,240}?(?<!\s)['’](?!\p{L})|(?<![\p{L}\p{N}:/])\/(?=[^\n/]{0,200}[()|*?\\[])[^\n/]{8,200}\/[a-z]{0,6}(?![\p{L}\p{N}/])/gu;
/** A pattern with signs for blanks, for any character or for a group. */
const PATTERN = /\\[sbwSBW]|\.\*|\(\?/;
/** An apostrophe behind an s ends no quotation, unless its last word ends a phrase. */
const GENITIVE = /^['‘].*s['’]$/;
const LAST_WORD = /\S+$/;
const AROUND = /\p{L}{2}/u;

/** Whether a letter stands beside a place in its line. */
function isBesideWords(text: string, from: number, to: number): boolean {
  const before = text.slice(Math.max(0, from - MARKED_CHARS), from);
  const [behind = ""] = text.slice(to, to + MARKED_CHARS).split("\n", 1);
  return AROUND.test(before.slice(before.lastIndexOf("\n") + 1) + behind);
}

/** A text without what it quotes. */
function withoutQuotations(text: string, isExample: Judge): string {
  return text.replace(QUOTATION, (whole, at: number) => {
    if (whole.length > EXAMPLE_CHARS + 2) return whole;
    const isShort = (found: Found) => {
      // A quotation alone in its line may as well be a line in ornaments.
      if (addressesMachine(found) && !isBesideWords(text, at, at + whole.length)) return false;
      if (!GENITIVE.test(whole) || !/\s/.test(text[at + whole.length] ?? "\n")) return true;
      const { strong, weak } = find(whole.slice(1, -1).replace(LAST_WORD, ""));
      return strong.size + weak.size < found.strong.size + found.weak.size;
    };
    const before = text.slice(Math.max(0, at - BEFORE_CHARS), at);
    return isExample(whole, before, isShort) ? whole.slice(0, 1) + whole.slice(-1) : whole;
  });
}

/** Spans of lines in a row together, if they are short: an order may go on in the next line. */
function joinedSpans(text: string, spans: Span[]): Span[] {
  const joined: Span[] = [];
  for (const { from, to } of spans) {
    const last = joined.at(-1);
    if (last && to - last.from <= EXAMPLE_CHARS && text.slice(last.to, from).trim() === "") last.to = to;
    else joined.push({ from, to });
  }
  return joined;
}

/** A text without what elements show as code. No sign of it is in the text, so that an order to a machine that is addressed is none. */
function withoutCited(text: string, spans: Span[], isExample: Judge): string {
  const rest: string[] = [];
  let at = 0;
  for (const { from, to } of joinedSpans(text, spans)) {
    if (from >= READ_CHARS) break;
    if (to - from > EXAMPLE_CHARS) continue;
    const before = text.slice(Math.max(0, from - BEFORE_CHARS), from);
    if (!isExample(text.slice(from, to), before, (found) => !addressesMachine(found))) continue;
    rest.push(text.slice(at, from));
    at = to;
  }
  return [...rest, text.slice(at, Math.max(at, READ_CHARS))].join(" ");
}

/** A text without the examples that it quotes or shows, and these. */
function withoutShown(text: string, cited: Span[]): { rest: string; examples: string[] } {
  const { examples, isExample } = exampleJudge();
  const lines = withoutShownLines(withoutCited(text, cited, isExample), isExample);
  const unpatterned = lines.replace(/\S+/g, (word) => (PATTERN.test(word) && isExample(word, "") ? "" : word));
  return { rest: withoutQuotations(unpatterned, isExample), examples };
}

const WORDS_AROUND = 8;
/** Two letters are a word in scripts without spaces. */
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2}|\p{L}{2,}/gu;

/** What is seen. A phrase that stands whole in what a text quotes or shows is an example, if there are other words around it. */
function findSeen(text: string, cited: Span[]): Found {
  const found = find(text);
  if (!isOrder(found)) return found;
  const { rest, examples } = withoutShown(text, cited);
  if (examples.length === 0 || (rest.match(WORDS)?.length ?? 0) < WORDS_AROUND) return found;
  const [outside, inside] = [find(rest), find(examples.join(" "))];
  const missing = [...found.strong].filter((name) => !outside.strong.has(name));
  const missingWeak = [...found.weak].filter((name) => !outside.weak.has(name));
  // A mark alone orders nothing.
  if (missing.length + missingWeak.length === 0) return found;
  if (missing.some((name) => !inside.strong.has(name)) || missingWeak.some((name) => !inside.weak.has(name)))
    return found;
  outside.beside.add(SHOWN);
  return outside;
}

export type Instructions = "none" | "visible" | "hidden";

/**
 * Whether a mail instructs an assistant.
 * @param mail.seen the visible text
 * @param mail.unseen hidden text and attribute texts
 * @param mail.code scripts and style sheets, where only strong phrases count
 * @param mail.cited where the visible text is shown as code, in its order
 * @returns `hidden` if only hidden text does so
 */
export function findInstructions(mail: { seen: string; unseen: string; code: string; cited: Span[] }): Instructions {
  const [seen, unseen, code] = [findSeen(mail.seen, mail.cited), find(mail.unseen, true), find(mail.code)];
  const encoded = decoded(`${mail.seen}\n\n${mail.unseen}`);
  // Nobody reads it but a program.
  if (encoded !== "" && isOrder(find(encoded, true))) return "hidden";
  const isNew = (name: string) => !seen.strong.has(name);
  if ([...unseen.strong, ...code.strong].some(isNew)) return "hidden";
  const weak = [...unseen.weak].filter((name) => isNew(name) && !seen.weak.has(name));
  if (weak.some((name) => !USUAL.has(name) || name === "exfiltrate") || (weak.length > 0 && isOrder(unseen)))
    return "hidden";
  if (TOKEN.test(mail.unseen) && !TOKEN.test(mail.seen)) return "hidden";
  return isOrder(seen) ? "visible" : "none";
}
