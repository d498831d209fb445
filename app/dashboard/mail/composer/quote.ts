// Quotes a message below the text that answers it.
import { atOf, type Message } from "../thread/message.ts";
import type { Draft } from "./draft.ts";
import { htmlOf } from "./rich/plain.ts";

const QUOTED_CHARS = 10_000;
const date = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

/** "On Nov 23, 2026, 9:00 AM, Ann wrote:" and its lines after ">". */
export function quoteOf(message: Message): string {
  const text = (message.extracted_text ?? message.text ?? "").trim().slice(0, QUOTED_CHARS);
  const lines = text.split("\n").map((line) => (line.startsWith(">") ? `>${line}` : `> ${line}`));
  return `On ${date.format(new Date(atOf(message)))}, ${message.from_name ?? message.from} wrote:\n${lines.join("\n")}\n`;
}

/** The draft with a quote at its end. The editor makes the plain text of formatted ones. */
export function quoted({ text, html }: Draft, quote: string): Partial<Draft> {
  if (html !== null) return { html: html + htmlOf(quote) };
  return { text: `${text.trimEnd()}\n\n${quote}` };
}

export function hasQuote({ text, html }: Draft, quote: string): boolean {
  return html === null ? text.includes(quote) : html.includes(htmlOf(quote));
}
