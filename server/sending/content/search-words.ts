// The words of an outbound message for the full-text search index.
import { readHtml } from "../../extraction/html/html.ts";
import { OUTBOUND_TEXT_CHARS, searchText } from "../../extraction/search.ts";

type Sender = { address: string; display_name: string };
type Parts = { to: string[]; cc: string[]; subject: string; text: string | null; html: string | null };

export function wordsOf(sender: Sender, { to, cc, subject, text, html }: Parts): string {
  const body = text ?? readHtml((html ?? "").slice(0, OUTBOUND_TEXT_CHARS)).text;
  const parts = { from: sender.address, fromName: sender.display_name || null, to: [...to, ...cc], subject, body };
  return searchText(parts, OUTBOUND_TEXT_CHARS);
}
