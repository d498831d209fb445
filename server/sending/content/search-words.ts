// The words of an outbound message for the full-text search index.
import type { RecipientNames } from "#db/message-parts.ts";
import { writeRecipients } from "../../base/addresses.ts";
import { ownText } from "../../extraction/html/own-text.ts";
import { OUTBOUND_TEXT_CHARS, searchText } from "../../extraction/search.ts";

type Sender = { address: string; display_name: string };
type Parts = { to: string[]; cc: string[]; names: RecipientNames } & Record<"text" | "html", string | null> & {
    subject: string;
  };

export function wordsOf(sender: Sender, { to, cc, names, subject, text, html }: Parts): string {
  const body = text ?? ownText((html ?? "").slice(0, OUTBOUND_TEXT_CHARS));
  const recipients = writeRecipients([...to, ...cc], names);
  const parts = { from: sender.address, fromName: sender.display_name || null, to: recipients, subject, body };
  return searchText(parts, OUTBOUND_TEXT_CHARS);
}
