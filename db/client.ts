// Connects to PostgreSQL: one pool for drizzle and plain SQL, and the mapping of PostgreSQL types to JavaScript.
import { PgDatabase, PgDialect, type PgSession } from "drizzle-orm/pg-core";
import { type PostgresJsQueryResultHKT, PostgresJsSession } from "drizzle-orm/postgres-js";
import type { Logger } from "pino";
import postgres, { type Options, type PostgresType, type Sql, type TransactionSql } from "postgres";

const CONNECT_TIMEOUT_SECONDS = 10;
/**
 * The interval between connection attempts to an unavailable server. It does not grow, so that the return is noticed.
 */
const RECONNECT_SECONDS = 0.2;
const CLOSE_TIMEOUT_SECONDS = 5;
const DEFAULT_PORT = "5432";

/**
 * Every statement touches few rows and has an index for them. By default the planner scans whole tables, because they
 * were small when it planned, and keeps that plan when they are large; with known values it scans the whole log
 * backwards for a mailbox that has much of it. For the same reason, rows of a batch are selected by `id = any(…)`
 * beside the join with their new values. docs/decisions/011 and 016.
 */
const PLANNED_BY_INDEX = { enable_seqscan: "off", plan_cache_mode: "force_generic_plan" };

/** Queries that wait for a connection; more are refused. */
const QUEUE_MAX = 10_000;
/** After a statement's timeout, the server has this long to report it; then its connection counts as dead. */
const ANSWER_GRACE_MS = 2_000;
/** A query without an answer fails after this time. */
export function queryDeadlineMs(timeoutMs: number): number {
  return timeoutMs + ANSWER_GRACE_MS;
}

/** The share of a statement's timeout for waiting for a lock. */
const LOCK_WAIT_SHARE = 2 / 3;
/** A transaction may be idle for this many statement timeouts. */
const IDLE_TRANSACTION_FACTOR = 2;

/** The limits of statements, as parameters of a connection. */
function limits(timeoutMs: number) {
  return {
    statement_timeout: timeoutMs,
    lock_timeout: Math.ceil(timeoutMs * LOCK_WAIT_SHARE),
    idle_in_transaction_session_timeout: timeoutMs * IDLE_TRANSACTION_FACTOR,
  };
}

/** Options of postgres.js, and those that db/patches adds: seconds until a query fails, and how many may wait. */
type ClientOptions = Options<Record<string, PostgresType>> & { query_timeout?: number; max_queue?: number };

/**
 * Types that differ from the defaults of postgres.js, by their numbers in `pg_type`: counts and sizes are numbers, exact up to
 * 2^53; a day is text (`2026-01-31`); JSON is written from a value, and from text that drizzle has already encoded.
 * By default `timestamptz` is a Date and `numeric` is text.
 */
const TYPES = {
  int8: { to: 20, from: [20], parse: Number, serialize: String },
  date: { to: 1082, from: [1082], parse: (text: string) => text, serialize: (text: string) => text },
  json: {
    to: 3802,
    from: [114, 3802],
    parse: (text: string) => JSON.parse(text),
    serialize: (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value)),
  },
};

/**
 * Opens a client, without connecting yet.
 * @param url a host (`postgres://user:pass@host:5432/name`) or a unix socket folder, in either form libpq knows:
 *   `postgres://user:pass@%2Frun%2Fpostgresql/name` or `postgres://user:pass@localhost/name?host=/run/postgresql`
 */
export function connect(url: string, options: ClientOptions = {}): Sql {
  const parsed = new URL(url);
  const host = decodeURIComponent(parsed.searchParams.get("host") ?? parsed.hostname);
  const settings = { connect_timeout: CONNECT_TIMEOUT_SECONDS, backoff: () => RECONNECT_SECONDS, ...options };
  if (!host.startsWith("/")) {
    return postgres(url, settings);
  }
  const port = parsed.searchParams.get("port") ?? (parsed.port || DEFAULT_PORT);
  // postgres.js understands neither form of a socket folder in a URL, and would send it to the server.
  parsed.searchParams.delete("host");
  parsed.searchParams.delete("port");
  parsed.hostname = "localhost";
  return postgres(parsed.href, { ...settings, path: `${host}/.s.PGSQL.${port}` });
}

const DIALECT = new PgDialect();

type Session = PgSession<PostgresJsQueryResultHKT>;
/** drizzle over the pool, or over a transaction. */
export type Database = PgDatabase<PostgresJsQueryResultHKT>;
/** drizzle over a transaction. */
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];

/** drizzle over the pool. `drizzle()` itself would replace the pool's parsers. */
function drizzleOver(sql: Sql): Database {
  const session = new PostgresJsSession<Sql, Record<string, never>, Record<string, never>>(sql, DIALECT, undefined, {});
  prepareAll(session);
  return new PgDatabase(DIALECT, session, undefined);
}

/**
 * Makes postgres.js prepare each statement once per connection, and keeps its errors: drizzle's own would put the
 * parameters, and so secrets, into the log.
 */
function prepareAll(session: Session): void {
  const [prepareQuery, transaction] = [session.prepareQuery.bind(session), session.transaction.bind(session)];
  Object.assign(session, {
    prepareQuery(...[query, fields, , ...rest]: Parameters<Session["prepareQuery"]>) {
      const send = <T>(_text: string, _values: unknown[], run: () => Promise<T>) => run();
      return Object.assign(prepareQuery(query, fields, "prepared", ...rest), { queryWithCache: send });
    },
    transaction: <T>(run: (tx: Transaction) => Promise<T>) =>
      transaction((tx) => {
        prepareAll(tx._.session);
        return run(tx);
      }),
  });
}

/** The same transaction for plain SQL, for statements whose speed was measured (ARCHITECTURE.md). */
export function plainOf(tx: Transaction): TransactionSql {
  const { session } = tx._;
  if (!(session instanceof PostgresJsSession)) throw new Error("unreachable: not a transaction of postgres.js");
  return session.client;
}

/**
 * Opens the pool.
 * @param input.url see `connect`
 * @param input.poolSize most open connections
 * @param input.timeoutMs timeout of a statement; a query without an answer fails 2 s later with the code QUERY_TIMEOUT,
 * and its connection is replaced, so that a frozen or unreachable server blocks nothing. No limit if omitted.
 * @param input.log receives the server's notices, at level debug
 * @returns `db` (drizzle) and `sql` over the same pool, and `close`, which waits up to 5 s for running queries
 */
export function openDatabase(input: { url: string; poolSize: number; timeoutMs?: number; log?: Logger }) {
  const { timeoutMs } = input;
  const sql = connect(input.url, {
    max: input.poolSize,
    max_queue: QUEUE_MAX,
    types: TYPES,
    ...(timeoutMs && { query_timeout: queryDeadlineMs(timeoutMs) / 1000 }),
    connection: { application_name: "mailberth", ...PLANNED_BY_INDEX, ...(timeoutMs && limits(timeoutMs)) },
    onnotice: (notice) => input.log?.debug({ notice: notice.message, code: notice.code }, "PostgreSQL notice"),
  });
  return { sql, db: drizzleOver(sql), close: () => sql.end({ timeout: CLOSE_TIMEOUT_SECONDS }) };
}
