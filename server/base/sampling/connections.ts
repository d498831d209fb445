// Counts the service's connections to the database by what they do, and reads how many the server allows.
import { sql } from "drizzle-orm";
import type { Database } from "#db/client.ts";

/** The label values of `mailberth_database_connections`. */
export const CONNECTION_STATES = ["active", "idle", "idle_in_transaction"] as const;

export type ConnectionSample = Record<(typeof CONNECTION_STATES)[number] | "allowed", number>;

/** The connections of every process of the service: they all have one application name. */
export async function readConnections(db: Database): Promise<ConnectionSample> {
  const [read = { active: 0, idle: 0, idle_in_transaction: 0, allowed: 0 }] = await db.execute<ConnectionSample>(sql`
    select (count(*) filter (where state in ('active', 'fastpath function call')))::int as active,
      (count(*) filter (where state = 'idle'))::int as idle,
      (count(*) filter (where state like 'idle in transaction%'))::int as idle_in_transaction,
      current_setting('max_connections')::int as allowed
    from pg_stat_activity where datname = current_database() and application_name = current_setting('application_name')`);
  return read;
}
