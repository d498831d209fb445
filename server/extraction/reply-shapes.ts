// Recognizes by their shape, in any language, the lines with which mail clients introduce a quote.
import {
  headerRole,
  isForwardPrefix,
  isReplyPrefix,
  PHRASE_CHARS,
  startsForward,
  startsOriginal,
} from "./reply-phrases.ts";

/** How many lines the header lines of a quoted mail take, with those that wrap. */
const HEADER_LINES = 16;
const HEADERS_MIN = 3;
/** A subject this short may be found by chance. */
const SUBJECT_CHARS = 3;
/** Notes indents them, below its separator; a person indents a form or settings. */
const INDENTED = /^\s{5}/;
const LABEL =
  /^[\s*_]{0,20}(\p{L}[\p{L}\p{M}\p{Cf}\s.'’()/-]{0,28}?)[\s*_]{0,4}(?::[*_]{0,2}(?:\s|(?=[^\s/\d])|$)|：[*_]{0,2})(.*)$/u;
const CELL_LABEL = /^\p{L}[\p{L}\p{M}\p{Cf}\s.'’()/-]{0,28}$/u;
const ADDRESS = /[^\s@<>()[\]"'«»,;:]{1,64}@[^\s@<>()[\]"'«»,;]{2,}/u;
/** Digits of all scripts; hour and minute, and year or day, month and year. */
const CLOCK = /(?:^|\P{N})\p{Nd}{1,2}\s?(?:[:.h時时点시](?=\s?\p{Nd}{2})|Uhr)/u;
const YEAR =
  /(?:^|\P{Nd})(?:19|20|25|13|14|[١۱][٣٤۳۴]|[٢۲२২][٠۰०০])\p{Nd}{2}(?:\P{Nd}|$)|\p{Nd}{1,4}[./-]\s?\p{Nd}{1,2}[./-]\s?\p{Nd}{1,4}/u;
/** Ends a sentence, so no line that goes on in the next. */
export const SENTENCE_END = /[.!?…。！？؟।:：]$/u;
const COLON_END = /[:：﹕][\u200e\u200f]?$/u;
const RULER = /^[-‐–—_=*─]{5,}$/;
const PREFIX = /^\s*(?:\[[^\]]{0,30}\]\s*)?(\p{L}[\p{L}\p{M}.]{0,11})\s?(?:\[\d+\]|\(\d+\))?\s?[:：]\s*/u;

export const isRuler = (line: string) => RULER.test(line);
export const isDated = (line: string) => CLOCK.test(line) || YEAR.test(line);
export const hasAddress = (line: string) => ADDRESS.test(line);

const short = (line: string | undefined) => (line ?? "").slice(0, PHRASE_CHARS).trim();

/** "[Fwd: opening hours]" */
const BRACKETED_FORWARD = /^\s*\[fwd?[:\]]/i;

/** Whether a subject says that its mail was forwarded. */
export function isForwardSubject(subject: string): boolean {
  return BRACKETED_FORWARD.test(subject) || isForwardPrefix(PREFIX.exec(subject)?.[1]?.toLowerCase() ?? "");
}

/** Whether a subject says that its mail answers another. */
export function isReplySubject(subject: string): boolean {
  return isReplyPrefix(PREFIX.exec(subject)?.[1]?.toLowerCase() ?? "");
}

/** A subject without "Re:" and its like. */
export function bareSubject(subject: string): string {
  let bare = short(subject);
  for (let left = 5; left > 0; left -= 1) {
    const prefix = PREFIX.exec(bare);
    const word = prefix?.[1]?.toLowerCase() ?? "";
    if (!prefix || !(isReplyPrefix(word) || isForwardPrefix(word))) break;
    bare = bare.slice(prefix[0].length);
  }
  return bare.trim().toLowerCase();
}

type Pair = { label: string; value: string };
type Header = Pair & { at: number };

/** "Word: value", or "| Word | value |" of a table. */
function pairOf(line: string): Pair | undefined {
  const found = line.includes(":") || line.includes("：") ? LABEL.exec(line) : null;
  if (found) return { label: found[1] ?? "", value: (found[2] ?? "").trim() };
  if (!line.includes("|")) return undefined;
  const [before, label, value, after, ...more] = line.split("|").map((cell) => cell.trim());
  if (before !== "" || after !== "" || more.length > 0 || !CELL_LABEL.test(label ?? "")) return undefined;
  return { label: label ?? "", value: value ?? "" };
}

/** Whether a line may be one of the header lines of a quoted mail. */
export const isHeaderLine = (line: string) => pairOf(line.slice(0, PHRASE_CHARS)) !== undefined;

/** "Word: value" lines in a row. A value may wrap, and some clients write an empty line after every header line. */
function headersFrom(lines: string[], from: number): { headers: Header[]; end: number } {
  const headers: Header[] = [];
  let end = from;
  for (let at = from; at < lines.length && at < from + HEADER_LINES; at += 1) {
    const line = lines[at]?.slice(0, PHRASE_CHARS) ?? "";
    const found = pairOf(line);
    // "My answers in red:" above them.
    if (at === from && found?.value === "" && headerRole(`${found.label}:`) === undefined) break;
    if (found) {
      headers.push({ at, ...found });
      end = at + 1;
      continue;
    }
    const before = short(lines[at - 1]);
    // A note of the sender may stand above them: "Note: paid."
    const isKnown = headers.some(({ label }) => headerRole(`${label}:`) !== undefined);
    const isGap = isKnown && line.trim() === "" && before !== "" && headerRole(short(lines[at + 1])) !== undefined;
    const isWrapped = line.trim() !== "" && (/[,;]$/.test(before) || (/^[ \t]/.test(line) && before !== ""));
    if (!isGap && !isWrapped) break;
    if (isWrapped) end = at + 1;
  }
  return { headers, end };
}

/** `from`: the line of words between rulers above the header lines, if there is one. */
type Block = { isBlock: boolean; from: number; end: number };

/** What a subject line of a quoted mail says: the subject of this mail, or "RE: …". */
function isSubjectValue(value: string, subject: string): boolean {
  const word = PREFIX.exec(value)?.[1]?.toLowerCase() ?? "";
  if (isReplyPrefix(word) || isForwardPrefix(word)) return true;
  return subject.length >= SUBJECT_CHARS && bareSubject(value) === subject;
}

/**
 * Whether the header lines of a quoted mail begin here: sender, date, recipient and subject in any order. A form or a record that a
 * person pasted has such lines, too: a date and an address are not enough.
 * @param subject of this mail, by `bareSubject`
 */
export function headerBlock(lines: string[], from: number, subject: string): Block {
  const { headers, end } = headersFrom(lines, from);
  let above = from - 1;
  while (above >= 0 && above > from - 3 && lines[above]?.trim() === "") above -= 1;
  const separator = short(lines[above]);
  const start = isDashed(separator) ? above : from;
  const found = (isBlock: boolean): Block => ({ isBlock, from: start, end });
  if (INDENTED.test(lines[from] ?? "") && !isDashed(separator) && !startsOriginal(separator)) return found(false);
  const isSeparated = isRuler(separator) || startsOriginal(separator) || isDashed(separator);
  const roles = headers.map(({ label }) => headerRole(`${label}:`));
  const known = new Set(roles.filter((role) => role !== undefined));
  const values = headers.map(({ value }) => value);
  const addresses = values.filter(hasAddress).length;
  const isSubject = values.some((value) => isSubjectValue(value, subject));
  if (
    isSeparated &&
    headers.length >= 2 &&
    (known.size >= 2 || addresses > 0) &&
    (known.has("from") || addresses > 0)
  ) {
    return found(true);
  }
  if (headers.length < HEADERS_MIN) return found(false);
  // "Message: …" or "Error: …" below them: a form, or a record.
  const isRecord = roles.at(-1) === undefined && known.size > 0 && !isSubject && !isSeparated;
  const isFull = known.has("from") && known.has("to") && known.size >= HEADERS_MIN;
  const isSure = known.has("from") && known.size >= HEADERS_MIN && isSubject && addresses > 0;
  if (!isRecord && ((isFull && (known.has("subject") || addresses > 0)) || isSure)) return found(true);
  // Where a client's words are known, addresses stand beside them: "Organizer: …" is a record. Where none is, the sender comes first.
  const isOwner = known.size > 0 && values.some((value, n) => hasAddress(value) && roles[n] === undefined);
  const isSender = addresses > 1 && (known.size > 0 || hasAddress(values[0] ?? ""));
  const isShaped = addresses > 0 && values.some(isDated) && (isSender || isSubject || isSeparated);
  return found(isShaped && !isRecord && (!isOwner || isSubject || isSeparated));
}

const DATE_CHARS = 40;
const TABLE_LINES = 16;

/**
 * The header lines of a quoted mail whose cells stand on lines of their own, as Notes writes them: the sender, a date alone, then labels
 * and below each what it names, an address and the subject of this mail among them.
 * @param at the line of the date
 */
export function headerTable(lines: string[], at: number, subject: string): { from: number; end: number } | undefined {
  const date = lines[at]?.trim() ?? "";
  if (subject.length < SUBJECT_CHARS || date.length > DATE_CHARS || !/^\p{Nd}/u.test(date)) return undefined;
  if (!CLOCK.test(date) || !YEAR.test(date) || date.endsWith(".")) return undefined;
  let from = at - 1;
  while (from > at - 3 && short(lines[from]) === "") from -= 1;
  const sender = short(lines[from]);
  const isSender = hasAddress(sender) && sender.length <= DATE_CHARS * 2 && !SENTENCE_END.test(sender);
  let label = "";
  let isAddressed = isSender;
  for (let next = at + 1; next < lines.length && next <= at + TABLE_LINES; next += 1) {
    const line = short(lines[next]);
    if (line === "") continue;
    if (CELL_LABEL.test(label) && isAddressed && bareSubject(line) === subject) {
      return { from: isSender ? from : at, end: next + 1 };
    }
    isAddressed ||= hasAddress(line) || headerRole(`${line}:`) === "to";
    label = line;
  }
  return undefined;
}

/** "----- any words -----" */
export function isDashed(line: string): boolean {
  return line.length <= PHRASE_CHARS && /^[*>\s]{0,3}[-‐–—_=]{3,}\s?[^-‐–—_=].{2,100}?[-‐–—_=]{3,}$/u.test(line);
}

/** ">>> Ann Lee <ann@shop.example> 26.11.2026 16:11 >>>", as GroupWise introduces the text below. */
export function isBetweenMarks(line: string): boolean {
  return line.length <= PHRASE_CHARS && /^>>>\s.{3,}\s>>>$/u.test(line) && isDated(line);
}

const BRACKETED = /[<(][^\s@<>()]{1,64}@[^\s@<>()]{2,}[>)]/u;

/** Whether a line names sender, address, day and time as an attribution does. */
export function isFull(line: string): boolean {
  return (
    line.length <= PHRASE_CHARS && COLON_END.test(line) && BRACKETED.test(line) && YEAR.test(line) && CLOCK.test(line)
  );
}

/** Whether a line names an address and ends in a colon. */
export const introduces = (line: string) => line.length <= PHRASE_CHARS && COLON_END.test(line) && hasAddress(line);

/** Whether a line names an address in brackets or before a dash, day and time, as some clients write an attribution. */
export function isUnendedAttribution(line: string): boolean {
  if (line.length > PHRASE_CHARS || !/[\p{Nd}>)\]‐–—-]$/u.test(line)) return false;
  return (
    (BRACKETED.test(line) || /[‐–—-]$|@\S+\s+[‐–—-]\s/u.test(line)) &&
    hasAddress(line) &&
    YEAR.test(line) &&
    CLOCK.test(line)
  );
}

/** Lines of an attribution, and from which length a mail client wraps one. */
const ATTRIBUTION_LINES = 5;
const WRAPPED_CHARS = 60;

/** Whether a line is so long that its next word did not fit. */
function isWrapped(line: string, next: string): boolean {
  return /^[<([]$/.test(line) || line.length + 1 + (/^\S*/.exec(next)?.[0].length ?? 0) >= WRAPPED_CHARS;
}

/**
 * The first line of the attribution that ends on a line which quoted lines follow: one to five lines with an address or a date,
 * ended by a colon. Undefined if the line is none.
 */
export function attributionAbove(lines: string[], end: number, isOpen: (at: number) => boolean): number | undefined {
  const last = short(lines[end]);
  if (!COLON_END.test(last) || (lines[end]?.length ?? 0) > PHRASE_CHARS || startsForward(last)) return undefined;
  let address = hasAddress(last);
  let year = YEAR.test(last);
  let clock = CLOCK.test(last);
  let from = address || (year && clock) ? end : undefined;
  for (let at = end - 1; at > end - ATTRIBUTION_LINES && at >= 0 && isOpen(at); at -= 1) {
    const line = short(lines[at]);
    const addsAddress = !address && hasAddress(line);
    if (line === "" || (SENTENCE_END.test(line) && !(addsAddress && COLON_END.test(line)))) break;
    const adds =
      addsAddress || (!year && YEAR.test(line)) || (!clock && address && CLOCK.test(line) && YEAR.test(line));
    if (!adds && !(isWrapped(line, short(lines[at + 1])) && /[\p{Nd}@]|^.$/u.test(line))) break;
    address ||= hasAddress(line);
    year ||= YEAR.test(line);
    clock ||= CLOCK.test(line);
    const isParagraph = short(lines[at - 1]) === "" || !isOpen(at - 1);
    if (adds || isParagraph) from = at;
  }
  return from;
}
