// Conditions that drizzle has no operator for.
import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

/**
 * Whether a column is one of the values. The values are one parameter: `inArray` makes one of each, and so a statement to
 * prepare for every number of values.
 */
export function anyOf(column: PgColumn, values: readonly string[]): SQL {
  return sql`${column} = any(${sql.param(values)})`;
}
