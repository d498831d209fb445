// The metrics of the service, in Prometheus format at /metrics; docs/guides/watching.md explains them.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Settings } from "./env.ts";
import { type Sampled, type SampleGauges, startSampling } from "./sampling/sample.ts";
import { version } from "./version.ts";

const HTTP_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BLOB_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const PARSE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The values of labels that exist from the start, so that an alert sees the first increase. */
const VALUES = {
  smtpAnswers: ["250", "451", "452", "550", "552", "554"],
  submitted: ["queued", "held"],
  submissionSignIns: ["right", "wrong", "limited"],
  attempts: ["succeeded", "retried", "failed"],
  sends: ["sent", "retry", "refused", "unknown"],
  recipients: ["sent", "delivered", "bounced", "complained", "suppressed", "failed"],
  parses: ["parsed", "unparsed", "retried"],
  drops: ["queue_full", "not_sent"],
  callsLost: ["waiting", "day", "failed"],
  emails: ["passed", "merged", "delayed", "refused", "skipped"],
};

export type Metrics = ReturnType<typeof createMetrics>;

type Needs = Sampled & { settings: Pick<Settings, "ROLES"> };

/**
 * Each assembled service has its own registry. Label values must come from a closed set, never from a caller's text:
 * every value stays in memory until the process ends. A scrape never waits for the database: see `startSampling`.
 */
export function createMetrics(needs: Needs) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  buildInfo(registers, needs.settings.ROLES);
  const sampling = startSampling(needs, sampleGauges(registers, needs.settings.ROLES.includes("worker")));
  new Gauge({
    name: "mailberth_queue_sample_age_seconds",
    help: "Age of the last complete sample of the database",
    registers,
    collect() {
      this.set(sampling.ageSeconds());
      sampling.start();
    },
  });
  return {
    registry,
    stop: sampling.stop,
    ...requestMetrics(registers),
    ...mailMetrics(registers),
    /** Shows the reads of the API that run and that wait, as counted at each scrape. */
    watchReads: (count: () => { running: number; waiting: number }) => watchReads(registers, count),
  };
}

function requestMetrics(registers: Registry[]) {
  return {
    httpSeconds: new Histogram({
      name: "mailberth_http_request_seconds",
      help: "Duration of requests, by interface, route and status",
      labelNames: ["door", "method", "route", "status"],
      buckets: HTTP_SECONDS,
      registers,
    }),
    waitsOpen: gauge(registers, "mailberth_waits_open", "Waits, event streams and other long answers that are open"),
    spansDropped: countersIn(registers)(
      "mailberth_spans_dropped_total",
      "reason",
      "Spans of traces that no collector got, by reason",
      VALUES.drops,
    ),
    callsNotLogged: countersIn(registers)(
      "mailberth_calls_not_logged_total",
      "reason",
      "API calls with an agent key that are not in the log of API calls, by reason",
      VALUES.callsLost,
    ),
    payments: countersIn(registers)("mailberth_payments_total", "outcome", "Signed payments received, by result"),
  };
}

function mailMetrics(registers: Registry[]) {
  const counter = countersIn(registers);
  return {
    smtpSessions: gauge(registers, "mailberth_smtp_sessions", "SMTP sessions that are open"),
    smtpSessionsOpened: new Counter({
      name: "mailberth_smtp_sessions_total",
      help: "SMTP sessions that were opened",
      registers,
    }),
    mailsReceived: counter(
      "mailberth_mails_received_total",
      "answer",
      "Mails received over SMTP, by the reply sent",
      VALUES.smtpAnswers,
    ),
    mailsSubmitted: submittedCounter(registers),
    submissionSignIns: counter(
      "mailberth_submission_sign_ins_total",
      "outcome",
      "Sign-ins of mail programs over SMTP, by outcome; limited: after too many wrong ones",
      VALUES.submissionSignIns,
    ),
    smtpRefusals: counter(
      "mailberth_smtp_refusals_total",
      "reason",
      "SMTP connections, commands and mails refused because of a limit or an unavailable database, by reason",
    ),
    parseSeconds: parseHistogram(registers),
    deliveryAttempts: counter(
      "mailberth_webhook_attempts_total",
      "outcome",
      "Webhook delivery attempts, by outcome",
      VALUES.attempts,
    ),
    ...outboundMetrics(registers),
    ...blobMetrics(registers),
  };
}

/** Of the object store; without settings for it, there are no values. */
function blobMetrics(registers: Registry[]) {
  return {
    blobRequests: new Counter({
      name: "mailberth_blob_requests_total",
      help: "Requests to the object store, by operation and outcome",
      labelNames: ["operation", "outcome"],
      registers,
    }),
    blobSeconds: new Histogram({
      name: "mailberth_blob_request_seconds",
      help: "Duration of requests to the object store, with their retries, by operation",
      labelNames: ["operation"],
      buckets: BLOB_SECONDS,
      registers,
    }),
  };
}

