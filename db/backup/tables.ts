// The tables of the service in a database, parents before the tables that refer to them.
import type { Sql, TransactionSql } from "postgres";
import { APPLIED_TABLE } from "../migrate.ts";
import type { TableStart } from "./format.ts";

/**
 * @returns each table with the columns that can be written: generated ones are not
 * @throws Error if tables refer to each other in a circle
 */
export async function tablesOf(sql: Sql | TransactionSql): Promise<TableStart[]> {
  const rows = await sql<(TableStart & { parents: string[] })[]>`
    select c.relname as table,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
      array(select p.relname::text from pg_constraint f join pg_class p on p.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f' and p.oid <> c.oid) as parents
    from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and c.relname <> ${APPLIED_TABLE} order by c.relname`;
  const ordered: TableStart[] = [];
  let waiting = [...rows];
  while (waiting.length > 0) {
    const done = new Set(ordered.map(({ table }) => table));
    const ready = waiting.filter(({ parents }) => parents.every((parent) => done.has(parent)));
    if (ready.length === 0) throw new Error(`tables refer to each other: ${waiting.map((row) => row.table)}`);
    ordered.push(...ready.map(({ table, columns }) => ({ table, columns })));
    waiting = waiting.filter((row) => !ready.includes(row));
  }
  return ordered;
}
