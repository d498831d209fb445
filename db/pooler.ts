// Prepares a connection pooler such as PgBouncer, which passes no settings on: they become defaults of the role.
import type { Sql } from "postgres";
import { openDatabase, sessionSettings } from "./client.ts";
import { connectionProblem } from "./connection-problem.ts";

const SETTING = "DATABASE_URL";
/** Codes of a connection that the server or the pooler ended. */
const ENDED = /^(57P01|08|CONNECTION_|ECONN|EPIPE)/;

/** `lock`: an advisory lock that another connection holds in the database behind the pooler. */
type Input = { url: string; schema: string; timeoutMs: number; lock: number };
type Role = { name: string; database: string; has: string[] };

/**
 * Makes the settings of sessions defaults of the pooler's role in this database, and ends sessions that began without them.
 * @throws Error if another service uses the role, if the pooler leads to another database, and if the defaults do not apply
 */
export async function preparePooler(input: Input): Promise<void> {
  const { url, schema, timeoutMs } = input;
  const { sql, close } = openDatabase({ url, isPooled: true, poolSize: 1 });
  try {
    await refuseOtherDatabase(sql, input.lock);
    const missing = await setDefaults(sql, schema, Object.entries(sessionSettings(schema, timeoutMs)));
    if (missing > 0) await endSessions(sql);
    const [session] = await sql<{ schema: string | null; timeout: string }[]>`
      select current_schema() as schema, (select setting from pg_settings where name = 'statement_timeout') as timeout`;
    if (session?.schema !== schema || session.timeout !== `${timeoutMs}`) {
      throw new Error(
        `${SETTING}: the defaults of the role do not apply to the sessions of the pooler. Restart the pooler, or remove its connect_query, and start again.`,
      );
    }
  } catch (error) {
    throw connectionProblem(error, { url, schema, setting: SETTING });
  } finally {
    await close();
  }
}

async function refuseOtherDatabase(sql: Sql, lock: number): Promise<void> {
  const [row] = await sql<{ free: boolean }[]>`select pg_try_advisory_xact_lock(${lock}) as free`;
  if (row?.free) {
    throw new Error("DATABASE_DIRECT_URL leads to another database than DATABASE_URL. Set both to the same one.");
  }
}

/** @returns how many were missing */
async function setDefaults(sql: Sql, schema: string, wanted: [name: string, value: string][]): Promise<number> {
  const [role] = await sql<Role[]>`
    select quote_ident(r.rolname) as name, quote_ident(d.datname) as database, coalesce(s.setconfig, '{}') as has
    from pg_roles r join pg_database d on d.datname = current_database()
      left join pg_db_role_setting s on s.setrole = r.oid and s.setdatabase = d.oid
    where r.rolname = current_user`;
  if (!role) throw new Error("unreachable: a session has a role and a database");
  const path = role.has.find((setting) => setting.startsWith("search_path="))?.slice("search_path=".length);
  if (path !== undefined && path.replaceAll('"', "") !== schema) {
    throw new Error(
      `The role ${role.name} has the search_path ${path} in the database ${role.database}. Use a role that is only for this service, or run: alter role ${role.name} in database ${role.database} reset search_path.`,
    );
  }
  const has = role.has.map((setting) => setting.replaceAll('"', ""));
  const missing = wanted.filter(([name, value]) => !has.includes(`${name}=${value}`));
  for (const [name, value] of missing) {
    await sql.unsafe(`alter role ${role.name} in database ${role.database} set ${name} = '${value}'`);
  }
  return missing.length;
}

/** Ends idle sessions of the role, except one that holds a lock of this program, and then the session that this runs in. */
async function endSessions(sql: Sql): Promise<void> {
  await sql`
    select pg_terminate_backend(a.pid) from pg_stat_activity a
    where a.usename = current_user and a.datname = current_database() and a.state = 'idle' and a.pid <> pg_backend_pid()
      and not exists (select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory')`;
  await sql`select pg_terminate_backend(pg_backend_pid())`.catch((error: { code?: unknown }) => {
    if (!ENDED.test(String(error.code))) throw error;
  });
}
