// Deletes rows of a table that are too old to be kept. The folder that owns the table declares which.
import { and, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Ctx, System } from "./context.ts";

const DAY_MS = 86_400_000;
const ROWS_PER_STEP = 1_000;

/** `isOver`: which rows are deleted. `oldestFirst`: their order, where an index has it. */
type Old = {
  table: PgTable;
  key: PgColumn;
  isOver(ctx: Ctx<System>): SQL | undefined | Promise<SQL | undefined>;
  oldestFirst?: PgColumn;
};

/** @returns a step of a worker job: deletes one batch, and returns how many rows, 0 if none was old enough */
export function deleteOld({ table, key, isOver, oldestFirst }: Old): (ctx: Ctx<System>) => Promise<number> {
  return async (ctx) => {
    // Compared again by the deletion: a row may have changed since it was found.
    const over = await isOver(ctx);
    // Without a condition, all rows would be deleted.
    if (!over) throw new Error("no condition says which rows are too old");
    const all = ctx.db.select({ key }).from(table).where(over);
    const old = (oldestFirst ? all.orderBy(oldestFirst) : all).limit(ROWS_PER_STEP);
    const { count } = await ctx.db.delete(table).where(and(over, sql`${key} = any(array${old})`));
    return count;
  };
}

export function daysAgo({ now }: Pick<Ctx<System>, "now">, days: number): Date {
  return new Date(now().getTime() - days * DAY_MS);
}
