// Finds the new part of a reply: the text without quotes, attribution lines and signatures.
import type { HtmlReading, MarkedLines } from "./html/html-reading.ts";
import { stripInvisible } from "./html/visible-text.ts";
import {
  attributionOf,
  beginsAttribution,
  headerRole,
  isSentFrom,
  PHRASE_CHARS,
  startsOriginal,
} from "./reply-phrases.ts";

/** An attribution is wrapped over at most so many lines. */
const ATTRIBUTION_LINES = 3;
/** How far the header lines of a quoted mail are searched. */
const HEADER_LINES = 10;
const HEADER_ROLES = 3;
/** A signature delimiter, "-- " (RFC 3676 §4.3); the space is often lost. */
const SIGNATURE = /^--\s?$/;
const SENT_FROM_LINES = 3;
const RULER = /^[-‐–—_=*─]{5,}$/;
const QUOTED = /^\s{0,3}[>＞]/;

/** The kind of a line: new text, a quote or its introduction, or a signature. */
type Kind = "new" | "quote" | "signature";

type Draft = { lines: string[]; kinds: Kind[] };

/** The next line with something on it, `lines.length` when there is none. */
function nextFilled({ lines }: Draft, from: number): number {
  let at = from;
  while (at < lines.length && lines[at]?.trim() === "") at += 1;
  return at;
}

function fill({ kinds }: Draft, from: number, to: number, kind: Kind): void {
  for (let at = from; at < to; at += 1) kinds[at] = kind;
}

/** The start of the attribution that ends on this line, and the confidence. */
function findAttribution({ lines, kinds }: Draft, end: number): { from: number; certain: boolean } | undefined {
  const last = lines[end]?.trim() ?? "";
  if (!/[:：]$|[-‐]{2}$/.test(last.slice(-PHRASE_CHARS))) return undefined;
  let joined = "";
  let best: { from: number; certain: boolean } | undefined;
  for (let from = end; from > end - ATTRIBUTION_LINES && from >= 0; from -= 1) {
    const line = lines[from]?.trim() ?? "";
    if (line === "" || kinds[from] !== "new" || joined.length + line.length > PHRASE_CHARS) break;
    joined = joined === "" ? line : `${line} ${joined}`;
    // Includes another line only at the start of a paragraph, because it may be the sender's own.
    if (best && (lines[from - 1] ?? "").trim() !== "") continue;
    const found = beginsAttribution(line) && attributionOf(joined);
    if (found) best = { from, certain: found === "certain" };
  }
  const alone = best ? undefined : attributionOf(last);
  return best ?? (alone && { from: end, certain: alone === "certain" });
}

/** From, Sent, To, Subject: several of them in any order, on consecutive lines. */
function isHeaderBlock({ lines }: Draft, from: number): boolean {
  const first = headerRole(lines[from]?.trim() ?? "");
  if (first !== "from" && first !== "date") return false;
  const roles = new Set<string>();
  for (let at = from; at < from + HEADER_LINES; at += 1) {
    const line = lines[at]?.trim() ?? "";
    // Some clients write an empty line after every header line.
    const isGap = line === "" && headerRole(lines[at + 1]?.trim() ?? "") !== undefined;
    if (line === "" && !isGap) break;
    const role = headerRole(line);
    if (role) roles.add(role);
  }
  return roles.size >= HEADER_ROLES && roles.has("from");
}

type Attribution = { from: number; certain: boolean };

/**
 * Text after an attribution is quoted: the lines with `>`, or all the rest if no line is marked. Marked lines further
 * down mean that the text between is a reply.
 */
function takeAttribution(draft: Draft, { from, certain }: Attribution, end: number, lastQuote: number): boolean {
  const follows = draft.kinds[nextFilled(draft, end + 1)] === "quote";
  if (!follows && !certain) return false;
  fill(draft, from, end + 1, "quote");
  if (follows || lastQuote > end) return false;
  fill(draft, end + 1, draft.lines.length, "quote");
  return true;
}

function markQuotes(draft: Draft, attributions: Set<number>): void {
  const { lines, kinds } = draft;
  const lastQuote = kinds.lastIndexOf("quote");
  for (let at = 0; at < lines.length; at += 1) {
    if (attributions.has(at) && takeAttribution(draft, { from: at, certain: true }, at, lastQuote)) return;
    if (kinds[at] !== "new") continue;
    const line = lines[at]?.trim() ?? "";
    if (startsOriginal(line) || isHeaderBlock(draft, at)) {
      fill(draft, at, lines.length, "quote");
      return;
    }
    const found = findAttribution(draft, at);
    if (found && takeAttribution(draft, found, at, lastQuote)) return;
  }
}

/** A signature ends at a quote: people who reply above the quote sign above it. */
function markSignatures({ lines, kinds }: Draft): void {
  let inSignature = false;
  for (let at = 0; at < lines.length; at += 1) {
    if (kinds[at] === "quote") inSignature = false;
    else if (SIGNATURE.test(lines[at] ?? "")) inSignature = true;
    if (inSignature) kinds[at] = "signature";
  }
}

/** Removes the end of a block: empty lines, rulers above a quote, "Sent from my iPhone". */
function trimmed(written: string[], isBeforeQuote: boolean): string[] {
  let length = written.length;
  let left = SENT_FROM_LINES;
  for (; length > 0; length -= 1) {
    const line = written[length - 1]?.trim() ?? "";
    if (line === "" || (isBeforeQuote && RULER.test(line))) continue;
    if (left === 0 || !isSentFrom(line)) break;
    left -= 1;
  }
  return written.slice(0, length);
}

function compose({ lines, kinds }: Draft): string {
  const parts: string[] = [];
  let written: string[] = [];
  for (let at = 0; at <= lines.length; at += 1) {
    if (kinds[at] === "new") {
      written.push(lines[at] ?? "");
      continue;
    }
    if (written.length === 0) continue;
    const part = trimmed(written, kinds[at] === "quote")
      .join("\n")
      .trim();
    if (part !== "") parts.push(part);
    written = [];
  }
  return parts.join("\n\n").replace(/\n{3,}/g, "\n\n");
}

function draftOf(text: string, marked: MarkedLines[]): { draft: Draft; attributions: Set<number> } {
  const lines = text.split("\n");
  const draft: Draft = { lines, kinds: lines.map((line) => (QUOTED.test(line) ? "quote" : "new")) };
  const attributions = new Set<number>();
  for (const { part, from, to } of marked) {
    fill(draft, from, to, part === "signature" ? "signature" : "quote");
    if (part === "attribution") attributions.add(to - 1);
  }
  return { draft, attributions };
}

/**
 * The new part of a reply, lines ended by LF: of what is seen of the HTML body when there is one with text, else of the text.
 * Quotes, the lines that introduce them and signatures are left out; what was written between quotes is kept, parts separated by an
 * empty line. Where nothing would be left (a forward, a quote alone) it is the whole text.
 * @returns null when the mail has no text at all
 */
export function newText(body: { text: string | null; html: HtmlReading | null }): string | null {
  const html = body.html?.text.trim() ? body.html : null;
  const text = html ? html.text : stripInvisible((body.text ?? "").replace(/\r\n?/g, "\n"));
  const { draft, attributions } = draftOf(text, html?.marked ?? []);
  markQuotes(draft, attributions);
  markSignatures(draft);
  return compose(draft) || text.trim() || null;
}
