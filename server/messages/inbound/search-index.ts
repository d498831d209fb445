// The full-text index: the value of a message, and the condition of a search.
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { messages } from "#db/schema/mail.ts";
import { readQuery } from "../../extraction/search.ts";

/**
 * The value of `messages.search`. The mailbox's own word has a space, so no text holds it: with it, one index finds the
 * messages of one mailbox that hold a word.
 * @param inboxId UUID or an expression for it
 * @param text what `searchText` gave, or an expression for it
 */
export function searchVector(inboxId: string | SQLWrapper, text: string | SQLWrapper): SQL {
  return sql`(array_to_tsvector(array['inbox ' || ${inboxId}::text]) || coalesce(${text}::text, '')::tsvector)`;
}

/** The condition that a message of this mailbox matches `q`. Always false if `q` has no word. */
export function searchQuery(inboxId: string, q: string): SQL {
  const query = readQuery(q);
  if (query === undefined) return sql`false`;
  return sql`${messages.search} @@ ${`'inbox ${inboxId}' & (${query})`}::text::tsquery`;
}
