// Finds the quotes of a message, in a thread of the pool: its text is untrusted.
import { readHtml } from "../../extraction/html/html.ts";
import type { Span } from "../../extraction/html/html-reading.ts";
import { quotedHtml, quotedRuns } from "../../extraction/quotes.ts";

type QuotesQuestion = {
  html: string | null;
  text: string | null;
  subject: string;
  answers: boolean;
  /** Its new part, if that is known and not all of it. */
  fresh: string | null;
};

export function answer({ html, text, ...context }: QuotesQuestion): { html: Span[]; text: Span[] } {
  return {
    html: html === null ? [] : quotedHtml(readHtml(html, context.subject), context),
    text: text === null ? [] : quotedRuns({ text, html: null }, context),
  };
}
