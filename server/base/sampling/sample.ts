// Samples the database on a timer, so that /metrics never waits for it: whether it answers, and what its queues hold.
import { and, asc, eq, gte, lt, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Logger } from "pino";
import type { Sql } from "postgres";
import type { Gauge } from "prom-client";
import type { Database } from "#db/client.ts";
import { events } from "#db/schema/events.ts";
import { inboxes } from "#db/schema/mail.ts";
import { databaseAnswers, tryWrite, WRITES, within } from "./probe.ts";
import { readQueues, readSettling } from "./queues.ts";

// Counts mailboxes that got mail on each of the three days before the last one, and those of them that have got none since.
const DAY_MS = 86_400_000;
/** Mails of each day that are read: a sample where there are more, so that the cost stays the same. */
const MAILS_MAX = 3_000;
const MAILBOXES_MAX = 500;

type MailboxSample = { regular: number; quiet: number };

/** Mailboxes of the first mails in the day that ended `daysBefore` days before `now`. */
function mailboxesOf(db: Database, now: Date, daysBefore: number) {
  const start = new Date(now.getTime() - (daysBefore + 1) * DAY_MS);
  const end = new Date(start.getTime() + DAY_MS);
  const day = db
    .select({ inbox_id: events.inbox_id })
    .from(events)
    .where(and(gte(events.created_at, start), lt(events.created_at, end), eq(events.kind, "message.received")))
    .orderBy(asc(events.created_at))
    .limit(MAILS_MAX)
    .as("mails");
  return db.selectDistinct({ inbox_id: day.inbox_id }).from(day);
}

/** Counts live mailboxes only: a deleted one is supposed to be quiet. */
async function readMailboxes(db: Database, now: Date): Promise<MailboxSample> {
  const daysBefore = (days: number) => mailboxesOf(db, now, days);
  const regular = daysBefore(1).intersect(daysBefore(2)).intersect(daysBefore(3)).limit(MAILBOXES_MAX).as("regular");
  const latest = alias(events, "latest");
  const lastEvent = db
    .select({ created_at: latest.created_at })
    .from(latest)
    .where(and(eq(latest.inbox_id, regular.inbox_id), eq(latest.kind, "message.received")))
    .orderBy(sql`${latest.position} desc`)
    .limit(1);
  const since = new Date(now.getTime() - DAY_MS).toISOString();
  const [read = { regular: 0, quiet: 0 }] = await db
    .select({
      regular: sql<number>`count(*)::int`,
      quiet: sql<number>`(count(*) filter (where (${lastEvent}) < ${since}::timestamptz))::int`,
    })
    .from(regular)
    .innerJoin(inboxes, and(eq(inboxes.id, regular.inbox_id), eq(inboxes.status, "live")));
  return read;
}

// Counts the service's connections to the database by what they do, and reads how many the server allows.
/** The label values of `mailberth_database_connections`. */
const CONNECTION_STATES = ["active", "idle", "idle_in_transaction"] as const;

type ConnectionSample = Record<(typeof CONNECTION_STATES)[number] | "allowed", number>;

/** The connections of every process of the service: they all have one application name. */
async function readConnections(db: Database): Promise<ConnectionSample> {
  const [read = { active: 0, idle: 0, idle_in_transaction: 0, allowed: 0 }] = await db.execute<ConnectionSample>(sql`
    select (count(*) filter (where state in ('active', 'fastpath function call')))::int as active,
      (count(*) filter (where state = 'idle'))::int as idle,
      (count(*) filter (where state like 'idle in transaction%'))::int as idle_in_transaction,
      current_setting('max_connections')::int as allowed
    from pg_stat_activity where datname = current_database() and application_name = current_setting('application_name')`);
  return read;
}

/** A scrape also starts a sample, unless one started within this time. */
const SAMPLE_PAUSE_MS = 1_000;
const SAMPLE_EVERY_MS = 15_000;
const SAMPLE_TIMEOUT_MS = 5_000;
const MAILBOXES_EVERY_MS = 300_000;

export type Sampled = {
  db: Database;
  probes: Sql;
  log: Logger;
  now: () => Date;
};

type QueueGauge = "rows" | "due" | "overdue" | "oldest" | "settling" | "oldestSettling";
type Gauges<Label extends string> = Record<Label, Gauge>;
export type SampleGauges = {
  database: Gauges<"up" | "writes">;
  /** Undefined in a process without the role `worker`, which does not read the queues. */
  work: Gauges<QueueGauge | "connections" | "connectionsMax" | "regular" | "quiet"> | undefined;
};

type State = Sampled & {
  gauges: SampleGauges;
  began: number;
  readAt: number;
  mailboxesAt: number;
  sampling: boolean;
};

export type Sampling = { ageSeconds(): number; start(): void; stop(): void };

/** Samples until `stop`. */
export function startSampling(sampled: Sampled, gauges: SampleGauges): Sampling {
  const began = Number.NEGATIVE_INFINITY;
  const state: State = { ...sampled, gauges, began, readAt: performance.now(), mailboxesAt: began, sampling: false };
  const start = () => void sample(state);
  start();
  const timer = setInterval(start, SAMPLE_EVERY_MS).unref();
  return {
    ageSeconds: () => (performance.now() - state.readAt) / 1000,
    start,
    stop: () => clearInterval(timer),
  };
}

async function sample(state: State): Promise<void> {
  if (state.sampling || performance.now() - state.began < SAMPLE_PAUSE_MS) return;
  state.sampling = true;
  state.began = performance.now();
  const isUp = await sampleDatabase(state);
  try {
    if (isUp && state.gauges.work) await inTime(sampleWork(state, state.gauges.work));
    if (isUp) state.readAt = performance.now();
  } catch (error) {
    // The age of the sample reports the failure, and the next sample tries again.
    state.log.debug({ error }, "the queues were not sampled");
  }
  state.sampling = false;
}

async function sampleDatabase({ probes, log, gauges }: State): Promise<boolean> {
  const quiet = { probes, log: log.child({}, { level: "silent" }) };
  const [isUp, writes] = await Promise.all([databaseAnswers(quiet), within("timed_out", tryWrite(quiet))]);
  gauges.database.up.set(isUp ? 1 : 0);
  for (const each of WRITES) gauges.database.writes.set({ result: each }, each === writes ? 1 : 0);
  return isUp;
}

type WorkGauges = NonNullable<SampleGauges["work"]>;

async function sampleWork(state: State, gauges: WorkGauges): Promise<void> {
  const { db, now } = state;
  for (const { queue, rows, due, overdue, oldestSeconds } of await readQueues(db, now())) {
    gauges.rows.set({ queue }, rows);
    gauges.due.set({ queue }, due);
    gauges.overdue.set({ queue }, overdue);
    gauges.oldest.set({ queue }, Math.max(0, oldestSeconds));
  }
  const settling = await readSettling(db, now());
  gauges.settling.set(settling.rows);
  gauges.oldestSettling.set(Math.max(0, settling.seconds));
  const connections = await readConnections(db);
  for (const each of CONNECTION_STATES) gauges.connections.set({ state: each }, connections[each]);
  gauges.connectionsMax.set(connections.allowed);
  if (performance.now() - state.mailboxesAt < MAILBOXES_EVERY_MS) return;
  const { regular, quiet } = await readMailboxes(db, now());
  state.mailboxesAt = performance.now();
  gauges.regular.set(regular);
  gauges.quiet.set(quiet);
}

/** @throws if the work takes longer than 5 s */
async function inTime(work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`the database did not answer within ${SAMPLE_TIMEOUT_MS} ms`)),
    SAMPLE_TIMEOUT_MS,
  );
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
