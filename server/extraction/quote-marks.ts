// Tells lines that a mail client marked as quoted from lines of the sender that begin with the same sign.
import { hasAddress, isDated, SENTENCE_END } from "./reply-shapes.ts";

const MARK = /^\s{0,3}[>＞]/u;
/** Marks of some clients that are rarely quotes: a space before the sign, initials ("JK> "), a bar. */
const RARE = /^(?:\s{1,3}[>＞]|\s?\p{Lu}\p{L}{0,2}>{1,3}\s|\s?\|\s)/u;
const MARKS = /^\s?(?:\p{Lu}\p{L}{0,2}(?=>))?[\s>＞|]{0,40}/u;
/** A smile, "at least 5", ">>> Closed <<<". */
const OWN_SIGN = /^\s{0,3}(?:>[:;=.][-'’o^]?[()[\]{}DPp|/\\<_.](?!\p{L})|>=\s?\p{Nd}|>{1,4}[^<>]{1,200}<{1,4}\s*$)/u;
/** "From" at the start of a line gets the sign on its way through mailboxes in files. */
const MAILBOX_FROM = /^>From /;
const MORE_THAN = /^\s{0,3}[>＞]\s?[\p{Sc}~≈±+-]?\s?\p{Nd}/u;
const UNSPACED_MORE = /^>\p{Nd}/u;
const UNSPACED = /^>(?!From )[^\s>\p{Nd}:;=.<]/u;
/** "Settings > Mail" */
const PATH = /^\s{0,3}[>＞]\s?[^>＞]{1,80}?\s[>＞]\s?\p{L}/u;
const LOWER_CASE = /^\s{0,3}[>＞]\s?\p{Ll}/u;
/** The line above the lines that the command `diff` marks so. */
const DIFFERENCE = /^(?:---|\d+(?:,\d+)?[acd]\d+(?:,\d+)?)\s*$/;
const LINE_CHARS = 500;
/** A shorter line may be a greeting, so nothing that goes on in the next. */
const GOES_ON_CHARS = 12;

/** How a line is marked: surely quoted, quoted if something introduces it, not at all. */
export type Mark = "quoted" | "loose" | "none";

export const withoutMarks = (line: string) => line.replace(MARKS, "");
/** The beginning of a line without its quote marks. */
export const unmarked = (line: string) => withoutMarks(line.slice(0, LINE_CHARS)).trim();

/** Whether the sentence of a line goes on in the next. */
function goesOn(line: string | undefined): boolean {
  if (line === undefined || line.length < GOES_ON_CHARS) return false;
  const words = line.slice(-LINE_CHARS).trim();
  return words.length >= GOES_ON_CHARS && !SENTENCE_END.test(words) && !hasAddress(words) && !isDated(words);
}

type Found = { marked: number; unspaced: boolean };

/** Whether the only marked line between others belongs to the sender: "if the gap is / > 5 mm / on a side". */
function isProse(lines: string[], at: number, found: Found): boolean {
  const line = (lines[at] ?? "").slice(0, LINE_CHARS);
  if (MAILBOX_FROM.test(line)) return true;
  if (UNSPACED_MORE.test(line)) return !found.unspaced;
  if (!goesOn(lines[at - 1])) return false;
  return MORE_THAN.test(line) || PATH.test(line) || (found.marked === 1 && LOWER_CASE.test(line));
}

/** How each line is marked. */
export function quoteMarks(lines: string[]): Mark[] {
  const isMarked = lines.map((line) => MARK.test(line) && !OWN_SIGN.test(line.slice(0, LINE_CHARS)));
  const found = {
    marked: isMarked.reduce((sum, each) => sum + (each ? 1 : 0), 0),
    unspaced: lines.some((line) => UNSPACED.test(line)),
  };
  // Three marks where no line has fewer are a prompt.
  const isPrompt = lines.every((line, at) => !isMarked[at] || line.startsWith(">>>"));
  let isDifference = false;
  return lines.map((line, at) => {
    if (line === "") return "none";
    if (isMarked[at]) {
      if (!isMarked[at - 1]) isDifference = DIFFERENCE.test(lines[at - 1] ?? "");
      const isAlone = !isMarked[at - 1] && !isMarked[at + 1];
      if (isDifference || (isAlone && isProse(lines, at, found))) return "none";
      if (!line.startsWith(" ")) return isPrompt ? "loose" : "quoted";
    }
    return RARE.test(line) ? "loose" : isMarked[at] ? "quoted" : "none";
  });
}
