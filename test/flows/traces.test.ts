// One trace from the 250 of a mail through event and parse to the 2xx of a webhook, in one process and in two; calls of the API;
// and a collector that is slow, wrong or away.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { readSettings } from "#server/base/env.ts";
import { scrape } from "#test/ops/scrape.ts";
import { type Collector, startCollector } from "#test/support/collector.ts";
import { eventually } from "#test/support/events.ts";
import type { ServiceProcess } from "#test/support/process.ts";
import { HOOK, linesOf, mail, openTraces, SENDER, SUBJECT } from "./traces-rig.ts";

const run = promisify(execFile);
const START_MS = 300_000;
const [SERVER, CLIENT, PRODUCER, CONSUMER] = [2, 3, 4, 5];
const STRANGERS = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
const CALLERS = `00-${"c".repeat(32)}-${"d".repeat(16)}-01`;

const rig = await openTraces();
afterAll(() => rig.close());

/** The four spans of a mail, when the collector has them. */
async function expectTrace(collector: Collector, message: string): Promise<string> {
  const [, traceId = "", spanId] = (await rig.delivered(message)).split("-");
  await eventually(() => expect([...collector.trace(traceId).keys()]).toHaveLength(4));
  const trace = collector.trace(traceId);
  const [smtp, event] = [trace.get("SMTP DATA"), trace.get("event message.received")];
  const [parse, webhook] = [trace.get("parse"), trace.get("webhook POST")];
  expect([smtp, event, parse, webhook].map((span) => span?.kind)).toEqual([SERVER, PRODUCER, CONSUMER, CLIENT]);
  expect(smtp?.parentId).toBe("");
  expect(event?.parentId).toBe(smtp?.spanId);
  expect([parse?.parentId, webhook?.parentId]).toEqual([event?.spanId, event?.spanId]);
  expect(webhook?.spanId).toBe(spanId);
  expect(smtp?.attributes).toMatchObject({ "mailberth.outcome": "accepted", "mailberth.message": message });
  expect(parse?.attributes).toMatchObject({ "mailberth.outcome": "parsed", "mailberth.message": message });
  expect(webhook?.attributes).toMatchObject({ "mailberth.outcome": "succeeded", "http.response.status_code": 200 });
  return traceId;
}

describe(
  "one process",
  async () => {
    const collector = await rig.opened(startCollector());
    const service = await rig.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20secret,x-team=mail",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      OTEL_SERVICE_NAME: "mail",
    });
    const call = (path: string, headers: Record<string, string>) => fetch(service.url + path, { headers });
    const spanOf = (name: string, is: (span: Collector["spans"][number]) => boolean = () => true) =>
      eventually(() => {
        const found = collector.spans.find((span) => span.name === name && is(span));
        if (!found) throw new Error(`no span ${name}`);
        return found;
      });

    test("a mail is one trace until its webhook, whose delivery shows the header", async () => {
      const message = await mail(service);
      const traceId = await expectTrace(collector, message);
      const deliveries = await eventually(async () => {
        const { data } = await service.client.webhooks.listDeliveries.query({ id: service.webhook });
        expect(data[0]?.status).toBe("succeeded");
        return data;
      });
      const attempts = await service.client.webhooks.getDelivery.query({
        id: service.webhook,
        delivery_id: deliveries[0]?.id ?? "",
      });
      expect(JSON.stringify(attempts)).toContain(`00-${traceId}-`);
    });

    test("spans have the resource and headers of the settings", async () => {
      const { resource } = await spanOf("SMTP DATA");
      expect(resource).toMatchObject({ "service.name": "mail", "deployment.environment.name": "test" });
      const [{ path, headers }] = collector.requests as [Collector["requests"][number]];
      expect(path).toBe("/v1/traces");
      expect(headers).toMatchObject({ "content-type": "application/x-protobuf", "x-team": "mail" });
      expect(headers.authorization).toBe("Basic secret");
    });

    test("a call is one span with its route; a caller with a key may continue a trace", async () => {
      const headers = { authorization: `Bearer ${service.key}`, traceparent: CALLERS };
      await call(`/v1/inboxes/${service.address}`, headers);
      const span = await spanOf("GET /v1/inboxes/{addr}");
      expect([span.traceId, span.parentId, span.kind]).toEqual(["c".repeat(32), "d".repeat(16), SERVER]);
      expect(span.attributes).toMatchObject({
        "http.request.method": "GET",
        "http.route": "/v1/inboxes/{addr}",
        "http.response.status_code": 200,
        "mailberth.organization": expect.stringMatching(/^org_/),
      });
      await spanOf("POST inboxes.create", ({ attributes }) => attributes["mailberth.door"] === "trpc");
    });

    test.each([
      ["a stranger", {}],
      ["a wrong key", { authorization: "Bearer mb_agent_wrong" }],
    ])("the header of %s is only linked", async (_, who) => {
      const before = collector.spans.length;
      await call("/v1/messages", { ...who, traceparent: STRANGERS });
      const span = await spanOf("GET /v1/messages", (each) => collector.spans.indexOf(each) >= before);
      expect(span.traceId).not.toBe("a".repeat(32));
      expect(span.links).toEqual([{ traceId: "a".repeat(32), spanId: "b".repeat(16) }]);
      expect(span.attributes["http.response.status_code"]).toBe(401);
    });

    test.each(["", "00-zz-zz-01", `00-${"0".repeat(32)}-${"d".repeat(16)}-01`, "x".repeat(4_000)])(
      "a header that is no traceparent is ignored: %#",
      async (traceparent) => {
        const before = collector.spans.length;
        await call("/v1/auth/me", { authorization: `Bearer ${service.key}`, traceparent });
        const span = await spanOf("GET /v1/auth/me", (each) => collector.spans.indexOf(each) >= before);
        expect([span.parentId, span.links]).toEqual(["", []]);
      },
    );

    test("the command of the guide chooses a trace", async () => {
      const guide = await readFile(join(import.meta.dirname, "../../docs/guides/watching.md"), "utf8");
      const [block = ""] = [...guide.matchAll(/```sh\n([\s\S]+?)```/g)].map(([, text = ""]) => text).slice(-1);
      const script = block.replace("mb_agent_…", service.key);
      expect(script).not.toBe(block);
      const { stdout } = await run("bash", ["-ec", script], { env: { ...process.env, MB: service.url } });
      const traceId = /the trace is (\w+)/.exec(stdout)?.[1] ?? "";
      await eventually(() => expect([...collector.trace(traceId).keys()]).toEqual(["GET /v1/auth/me"]));
    });

    test("no span has an address, a subject, a key or an URL of a webhook", () => {
      const all = JSON.stringify(collector.spans);
      for (const secret of [SUBJECT, SENDER, service.address, service.key, rig.receiver.url])
        expect(all).not.toContain(secret);
    });
  },
  START_MS,
);

