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
/** What stands above the lines that a shell marks as the rest of a command: "$ cat > a.txt <<EOF", "PS C:\\> foreach ($a in $b) {". */
const COMMAND = /^(?:\$|\S{0,60}[~\])\w]\$|PS\s\S{0,80}>)\s\S/u;
const PROMPT = /^>>(?!.*[.!?…。！？؟।]\s*$)/u;
/** What R prints below the lines that it marks. */
const PRINTED = /^\s*\[1\]\s/;
/** A line of the letters of a sequence, below its name in the form of FASTA. */
const SEQUENCE = /^(?:[A-Z*-]{10,}|[acgtun-]{10,})\s*$/;
const STEP_CHARS = 30;
const STEP_WORDS = 4;
/** A name in a menu: it begins large and ends no part of a sentence. */
const STEP = /^["'“„«「]?[\p{Lu}\p{Lo}\p{Nd}](?:[^>]*[^.!?…。！？؟।:：,;>])?$/u;
/** An address alone, or two numbers with a currency or a part of a hundred. */
const ENTRY =
  /^(?:[^\s@]{1,64}@[^\s@]{1,255}|(?=.{0,80}(?:\p{Sc}|%|\p{Lu}{3}))\P{L}{0,3}\p{Nd}[^.!?？]{0,60}\p{Nd}[^.!?？\p{Nd}]{0,10})$/u;
/** Supercite introduces a quote so, and marks each line with the name: `>>>>> "Ann" == Ann Lee <ann@shop.example> writes:` */
const SUPERCITE = /^>{2,8}\s?"([\p{L}\p{M}\p{Nd}. -]{1,30})" == .{1,400}[:：]\s*$/u;
const SUPERCITED = /^\s{0,8}([\p{L}\p{M}\p{Nd}. -]{1,30})>/u;
const LINE_CHARS = 500;
/** A shorter line may be a greeting, so nothing that goes on in the next. */
const GOES_ON_CHARS = 12;

/** Other signs that some programs and people put before quoted lines. */
const OTHER_MARK = /^\s{0,3}([}{|:;~=!%#&+*•·‣›»¦┃│▌▎❯–—-])(?:\s|$)/u;
const BULLET = /[#&+*•·‣–—~=!%-]/u;
/** The sign that a line begins with, if some put it before quoted lines. */
export const otherMark = (line: string) => OTHER_MARK.exec(line)?.[1];
export const withoutOtherMark = (line: string) => line.replace(OTHER_MARK, "");
/** Whether a person puts a sign before own lines, too: points of a list, words with weight. */
export const isBulleted = (sign: string) => BULLET.test(sign);

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

function isStep(line: string | undefined): boolean {
  const words = (line ?? "").slice(0, LINE_CHARS).trim();
  return words.length <= STEP_CHARS && words.split(/\s+/).length <= STEP_WORDS && STEP.test(words.replace(/…$/, ""));
}

/** Whether marked lines are steps of the sender that the line above begins: a path of menus, one name in each line. */
function isPath(lines: string[], from: number, to: number): boolean {
  return isStep(lines[from - 1]) && lines.slice(from, to).every((line) => isStep(line.replace(MARK, "")));
}

/** Whether a run of marked lines is in a form of programs: the rest of a command, a session of R, the name of a sequence. */
function isOfProgram(lines: string[], from: number, to: number): boolean {
  const above = lines[from - 1]?.slice(0, LINE_CHARS) ?? "";
  const below = lines[to]?.slice(0, LINE_CHARS) ?? "";
  if (DIFFERENCE.test(above) || COMMAND.test(above) || PRINTED.test(below)) return true;
  return to === from + 1 && UNSPACED.test(lines[from]?.slice(0, LINE_CHARS) ?? "") && SEQUENCE.test(below);
}

/** Whether marked lines are a list that is rarely quoted alone: addresses, amounts of money. */
function isList(lines: string[]): boolean {
  return lines.every((line) => line.length <= LINE_CHARS && ENTRY.test(line.replace(MARK, "").trim()));
}

/** The names with which Supercite marks lines. */
function citedNames(lines: string[]): Set<string> {
  const introductions = lines.filter((line) => line.startsWith(">>") && line.length <= LINE_CHARS);
  return new Set(introductions.flatMap((line) => SUPERCITE.exec(line)?.[1] ?? []));
}

/** How runs of marked lines that the sender may have marked are, by their form and by the lines around them. */
function settleRuns(lines: string[], isMarked: boolean[], marks: Mark[]): void {
  const unspaced = lines.some((line) => UNSPACED.test(line));
  const found = { marked: isMarked.reduce((sum, each) => sum + (each ? 1 : 0), 0), unspaced };
  // A quote stands before what a person writes below its lines, so a path follows no other marked lines.
  let hasQuote = false;
  for (let from = isMarked.indexOf(true); from >= 0; ) {
    const end = isMarked.indexOf(false, from);
    const to = end < 0 ? lines.length : end;
    const isProseAlone = to === from + 1 && isProse(lines, from, found);
    if (isProseAlone || isOfProgram(lines, from, to) || (!hasQuote && isPath(lines, from, to)))
      marks.fill("none", from, to);
    else if (isList(lines.slice(from, to))) marks.fill("loose", from, to);
    else hasQuote = true;
    from = isMarked.indexOf(true, to);
  }
}

/** How each line is marked. */
export function quoteMarks(lines: string[]): Mark[] {
  const isMarked = lines.map((line) => MARK.test(line) && !OWN_SIGN.test(line.slice(0, LINE_CHARS)));
  if (!isMarked.includes(true)) return lines.map((line) => (RARE.test(line) ? "loose" : "none"));
  const names = citedNames(lines);
  const isCited = (line: string) =>
    names.size > 0 && names.has(SUPERCITED.exec(line)?.[1] ?? SUPERCITE.exec(line.slice(0, LINE_CHARS))?.[1] ?? "");
  // Several marks where no line has fewer are a prompt; two of them before what is no sentence.
  const isPrompt = lines.every((line, at) => !isMarked[at] || line.startsWith(">>>") || PROMPT.test(line));
  const marks = lines.map((line, at): Mark => {
    if (line === "") return "none";
    if (isCited(line)) return "quoted";
    if (isMarked[at] && !line.startsWith(" ")) return isPrompt ? "loose" : "quoted";
    return RARE.test(line) ? "loose" : isMarked[at] ? "quoted" : "none";
  });
  settleRuns(lines, isMarked, marks);
  return marks;
}
