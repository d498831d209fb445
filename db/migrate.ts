// Migrates a database to the current schema; processes may do so concurrently.
import { readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator";
import type { Logger } from "pino";
import type { Sql, TransactionSql } from "postgres";
import { openDatabase } from "./client.ts";
import { connectionProblem } from "./connection-problem.ts";

const MIGRATIONS_FOLDER = fileURLToPath(new URL("./migrations", import.meta.url));
const OLDEST_SERVER_VERSION = 140_000;
/** Any number that other programs do not lock in the same database: "mail" in ASCII. */
const ADVISORY_LOCK = 0x6d_61_69_6c;
/** How long one process waits for another's migrations, and a migration for a table in use. */
const LOCK_TIMEOUT_MS = 600_000;
/** Precedes the version in the comment on drizzle's table of applied migrations. */
const MIGRATED_BY = "Migrated by Mailberth ";
const JOURNAL: { entries: { when: number; tag: string }[] } = JSON.parse(
  readFileSync(`${MIGRATIONS_FOLDER}/meta/_journal.json`, "utf8"),
);
export const NEWEST_MIGRATION = Math.max(...JOURNAL.entries.map(({ when }) => when));
export const { version: VERSION }: { version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);

/** The newest migration of the database (milliseconds, as in the journal), and the version that applied it. */
export async function readApplied(sql: Sql | TransactionSql): Promise<{ newest: number; version: string | undefined }> {
  const [table] = await sql<{ id: string | null; comment: string | null }[]>`
    select id::text, obj_description(id, 'pg_class') as comment
    from (select to_regclass('drizzle.__drizzle_migrations') as id) as t`;
  if (!table?.id) return { newest: 0, version: undefined };
  const [row] = await sql<{ newest: number }[]>`
    select coalesce(max(created_at), 0) as newest from drizzle.__drizzle_migrations`;
  const version = table.comment?.startsWith(MIGRATED_BY) ? table.comment.slice(MIGRATED_BY.length) : undefined;
  return { newest: row?.newest ?? 0, version };
}

/** @throws Error if a newer version of the program migrated the database */
function refuseNewer({ newest, version }: Awaited<ReturnType<typeof readApplied>>): void {
  if (newest <= NEWEST_MIGRATION) return;
  const needed = version ? `Mailberth ${version} or newer` : "a newer Mailberth";
  throw new Error(
    `The database has the schema of ${needed}, and this is ${VERSION}. Start ${needed}, or restore a backup that is older than the update.`,
  );
}

/** drizzle applies all migrations of a folder. */
async function applyUpTo(db: Parameters<typeof applyMigrations>[0], upTo: number): Promise<void> {
  const entries = JOURNAL.entries.filter(({ when }) => when <= upTo);
  if (entries.length === JOURNAL.entries.length) {
    return applyMigrations(db, { migrationsFolder: MIGRATIONS_FOLDER });
  }
  const folder = await mkdtemp(join(tmpdir(), "mailberth-migrations-"));
  try {
    await mkdir(join(folder, "meta"));
    await writeFile(join(folder, "meta/_journal.json"), JSON.stringify({ ...JOURNAL, entries }));
    for (const { tag } of entries) await copyFile(join(MIGRATIONS_FOLDER, `${tag}.sql`), join(folder, `${tag}.sql`));
    await applyMigrations(db, { migrationsFolder: folder });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Applies missing migrations, each in one transaction, under an advisory lock: processes that start together apply them
 * once, and all return when they are applied.
 * @param url see `connect` in db/client.ts; the user must own the database or be allowed to create in it
 * @param upTo the last migration to apply, in milliseconds as in the journal
 * @throws Error on a server older than PostgreSQL 14, on a schema newer than this program, and if the database cannot
 * be used
 */
export async function migrate(url: string, log?: Logger, upTo = NEWEST_MIGRATION): Promise<void> {
  // One connection: the lock belongs to its session, and closing it always releases the lock.
  const { sql, db, close } = openDatabase({ url, poolSize: 1, log });
  try {
    const [server] = await sql<{ number: number; name: string }[]>`
      select current_setting('server_version_num')::int as number, current_setting('server_version') as name`;
    if (!server || server.number < OLDEST_SERVER_VERSION) {
      throw new Error(`PostgreSQL 14 or newer is needed; DATABASE_URL is a PostgreSQL ${server?.name}`);
    }
    await sql`select set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}ms`}, false)`;
    await sql`select pg_advisory_lock(${ADVISORY_LOCK})`;
    const before = await readApplied(sql);
    refuseNewer(before);
    await applyUpTo(db, upTo);
    // The oldest version that knows this schema: later versions with the same one do not change it.
    if (before.newest < upTo || before.version === undefined) {
      await sql.unsafe(`comment on table drizzle.__drizzle_migrations is '${MIGRATED_BY}${VERSION}'`);
    }
  } catch (error) {
    throw connectionProblem(error, url);
  } finally {
    await close();
  }
}
