// Sends spans to an OpenTelemetry collector, by OTLP over HTTP with protobuf. Imported only when an endpoint is set. Nothing is
// registered for the whole process, so libraries that could trace themselves send nothing.
import {
  type Attributes,
  type Context,
  createNoopMeter,
  type MeterProvider,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { ExportResultCode, parseKeyPairsIntoRecord, parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Settings } from "../base/env.ts";
import type { Logger } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Span, SpanStart, Tracing } from "../base/ports/tracing.ts";
import { version } from "../base/version.ts";

/** What is queued at a stop has this long to be sent. */
const FLUSH_MAX_MS = 1_500;
/** Between two warnings about spans that are dropped. */
const WARN_EVERY_MS = 60_000;
const SCOPE = "mailberth";
const PARENT_BASED = "parentbased_";
const SHORT_VALUE_CHARS = 256;

const KINDS = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
};

type Needs = { settings: Settings; log: Logger; metrics: Pick<Metrics, "spansDropped"> };

/** @param url where spans are posted */
export function otlpTracing(url: string, { settings, log, metrics }: Needs): Tracing {
  const drop = createDrop(log, metrics);
  const exporter = new OTLPTraceExporter({
    url,
    headers: parseKeyPairsIntoRecord(settings.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: settings.OTEL_EXPORTER_OTLP_TIMEOUT,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      ...parseKeyPairsIntoRecord(settings.OTEL_RESOURCE_ATTRIBUTES),
      "service.name": settings.OTEL_SERVICE_NAME,
      "service.version": version,
      "mailberth.roles": settings.ROLES.join(","),
    }),
    sampler: samplerOf(settings),
    spanLimits: { attributeValueLengthLimit: SHORT_VALUE_CHARS },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: withDrops(exporter, drop),
        selfObsMeterProvider: queueMeter(drop),
        maxQueueSize: settings.OTEL_BSP_MAX_QUEUE_SIZE,
        maxExportBatchSize: settings.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
        scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY,
        exportTimeoutMillis: settings.OTEL_EXPORTER_OTLP_TIMEOUT,
      }),
    ],
  });
  const tracer = provider.getTracer(SCOPE, version);
  return {
    start: (start) => startSpan(tracer, start, contextOf(start.parent)),
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, FLUSH_MAX_MS);
      // A collector that is away was warned about.
      const flushed = provider.shutdown().catch(() => undefined);
      await Promise.race([flushed, promise]);
      clearTimeout(timer);
    },
  };
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio = 1 }: Settings): Sampler {
  const samplers: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const root = samplers[name.replace(PARENT_BASED, "")]?.();
  if (!root) throw new Error(`unreachable: settings/otel.ts checks the sampler ${name}`);
  return name.startsWith(PARENT_BASED) ? new ParentBasedSampler({ root }) : root;
}

function contextOf(traceparent: string | null | undefined): Context {
  const parent = traceparent ? parseTraceParent(traceparent) : null;
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
}

function startSpan(tracer: Tracer, { name, kind, link, began }: SpanStart, context: Context): Span {
  const linked = link ? parseTraceParent(link) : null;
  const options = { kind: KINDS[kind], startTime: began, links: linked ? [{ context: linked }] : [] };
  const span = tracer.startSpan(name, options, context);
  const { traceId, spanId, traceFlags } = span.spanContext();
  const flags = traceFlags.toString(16).padStart(2, "0");
  return {
    ids: { trace_id: traceId, span_id: spanId },
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    rename: (known) => void span.updateName(known),
    child: (start) => startSpan(tracer, start, trace.setSpan(ROOT_CONTEXT, span)),
    end(facts, isFailure = false) {
      for (const [key, value] of Object.entries(facts)) if (value !== undefined) span.setAttribute(key, value);
      if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

type Reason = "queue_full" | "not_sent";
type Drop = (spans: number, reason: Reason, error?: Error) => void;

/** Counts spans that are dropped, and writes one warning a minute. */
function createDrop(log: Logger, { spansDropped }: Pick<Metrics, "spansDropped">): Drop {
  const dropped = { queue_full: 0, not_sent: 0 };
  let warnedAt = Number.NEGATIVE_INFINITY;
  return (spans, reason, error) => {
    spansDropped.inc({ reason }, spans);
    dropped[reason] += spans;
    const now = performance.now();
    if (now - warnedAt < WARN_EVERY_MS) return;
    warnedAt = now;
    log.warn({ error, ...dropped }, "spans for OTEL_EXPORTER_OTLP_ENDPOINT were dropped");
    Object.assign(dropped, { queue_full: 0, not_sent: 0 });
  };
}

/** The processor tells only its meter which spans found a full queue. */
function queueMeter(drop: Drop): MeterProvider {
  const createCounter = () => ({
    add(spans: number, { "error.type": error }: Attributes = {}) {
      if (error === "queue_full") drop(spans, "queue_full");
    },
  });
  return { getMeter: () => Object.assign(createNoopMeter(), { createCounter }) };
}

function withDrops(exporter: SpanExporter, drop: Drop): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) drop(spans.length, "not_sent", result.error);
        done({ code: ExportResultCode.SUCCESS });
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
