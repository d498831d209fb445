// How many statements wait for a lock in the database of a test. Its server has the databases of other tests too.
import type { ISql } from "postgres";

/** @param table counts only what waits for this table */
export async function waitingForLocks(sql: ISql, table?: string): Promise<number> {
  const waiting = await sql`
    select 1 from pg_locks l join pg_stat_activity a using (pid)
    where not l.granted and a.datname = current_database() ${table ? sql`and l.relation = ${table}::regclass` : sql``}`;
  return waiting.length;
}
