// Makes and drops the partitions of a table whose ids are UUIDv7, one for each span of days, while other processes write to it.
//
// Rows without a partition of their days go to the default partition, so a missing partition fails no write. A new partition is made
// beside the table and then attached, because `create table … partition of` would lock out all readers and writers.
import type { Sql, TransactionSql } from "postgres";

const DAY_MS = 86_400_000;
/** Making and dropping wait for readers this long, since statements queue behind them. Later runs try again. */
const LOCK_TIMEOUT_MS = 200;
/** The first key of the advisory lock; the second is derived from the name of the table. "prt" in ASCII. */
const LOCK = 0x70_72_74;
/** Partitions that one run makes or drops. */
const STEPS_MAX = 100;
const [LOCK_NOT_AVAILABLE, CHECK_VIOLATION, DUPLICATE_TABLE] = ["55P03", "23514", "42P07"];
const BOUNDS = /^FOR VALUES FROM \((?:MINVALUE|'([\da-f-]{36})')\) TO \((?:MAXVALUE|'([\da-f-]{36})')\)$/;

/** The ids that a partition has: from the first to before the second time, in milliseconds. */
type Span = { from: number; to: number };
export type Partition = Span & { name: string };
/** `width`: the days of a new partition. `ahead`: partitions are made for this many days after today. */
export type Window = { now: Date; width: number; ahead: number };
/** `blocked`: partitions that something is in the way of: rows in the default partition, or another table of that name. */
export type Made = { made: string[]; blocked: string[] };

/** The smallest UUIDv7 of a time. */
export function firstIdAt(ms: number): string {
  const time = Math.max(ms, 0).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

function timeOf(id: string | undefined, none: number): number {
  return id === undefined ? none : Number.parseInt(id.replace("-", "").slice(0, 12), 16);
}

/** @returns the partitions of the table, without the default one */
export async function readPartitions(sql: Sql | TransactionSql, table: string): Promise<Partition[]> {
  const rows = await sql<{ name: string; bounds: string }[]>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass(${table})`;
  return rows.flatMap(({ name, bounds }) => {
    const [whole, from, to] = BOUNDS.exec(bounds) ?? [];
    return whole === undefined ? [] : [{ name, from: timeOf(from, -Infinity), to: timeOf(to, Infinity) }];
  });
}

/** The spans of the window without a partition. A span ends where the next partition starts. */
function missing(partitions: Partition[], { now, width, ahead }: Window): Span[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const spans: Span[] = [];
  for (let at = today; at <= today + ahead * DAY_MS; ) {
    const own = partitions.find(({ from, to }) => from <= at && at < to);
    const later = partitions.map(({ from }) => from).filter((from) => from > at);
    const to = own?.to ?? Math.min(at + width * DAY_MS, ...later);
    if (!own) spans.push({ from: at, to });
    at = to;
  }
  return spans;
}

function nameOf(table: string, { from }: Span): string {
  return `${table}_${new Date(from).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

/** Runs in a transaction that gives up locks soon. @returns undefined if another process is at it, or a lock was not available */
async function briefly<Result>(sql: Sql, table: string, run: (tx: TransactionSql) => Promise<Result>) {
  try {
    return await sql.begin(async (tx) => {
      await tx`select set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}`}, true)`;
      const [lock] = await tx<{ own: boolean }[]>`
        select pg_try_advisory_xact_lock(${LOCK}::int, hashtext(current_schema() || '.' || ${table}::text)) as own`;
      return lock?.own ? await run(tx) : undefined;
    });
  } catch (error) {
    if (codeOf(error) === LOCK_NOT_AVAILABLE) return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

async function holdsRows(tx: TransactionSql, table: string, { from, to }: Span): Promise<boolean> {
  const [row] = await tx`
    select 1 from ${tx(`${table}_default`)} where id >= ${firstIdAt(from)} and id < ${firstIdAt(to)} limit 1`;
  return row !== undefined;
}

/** Makes the next missing partition. @returns its name, and whether it was made; undefined: none is missing */
async function makeNext(tx: TransactionSql, table: string, window: Window, blocked: string[]) {
  const spans = missing(await readPartitions(tx, table), window);
  const span = spans.find((one) => !blocked.includes(nameOf(table, one)));
  if (!span) return undefined;
  const name = nameOf(table, span);
  if (await holdsRows(tx, table, span)) return { name, isMade: false };
  try {
    await tx.savepoint(async (step) => {
      await step`create table ${step(name)} (like ${step(table)} including all)`;
      const bounds = `from ('${firstIdAt(span.from)}') to ('${firstIdAt(span.to)}')`;
      await step`alter table ${step(table)} attach partition ${step(name)} for values ${step.unsafe(bounds)}`;
    });
  } catch (error) {
    if (codeOf(error) !== CHECK_VIOLATION && codeOf(error) !== DUPLICATE_TABLE) throw error;
    return { name, isMade: false };
  }
  return { name, isMade: true };
}

/** Makes the partitions of the window that are missing; any number of processes may do so at the same time. */
export async function makePartitions(sql: Sql, table: string, window: Window): Promise<Made> {
  const result: Made = { made: [], blocked: [] };
  for (let step = 0; step < STEPS_MAX; step++) {
    const next = await briefly(sql, table, (tx) => makeNext(tx, table, window, result.blocked));
    if (!next) break;
    (next.isMade ? result.made : result.blocked).push(next.name);
  }
  return result;
}

/**
 * Drops the partitions whose ids are all of before the time. One that a long statement reads stays until a later run.
 * @returns the names of those that it dropped
 */
export async function dropPartitions(sql: Sql, table: string, before: Date): Promise<string[]> {
  const isOld = ({ to }: Partition) => to <= before.getTime();
  const old = (await readPartitions(sql, table)).filter(isOld).slice(0, STEPS_MAX);
  const dropped: string[] = [];
  for (const { name } of old) {
    const isDropped = await briefly(sql, table, async (tx) => {
      await tx`drop table if exists ${tx(name)}`;
      return true;
    });
    if (!isDropped) break;
    dropped.push(name);
  }
  return dropped;
}

/**
 * Rows of before this id are past the time, and in no partition that will be dropped as a whole: they are in the default partition,
 * or in the one that has no lower bound.
 */
export async function firstIdKept(sql: Sql, table: string, before: Date): Promise<string> {
  const at = before.getTime();
  const around = (await readPartitions(sql, table)).find(({ from, to }) => from <= at && at < to);
  return firstIdAt(around && Number.isFinite(around.from) ? around.from : at);
}
