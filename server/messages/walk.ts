// Walks a mailbox's messages from the newest to the oldest, in steps, until a page is full or the time is used up.
import { type SQL, sql } from "drizzle-orm";
import { messages } from "#db/schema/mail.ts";
import type { Ctx } from "../base/context.ts";
import type { SummaryRow } from "./summary.ts";

/** Messages of the first step and of each further one. A message costs up to 30 µs: its words are stored apart. */
export const FIRST_ROWS = 500;
const STEP_ROWS = 1_000;
/** No step starts after this time. */
const WALK_MS = 25;

/**
 * `ordered`: the conditions that one index meets in the order of ids. `rest`: the conditions that each message of it is
 * checked for. `columns`: what is returned, with `id`.
 */
export type Walk = { ordered: SQL | undefined; rest: SQL | undefined; columns: SQL };
/** `before`: the messages with smaller ids; `rows`: the most to find. */
export type From = { before: string; rows: number };
/** `edge`: where the next page continues, if messages are left and the page is not full. */
export type Walked = { found: SummaryRow[]; edge: string | undefined };

/** One statement, so that a message that arrives meanwhile is neither skipped nor repeated. */
async function step(
  { db }: Pick<Ctx, "db">,
  { ordered, rest, columns }: Walk,
  { before, rows }: From,
  depth: number,
): Promise<Walked> {
  const newest = sql`from ${messages} where ${ordered} and ${messages.id} < ${before} order by ${messages.id} desc`;
  const found = await db.execute<SummaryRow & { edge: string | null }>(sql`
    with page as materialized (
      select ${columns} from (select * ${newest} limit ${depth}) messages where ${rest}
      order by ${messages.id} desc limit ${rows})
    select page.*, edge.id as edge from (
      select case when (select count(*) from page) < ${rows}
        then (select ${messages.id} ${newest} offset ${depth - 1} limit 1) end as id) edge
    left join page on true order by page.id desc`);
  return { found: found.filter(({ id }) => id !== null), edge: found[0]?.edge ?? undefined };
}

/** The first step of a walk, which a frequent match fills. */
export function walkFirst(ctx: Pick<Ctx, "db">, walk: Walk, from: From) {
  return step(ctx, walk, from, FIRST_ROWS);
}

/** Walks on from what the first step found. */
export async function walkOn(ctx: Pick<Ctx, "db">, walk: Walk, rows: number, walked: Walked): Promise<Walked> {
  const began = performance.now();
  let { found, edge } = walked;
  while (edge !== undefined && performance.now() - began < WALK_MS) {
    const next: Walked = await step(ctx, walk, { before: edge, rows: rows - found.length }, STEP_ROWS);
    found = [...found, ...next.found];
    edge = next.edge;
  }
  return { found, edge };
}
