// Migrates a database to the current schema; processes may do so concurrently.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { Logger } from "pino";
import postgres, { type Sql, type TransactionSql } from "postgres";
import { DEFAULT_SCHEMA, openDatabase } from "./client.ts";
import { connectionProblem, settingsLost } from "./connection-problem.ts";
import { preparePooler } from "./pooler.ts";

const MIGRATIONS_FOLDER = fileURLToPath(new URL("./migrations", import.meta.url));
const OLDEST_SERVER_VERSION = 140_000;
/** Any number that other programs do not lock in the same database: "mail" in ASCII. */
const ADVISORY_LOCK = 0x6d_61_69_6c;
/** How long one process waits for another's migrations, and migrations for tables in use. */
const LOCK_TIMEOUT_MS = 600_000;
/**
 * How long migrations wait for one table before they give all back and begin again. It is well below the second after which
 * PostgreSQL looks for deadlocks, so that they give way and no request of an older process fails.
 */
const TABLE_TIMEOUT_MS = 200;
const TABLE_RETRY_MS = 100;
/** PostgreSQL's codes for a lock that was not available in time, and a deadlock. */
const LOCK_CONFLICTS = ["55P03", "40P01"];
/** Precedes the version in the comment on the table of applied migrations. */
const MIGRATED_BY = "Migrated by Mailberth ";
/** Has the table of applied migrations of the default schema; another schema has its own. */
const DRIZZLE_SCHEMA = "drizzle";
export const APPLIED_TABLE = "__drizzle_migrations";
const JOURNAL: { entries: { when: number; tag: string }[] } = JSON.parse(
  readFileSync(`${MIGRATIONS_FOLDER}/meta/_journal.json`, "utf8"),
);
/**
 * It makes the schema that 47 earlier migrations made, and has the time of the last of them: a database that has them all does not
 * need it.
 */
const FIRST_MIGRATION = Math.min(...JOURNAL.entries.map(({ when }) => when));
/** The first of the 47, and the last commit that has them. */
const FIRST_EARLIER_MIGRATION = 1_795_214_705_575;
const EARLIER_COMMIT = "139d2da";
export const NEWEST_MIGRATION = Math.max(...JOURNAL.entries.map(({ when }) => when));
export const { version: VERSION }: { version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);

/** `table`: the table of applied migrations, if it exists. `newest`: milliseconds, as in the journal. `version` applied it. */
type Applied = { table: string | null; newest: number; version: string | undefined };

/** The schema and name of the table of applied migrations. */
function appliedTable(schema = DEFAULT_SCHEMA): [schema: string, table: string] {
  return [schema === DEFAULT_SCHEMA ? DRIZZLE_SCHEMA : schema, APPLIED_TABLE];
}

export async function readApplied(sql: Sql | TransactionSql, schema?: string): Promise<Applied> {
  const [place, name] = appliedTable(schema);
  const [table] = await sql<{ id: string | null; comment: string | null }[]>`
    select id::text, obj_description(id, 'pg_class') as comment
    from (select to_regclass(quote_ident(${place}) || '.' || quote_ident(${name})) as id) as t`;
  if (!table?.id) return { table: null, newest: 0, version: undefined };
  const [row] = await sql<{ newest: number; first: number }[]>`
    select coalesce(max(created_at), 0) as newest, coalesce(min(created_at), 0) as first from ${sql(place)}.${sql(name)}`;
  if (row && row.newest > 0 && row.first !== FIRST_MIGRATION && row.first !== FIRST_EARLIER_MIGRATION) {
    throw new Error(
      `The table ${place}.${name} belongs to another application. Set DATABASE_SCHEMA to a schema that is only for this service.`,
    );
  }
  const version = table.comment?.startsWith(MIGRATED_BY) ? table.comment.slice(MIGRATED_BY.length) : undefined;
  return { table: table.id, newest: row?.newest ?? 0, version };
}

/** @throws Error if a newer version of the program migrated the database */
function refuseNewer({ newest, version }: Applied): void {
  if (newest <= NEWEST_MIGRATION) return;
  const needed = version ? `Mailberth ${version} or newer` : "a newer Mailberth";
  throw new Error(
    `The database has the schema of ${needed}, and this is ${VERSION}. Start ${needed}, or restore a backup that is older than the update.`,
  );
}

/** @throws Error if the schema, of a database or a backup, has some of the 47 earlier migrations and not all */
export function refuseEarlier(migration: number, what: "database" | "backup"): void {
  if (migration === 0 || migration >= FIRST_MIGRATION) return;
  const next = { database: "then start this version", backup: "make a new backup, and restore that one" }[what];
  const how = { database: "Start", backup: "Restore it with" }[what];
  throw new Error(
    `The ${what} has an early schema, of before ${VERSION}. ${how} Mailberth at the commit ${EARLIER_COMMIT}, which brings it up to date, and ${next}.`,
  );
}

/** Creates a schema that does not exist. `if not exists` would need the right to create schemas in the database. */
async function createSchema(tx: TransactionSql, schema: string): Promise<void> {
  const [found] = await tx`select from pg_namespace where nspname = ${schema}`;
  if (!found) await tx`create schema ${tx(schema)}`;
}

type Target = { schema: string; upTo: number; failing: { migration?: string }; log: Logger | undefined };

