// The metrics of the service, in Prometheus format at /metrics.
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

const HTTP_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A scrape also starts a sample, unless one started within this time. */
const SAMPLE_PAUSE_MS = 1_000;
const SAMPLE_EVERY_MS = 15_000;
const SAMPLE_TIMEOUT_MS = 5_000;

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Each assembled service has its own registry. Label values must come from a closed set, never from a caller's text:
 * every value stays in memory until the process ends. A scrape never waits for the database: see `sampleQueues`.
 */
export function createMetrics(sql: Sql) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const sampling = sampleQueues(sql, registers);
  const counter = <Label extends string>(name: string, label: Label, help: string) =>
    new Counter({ name, help, labelNames: [label], registers });
  return {
    registry,
    stop: sampling.stop,
    httpSeconds: new Histogram({
      name: "mailberth_http_request_seconds",
      help: "Duration of requests, by interface, route and status",
      labelNames: ["door", "method", "route", "status"],
      buckets: HTTP_SECONDS,
      registers,
    }),
    mailsReceived: counter("mailberth_mails_received_total", "answer", "Mails received over SMTP, by the reply sent"),
    smtpRefusals: counter(
      "mailberth_smtp_refusals_total",
      "reason",
      "SMTP connections, commands and mails refused because of a limit or an unavailable database, by reason",
    ),
    postmasterMails: counter("mailberth_postmaster_mails_total", "outcome", "Mails to postmaster, by what was done"),
    deliveryAttempts: counter("mailberth_webhook_attempts_total", "outcome", "Webhook delivery attempts, by outcome"),
    sends: counter(
      "mailberth_sends_total",
      "outcome",
      "Attempts to send a message through the outbound provider, by outcome",
    ),
    providerEvents: counter("mailberth_provider_events_total", "result", "Events that Resend posted, by result"),
    payments: counter("mailberth_payments_total", "outcome", "Signed payments received, by result"),
  };
}

type QueueRows = Record<"deliveries" | "outbound" | "bodies" | "identities" | "notices", number>;
type Settling = { rows: number; seconds: number };

async function readQueues(sql: Sql): Promise<{ queues: QueueRows; settling: Settling }> {
  const late = sleep(SAMPLE_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`the database did not answer within ${SAMPLE_TIMEOUT_MS} ms`);
  });
  const queues = sql<[QueueRows]>`
    select
      (select count(*)::int from deliveries where status = 'pending') as deliveries,
      (select count(*)::int from messages where status in ('queued', 'sending')) as outbound,
      (select count(*)::int from messages where status = 'received') as bodies,
      (select count(*)::int from inboxes where identity_status in ('opening', 'closing')) as identities,
      (select count(*)::int from notices where next_attempt_at is not null) as notices`;
  const settling = sql<[Settling]>`
    select count(*)::int as rows, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds
    from payments where next_look_at is not null and status in ('verified', 'settling', 'settled')`;
  const [[queueRow], [settlingRow]] = await Promise.race([Promise.all([queues, settling]), late]);
  return { queues: queueRow, settling: settlingRow };
}

type State = {
  sql: Sql;
  rows: Gauge<"queue">;
  payments: ReturnType<typeof gauge>;
  oldestPayment: ReturnType<typeof gauge>;
  up: ReturnType<typeof gauge>;
  began: number;
  readAt: number;
  reading: boolean;
};

/**
 * Reads queue lengths in the background, so that /metrics returns the last values when the database does not answer.
 */
function sampleQueues(sql: Sql, registers: Registry[]): { stop(): void } {
  const state: State = {
    sql,
    rows: new Gauge({
      name: "mailberth_queue_rows",
      help: "Rows in each queue, due or not, at the last sample",
      labelNames: ["queue"],
      registers,
    }),
    payments: gauge(registers, "mailberth_payments_settling", "Payments with an unknown result"),
    oldestPayment: gauge(
      registers,
      "mailberth_payments_settling_oldest_seconds",
      "Age of the oldest payment with an unknown result",
    ),
    up: gauge(registers, "mailberth_database_up", "1 if the database answered the last query, else 0"),
    began: Number.NEGATIVE_INFINITY,
    readAt: performance.now(),
    reading: false,
  };
  new Gauge({
    name: "mailberth_queue_sample_age_seconds",
    help: "Age of the last sample of the queue lengths",
    registers,
    collect() {
      this.set((performance.now() - state.readAt) / 1000);
      void sample(state);
    },
  });
  void sample(state);
  const timer = setInterval(() => sample(state), SAMPLE_EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}

function gauge(registers: Registry[], name: string, help: string) {
  return new Gauge({ name, help, registers });
}

async function sample(state: State): Promise<void> {
  if (state.reading || performance.now() - state.began < SAMPLE_PAUSE_MS) return;
  state.reading = true;
  state.began = performance.now();
  try {
    const { queues, settling } = await readQueues(state.sql);
    for (const [queue, count] of Object.entries(queues)) state.rows.set({ queue }, count);
    state.payments.set(settling.rows);
    state.oldestPayment.set(Math.max(0, settling.seconds));
    state.readAt = performance.now();
    state.up.set(1);
  } catch {
    // The gauge reports the failure. Work that needs the database logs its own failures.
    state.up.set(0);
  }
  state.reading = false;
}
