// The settings of tracing, by the names of OpenTelemetry. Other programs may have set them too: while no endpoint is set, they
// mean nothing and are not checked.
import { z } from "zod";
import { flag, optional, positive, url } from "./rules.ts";

const SAMPLERS = ["always_on", "always_off", "traceidratio"].flatMap((name) => [name, `parentbased_${name}`]);
const DEFAULT_SAMPLER = "parentbased_always_on";
const PROTOCOL = "http/protobuf";
const EXPORTER = "otlp";
const NO_EXPORTER = "none";
const TRACES_PATH = "/v1/traces";
const PAIR = /^[^=,\s]+=[^,]*$/;

const endpoint = optional(
  url(/^https?$/).refine(
    (text) => !URL.parse(text)?.username,
    "an address such as http://127.0.0.1:4318, without credentials",
  ),
);

export const tracingSettings = {
  /** The collector; spans go to /v1/traces below it. Without it and the next one, nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  /** The whole address for spans. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: optional(z.string()),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.string().default(PROTOCOL),
  /** Milliseconds for one batch. */
  OTEL_EXPORTER_OTLP_TIMEOUT: positive.max(60_000).default(10_000),
  OTEL_TRACES_EXPORTER: z.string().default(EXPORTER),
  OTEL_SDK_DISABLED: flag.default(false),
  OTEL_SERVICE_NAME: z.string().max(256).default("mailberth"),
  OTEL_RESOURCE_ATTRIBUTES: optional(z.string()),
  OTEL_TRACES_SAMPLER: z.string().default(DEFAULT_SAMPLER),
  OTEL_TRACES_SAMPLER_ARG: optional(z.coerce.number().min(0).max(1)),
  /** Spans that wait to be sent; more are dropped. */
  OTEL_BSP_MAX_QUEUE_SIZE: positive.max(65_536).default(2_048),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: positive.max(65_536).default(512),
  /** Milliseconds between two batches. */
  OTEL_BSP_SCHEDULE_DELAY: positive.max(60_000).default(5_000),
};

const schema = z.object(tracingSettings);
type TracingSettings = z.infer<typeof schema>;

/** Where spans go; undefined: nothing is traced. */
export function tracesUrl(settings: TracingSettings): string | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = settings;
  if (settings.OTEL_SDK_DISABLED || settings.OTEL_TRACES_EXPORTER === NO_EXPORTER) return undefined;
  return own ?? (base && base.replace(/\/$/, "") + TRACES_PATH);
}

/** What keeps tracing from working although an endpoint is set. */
export function tracingProblems(settings: TracingSettings): string[] {
  if (!tracesUrl(settings)) return [];
  const problems: [boolean, string][] = [
    [settings.OTEL_TRACES_EXPORTER !== EXPORTER, `OTEL_TRACES_EXPORTER: must be ${EXPORTER} or ${NO_EXPORTER}`],
    [settings.OTEL_EXPORTER_OTLP_PROTOCOL !== PROTOCOL, `OTEL_EXPORTER_OTLP_PROTOCOL: must be ${PROTOCOL}`],
    [!SAMPLERS.includes(settings.OTEL_TRACES_SAMPLER), `OTEL_TRACES_SAMPLER: must be one of ${SAMPLERS.join(", ")}`],
    [!isPairs(settings.OTEL_EXPORTER_OTLP_HEADERS), "OTEL_EXPORTER_OTLP_HEADERS: must be name=value,name=value"],
    [!isPairs(settings.OTEL_RESOURCE_ATTRIBUTES), "OTEL_RESOURCE_ATTRIBUTES: must be name=value,name=value"],
    [
      settings.OTEL_BSP_MAX_EXPORT_BATCH_SIZE > settings.OTEL_BSP_MAX_QUEUE_SIZE,
      "OTEL_BSP_MAX_EXPORT_BATCH_SIZE: must be at most OTEL_BSP_MAX_QUEUE_SIZE",
    ],
  ];
  return problems.flatMap(([applies, problem]) => (applies ? [problem] : []));
}

const isPairs = (text: string | undefined) =>
  text === undefined || text.split(",").every((pair) => PAIR.test(pair.trim()));
