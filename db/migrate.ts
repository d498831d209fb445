// Brings a database to the current schema, whichever of several processes comes first.
import { fileURLToPath } from "node:url";
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator";
import type { Logger } from "pino";
import { openDatabase } from "./client.ts";

const MIGRATIONS_FOLDER = fileURLToPath(new URL("./migrations", import.meta.url));
const OLDEST_SERVER_VERSION = 140_000;
/** Any number that other programs do not lock in the same database: "mail" in ASCII. */
const ADVISORY_LOCK = 0x6d_61_69_6c;
/** How long one process waits for another's migrations, and a migration for a table in use. */
const LOCK_TIMEOUT_MS = 600_000;

/**
 * Applies the migrations that are missing, each run in one transaction, while holding an advisory lock: processes that
 * start together apply them once, and all return when they are applied.
 * @param url see `connect` in db/client.ts; the user must own the database or be allowed to create in it
 * @throws Error on a server older than PostgreSQL 14
 */
export async function migrate(url: string, log?: Logger): Promise<void> {
  // One connection: the lock belongs to its session, and closing it releases the lock whatever happened.
  const { sql, db, close } = openDatabase({ url, poolSize: 1, log });
  try {
    const [server] = await sql<{ number: number; name: string }[]>`
      select current_setting('server_version_num')::int as number, current_setting('server_version') as name`;
    if (!server || server.number < OLDEST_SERVER_VERSION) {
      throw new Error(`PostgreSQL 14 or newer is needed; DATABASE_URL is a PostgreSQL ${server?.name}`);
    }
    await sql`select set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}ms`}, false)`;
    await sql`select pg_advisory_lock(${ADVISORY_LOCK})`;
    await applyMigrations(db, { migrationsFolder: MIGRATIONS_FOLDER });
  } finally {
    await close();
  }
}
