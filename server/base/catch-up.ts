// Makes rows due that are scheduled later than any schedule allows, for example after a wrong clock. The folder that owns the
// table declares its schedule.
import { and, desc, gt, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Ctx, System } from "./context.ts";

const ROWS_MAX = 1_000;

/** `at`: when a row is due. `withinMs`: the longest that a schedule allows. `only`: the rows that have a schedule. */
type Scheduled = { table: PgTable; key: PgColumn; at: PgColumn; withinMs: number; only?: SQL | undefined };

/** @returns a step of a worker job: makes one batch due, and returns how many rows were scheduled too late */
export function makeDue({ table, key, at, withinMs, only }: Scheduled): (ctx: Ctx<System>) => Promise<number> {
  return async ({ db, now }) => {
    const due = now();
    const late = db
      .select({ key })
      .from(table)
      .where(and(only, gt(at, new Date(due.getTime() + withinMs))))
      .orderBy(desc(at))
      .limit(ROWS_MAX)
      .for("update", { skipLocked: true });
    const { count } = await db
      .update(table)
      .set({ [at.name]: due })
      .where(sql`${key} = any(array${late})`);
    return count;
  };
}
