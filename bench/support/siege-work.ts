// Normal work during a siege, in a separate process: requests at a fixed rate, codes received by mail, and webhooks.
// The latency of an operation is measured from its scheduled time, so that a stalling server gets no fewer requests.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createTransport } from "nodemailer";
import { Agent } from "undici";
import { nowMs } from "./clock.ts";

/** `prepare` first: it makes the mailboxes and the webhook. `run` works for that long, and waits for what is still to come. */
export type WorkOrder =
  | { kind: "prepare"; port: number; smtpPort: number; domain: string; keys: string[] }
  | { kind: "run"; seconds: number };
/** Latencies in ms by operation; `failures`: one sentence for each operation that failed. */
export type WorkAnswer = { latencies: Record<string, number[]>; failures: string[]; failed?: string };

/** Operations a second. Spread over the keys they stay below the rate limit of each. */
const PACES = { get: 16, list: 8, create: 4, send: 4, code: 3 };
/** Longer than a wait. */
const ANSWER_MS = 40_000;
const WEBHOOKS_WITHIN_MS = 30_000;
const POLL_MS = 50;
/** A wait is open before its mail is sent. */
const OPEN_MS = 30;
const BOXES = 4;
const WAIT_SECONDS = 30;

type Place = Extract<WorkOrder, { kind: "prepare" }>;

let place: Place;
let answer: WorkAnswer = { latencies: {}, failures: [] };
let made = 0;
/** Message id → when its 250 came; until the webhook arrives. */
const owed = new Map<string, number>();
const early = new Map<string, number>();
const agent = new Agent({ connections: 64, pipelining: 1, headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS });

const box = (n: number) => encodeURIComponent(`normal-${n % BOXES}@${place.domain}`);

function note(operation: string, ms: number): void {
  answer.latencies[operation] = [...(answer.latencies[operation] ?? []), ms];
}

async function call<Body>(method: "GET" | "POST", path: string, n: number, body?: object): Promise<Body> {
  const { statusCode, body: stream } = await agent.request({
    origin: `http://127.0.0.1:${place.port}`,
    method,
    path,
    body: body ? JSON.stringify(body) : null,
    headers: {
      authorization: `Bearer ${place.keys[n % place.keys.length]}`,
      ...(body && { "content-type": "application/json" }),
    },
  });
  const text = await stream.text();
  if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text.slice(0, 200)}`);
  return JSON.parse(text) as Body;
}

const receiver = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => {
    response.end();
    const { id } = (JSON.parse(body) as { message: { id: string } }).message;
    const since = owed.get(id);
    if (since === undefined) early.set(id, nowMs());
    else if (owed.delete(id)) note("webhook", nowMs() - since);
  });
});

async function mail(to: string, subject: string, text: string): Promise<string> {
  const timeouts = { connectionTimeout: ANSWER_MS, greetingTimeout: ANSWER_MS, socketTimeout: ANSWER_MS };
  const transport = createTransport({ host: "127.0.0.1", port: place.smtpPort, ignoreTLS: true, ...timeouts });
  const { response } = await transport.sendMail({ from: "no-reply@sender.example", to, subject, text });
  const id = /^250 .*?(msg_\w+)/.exec(response)?.[1];
  if (!id) throw new Error(`no message in ${response}`);
  return id;
}

/** A wait that is open, a mail with a code, the answer with the code, and the webhook. */
async function code(n: number, due: number): Promise<void> {
  const subject = `Code for ${n}`;
  const digits = `${100_000 + ((n * 7_919) % 900_000)}`;
  type Waited = { timed_out: boolean; message: { status: string } | null; extracted: { otp: string | null } };
  const wait = { subject, after: new Date().toISOString(), timeout_seconds: WAIT_SECONDS };
  const answered = call<Waited>("POST", `/v1/inboxes/${box(n)}/wait`, n, wait).then((waited) => ({
    waited,
    at: nowMs(),
  }));
  answered.catch(() => undefined); // thrown below, unless the mail fails first
  await sleep(OPEN_MS);
  const id = await mail(decodeURIComponent(box(n)), subject, `Your verification code is ${digits}.`);
  const accepted = nowMs();
  note("mail", accepted - due - OPEN_MS);
  const arrived = early.get(id);
  if (arrived === undefined) owed.set(id, accepted);
  else if (early.delete(id)) note("webhook", Math.max(0, arrived - accepted));
  const { waited, at } = await answered;
  if (waited.timed_out) throw new Error(`the wait ended after ${WAIT_SECONDS} s without its mail`);
  if (waited.extracted.otp !== digits) {
    throw new Error(`the wait gave ${waited.extracted.otp}, not the code, of a mail that is ${waited.message?.status}`);
  }
  note("code", Math.max(0, at - accepted));
}

const operations: Record<keyof typeof PACES, (n: number, due: number) => Promise<unknown>> = {
  get: (n) => call("GET", `/v1/inboxes/${box(n)}`, n),
  list: (n) => call("GET", `/v1/inboxes/${box(n)}/messages?limit=20`, n),
  create: (n) => call("POST", "/v1/inboxes", n, {}),
  send: (n) => call("POST", `/v1/inboxes/${box(n)}/send`, n, { to: "a@example.org", subject: `${n}`, text: "Hello" }),
  code,
};

async function perform(name: keyof typeof PACES, n: number, due: number): Promise<void> {
  try {
    await operations[name](n, due);
    if (name !== "code") note(name, nowMs() - due);
  } catch (error) {
    answer.failures.push(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}

async function keepPace(name: keyof typeof PACES, started: number, seconds: number): Promise<void> {
  const under: Promise<void>[] = [];
  for (let n = 0; n < PACES[name] * seconds; n += 1) {
    const due = started + (n * 1_000) / PACES[name];
    const wait = due - nowMs();
    if (wait > 0) await sleep(wait);
    under.push(perform(name, made++, due));
  }
  await Promise.all(under);
}

async function run(seconds: number): Promise<WorkAnswer> {
  answer = { latencies: {}, failures: [] };
  const started = nowMs();
  const names = Object.keys(PACES) as (keyof typeof PACES)[];
  await Promise.all(names.map((name) => keepPace(name, started, seconds)));
  for (const until = nowMs() + WEBHOOKS_WITHIN_MS; owed.size > 0 && nowMs() < until; ) await sleep(POLL_MS);
  if (owed.size > 0) answer.failures.push(`webhook: ${owed.size} did not arrive`);
  owed.clear();
  early.clear();
  return answer;
}

async function prepare(order: Place): Promise<WorkAnswer> {
  place = order;
  receiver.listen(0, "127.0.0.1");
  await new Promise((resolve) => receiver.once("listening", resolve));
  const address = receiver.address();
  const port = typeof address === "object" ? address?.port : undefined;
  for (let n = 0; n < BOXES; n += 1) await call("POST", "/v1/inboxes", n, { username: `normal-${n}` });
  await call("POST", "/v1/webhooks", 0, { url: `http://127.0.0.1:${port}/`, events: ["message.received"] });
  return answer;
}

process.on("message", async (order: WorkOrder) => {
  try {
    process.send?.(await (order.kind === "prepare" ? prepare(order) : run(order.seconds)));
  } catch (error) {
    process.send?.({ latencies: {}, failures: [], failed: error instanceof Error ? error.message : `${error}` });
  }
});
