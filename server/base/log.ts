// Creates the logger: JSON lines, or pretty text on a terminal, with one line for each unit of work: a request, a mail, its
// parse, a delivery, a hand-over. Bearer keys and secrets are redacted.
import { AsyncLocalStorage } from "node:async_hooks";
import { type Logger, pino } from "pino";
import { encodeId } from "./ids.ts";
import type { Span, SpanFacts } from "./ports/tracing.ts";

export type { Logger };

/** Mailboxes and messages of one mail that its line names. */
const NAMED_MAX = 8;
/** Outcomes of work that failed, at least for now. */
const FAILURES = new Set(["failed", "retried", "deferred"]);

/** A logger at `level`; `pretty` prints readable lines for a terminal. */
export function createLog(level: string, pretty: boolean): Logger {
  return pino({
    level,
    base: undefined,
    // pino serializes errors only under `err`; under another key an Error would be logged as {}.
    serializers: { error: pino.stdSerializers.err },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ["authorization", "*.authorization", "headers.authorization", "token", "secret", "key"],
    ...(pretty && {
      transport: {
        target: "pino-pretty",
        options: { colorize: true, translateTime: "HH:MM:ss.l", ignore: "hostname" },
      },
    }),
  });
}

/** The error that a call was answered with; its status is that of REST. */
type Failure = { code: string; status: number };
/**
 * UUIDs that a request learns while it runs, and why it failed. `caller`: the API id of a key or a person. `refusedKey`: the API id of a
 * key that is known and no longer valid, which is not a caller.
 */
type Known = { organization?: string; caller?: string; refusedKey?: string; inbox?: string; failure?: Failure };
/** `span`: makes the span of the request when it is first called; absent without tracing. */
export type Facts = Known & { span?: () => Span };

export type FactsOfRequest = {
  /** Runs a request; `note` inside it adds to `facts`. */
  run<T>(facts: Facts, work: () => Promise<T>): Promise<T>;
  note(facts: Known): void;
  /** Of the span of this request, for work that it leaves behind; undefined without a request or without tracing. */
  traceparent(): string | undefined;
};

export function createFacts(): FactsOfRequest {
  const storage = new AsyncLocalStorage<Facts>();
  return {
    run: (facts, work) => storage.run(facts, work),
    note(facts) {
      const known = storage.getStore();
      if (known) Object.assign(known, facts);
    },
    traceparent: () => storage.getStore()?.span?.().traceparent,
  };
}

/**
 * What every line has. `outcome` is from a closed set of its kind; `ms` how long the work took. No line has an address, a
 * subject, a text, a key or a code.
 */
export type WorkLine = {
  kind: "request" | "mail" | "parse" | "delivery" | "hand_over";
  outcome: string;
  ms: number;
  /** UUIDs; null and undefined: none, or not known. */
  organization?: string | null | undefined;
  inbox?: string | null | undefined;
  message?: string | undefined;
  /** Ends with the line, which has its ids. `spanFacts` leave the service: ids, counts and codes, nothing of a caller. */
  span?: Span | undefined;
  spanFacts?: SpanFacts;
  /** More facts, as they are written. */
  facts: Record<string, string | number | boolean | string[] | null | undefined>;
};

export function writeWork(log: Logger, level: "debug" | "info", line: WorkLine): void {
  if (line.span) endSpan(line.span, line);
  if (!log.isLevelEnabled(level)) return;
  const { kind, outcome, ms, facts, span } = line;
  log[level]({ kind, ...facts, ...idsOf(line), ...span?.ids, outcome, ms: Math.round(ms * 10) / 10 });
}

function idsOf({ organization, inbox, message }: WorkLine) {
  return {
    ...(organization && { organization: encodeId("org", organization) }),
    ...(inbox && { inbox: encodeId("inb", inbox) }),
    ...(message && { message: encodeId("msg", message) }),
  };
}

function endSpan(span: Span, line: WorkLine): void {
  const ids = Object.entries(idsOf(line)).map(([name, id]) => [`mailberth.${name}`, id]);
  const facts = { "mailberth.outcome": line.outcome, ...Object.fromEntries(ids), ...line.spanFacts };
  const isRefusedHandOver = line.kind === "hand_over" && line.outcome !== "sent";
  span.end(facts, isRefusedHandOver || FAILURES.has(line.outcome));
}

/** Ids as the API shows them, the first eight. */
export function named(kind: Parameters<typeof encodeId>[0], ids: Iterable<string>): string[] {
  return [...new Set(ids)].slice(0, NAMED_MAX).map((id) => encodeId(kind, id));
}
