// Finds phrases that instruct an assistant instead of a human reader.
import { hidesItself, ordersMachine } from "./addressed.ts";
import { OWN_TEXT } from "./addressed-words.ts";
import { decoded } from "./encoded-text.ts";
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
  findPhrases(wordsOf(written), found);
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
    const isAlone = () =>
      ((isList && LIST_ITEM.test(line)) || ADDED_LINE.test(line)) && ordersNothingElse(line, ADDED_LINE.test(line));
    (isCode || isAlone() ? shown : rest).push(line);
  }
  return { rest, shown };
}

/** An order to a machine that a page addresses is meant for who reads of the change, too. */
function ordersNothingElse(line: string, isAdded: boolean): boolean {
  const { strong, weak } = find(line);
  if (isAdded && (strong.has(ADDRESSED) || strong.has(GREETING))) return false;
  return strong.size === 1 && [...weak].every((name) => name === "correction" || strong.has(name));
}

/** Text in quotation marks in one line, also a pattern between slashes. What surrounds it says what it is. The values of JSON are none. */
const QUOTATION =
  /["“”„«»「『`](?<!"\s{0,4}:\s{0,4}")[^"“”„«»「」『』`\n]{8,240}["“”„«»」』`]|(?<!\p{L})['‘][^"“”„«»「」『』`\n]{8,240}['’](?!\p{L})|(?<![\p{L}\p{N}:/])\/(?=[^\n/]{0,200}[()|*?\\[])[^\n/]{8,200}\/[a-z]{0,6}(?![\p{L}\p{N}/])/gu;
/** A pattern with signs for blanks, for any character or for a group. */
const PATTERN = /\\[sbwSBW]|\.\*|\(\?/;
const CITED = 100;

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
  return { rest, cut: `${shown.join("\n")}\n\n${parts.join(" ")}` };
}

const WORDS_AROUND = 8;
/** Two letters are a word in scripts without spaces. */
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2}|\p{L}{2,}/gu;

/** What is seen. A phrase that stands whole in what a text quotes or shows is an example, if there are other words around it. */
function findSeen(text: string, cited: string[]): Found {
  const found = find(text);
  if (!isOrder(found)) return found;
  const { rest, cut } = withoutShown(text, cited);
  if (cut.trim() === "" || (rest.match(WORDS)?.length ?? 0) < WORDS_AROUND) return found;
  const [outside, inside] = [find(rest), find(cut)];
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
 * @param mail.cited parts of the visible text that are shown as code
 * @returns `hidden` if only hidden text does so
 */
export function findInstructions(mail: { seen: string; unseen: string; code: string; cited: string[] }): Instructions {
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
