// Prepares a connection pooler such as PgBouncer, which passes no settings on: they become defaults of the role.
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { openDatabase, sessionSettings } from "./client.ts";
import { connectionProblem } from "./connection-problem.ts";

const SETTING = "DATABASE_URL";
/** Codes of a connection that the server or the pooler ended. */
const ENDED = /^(57P01|08|CONNECTION_|ECONN|EPIPE)/;
const POLL_INTERVAL_MS = 100;
/** Of the timeout of a statement, for older sessions to become idle: after two timeouts, PostgreSQL ends an idle transaction. */
const WAIT_FACTOR = 3;
/** Busy sessions that an error names. */
const NAMED_MAX = 5;

/** `lock`: an advisory lock that another connection holds in the database behind the pooler. */
type Input = { url: string; schema: string; timeoutMs: number; lock: number };
type Role = { name: string; database: string; has: string[] };
type Session = { pid: number; name: string; state: string; isOwn: boolean };

/**
 * Makes the settings of sessions defaults of the pooler's role in this database, and ends sessions that began without them.
 * @throws Error if another service uses the role, if the pooler leads to another database, if sessions without the defaults
 * stay busy, and if the defaults do not apply
 */
export async function preparePooler(input: Input): Promise<void> {
  const { url, schema, timeoutMs } = input;
  const { sql, close } = openDatabase({ url, isPooled: true, poolSize: 1 });
  try {
    await refuseOtherDatabase(sql, input.lock);
    const role = await readRole(sql, schema);
    await setDefaults(sql, role, input);
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

async function readRole(sql: Sql, schema: string): Promise<Role> {
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
  return role;
}

/**
 * Until the last session without the defaults has ended, the timeout of a statement has its unit (`15000ms`), which means the same.
 * A start that ends before leaves it so, and the next one goes on.
 */
async function setDefaults(sql: Sql, role: Role, { schema, timeoutMs, lock }: Input): Promise<void> {
  const has = role.has.map((setting) => setting.replaceAll('"', ""));
  const wanted = sessionSettings(schema, timeoutMs);
  if (Object.entries(wanted).every(([name, value]) => has.includes(`${name}=${value}`))) return;
  await alterRole(sql, role, { ...wanted, statement_timeout: `${timeoutMs}ms` });
  await endOlderSessions(sql, { lock, withinMs: timeoutMs * WAIT_FACTOR });
  await alterRole(sql, role, { statement_timeout: `${timeoutMs}` });
}

/** One statement to PostgreSQL, and so one transaction: no session begins with some of the defaults. */
async function alterRole(sql: Sql, { name, database }: Role, defaults: Record<string, string>): Promise<void> {
  const changes = Object.entries(defaults).map(
    ([setting, value]) => `alter role ${name} in database ${database} set ${setting} = '${value}'`,
  );
  await sql.unsafe(changes.join("; "));
}

/**
 * Ends the sessions of the role that began before this moment, each when it is idle, and the one that this runs in. The pooler may
 * still hand out a session that has just ended: then it fails, and this tries again.
 */
async function endOlderSessions(sql: Sql, { lock, withinMs }: { lock: number; withinMs: number }): Promise<void> {
  const [row] = await sql<{ now: string }[]>`select extract(epoch from clock_timestamp())::text as now`;
  const deadline = performance.now() + withinMs;
  for (;;) {
    const isLate = performance.now() > deadline;
    try {
      const older = await endIdle(sql, `${row?.now}`, lock);
      if (older.length === 0) return;
      if (isLate) throw stillBusy(older);
      // By its number here, not above: a pooler may have given the session of the statement before to another client.
      if (older.some(({ isOwn }) => isOwn)) await sql`select pg_terminate_backend(pg_backend_pid())`;
    } catch (error) {
      const isEnded = error instanceof Error && "code" in error && ENDED.test(String(error.code));
      if (!isEnded || isLate) throw error;
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

/** @returns all that began before, also the ones that it ended, but none that holds the lock of migrations or waits for it */
function endIdle(sql: Sql, before: string, lock: number): Promise<Session[]> {
  return sql<Session[]>`
    select a.pid, a.application_name as name, a.state, a.pid = pg_backend_pid() as "isOwn",
      case when a.state = 'idle' then pg_terminate_backend(a.pid) end as ended
    from pg_stat_activity a
    where a.usename = current_user and a.datname = current_database() and a.backend_type = 'client backend'
      and extract(epoch from a.backend_start) < ${before}::text::numeric
      and not exists (
        select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory' and l.classid = 0 and l.objid = ${lock})`;
}

function stillBusy(older: Session[]): Error {
  const named = older.slice(0, NAMED_MAX).map(({ pid, name, state }) => `${pid} (${name}, ${state})`);
  const more = older.length > NAMED_MAX ? `, and ${older.length - NAMED_MAX} more` : "";
  return new Error(
    `${SETTING}: sessions of the role began before it got its settings, and are still busy: ${named.join(", ")}${more}. Wait until they have ended, or end each with: select pg_terminate_backend(<number>). Then start again.`,
  );
}