function outboundMetrics(registers: Registry[]) {
  const counter = countersIn(registers);
  return {
    sends: counter(
      "mailberth_sends_total",
      "outcome",
      "Attempts to send a message through the outbound provider, by outcome",
      VALUES.sends,
    ),
    recipientOutcomes: counter(
      "mailberth_recipient_outcomes_total",
      "outcome",
      "What became of sent mail, by recipient",
      VALUES.recipients,
    ),
    emails: counter(
      "mailberth_letters_total",
      "outcome",
      "Decisions about letters of the service: passed, merged into another letter, delayed, refused, or skipped",
      VALUES.emails,
    ),
    postmasterMails: counter("mailberth_postmaster_mails_total", "outcome", "Mails to postmaster, by what was done"),
    providerEvents: new Counter({
      name: "mailberth_provider_events_total",
      help: "Events that mail providers posted, by provider and result",
      labelNames: ["provider", "result"],
      registers,
    }),
  };
}

function submittedCounter(registers: Registry[]) {
  const counter = new Counter({
    name: "mailberth_mails_submitted_total",
    help: "Mails that mail programs sent with an agent key over SMTP, by the reply sent, and the status of the message or the code of the error",
    labelNames: ["answer", "result"],
    registers,
  });
  for (const result of VALUES.submitted) counter.inc({ answer: "250", result }, 0);
  return counter;
}

function parseHistogram(registers: Registry[]) {
  const histogram = new Histogram({
    name: "mailberth_parse_seconds",
    help: "Duration of parsing a mail with its sender checks, by result",
    labelNames: ["result"],
    buckets: PARSE_SECONDS,
    registers,
  });
  for (const result of VALUES.parses) histogram.zero({ result });
  return histogram;
}

function buildInfo(registers: Registry[], roles: Settings["ROLES"]): void {
  const info = new Gauge({
    name: "mailberth_build_info",
    help: "1, with the version of the service, of Node.js, and the roles of this process",
    labelNames: ["version", "node", "roles"],
    registers,
  });
  info.set({ version, node: process.versions.node, roles: roles.join(",") }, 1);
}

function watchReads(registers: Registry[], count: () => { running: number; waiting: number }): void {
  new Gauge({
    name: "mailberth_reads",
    help: "Reads of the API in this process, by state: they run on the connections for reads, or wait for one",
    labelNames: ["state"],
    registers,
    collect() {
      const { running, waiting } = count();
      this.set({ state: "running" }, running);
      this.set({ state: "waiting" }, waiting);
    },
  });
}

function sampleGauges(registers: Registry[], isWorker: boolean): SampleGauges {
  const one = (name: string, help: string) => gauge(registers, name, help);
  const by = (label: string, name: string, help: string) => new Gauge({ name, help, labelNames: [label], registers });
  const database = {
    up: one("mailberth_database_up", "1 if the database answered the last query, else 0"),
    writes: by("result", "mailberth_database_writes", "1 for the result of the last trial write, else 0"),
  };
  if (!isWorker) return { database, work: undefined };
  const work = {
    rows: by("queue", "mailberth_queue_rows", "Rows in each queue, due or not, at most 10,000"),
    due: by(
      "queue",
      "mailberth_queue_due_rows",
      "Rows of each queue that are due and that no worker holds, at most 10,000",
    ),
    overdue: by(
      "queue",
      "mailberth_queue_overdue_rows",
      "Rows of each queue that have been due for more than a minute, at most 10,000",
    ),
    oldest: by("queue", "mailberth_queue_oldest_due_seconds", "How long the oldest due row of each queue has been due"),
    settling: one("mailberth_payments_settling", "Payments with an unknown result"),
    oldestSettling: one(
      "mailberth_payments_settling_oldest_seconds",
      "Age of the oldest payment with an unknown result",
    ),
    connections: by(
      "state",
      "mailberth_database_connections",
      "Connections of all processes of the service to the database, by state",
    ),
    connectionsMax: one("mailberth_database_connections_max", "Connections that the database server allows"),
    regular: one(
      "mailberth_mailboxes_regular",
      "Mailboxes that got mail on each of the three days before the last one, of a sample",
    ),
    quiet: one("mailberth_mailboxes_quiet", "Regular mailboxes that have got no mail in the last 24 hours"),
  };
  return { database, work };
}

function gauge(registers: Registry[], name: string, help: string) {
  return new Gauge({ name, help, registers });
}

/** @returns a function that makes a counter; `values` of its label exist from the start */
function countersIn(registers: Registry[]) {
  return <Label extends string>(name: string, label: Label, help: string, values: string[] = []) => {
    const made = new Counter({ name, help, labelNames: [label], registers });
    for (const value of values) made.inc({ [label]: value } as Record<Label, string>, 0);
    return made;
  };
}
