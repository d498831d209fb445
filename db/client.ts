// The connection to PostgreSQL: one pool that drizzle and plain SQL share, and what JavaScript each PostgreSQL type becomes.
import { PgDatabase, PgDialect, type PgSession } from "drizzle-orm/pg-core";
import { type PostgresJsQueryResultHKT, PostgresJsSession } from "drizzle-orm/postgres-js";
import type { Logger } from "pino";
import postgres, { type Options, type PostgresType, type Sql, type TransactionSql } from "postgres";

const CONNECT_TIMEOUT_SECONDS = 10;
/** Between two tries to reach a server that is away. Not longer and longer, or its return would go unnoticed. */
const RECONNECT_SECONDS = 0.2;
const CLOSE_TIMEOUT_SECONDS = 5;
const DEFAULT_PORT = "5432";

/**
 * Every statement of ours touches few rows and has an index to find them by. Left to itself the planner reads whole tables,
 * because they were small when it planned, and keeps to that plan when they are large; and with the values in hand it walks
 * the whole log backwards for a mailbox that makes up much of it. For the same reason, rows of a batch are named by
 * `id = any(…)` beside the join that brings their new values. docs/decisions/011 and 016.
 */
const PLANNED_BY_INDEX = { enable_seqscan: "off", plan_cache_mode: "force_generic_plan" };

/** Queries that wait for a connection; more are refused. */
const QUEUE_MAX = 10_000;
/** After a statement's timeout, the server has this long to say so; then its connection counts as dead. */
const ANSWER_GRACE_MS = 2_000;
/** How long after it was asked a query fails that had no answer. */
export function queryDeadlineMs(timeoutMs: number): number {
  return timeoutMs + ANSWER_GRACE_MS;
}

/** A lock that another transaction holds is waited for this share of a statement's timeout. */
const LOCK_WAIT_SHARE = 2 / 3;
/** A transaction may do nothing for this many times a statement's timeout. */
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
  // postgres.js reads neither form of a socket folder from a URL, and would send the server what it does not know.
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
 * Has postgres.js prepare each statement of a session once for a connection, and leaves its errors as they are: drizzle's own
 * would put the parameters into the log, and so secrets.
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

/** The same transaction for plain SQL: for the statements whose speed was measured (ARCHITECTURE.md). */
export function plainOf(tx: Transaction): TransactionSql {
  const { session } = tx._;
  if (!(session instanceof PostgresJsSession)) throw new Error("this transaction is not one of postgres.js");
  return session.client;
}

/**
 * Opens the pool.
 * @param input.url see `connect`
 * @param input.poolSize most connections open at once
 * @param input.timeoutMs longest run of a statement; a query without an answer fails 2 s later with the code QUERY_TIMEOUT, and
 *   its connection is replaced, so that a frozen or vanished server holds nothing up. No limit when it is omitted.
 * @param input.log gets the server's notices, at level debug
 * @returns `db` (drizzle) and `sql` over the same pool, and `close`, which waits up to 5 s for what is under way
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
