// Walks messages or threads from the newest to the oldest, in steps, until a page is full or the time is used up.
import { and, eq, getTableName, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { asInIndex } from "#db/conditions.ts";
import { inboxes, type messages, type threads } from "#db/schema/mail.ts";
import type { Services } from "../base/context.ts";
import { encodeCursor, toPage } from "../base/cursor.ts";
import { FIRST_ID } from "../base/id-range.ts";
import { isReached, type Selection } from "../base/tenancy.ts";

// Which index orders the rows of a selection of mailboxes, and the condition that a row is of the selection.
/** More mailboxes are read from the index of the organization. */
const LANES_MAX = 100;

type Owned = { organization_id: PgColumn; inbox_id: PgColumn };

/** `only`: the one mailbox of the selection. `lanes`: its mailboxes, if each has its index. */
export type Scope = { organizationId: string; only?: string; lanes?: readonly string[] };

/** @param inLanes whether the mailboxes have an index that the organization has not */
export async function scopeOf(services: Pick<Services, "db">, selection: Selection, inLanes = false): Promise<Scope> {
  const { organizationId, madeBy } = selection;
  const isAll = madeBy === null && !inLanes;
  const inboxIds = selection.inboxIds ?? (isAll ? null : await liveInboxes(services, selection));
  if (inboxIds === null || inboxIds.length > LANES_MAX) return { organizationId };
  if (inboxIds.length > 1) return { organizationId, lanes: inboxIds };
  return { organizationId, only: inboxIds[0] ?? FIRST_ID };
}

/** At most one more than there are lanes. */
async function liveInboxes({ db }: Pick<Services, "db">, { madeBy, organizationId }: Selection) {
  const rows = await db
    .select({ id: inboxes.id })
    .from(inboxes)
    .where(
      and(
        madeBy === null ? undefined : eq(inboxes.agent_id, madeBy),
        eq(inboxes.organization_id, organizationId),
        asInIndex(eq(inboxes.status, "live")),
      ),
    )
    .limit(LANES_MAX + 1);
  return rows.map(({ id }) => id);
}

/** The first column of the index: the mailbox, or the organization. */
export function firstOfIndex({ organizationId, only, lanes }: Scope, of: Owned): SQL {
  if (only !== undefined) return eq(of.inbox_id, only);
  return lanes ? sql`${of.inbox_id} = ${laneId}` : eq(of.organization_id, organizationId);
}

/**
 * The condition that rows are of the selection, in mailboxes that are not deleted. A sub-select for each row: a join could read
 * all mailboxes first.
 */
export function isSelected(selection: Selection, of: Owned): SQL | undefined {
  const status = sql`(select ${inboxes.status} from ${inboxes} where ${inboxes.id} = ${of.inbox_id})`;
  return and(
    eq(of.organization_id, selection.organizationId),
    isReached(selection, of.inbox_id),
    sql`${status} = 'live'`,
  );
}

/** What a cursor of a list is bound to. An agent may create mailboxes between two of its pages. */
export function listName(kind: string, { organizationId, inboxIds, madeBy }: Selection, filters: object = {}): string {
  return `${kind}:${organizationId}:${madeBy ?? inboxIds?.join() ?? ""}:${JSON.stringify(Object.entries(filters).sort())}`;
}

/** Rows of the first step and of each further one. A message costs up to 30 µs: its words are stored apart. */
export const FIRST_ROWS = 500;
const STEP_ROWS = 1_000;
/** The fewest rows of each mailbox in a step of several. */
const LANE_ROWS_MIN = 20;
/** No step starts after this time. */
const WALK_MS = 25;

/**
 * `position`: the column that orders the list. `ordered`: the conditions that one index meets in the order of positions.
 * `lanes`: mailboxes that have such an index each, whose rows are merged; in `ordered`, `laneId` is the mailbox. `rest`: the
 * conditions that each row is checked for. `joins`: what a row of the page is joined with. `columns`: what is returned, with
 * the position as `id`. `run`: executes a step.
 */
export type Walk<Row> = {
  table: typeof messages | typeof threads;
  position: PgColumn;
  ordered: SQL | undefined;
  lanes?: readonly string[] | undefined;
  rest: SQL | undefined;
  joins?: SQL;
  columns: SQL;
  run(step: SQL): PromiseLike<(Row & Reached)[]>;
};
/** Where a step ended, in each of its rows. A step without a match has one row of nulls. */
export type Reached = { edge: string | null };
/** `before`: the rows with smaller positions; `rows`: the most to find. */
export type From = { before: string; rows: number };
/** `edge`: where the next page continues, if rows are left and the page is not full. */
export type Walked<Row> = { found: Row[]; edge: string | undefined };

const laneId = sql`lane.id`;

/** The next rows of an index, before the edge of a step. */
function newest({ table, ordered, position }: Walk<unknown>, before: string, columns: SQL): SQL {
  return sql`select ${columns} from ${table} where ${ordered} and ${position} < ${before} order by ${position} desc`;
}

function laneRows(lanes: readonly string[], depth: number): number {
  return Math.max(LANE_ROWS_MIN, Math.ceil(depth / lanes.length));
}

const lanesOf = (lanes: readonly string[]) => sql`unnest(${sql.param(lanes)}::uuid[]) lane(id)`;

/** The position that a step of `depth` rows reaches; none if it reaches the end. Of several mailboxes: the first of theirs. */
function edgeOf(walk: Walk<unknown>, before: string, depth: number): SQL {
  const place = sql`${walk.position} as place`;
  if (!walk.lanes) return sql`${newest(walk, before, place)} offset ${depth - 1} limit 1`;
  const last = sql`${newest(walk, before, place)} offset ${laneRows(walk.lanes, depth) - 1} limit 1`;
  return sql`select last.place from ${lanesOf(walk.lanes)} cross join lateral (${last}) last order by place desc limit 1`;
}

/** The rows of a step. Of several mailboxes: those before the edge, so that none of theirs is left out. */
export function candidates(walk: Walk<unknown>, before: string, depth: number): SQL {
  const { table, position, lanes } = walk;
  const name = sql.identifier(getTableName(table));
  if (!lanes) return sql`(${newest(walk, before, sql`*`)} limit ${depth}) ${name}`;
  const found = sql`${newest(walk, before, sql`${table.id} as found, ${position} as place`)} limit ${laneRows(lanes, depth)}`;
  // The offset keeps the conditions of the page out of the look-up by id: an index of their own would find too much.
  return sql`(
    select row.* from (
      select found, place from ${lanesOf(lanes)} cross join lateral (${found}) of_lane
      where place >= (${edgeOf(walk, before, depth)}) is not false order by place desc) merged
    cross join lateral (select * from ${table} where ${table.id} = merged.found offset 0) row) ${name}`;
}

/** One statement, so that a message that arrives during it is neither skipped nor repeated. */
async function step<Row extends { id: string }>(
  walk: Walk<Row>,
  { before, rows }: From,
  depth: number,
): Promise<Walked<Row>> {
  const found = await walk.run(sql`
    with page as materialized (
      select ${walk.columns} from ${candidates(walk, before, depth)} ${walk.joins} where ${walk.rest}
      order by ${walk.position} desc limit ${rows})
    select page.*, edge.id as edge from (
      select case when (select count(*) from page) < ${rows}
        then (${edgeOf(walk, before, depth)}) end as id) edge
    left join page on true order by page.id desc`);
  return { found: found.filter(({ id }) => id !== null), edge: found[0]?.edge ?? undefined };
}

/** The first step of a walk, which a frequent match fills. */
export function walkFirst<Row extends { id: string }>(walk: Walk<Row>, from: From): Promise<Walked<Row>> {
  return step(walk, from, FIRST_ROWS);
}

/** Walks on from what the first step found. */
export async function walkOn<Row extends { id: string }>(
  walk: Walk<Row>,
  rows: number,
  walked: Walked<Row>,
): Promise<Walked<Row>> {
  const began = performance.now();
  let { found, edge } = walked;
  while (edge !== undefined && performance.now() - began < WALK_MS) {
    const next = await step(walk, { before: edge, rows: rows - found.length }, STEP_ROWS);
    found = [...found, ...next.found];
    edge = next.edge;
  }
  return { found, edge };
}

/** A page of what a walk found, which continues where the walk ended. */
export function toWalkedPage<Row extends { id: string }>(
  ctx: Pick<Services, "secrets">,
  list: string,
  { found, edge }: Walked<Row>,
  limit: number,
): { rows: Row[]; next_cursor: string | null } {
  const page = toPage(ctx, list, found, limit);
  const isShort = edge !== undefined && page.next_cursor === null;
  return isShort ? { ...page, next_cursor: encodeCursor(ctx, list, edge) } : page;
}
