// Finds the words of the server in the text that a bounce has for people, in any language: by codes, by the address, by position.
import { blamesOther, type Codes, readCodes } from "../../recipients/outcomes/codes.ts";
import { CAUSE } from "../../recipients/outcomes/unknown-phrases.ts";
import { DELIVERY } from "./delay-phrases.ts";

const LINES_MAX = 2_000;
const LINE_CHARS = 1_000;
/** Of a reason before and behind the line that names it. */
const REASON_LINES = 8;
/** Of the words before the code: more of them are an explanation for people. */
const BEFORE_CODE_CHARS = 160;
/** Header lines that only servers write: the copy of the returned mail begins. */
const COPY = /^[\s>|]*(?:received|return-path|dkim-signature|x-received|arc-[a-z-]{1,40})[ \t]*:/i;
const FIRST_FAILURE = 400;
/** What the sending server wrote in a session that is shown. */
const COMMAND = /^\s*(?:>>>|In:|C:)/;
const RULE = /^[|\s]*[-=*_~#]{3,}/;
const HEADER = /^[\s|]*(?:from|to|cc|subject|sent|date|message-id)[ \t]*:/i;
const ANY_HEADER = /^[\s|>]*[A-Za-z][\w-]{1,40}:[ \t]*\S/;
const ADDRESS = /[^\s<>@()[\]]+@[^\s<>@()[\]]+/;
/** A line with nothing but an address. */
const ADDRESS_LINE = /^[\s|]*<?[^\s<>@]+@[^\s<>@]+>?(?:<mailto:[^\s>]*>)?[\s:;.,]*$/i;
/** Words are several groups of letters, or many letters of a script that writes no spaces. */
const WORD = /\p{L}[\p{L}\p{M}]+/gu;
const WORDS_MIN = 3;
const LETTERS_MIN = 12;
/** A short line that introduces another: "because:". */
const LABEL = /^.{1,60}:\s*$/;
/** Of a line that only introduces others, or ends with the address. */
const INTRODUCES = /[:：]\s*$/;
const ADDRESS_END = /[^\s<>@()[\]]+@[^\s<>@()[\]]+[\s>'"”»).,]{0,6}$/;
/** Replies of a session before the one that failed. */
const EARLIER_REPLY = /(?:^|(?<=[\s;:]))(?:[23][0-5]\d(?=[\s-])|2\.[0-7]\.\d{1,3}(?!\.?\d))/g;

/** The codes of a failure: those of steps before it do not count. */
export function failureCodes(text: string): Codes {
  const { smtp_code, enhanced_code } = readCodes(text.replace(EARLIER_REPLY, " "));
  return { smtp_code: smtp_code !== null && smtp_code >= FIRST_FAILURE ? smtp_code : null, enhanced_code };
}

const hasCodes = ({ smtp_code, enhanced_code }: Codes) => smtp_code !== null || enhanced_code !== null;

/** The text before the copy of the returned mail, and whether there is a copy. */
export function splitCopy(text: string): { lines: string[]; hasCopy: boolean } {
  const lines = text.split(/\r\n?|\n/, LINES_MAX).map((line) => line.slice(0, LINE_CHARS));
  const copy = lines.findIndex((line) => COPY.test(line));
  return copy < 0 ? { lines, hasCopy: false } : { lines: lines.slice(0, copy), hasCopy: true };
}

const isBlank = (line: string) => line.trim() === "";
const isWords = (line: string | undefined): line is string =>
  line !== undefined && !isBlank(line) && ![RULE, COMMAND, HEADER, ADDRESS_LINE].some((form) => form.test(line));

const hasNoCode = (line: string) => !hasCodes(failureCodes(line));
/** Whether a line only introduces the words of the server. One that blames something else says why, and is judged with them. */
const isGreeting = (line: string) =>
  hasNoCode(line) &&
  !blamesOther(line) &&
  (INTRODUCES.test(line) || (ADDRESS_END.test(line) && DELIVERY.test(line.replace(ADDRESS, " "))));

function saysSomething(text: string): boolean {
  const words = text.match(WORD) ?? [];
  return words.length >= WORDS_MIN || words.join("").length >= LETTERS_MIN;
}

/** The line whose codes are most complete, first among those about the address. Undefined if no line has a code. */
function codedLine(lines: string[], address: string): number | undefined {
  let best: { at: number; score: number } | undefined;
  let isAbout = false;
  for (const [at, line] of lines.entries()) {
    if (ADDRESS.test(line)) isAbout = address !== "" && line.toLowerCase().includes(address);
    if (!isWords(line)) continue;
    const { smtp_code, enhanced_code } = failureCodes(line);
    const codes = (smtp_code === null ? 0 : 2) + (enhanced_code === null ? 0 : 2);
    const score = codes + (isAbout ? 3 : 0);
    if (codes > 0 && score > (best?.score ?? 0)) best = { at, score };
  }
  return best?.at;
}

/** The line that says something about an address: beside it, below it, or above it. */
function addressedLine(lines: string[], address: string): number | undefined {
  const isOf = (line: string) => !HEADER.test(line) && line.toLowerCase().includes(address);
  const given = address === "" ? -1 : lines.findIndex(isOf);
  const at = given >= 0 ? given : lines.findIndex((line) => !HEADER.test(line) && ADDRESS.test(line));
  const line = lines[at];
  if (line === undefined) return;
  const rest = line.replace(ADDRESS, " ");
  const isFound = (other: string) => isWords(other) && !LABEL.test(other) && saysSomething(other.replace(ADDRESS, " "));
  if (isGreeting(line) && !ADDRESS_LINE.test(line)) {
    const end = lines.findIndex((other, index) => index > at && isBlank(other));
    const paragraph = lines.slice(0, end < 0 ? lines.length : end);
    const next = paragraph.findIndex((other, index) => index > at && isFound(other));
    if (next >= 0) return next;
  }
  if (!ADDRESS_LINE.test(line) && (saysSomething(rest) || /[:[(.]\s*\p{L}|\p{L}\s*:\s*$/u.test(rest))) return at;
  const below = lines.findIndex((other, index) => index > at && isFound(other));
  if (below >= 0) return below;
  const above = lines.findLastIndex((other, index) => index < at && isFound(other));
  return above >= 0 ? above : undefined;
}

/** The line that names the cause. */
function causeLine(lines: string[]): number | undefined {
  const at = lines.findIndex((line) => CAUSE.test(line));
  if (at < 0) return;
  const words = (line = "") => isWords(line) && saysSomething(line.replace(CAUSE, ""));
  const next = lines.findIndex((line, index) => index > at && !isBlank(line));
  return words(lines[at]) ? at : words(lines[next]) ? next : undefined;
}

/** The line with those around it that belong to it, on one line. */
function around(lines: string[], at: number): string {
  const stands = (line: string | undefined): line is string =>
    isWords(line) && (!hasCodes(readCodes(line)) || hasCodes(failureCodes(line)));
  let [from, to] = [at, at];
  let before = 0;
  while (at - from < REASON_LINES) {
    const line = lines[from - 1];
    if (!stands(line) || isGreeting(line) || before + line.trim().length > BEFORE_CODE_CHARS) break;
    before += line.trim().length;
    from -= 1;
  }
  while (to - at < REASON_LINES && stands(lines[to + 1])) to += 1;
  return lines
    .slice(from, to + 1)
    .map((line) => line.replace(/^\s*(?:<<<|Out:|S:)\s*/, "").trim())
    .join(" ");
}

/** Without the sentences of a long explanation before the code. */
function fromCode(words: string): string {
  const { smtp_code, enhanced_code } = failureCodes(words);
  const code = words.indexOf(String(smtp_code ?? enhanced_code));
  if (code <= BEFORE_CODE_CHARS) return words;
  const sentence = words.lastIndexOf(". ", code);
  return words.slice(sentence >= code - BEFORE_CODE_CHARS ? sentence + 2 : code);
}

/** The first line of the header of the returned mail, as a server shows it below its words; undefined if there is none. */
function returnedFrom(lines: string[]): number | undefined {
  let from = 0;
  let isOfMail = false;
  for (const [at, line] of lines.entries()) {
    if (!ANY_HEADER.test(line)) {
      from = at + 1;
      isOfMail = false;
    } else {
      isOfMail ||= HEADER.test(line);
      if (at - from >= 2 && isOfMail) return from;
    }
  }
  return undefined;
}

/** Words above the returned mail, if they have a code or name the recipient: what stands in the mail says nothing about it. */
function wordsAbove(lines: string[], address: string): string | undefined {
  const above = lines.slice(0, returnedFrom(lines) ?? 0);
  const coded = codedLine(above, address);
  if (coded !== undefined) return fromCode(around(above, coded));
  const cause = causeLine(above);
  if (cause !== undefined) return around(above, cause);
  const isNamed = address !== "" && above.some((line) => line.toLowerCase().includes(address));
  const addressed = isNamed ? addressedLine(above, address) : undefined;
  return addressed === undefined ? undefined : around(above, addressed);
}

/**
 * The words of the server, and whether a code or an address names them; otherwise they are the last that stand before the copy.
 * @param address of the recipient, in lower case
 */
export function serverWords(lines: string[], address: string): { words: string; isNamed: boolean } {
  const above = wordsAbove(lines, address);
  if (above !== undefined) return { words: above, isNamed: true };
  const coded = codedLine(lines, address);
  if (coded !== undefined) return { words: fromCode(around(lines, coded)), isNamed: true };
  const addressed = causeLine(lines) ?? addressedLine(lines, address);
  if (addressed !== undefined) return { words: around(lines, addressed), isNamed: true };
  const last = lines.findLastIndex((line) => isWords(line) && !LABEL.test(line) && saysSomething(line));
  const any = last >= 0 ? last : lines.findIndex(isWords);
  return { words: any < 0 ? "" : around(lines, any), isNamed: false };
}
