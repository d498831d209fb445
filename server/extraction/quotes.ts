// Finds the runs of quoted lines that a page folds: quotes of other mail, of which nothing is in the new part of the mail.
import type { HtmlReading, Span } from "./html/html-reading.ts";
import { quotedLines, type ReplyContext } from "./new-text.ts";
import { unmarked } from "./quote-marks.ts";

/** A shorter run is read faster than its button. */
const FOLDED_LINES = 3;

/** `fresh`: the new part of the mail as it was found when the mail came with its thread; null if it was not. */
type Context = ReplyContext & { fresh: string | null };

/** The runs of quoted lines of a text, in order. The empty lines after a run belong to it. */
export function quotedRuns(body: { text: string | null; html: HtmlReading | null }, context: Context): Span[] {
  const { lines, isQuote } = quotedLines(body, context);
  if (context.fresh !== null) keepFresh(lines, isQuote, context.fresh);
  const runs: Span[] = [];
  let run: (Span & { filled: number }) | undefined;
  for (let at = 0; at <= lines.length; at += 1) {
    if (at < lines.length && lines[at]?.trim() === "") continue;
    if (isQuote[at]) {
      run ??= { from: at, to: at, filled: 0 };
      run.filled += 1;
      continue;
    }
    if (run && run.filled >= FOLDED_LINES) runs.push({ from: run.from, to: at });
    run = undefined;
  }
  return runs;
}

/** A line of the new part is no quote, also where it stands in one. */
function keepFresh(lines: string[], isQuote: boolean[], fresh: string): void {
  const left = new Map<string, number>();
  const count = (line: string, change: number) => left.set(line, (left.get(line) ?? 0) + change);
  for (const line of fresh.split("\n")) count(unmarked(line), 1);
  for (const [at, line] of lines.entries()) if (!isQuote[at]) count(unmarked(line), -1);
  for (const [at, line] of lines.entries()) {
    const words = unmarked(line);
    if (!isQuote[at] || words === "" || (left.get(words) ?? 0) <= 0) continue;
    isQuote[at] = false;
    count(words, -1);
  }
}

/** The runs of quoted lines of an HTML body, as characters of the HTML: from the first text of each to that of the next line that is none. */
export function quotedHtml(html: HtmlReading, context: Context): Span[] {
  const { starts } = html;
  const runs = html.text.trim() === "" ? [] : quotedRuns({ text: null, html }, context);
  return runs.map(({ from, to }) => ({ from: starts[from] ?? 0, to: starts[to] ?? Number.POSITIVE_INFINITY }));
}
