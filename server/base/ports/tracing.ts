// The port to tracing: spans of units of work, which a collector puts together to traces. Implemented by
// server/adapters/otlp-tracing.ts, tested by test/flows/traces.test.ts.

export type SpanStart = {
  /** From a closed set, such as the template of a route: no id and no text of a caller. */
  name: string;
  /** `server`: answers a client. `producer`: writes work for later. `consumer`: does such work. `client`: calls a server. */
  kind: "server" | "producer" | "consumer" | "client";
  /** The `traceparent` of the cause (W3C Trace Context). Absent or not valid: a new trace. */
  parent?: string | null | undefined;
  /** The `traceparent` of a caller who decides nothing about this trace: it only says where the work came from. */
  link?: string | undefined;
  /** When the work began, by `performance.now()`; by default now. */
  began?: number;
};

/** Undefined values are left out. */
export type SpanFacts = Record<string, string | number | boolean | undefined>;

export type Span = {
  /** What log lines have. */
  readonly ids: { trace_id: string; span_id: string };
  /** For what this work causes: in a header of a request, or beside a row that another process continues. */
  readonly traceparent: string;
  /** Replaces a name that was provisional. */
  rename(name: string): void;
  /** Starts a span that this one caused. */
  child(start: Omit<SpanStart, "parent" | "link">): Span;
  /** Queues the span to be sent. A span that is not ended is not sent. */
  end(facts: SpanFacts, isFailure?: boolean): void;
};

export type Tracing = {
  start(start: SpanStart): Span;
  /** Sends what is queued, within a limit of time. */
  close(): Promise<void>;
};
