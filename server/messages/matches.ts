// How well a message matches a search, and the fragments of its text that match.
import { setImmediate } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { messages } from "#db/schema/mail.ts";
import { createHighlighter, HIGHLIGHT_BODY_CHARS, type Highlight } from "../extraction/highlights.ts";
import type { SearchQuery } from "../extraction/search.ts";
import type { SummaryRow } from "./summary.ts";

/** Of ts_rank: divided by itself plus 1, so that it is between 0 and 1. */
const RANK_BELOW_ONE = 32;

/** `visible`: the beginning of the text as a person sees it. Both are missing without a search. */
export type MatchRow = SummaryRow & { rank?: number; visible?: string | null };
export type Match = { rank: number; highlights: Highlight[] };

/** The columns of MatchRow that SummaryRow has not. */
export function matchColumns({ rank }: SearchQuery): SQL {
  return sql`ts_rank(${messages.search}, ${rank}::text::tsquery, ${RANK_BELOW_ONE}::int) as rank,
    left(coalesce(${messages.safe_text}, ${messages.text}), ${HIGHLIGHT_BODY_CHARS}::int) as visible`;
}

/** Adds the highlights of `q`. Between two messages, others may use the thread. */
export async function addHighlights(
  rows: MatchRow[],
  q: string | undefined,
): Promise<(SummaryRow & { match?: Match })[]> {
  if (q === undefined) return rows;
  const highlight = createHighlighter(q);
  const matches: (SummaryRow & { match: Match })[] = [];
  for (const { rank = 0, visible = null, ...row } of rows) {
    const { subject, from_address: from, from_name, to_addresses: to } = row;
    matches.push({ ...row, match: { rank, highlights: highlight({ subject, from, from_name, to, text: visible }) } });
    await setImmediate();
  }
  return matches;
}
