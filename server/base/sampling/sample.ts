// Samples the database on a timer, so that /metrics never waits for it: whether it answers, and what its queues hold.

import type { Logger } from "pino";
import type { Sql } from "postgres";
import type { Gauge } from "prom-client";
import type { Database } from "#db/client.ts";
import { CONNECTION_STATES, readConnections } from "./connections.ts";
import { readMailboxes } from "./mailboxes.ts";
import { databaseAnswers, tryWrite, WRITES, within } from "./probe.ts";
import { readQueues, readSettling } from "./queues.ts";

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
