// The value of a message in the full-text index.
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * The value of `messages.search`. The mailbox's own word has a space, so no text holds it: with it, one index finds the
 * messages of one mailbox that hold a word.
 * @param inboxId UUID or an expression for it
 * @param text what `searchText` gave, or an expression for it
 */
export function searchVector(inboxId: string | SQLWrapper, text: string | SQLWrapper): SQL {
  return sql`(array_to_tsvector(array['inbox ' || ${inboxId}::text]) || coalesce(${text}::text, '')::tsvector)`;
}
