// Finds the one-time code of a mail: weighs what is seen of each number.
import { MAY_HOLD } from "./code-candidates.ts";
import { type Mode, type Observed, observe } from "./code-evidence.ts";
import { THRESHOLDS, WEIGHTS } from "./code-weights.ts";
import type { HtmlReading, Piece } from "./html/html-reading.ts";
import { STRUCK } from "./html/set-off.ts";
import { type Lexicon, lexiconOfAll } from "./lexicon.ts";
import { isAscii, limitMarks } from "./marks.ts";
import { replaceUrls } from "./urls.ts";

/** A code is near the start of a mail; later text is not read. */
const READ_CHARS = 50_000;
/** Two codes of equal strength are none. */
const LEAD = 2.5;

/** The code, and the confidence, 0–1. */
export type Found = { value: string; confidence: number };

/**
 * Normalizes text for the rules: NFKC (full-width digits and colons), every decimal digit in ASCII, zero-width
 * characters removed, one form of dashes and apostrophes, and quoted lines (`>`), URLs and addresses blanked.
 */
function normalise(text: string): string {
  const read = text.slice(0, READ_CHARS);
  return blankOthers(isAscii(read) ? read : toAscii(read));
}

const ADDRESS_IN_TEXT =
  /(?:[\w.!#$%&'*+/=?^`{|}~-]{1,64}|[^\s<>"@]{0,63}[^\s<>"@!-~])@(?:[\w-][\w.-]{0,254}|[^\s<>"@]{1,255})/g;

/** Line ends, and what no code is taken from. */
function blankOthers(text: string): string {
  const ended = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  // ">> 482913 <<" is set off, not quoted.
  const lines = ended.includes(">") ? ended.replace(/^[ \t]*>(?![^<\n]{1,40}<[< \t]*$).*$/gm, "") : ended;
  // "Code ........ 482913", "Code _____ 482913"
  const led = /[.·_…]{3}/.test(lines)
    ? lines.replace(/(?<=[\p{L}\p{N})])[ \t]{0,8}(?:[.·_]{3,80}|…{1,40})[ \t]{0,8}(?=[A-Z\d])/gu, ": ")
    : lines;
  const linked = replaceUrls(led, "\ufffc");
  return linked.includes("@") ? linked.replace(ADDRESS_IN_TEXT, "\ufffc") : linked;
}

/** The characters of the rules in their ASCII form. */
function toAscii(text: string): string {
  const seen = text.replace(
    /[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g,
    "",
  );
  return (
    limitMarks(seen)
      .replace(/[，、]/g, ", ")
      .normalize("NFKC")
      .slice(0, READ_CHARS)
      .replace(/(?![0-9])\p{Nd}/gu, asciiDigit)
      // "验证码820193,5分钟内有效": a comma between two things, not in an amount.
      .replace(/(\d{4}),(?=\d{1,2}\s?[分秒小天时時間])/g, "$1, ")
      .replace(/\r\n?|\u2028|\u2029/g, "\n")
      .replace(/[\u2010-\u2015\u2212]/g, "-")
      .replace(/[\u2018\u2019\u02bc]/g, "'")
      .replace(/İ/g, "I")
  );
}

/** Decimal digits stand in runs of ten in Unicode, from zero; the runs start at a character whose predecessor is no digit. */
function asciiDigit(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  let zero = point;
  while (point - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(point - zero);
}

/** Joins codes with one digit or letter per cell or line, or in two short lines. */
function joinSplit(text: string): string {
  const joined = SPLIT.test(text) ? text.replace(SPLIT_IN_LINE, joinRun).replace(SPLIT_BY_LINES, joinRun) : text;
  return HALVES.test(joined)
    ? joined.replace(/^([ \t]*\d{2,4})[ \t]*\n{1,2}[ \t]*(\d{2,4}[ \t]*)$/gm, "$1 $2")
    : joined;
}

const joinRun = (run: string) => (/\d/.test(run) ? run.replace(/[^A-Z\d]/g, "") : run);

const SPLIT_IN_LINE =
  /(?<![\p{L}\p{N}.,:/-])[A-Z\d](?:[ \t|]{1,6}[A-Z\d](?![\p{L}\p{N}])){3,9}(?![\p{L}\p{N}]|[ \t|]{1,6}[A-Z\d](?![\p{L}\p{N}])|[.,:/%-]\p{N}|[/%])/gu;
const SPLIT_BY_LINES =
  /(?<![\p{L}\p{N}.,:/-])[A-Z\d](?:[ \t|]{0,2}\n[ \t\n|]{0,5}[A-Z\d](?=[ \t|]{0,6}(?:\n|$))){3,9}(?![ \t\n|]{1,6}[A-Z\d][ \t|]{0,6}(?:\n|$))/gu;
/** What all split codes have. Looking for it costs less. */
const SPLIT = /[A-Z\d][ \t\n|]{1,6}[A-Z\d][ \t\n|]{1,6}[A-Z\d]/;
const HALVES = /\d[ \t]*\n{1,2}[ \t]*\d/;

const MODES: Mode[] = ["spoken", "shared", "silent", "foreign"];

/** The logarithm of the odds that a candidate is the code. */
function weigh({ mode, features }: Observed): number {
  const column = MODES.indexOf(mode);
  let sum = WEIGHTS.always?.[column] ?? 0;
  for (const feature of features) sum += WEIGHTS[feature]?.[column] ?? 0;
  return sum;
}

const probability = (odds: number) => 1 / (1 + Math.exp(-odds));

export type CodeMail = { from: string; subject: string; bodies: string[]; pieces: Piece[]; links: number };

/** A `<blockquote>` of more lines quotes a mail. */
const SET_OFF_LINES = 3;

/** The text of an HTML body, in which a code in a `<blockquote>` of a few lines, which no mail client marked, is not quoted. */
export function textForCodes({
  text,
  marked = [],
}: Pick<HtmlReading, "text"> & Partial<Pick<HtmlReading, "marked">>): string {
  const short = marked.filter(({ part, from, to }) => part === "block" && to - from <= SET_OFF_LINES);
  if (short.length === 0) return text;
  const lines = text.split("\n");
  for (const { from, to } of short)
    for (let at = from; at < to; at += 1) lines[at] = (lines[at] ?? "").replace(/^> ?/, "");
  return lines.join("\n");
}

const STRUCK_CHARS = 4;

/** Whether a part of a text is no part of a longer number or word. */
const isApart = (text: string, start: number, end: number) =>
  !/[\p{L}\p{N}]-?$/u.test(text.slice(Math.max(0, start - 3), start)) &&
  !/^-?[\p{L}\p{N}]/u.test(text.slice(end, end + 3));

/** A text without the numbers that the HTML strikes through wherever it sets them off. */
function withoutStruck(text: string, pieces: Piece[]): string {
  if (pieces.every(({ look }) => (look & STRUCK) === 0)) return text;
  const valid = new Set(pieces.flatMap((piece) => (piece.look & STRUCK ? [] : [piece.text])));
  const struck = new Set(pieces.flatMap(({ text: own }) => (own.length < STRUCK_CHARS || valid.has(own) ? [] : [own])));
  let left = text.slice(0, READ_CHARS);
  for (const one of struck)
    left = left.replaceAll(one, (_, at: number, whole: string) =>
      isApart(whole, at, at + one.length) ? "\ufffc" : one,
    );
  return left;
}

/** What is seen of the candidates of a mail. */
export function observeCodes(mail: CodeMail, lexicon: Lexicon = lexiconOfAll()): Observed[] {
  if (![mail.subject, ...mail.bodies].some((text) => MAY_HOLD.test(text))) return [];
  const read = (text: string) => joinSplit(normalise(text));
  // The same words in two forms are read once.
  const bodies = [...new Set(mail.bodies.map((body) => read(withoutStruck(body, mail.pieces))))];
  return observe({ ...mail, subject: normalise(mail.subject), bodies }, lexicon, read);
}

/**
 * The code of a mail, or undefined. Linear in the input, of which 50,000 characters per part are read. `code-candidates.ts`
 * describes `value`.
 */
export function findCode(mail: CodeMail): Found | undefined {
  return surest(observeCodes(mail));
}

/** The candidate that is surely the code, and not just as sure as another one. */
export function surest(observed: Observed[], weighOne = weigh, thresholds = THRESHOLDS): Found | undefined {
  const best = new Map<string, { odds: number; mode: Mode }>();
  for (const one of observed) {
    const odds = weighOne(one);
    if (odds > (best.get(one.value)?.odds ?? Number.NEGATIVE_INFINITY)) best.set(one.value, { odds, mode: one.mode });
  }
  const [first, second] = [...best].sort(([, a], [, b]) => b.odds - a.odds);
  if (!first) return;
  const [value, { odds, mode }] = first;
  if (odds < (thresholds[mode] ?? 0) || (second && odds - second[1].odds < LEAD)) return;
  return { value, confidence: probability(odds) };
}
