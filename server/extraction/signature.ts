// Decides whether a line of two dashes begins a signature: what follows must be short and the last of what was written.
import { NOTICE } from "./reply-phrases.ts";

const EXACT = /^-- $/;
const DELIMITER = /^--\s?$/;
/** Of the first paragraph, with the space that RFC 3676 §4.3 asks for, and without it. */
const LINES = 10;
const CHARS = 600;
const BARE_LINES = 7;
const BARE_CHARS = 350;
const LATER_PARAGRAPHS = 4;
/** "Name: Pat" */
const FIELD = /^\p{L}[\p{L}\p{M}\p{Nd}\s.'’()/-]{0,30}[:：]\s*\S/u;
const QUESTION = /[?？؟;]\s*$/u;
const SENTENCE = /[.!?。！？؟।]["”»）)]?\s*$/u;
/** Of a motto or a notice. A longer text is no signature. */
const SENTENCES = 2;
const WORDS_MIN = 5;
const LETTERS_MIN = 12;
/** More lines than these say how to reach the sender. */
const NAME_LINES = 5;
const CONTACT = /(?:\p{Nd}[\s()/.+-]{0,3}){5}|@|:\/\/|www\./u;
/** A line of so many words, none of them a contact, was written for this mail. */
const PROSE_WORDS = 8;

export const isDelimiter = (line: string) => DELIMITER.test(line);
const isEmpty = (line: string | undefined) => (line ?? "").trim() === "";

/** A sentence, so something that was written for this mail. */
function isSentence(line: string): boolean {
  const words = line.trim().split(/\s+/);
  const isLong = words.length >= WORDS_MIN || /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Thai}]/u.test(line);
  return QUESTION.test(line) || (isLong && line.length >= LETTERS_MIN && SENTENCE.test(line));
}

const isProse = (line: string) => line.trim().split(/\s+/).length >= PROSE_WORDS && !CONTACT.test(line);

/** Whether lines are too many, or too wordy, for a signature: a list, or a postscript whose sentences wrap. A notice may be wordy. */
function isLong(lines: string[]): boolean {
  const isForm = lines.length > 1 && lines.every((line) => FIELD.test(line));
  if ((isForm || lines.length > NAME_LINES) && !lines.some((line) => CONTACT.test(line))) return true;
  const notices = new Set(lines.join(" ").toLowerCase().match(NOTICE));
  return notices.size < 2 && lines.filter(isProse).length > SENTENCES;
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];

/** Whether a line is the sender's name, or a part of it. */
function isNamed(line: string, sender: string): boolean {
  const [words, names] = [wordsOf(line), new Set(wordsOf(sender))];
  return words.length > 0 && words.every((word) => names.has(word));
}

/** At most one line more than a signature may have. */
function paragraphEnd(lines: string[], from: number, isOpen: (at: number) => boolean): number {
  const last = Math.min(lines.length, from + LINES + 1);
  let end = from;
  while (end < last && isOpen(end) && !isEmpty(lines[end])) end += 1;
  return end;
}

/**
 * The end of the signature whose delimiter stands on this line; the line itself if it begins none. A paragraph with sentences below a
 * signature with a name, an address or a number ("P.S.") does not belong to it; below other lines it makes them the sender's ("Menu").
 * Where lines of two dashes part a text, only the sender's name, an address or a number begins a signature.
 * @param isOpen whether a line is not quoted
 * @param sender the name of the sender, "" if it is not known
 * @param isParted whether such a line above begins none
 */
export function signatureEnd(
  lines: string[],
  at: number,
  isOpen: (at: number) => boolean,
  { sender, isParted }: { sender: string; isParted: boolean },
): number {
  const isExact = EXACT.test(lines[at] ?? "");
  const end = paragraphEnd(lines, at + 1, isOpen);
  const first = lines.slice(at + 1, end);
  const chars = first.reduce((sum, line) => sum + line.length, 0);
  if (first.length > (isExact ? LINES : BARE_LINES) || chars > (isExact ? CHARS : BARE_CHARS)) return at;
  const isForm = first.length > 1 && first.every((line) => FIELD.test(line));
  if (isForm || first.some((line) => DELIMITER.test(line) || QUESTION.test(line))) return at;
  if (isLong(first)) return at;
  if (first.filter(isSentence).length > (isExact ? SENTENCES : 0)) return at;
  const isContact = isNamed(first[0] ?? "", sender) || first.some((line) => CONTACT.test(line));
  if (isParted && !isContact) return at;
  return laterEnd(lines, end, isOpen) ?? (isExact && isContact ? end : at);
}

/** The end of the short paragraphs after the first; undefined if something else follows. */
function laterEnd(lines: string[], from: number, isOpen: (at: number) => boolean): number | undefined {
  let at = from;
  for (let left = LATER_PARAGRAPHS; left >= 0; left -= 1) {
    while (at < lines.length && isOpen(at) && isEmpty(lines[at])) at += 1;
    if (at >= lines.length || !isOpen(at)) return at;
    const end = paragraphEnd(lines, at, isOpen);
    const paragraph = lines.slice(at, end);
    if (paragraph.length > LINES || isLong(paragraph)) return undefined;
    if (paragraph.some((line) => isSentence(line) || DELIMITER.test(line))) return undefined;
    at = end;
  }
  return undefined;
}
