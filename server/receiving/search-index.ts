// The full-text index: the value of a message, and the conditions of a search.
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { messages } from "#db/schema/mail.ts";
import type { SearchQuery } from "../extraction/search.ts";

type Id = string | SQLWrapper;

/**
 * The value of `messages.search`. The words of its organization and mailbox have signs that no word has: with one of
 * them, one index finds the messages of an organization or a mailbox that hold a word.
 * @param of UUIDs or expressions for them
 * @param text what `searchText` gave, or an expression for it
 */
export function searchVector(of: { organization_id: Id; inbox_id: Id }, text: Id): SQL {
  const own = sql`array['@org ' || ${of.organization_id}::text, '@inbox ' || ${of.inbox_id}::text]`;
  return sql`(array_to_tsvector(${own}) || coalesce(${text}::text, '')::tsvector)`;
}

/** The condition that a message matches a search, whatever its mailbox. For messages that are at hand. */
export function matchesSearch({ exact }: SearchQuery): SQL {
  return sql`${messages.search} @@ ${exact}::text::tsquery`;
}

/** The condition that the index meets: all messages of the mailbox `only`, or of the organization, that may match. */
export function mayMatchSearch(
  { organizationId, only }: { organizationId: string; only?: string },
  { key }: SearchQuery,
): SQL {
  const owner = only === undefined ? `@org ${organizationId}` : `@inbox ${only}`;
  return sql`${messages.search} @@ ${`'${owner}' & (${key})`}::text::tsquery`;
}
