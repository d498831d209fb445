// What the service counts, in Prometheus form at /metrics.

import type { Sql } from "postgres";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

const HTTP_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * A registry of its own for each assembled service. A label's values come from a closed set, never from the text of a caller:
 * each one is kept in memory until the process ends. Queue lengths are read from the database when it is scraped.
 */
export function createMetrics(sql: Sql) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: "mailberth_queue_rows",
    help: "Rows waiting to be worked on, due or not",
    labelNames: ["queue"],
    registers,
    async collect() {
      const [row] = await sql<[Record<"deliveries" | "outbound" | "bodies" | "identities" | "notices", number>]>`
        select
          (select count(*)::int from deliveries where status = 'pending') as deliveries,
          (select count(*)::int from messages where status in ('queued', 'sending')) as outbound,
          (select count(*)::int from messages where status = 'received') as bodies,
          (select count(*)::int from inboxes where identity_status in ('opening', 'closing')) as identities,
          (select count(*)::int from notices where next_attempt_at is not null) as notices`;
      for (const [queue, rows] of Object.entries(row)) this.set({ queue }, rows);
    },
  });
  new Gauge({
    name: "mailberth_payments_settling",
    help: "Payments whose outcome is not known yet",
    registers,
    async collect() {
      const [row] = await sql<[{ rows: number; seconds: number }]>`
        select count(*)::int as rows, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds
        from payments where next_look_at is not null and status in ('verified', 'settling', 'settled')`;
      this.set(row.rows);
      oldestPayment.set(Math.max(0, row.seconds));
    },
  });
  const oldestPayment = new Gauge({
    name: "mailberth_payments_settling_oldest_seconds",
    help: "Age of the oldest of them",
    registers,
  });
  return {
    registry,
    httpSeconds: new Histogram({
      name: "mailberth_http_request_seconds",
      help: "Time to answer, by door, route and status",
      labelNames: ["door", "method", "route", "status"],
      buckets: HTTP_SECONDS,
      registers,
    }),
    mailsReceived: new Counter({
      name: "mailberth_mails_received_total",
      help: "Mails offered over SMTP, by the answer they got",
      labelNames: ["answer"],
      registers,
    }),
    smtpRefusals: new Counter({
      name: "mailberth_smtp_refusals_total",
      help: "SMTP connections, commands and mails refused by a limit or for lack of the database, by reason",
      labelNames: ["reason"],
      registers,
    }),
    deliveryAttempts: new Counter({
      name: "mailberth_webhook_attempts_total",
      help: "Attempts to deliver an event to a webhook, by outcome",
      labelNames: ["outcome"],
      registers,
    }),
    sends: new Counter({
      name: "mailberth_sends_total",
      help: "Attempts to hand a message to the outbound provider, by outcome",
      labelNames: ["outcome"],
      registers,
    }),
    payments: new Counter({
      name: "mailberth_payments_total",
      help: "Signed payments that were shown, by what became of them",
      labelNames: ["outcome"],
      registers,
    }),
  };
}