test(
  "a mail that one process accepts and another one parses and delivers is one trace",
  async () => {
    const collector = await rig.opened(startCollector());
    const traced = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/spans` };
    const both = await rig.start(
      { ...traced, NODE_OPTIONS: HOOK, ROLES: "web,smtp", OTEL_SERVICE_NAME: "door" },
      { ...traced, ROLES: "worker", OTEL_SERVICE_NAME: "worker" },
    );
    const traceId = await expectTrace(collector, await mail(both));
    await eventually(() => {
      const lines = both.processes.flatMap(linesOf).filter((line) => line.trace_id === traceId);
      expect(lines.map(({ kind }) => kind).sort()).toEqual(["delivery", "mail", "parse"]);
    });
    // Positive control of the last test.
    expect(both.processes[0]?.output()).toContain("LOADED @opentelemetry/sdk-trace");
    const makers = [...collector.trace(traceId)].map(([name, { resource }]) => [name, resource["service.name"]]);
    expect(Object.fromEntries(makers)).toEqual({
      "SMTP DATA": "door",
      "event message.received": "door",
      parse: "worker",
      "webhook POST": "worker",
    });
    expect(new Set(collector.requests.map(({ path }) => path))).toEqual(new Set(["/spans"]));
  },
  START_MS,
);

test(
  "with a sampler that takes nothing, a stranger gets no trace sent, and the webhook is told so",
  async () => {
    const collector = await rig.opened(startCollector());
    const { url, smtpPort, address, key } = await rig.serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0",
    });
    await fetch(`${url}/v1/messages`, { headers: { traceparent: STRANGERS } });
    expect(await rig.delivered(await mail({ smtpPort, address }))).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    await fetch(`${url}/v1/auth/me`, { headers: { authorization: `Bearer ${key}`, traceparent: CALLERS } });
    await eventually(() => expect(collector.spans.map(({ name }) => name)).toEqual(["GET /v1/auth/me"]));
  },
  START_MS,
);

test.each([
  ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
  ["OTEL_TRACES_EXPORTER", "zipkin"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "secret-without-a-name"],
  ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4096"],
])("%s=%s matters only with an endpoint, and is then named without its value", (name, value) => {
  expect(() => readSettings({ [name]: value })).not.toThrow();
  const reading = () => readSettings({ [name]: value, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" });
  expect(reading).toThrow(name);
  expect(reading).not.toThrow(value);
});

describe.each<[string, Parameters<typeof startCollector>[0] | undefined]>([
  ["away", undefined],
  ["silent", () => undefined],
  ["answering garbage", (_request, response) => response.end("\xff\x00 garbage".repeat(1_000))],
  ["answering 500", (_request, response) => response.writeHead(500).end()],
])("a collector that is %s", (name, answer) => {
  test(
    "delays no mail, and does not keep the service from stopping",
    async () => {
      const collector = await rig.opened(startCollector(answer));
      if (!answer) await collector.close();
      const patience = { OTEL_EXPORTER_OTLP_TIMEOUT: "60000" };
      const queue = { ...patience, OTEL_BSP_MAX_QUEUE_SIZE: "2", OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "1" };
      const service = await rig.serve({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...queue });
      for (let count = 0; count < 5; count += 1) await rig.delivered(await mail(service));
      const reason = { away: "not_sent", silent: "queue_full", "answering 500": "not_sent" }[name];
      if (reason) {
        const dropped = `mailberth_spans_dropped_total{reason="${reason}"}`;
        await expect.poll(async () => (await scrape(service)).get(dropped)).toBeGreaterThan(0);
      }
      await service.stop();
      // It did not wait for the answer of a silent one, which the exporter would give a minute.
      expect(collector.requests.filter(({ isOver }) => !isOver).length > 0).toBe(name === "silent");
    },
    START_MS,
  );
});

test(
  "off by default: no module of the SDK is loaded, no header is sent, no line has a trace",
  async () => {
    const collector = await rig.opened(startCollector());
    const service = await rig.start({
      NODE_OPTIONS: HOOK,
      OTEL_SDK_DISABLED: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    expect(await rig.delivered(await mail(service))).toBe("undefined");
    const [{ output }] = service.processes as [ServiceProcess];
    await eventually(() => expect(output()).toContain('"kind":"delivery"'));
    for (const trace of ["LOADED", "trace_id"]) expect(output()).not.toContain(trace);
    expect(collector.requests).toEqual([]);
  },
  START_MS,
);
