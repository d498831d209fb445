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
    mailsReceived: new Counter({
      name: "mailberth_mails_received_total",
      help: "Mails received over SMTP, by the reply sent",
      labelNames: ["answer"],
      registers,
    }),
    smtpRefusals: new Counter({
      name: "mailberth_smtp_refusals_total",
      help: "SMTP connections, commands and mails refused because of a limit or an unavailable database, by reason",
      labelNames: ["reason"],
      registers,
    }),
    deliveryAttempts: new Counter({
      name: "mailberth_webhook_attempts_total",
      help: "Webhook delivery attempts, by outcome",
      labelNames: ["outcome"],
      registers,
    }),
    sends: new Counter({
      name: "mailberth_sends_total",
      help: "Attempts to send a message through the outbound provider, by outcome",
      labelNames: ["outcome"],
      registers,
    }),
    payments: new Counter({
      name: "mailberth_payments_total",
      help: "Signed payments received, by result",
      labelNames: ["outcome"],
      registers,
    }),
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

/**
 * Reads queue lengths in the background, so that /metrics returns the last values when the database does not answer.
 */
function sampleQueues(sql: Sql, registers: Registry[]): { stop(): void } {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const rows = new Gauge({
    name: "mailberth_queue_rows",
    help: "Rows in each queue, due or not, at the last sample",
    labelNames: ["queue"],
    registers,
  });
  const payments = gauge("mailberth_payments_settling", "Payments with an unknown result");
  const oldestPayment = gauge(
    "mailberth_payments_settling_oldest_seconds",
    "Age of the oldest payment with an unknown result",
  );
  const up = gauge("mailberth_database_up", "1 if the database answered the last query, else 0");
  let began = Number.NEGATIVE_INFINITY;
  let readAt = performance.now();
  let reading = false;

  async function sample(): Promise<void> {
    if (reading || performance.now() - began < SAMPLE_PAUSE_MS) return;
    reading = true;
    began = performance.now();
    try {
      const { queues, settling } = await readQueues(sql);
      for (const [queue, count] of Object.entries(queues)) rows.set({ queue }, count);
      payments.set(settling.rows);
      oldestPayment.set(Math.max(0, settling.seconds));
      readAt = performance.now();
      up.set(1);
    } catch {
      // The gauge reports the failure. Work that needs the database logs its own failures.
      up.set(0);
    }
    reading = false;
  }

  new Gauge({
    name: "mailberth_queue_sample_age_seconds",
    help: "Age of the last sample of the queue lengths",
    registers,
    collect() {
      this.set((performance.now() - readAt) / 1000);
      void sample();
    },
  });
  void sample();
  const timer = setInterval(sample, SAMPLE_EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
