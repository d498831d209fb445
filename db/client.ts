// Connects to PostgreSQL: one pool for drizzle and plain SQL, and the mapping of PostgreSQL types to JavaScript.
import { PgDatabase, PgDialect, type PgSession } from "drizzle-orm/pg-core";
import { type PostgresJsQueryResultHKT, PostgresJsSession } from "drizzle-orm/postgres-js";
import type { Logger } from "pino";
import postgres, { type Options, type PostgresType, type Sql, type TransactionSql } from "postgres";
import { tlsOptions } from "./tls.ts";
import { readDatabaseUrl } from "./url.ts";

const CONNECT_TIMEOUT_SECONDS = 10;
/** With several hosts, one that does not answer must not delay the others. */
const CONNECT_TIMEOUT_SECONDS_EACH = 3;
/**
 * The interval between connection attempts to an unavailable server. It does not grow, so that the return is noticed.
 */
const RECONNECT_SECONDS = 0.2;
const CLOSE_TIMEOUT_SECONDS = 5;
const NAME = "mailberth";
export const DEFAULT_SCHEMA = "public";

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

/**
 * The settings of every session: its schema, the planner, and the limits of statements, which default to none. As
 * parameters of the connection they reach PostgreSQL; behind a connection pooler they are defaults of the role
 * (db/pooler.ts).
 */
export function sessionSettings(schema = DEFAULT_SCHEMA, timeoutMs = 0): Record<string, string> {
  return {
    search_path: schema,
    ...PLANNED_BY_INDEX,
    statement_timeout: `${timeoutMs}`,
    lock_timeout: `${Math.ceil(timeoutMs * LOCK_WAIT_SHARE)}`,
    idle_in_transaction_session_timeout: `${timeoutMs * IDLE_TRANSACTION_FACTOR}`,
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
 * @param url one host or several (`postgres://user:pass@host1:5432,host2/name`), or a unix socket folder, in either form libpq
 *   knows: `postgres://user:pass@%2Frun%2Fpostgresql/name` or `postgres://user:pass@localhost/name?host=/run/postgresql`
 */
export function connect(url: string, options: ClientOptions = {}): Sql {
  const place = readDatabaseUrl(url);
  const { hosts, socket, user, password, database, tls, session, parameters } = place;
  const timeout = hosts.length > 1 ? CONNECT_TIMEOUT_SECONDS_EACH : CONNECT_TIMEOUT_SECONDS;
  const client: ClientOptions = {
    connect_timeout: place.connectTimeoutSeconds ?? timeout,
    backoff: () => RECONNECT_SECONDS,
    ...(socket && { path: `${socket}/.s.PGSQL.${hosts[0]?.port}` }),
    ...(user && { user }),
    ...(password && { password }),
    ...(database && { database }),
    ssl: tlsOptions(place),
    ...(tls.isDirect && { sslnegotiation: "direct" }),
    ...(session && { target_session_attrs: session }),
    ...options,
    connection: { application_name: NAME, ...parameters, ...options.connection },
  };
  // The driver takes lists here, but its types do not say so.
  const lists = { host: hosts.map(({ host }) => host), port: hosts.map(({ port }) => port) };
  return postgres(Object.assign(client, lists));
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

/** A database: `schema` has the tables; `isPooled`: a connection pooler such as PgBouncer answers at `url`. */
export type Place = { url: string; schema?: string; isPooled?: boolean };

/**
 * Opens the pool.
 * @param input.url see `connect`
 * @param input.poolSize most open connections
 * @param input.timeoutMs timeout of a statement; a query without an answer fails 2 s later with the code QUERY_TIMEOUT,
 * and its connection is replaced, so that a frozen or unreachable server blocks nothing. No limit if omitted.
 * @param input.lockTimeoutMs replaces the share of `timeoutMs` for waiting for a lock
 * @param input.log receives the server's notices, at level debug
 * @returns `db` (drizzle) and `sql` over the same pool, and `close`, which waits up to 5 s for running queries
 */
export function openDatabase(
  input: Place & { poolSize: number; timeoutMs?: number; lockTimeoutMs?: number; log?: Logger },
) {
  const { timeoutMs, isPooled = false, lockTimeoutMs: lock } = input;
  const sql = connect(input.url, {
    max: input.poolSize,
    max_queue: QUEUE_MAX,
    types: TYPES,
    ...(timeoutMs && { query_timeout: queryDeadlineMs(timeoutMs) / 1000 }),
    // In its transaction mode a pooler gives each transaction another session, which has no prepared statements. A query that is sent
    // before the previous one was answered would be divided between two sessions, and never answered.
    prepare: !isPooled,
    ...(isPooled && { max_pipeline: 0 }),
    ...(!isPooled && {
      connection: { ...sessionSettings(input.schema, timeoutMs), ...(lock && { lock_timeout: lock }) },
    }),
    onnotice: (notice) => input.log?.debug({ notice: notice.message, code: notice.code }, "PostgreSQL notice"),
  });
  return { sql, db: drizzleOver(sql), close: () => sql.end({ timeout: CLOSE_TIMEOUT_SECONDS }) };
}
