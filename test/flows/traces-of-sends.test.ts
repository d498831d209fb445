// One trace from the call that sends a message over its hand-over to the webhook of its outcome: in one process and in two, to a
// relay, and for a bounce that comes back later.
import { createTransport } from "nodemailer";
import { afterAll, expect, test } from "vitest";
import { dsn } from "#test/receiving/returns/reports.ts";
import { type Collector, startCollector } from "#test/support/collector.ts";
import { eventually } from "#test/support/events.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { linesOf, openTraces, SUBJECT } from "./traces-rig.ts";

const START_MS = 300_000;
const [SERVER, CLIENT] = [2, 3];
const OUTCOMES = ["message.delivered" as const, "message.bounced" as const, "message.failed" as const];
const ADA = "ada-that-stays-out@far.example";
const CALLERS = `00-${"c".repeat(32)}-${"d".repeat(16)}-01`;
const SEND = "POST /v1/inboxes/{addr}/send";

const rig = await openTraces();
afterAll(() => rig.close());

type Service = Awaited<ReturnType<typeof rig.serve>> | Awaited<ReturnType<typeof rig.start>>;

const hear = ({ client }: Service) => client.webhooks.register.mutate({ url: rig.receiver.url, events: OUTCOMES });

function post({ url, key, address }: Service, body: object, headers: Record<string, string> = {}) {
  return fetch(`${url}/v1/inboxes/${address}/send`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ subject: SUBJECT, text: "Hello.", ...body }),
  });
}

/** @returns the id of the message */
async function send(service: Service, body: object, headers: Record<string, string> = {}): Promise<string> {
  const answer = await post(service, body, headers);
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { id: string }).id;
}

/** The spans of a send whose outcome was posted: each caused the next one. */
async function expectTrace(collector: Collector, message: string, handedOver: string) {
  const [, traceId = "", spanId] = (await rig.delivered(message)).split("-");
  await eventually(() => expect([...collector.trace(traceId).keys()]).toHaveLength(3));
  const trace = collector.trace(traceId);
  const [call, handOver, webhook] = [trace.get(SEND), trace.get("hand-over"), trace.get("webhook POST")];
  expect([call, handOver, webhook].map((span) => span?.kind)).toEqual([SERVER, CLIENT, CLIENT]);
  expect(call?.attributes).toMatchObject({ "http.response.status_code": 202, "mailberth.door": "rest" });
  expect(handOver?.parentId).toBe(call?.spanId);
  expect(handOver?.attributes).toMatchObject({
    "mailberth.outcome": handedOver,
    "mailberth.message": message,
    "mailberth.attempt": 1,
    "mailberth.recipients": 1,
  });
  expect(handOver?.isFailure).toBe(handedOver !== "sent");
  expect([webhook?.parentId, webhook?.spanId]).toEqual([handOver?.spanId, spanId]);
  return { traceId, trace, call };
}

const file = { filename: "a.txt", content_type: "text/plain", content_base64: Buffer.from("a").toString("base64") };

test(
  "a message that one process accepts and another one hands over is one trace, which its caller may have begun",
  async () => {
    const collector = await rig.opened(startCollector());
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const both = await rig.start(
      { ...traced, ROLES: "web,smtp", OTEL_SERVICE_NAME: "door" },
      { ...traced, ROLES: "worker", OTEL_SERVICE_NAME: "worker" },
    );
    await hear(both);
    const { traceId, trace, call } = await expectTrace(collector, await send(both, { to: both.address }), "sent");
    expect([call?.parentId, call?.links]).toEqual(["", []]);
    const makers = [...trace].map(([name, { resource }]) => [name, resource["service.name"]]);
    expect(Object.fromEntries(makers)).toEqual({ [SEND]: "door", "hand-over": "worker", "webhook POST": "worker" });
    await eventually(() => {
      const lines = both.processes.flatMap(linesOf).filter((line) => line.trace_id === traceId);
      expect(lines.map(({ kind }) => kind).sort()).toEqual(["delivery", "hand_over", "request"]);
    });

    // A message with a file is not queued together with others.
    const message = await send(both, { to: both.address, attachments: [file] }, { traceparent: CALLERS });
    const continued = await expectTrace(collector, message, "sent");
    expect([continued.traceId, continued.call?.parentId]).toEqual(["c".repeat(32), "d".repeat(16)]);
    for (const secret of [SUBJECT, both.address, both.key, rig.receiver.url])
      expect(JSON.stringify(collector.spans)).not.toContain(secret);
  },
  START_MS,
);

test(
  "what a relay refuses, and a bounce that comes back later, are in the trace of the call",
  async () => {
    const [collector, sink] = [await rig.opened(startCollector()), await rig.opened(startSmtpSink())];
    const service = await rig.serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OUTBOUND: "smtp",
      OUTBOUND_SMTP_URL: sink.url,
    });
    await hear(service);
    sink.faults.rcpt = () => ({ code: 550, text: "5.1.1 User unknown" });
    await expectTrace(collector, await send(service, { to: `other-${ADA}` }), "refused");
    sink.faults.rcpt = undefined;

    const message = await send(service, { to: ADA }, { traceparent: CALLERS.replaceAll("c", "e") });
    const path = await eventually(() => {
      const mail = sink.received.find(({ to }) => to.includes(ADA));
      if (!mail) throw new Error("the message has not left");
      return mail.from;
    });
    expect(sink.received.map(({ raw }) => raw.toString().toLowerCase()).join()).not.toContain("traceparent");
    const relay = createTransport({ host: "127.0.0.1", port: service.smtpPort, ignoreTLS: true });
    const report = dsn([{ recipient: ADA, diagnostic: "550 5.1.1 User unknown" }]);
    await relay.sendMail({ envelope: { from: "", to: [path] }, raw: report });
    relay.close();
    const [, traceId = ""] = (await rig.delivered(message)).split("-");
    expect(traceId).toBe("e".repeat(32));
    await eventually(() => expect([...collector.trace(traceId).keys()]).toHaveLength(3));
    const trace = collector.trace(traceId);
    const [call, handOver, webhook] = [trace.get(SEND), trace.get("hand-over"), trace.get("webhook POST")];
    expect([handOver?.parentId, webhook?.parentId]).toEqual([call?.spanId, call?.spanId]);
    expect(JSON.stringify(collector.spans)).not.toContain("that-stays-out@");

    const stranger = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const refused = await post({ ...service, key: "mb_agent_wrong" }, { to: ADA }, { traceparent: stranger });
    expect(refused.status).toBe(401);
    await eventually(() => {
      const linked = collector.spans.filter(({ name, links }) => name === SEND && links.length > 0);
      expect(linked.map(({ links }) => links)).toEqual([[{ traceId: "a".repeat(32), spanId: "b".repeat(16) }]]);
    });
    expect(collector.trace("a".repeat(32)).size).toBe(0);
  },
  START_MS,
);

test(
  "a message of a process without tracing starts a trace at its hand-over",
  async () => {
    const collector = await rig.opened(startCollector());
    const OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
    const both = await rig.start({ ROLES: "web,smtp" }, { ROLES: "worker", OTEL_EXPORTER_OTLP_ENDPOINT });
    await hear(both);
    const header = await rig.delivered(await send(both, { to: both.address }, { traceparent: CALLERS }));
    const [, traceId = ""] = header.split("-");
    expect(traceId).not.toBe("c".repeat(32));
    await eventually(() => expect([...collector.trace(traceId).keys()].sort()).toEqual(["hand-over", "webhook POST"]));
  },
  START_MS,
);