/** Repeats migrations, which change nothing unless all succeed, until no request is in their way. */
async function givingWay(run: () => Promise<unknown>, log: Logger | undefined): Promise<void> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      await run();
      return;
    } catch (error) {
      const isConflict = error instanceof postgres.PostgresError && LOCK_CONFLICTS.includes(error.code);
      if (!isConflict || performance.now() > deadline) throw error;
      if (tries === 1) log?.warn("the migrations wait for tables that are in use, for ten minutes at most");
      await sleep(TABLE_RETRY_MS);
    }
  }
}

/** Locks the tables that the statements name, or whose indexes they name, before any of them works for long. */
async function lockTables(tx: TransactionSql, schema: string, statements: string[]): Promise<void> {
  await tx`select set_config('lock_timeout', ${`${TABLE_TIMEOUT_MS}`}, true)`;
  const names = statements.flatMap((statement) => [...statement.matchAll(/\w+/g)].map(([name]) => name));
  const tables = await tx<{ name: string }[]>`
    select distinct coalesce(i.indrelid, c.oid)::regclass::text as name
    from pg_class c left join pg_index i on i.indexrelid = c.oid
    where c.relnamespace = to_regnamespace(quote_ident(${schema})) and c.relkind in ('r', 'p', 'i', 'I')
      and c.relname = any(${[...new Set(names)]}) order by 1`;
  for (const { name } of tables) await tx.unsafe(`lock table ${name} in access exclusive mode`);
}

/** Applies the missing migrations in one transaction: all of them or none. Their tables are locked first. */
async function applyMissing(sql: Sql, applied: Applied, { schema, upTo, failing, log }: Target): Promise<void> {
  if (applied.newest >= upTo && applied.version !== undefined) return;
  const [place, name] = appliedTable(schema);
  const files = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });
  const missing = files.filter(({ folderMillis }) => folderMillis > applied.newest && folderMillis <= upTo);
  const statements = missing.flatMap((file) => file.sql);
  const tagOf = (file: (typeof files)[number]) => JOURNAL.entries.find(({ when }) => when === file.folderMillis)?.tag;
  const migrateAll = () =>
    sql.begin(async (tx) => {
      await createSchema(tx, schema);
      await createSchema(tx, place);
      if (!applied.table) {
        await tx`create table ${tx(place)}.${tx(name)} (id serial primary key, hash text not null, created_at bigint)`;
      }
      failing.migration = missing[0] && tagOf(missing[0]);
      if (applied.newest > 0) await lockTables(tx, schema, statements);
      for (const file of missing) {
        failing.migration = tagOf(file);
        for (const statement of file.sql) await tx.unsafe(inSchema(statement, schema));
        await tx`insert into ${tx(place)}.${tx(name)} (hash, created_at) values (${file.hash}, ${file.folderMillis})`;
      }
      failing.migration = undefined;
      // The oldest version that knows this schema: later versions with the same one do not change it.
      await tx.unsafe(`comment on table "${place}"."${name}" is '${MIGRATED_BY}${VERSION}'`);
    });
  await givingWay(migrateAll, log);
}

/** drizzle-kit writes the default schema before the tables of foreign keys, whatever the schema of the database. */
function inSchema(statement: string, schema: string): string {
  return statement.replaceAll(`"${DEFAULT_SCHEMA}".`, `"${schema}".`);
}

/** @throws Error on an old server, and if the settings of the connection do not reach it */
async function checkServer(sql: Sql, url: string, target: { schema: string; setting: string }): Promise<void> {
  const [server] = await sql<{ number: number; name: string; lock_timeout: string }[]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as name,
      (select setting from pg_settings where name = 'lock_timeout') as lock_timeout`;
  if (!server || server.number < OLDEST_SERVER_VERSION) {
    throw new Error(`PostgreSQL 14 or newer is needed; ${target.setting} is a PostgreSQL ${server?.name}`);
  }
  if (server.lock_timeout !== `${LOCK_TIMEOUT_MS}`) throw settingsLost({ url, ...target });
}

type Input = {
  /** Of PostgreSQL itself; the user must own the schema, or be allowed to create it. */
  url: string;
  schema?: string;
  /** The connection pooler that the service uses: its URL, and the timeout of a statement. */
  pooler?: { url: string; timeoutMs: number };
  log?: Logger;
  /** The last migration to apply, in milliseconds as in the journal. */
  upTo?: number;
};

/**
 * Applies missing migrations under an advisory lock: processes that start together apply them once, and all return when
 * they are applied.
 * @throws Error on a server older than PostgreSQL 14, on a schema newer than this program, and if the database cannot
 * be used; nothing is changed then
 */
export async function migrate({ url, schema = DEFAULT_SCHEMA, pooler, log, upTo = NEWEST_MIGRATION }: Input) {
  const subject = { url, schema, setting: pooler ? "DATABASE_DIRECT_URL" : "DATABASE_URL" };
  const failing: Target["failing"] = {};
  // One connection: the lock belongs to its session, and closing it always releases the lock.
  const { sql, close } = openDatabase({ url, schema, poolSize: 1, lockTimeoutMs: LOCK_TIMEOUT_MS, log });
  try {
    await checkServer(sql, url, subject);
    await sql`select pg_advisory_lock(${ADVISORY_LOCK})`;
    const applied = await readApplied(sql, schema);
    refuseNewer(applied);
    refuseEarlier(applied.newest, "database");
    await applyMissing(sql, applied, { schema, upTo, failing, log });
    if (pooler) await preparePooler({ ...pooler, schema, lock: ADVISORY_LOCK });
  } catch (error) {
    throw connectionProblem(error, subject, failing.migration);
  } finally {
    await close();
  }
}
