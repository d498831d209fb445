// The log of a process whose stdout is no terminal: JSON alone, one line for each unit of work, and nothing that is secret.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect as dial } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase } from "#test/support/database.ts";
import { eventually } from "#test/support/events.ts";
import { type ServiceProcess, startProcess } from "#test/support/process.ts";
import { type Receiver, startReceiver, status } from "#test/webhooks/delivery/receiver.ts";

const START_MS = 60_000;
const CODE = "739104";
const SUBJECT = "Subject-that-stays-out";
const TEXT = "Text-that-stays-out";
const SENDER = "sender-that-stays-out@else.example";
const PASSWORD = "password-that-stays-out";

type Line = Record<string, unknown> & { level: number; kind?: string; outcome?: string; ms?: number };

let service: ServiceProcess;
let receiver: Receiver;
let stdout = "";
const secrets: Record<string, string> = {};
const folder = await mkdtemp(join(tmpdir(), "mailberth-log-lines-"));
const database = await createTestDatabase();

const lines = (): Line[] =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
const ofKind = (kind: string) => lines().filter((line) => line.kind === kind);
const oneOf = (kind: string, more: Partial<Line>) =>
  eventually(() => {
    const found = ofKind(kind).find((line) => Object.entries(more).every(([name, value]) => line[name] === value));
    if (!found) throw new Error(`no line of ${kind} with ${JSON.stringify(more)} in\n${stdout}`);
    return found;
  });

async function call<T>(path: string, json: object): Promise<T & { requestId: string }> {
  const answer = await fetch(service.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(secrets.key && { Authorization: `Bearer ${secrets.key}` }) },
    body: JSON.stringify(json),
  });
  return { ...((await answer.json()) as T), requestId: answer.headers.get("x-request-id") ?? "" };
}

async function mail(to: string, text: string): Promise<number> {
  const transport = createTransport({ port: service.smtpPort, host: "127.0.0.1", tls: { rejectUnauthorized: false } });
  try {
    await transport.sendMail({ from: SENDER, to, subject: SUBJECT, text });
    return 250;
  } catch (error) {
    return (error as { responseCode: number }).responseCode;
  } finally {
    transport.close();
  }
}

const inbox = { id: "", address: "" };
let waited = { requestId: "", message: { id: "" } };

beforeAll(async () => {
  receiver = await startReceiver(status(200));
  service = await startProcess({ DATABASE_URL: database.url, DATA_DIR: folder, LOG_LEVEL: "trace" });
  service.child.stdout?.on("data", (chunk: string) => {
    stdout += chunk;
  });
  secrets.enrollment = /mb_enroll_\w+/.exec(service.output())?.[0] ?? "";
  const agent = await call<{ agent_key: string }>("/v1/enroll", { token: secrets.enrollment, agent_handle: "bot" });
  secrets.key = agent.agent_key;
  Object.assign(inbox, await call<{ id: string; address: string }>("/v1/inboxes", { username: "log" }));
  const hook = await call<{ secret: string }>("/v1/webhooks", { url: receiver.url, events: ["message.received"] });
  secrets.webhook = hook.secret;
  await mail(inbox.address, `${TEXT} Your code is ${CODE}`);
  const path = `/v1/inboxes/${encodeURIComponent(inbox.address)}`;
  waited = await call(`${path}/wait`, { after: "2020-01-01T00:00:00Z", timeout_seconds: 20 });
  await call(`${path}/send`, { to: "else-that-stays-out@else.example", subject: SUBJECT, text: TEXT });
  await call("/auth/sign-in/email", { email: SENDER, password: PASSWORD });
}, START_MS);

afterAll(async () => {
  await service.end("SIGTERM");
  await receiver.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

describe("one line for each unit of work", () => {
  test("a request, with who called and the mailbox", async () => {
    const line = await oneOf("request", { request_id: waited.requestId });
    expect(line).toMatchObject({
      door: "rest",
      route: "/v1/inboxes/{addr}/wait",
      status: 200,
      outcome: "ok",
      inbox: inbox.id,
      organization: expect.stringMatching(/^org_/),
      caller: expect.stringMatching(/^akey_/),
      ms: expect.any(Number),
    });
    expect(lines().filter(({ request_id }) => request_id === waited.requestId)).toHaveLength(1);
  });

  test("a request that is refused", async () => {
    const { requestId } = await call("/v1/inboxes/nobody%40mail.localhost/wait", {});
    expect(await oneOf("request", { request_id: requestId })).toMatchObject({ status: 404, outcome: "refused" });
  });

  test.each(["rest", "trpc"])("a request whose client leaves, which is no error (%s)", async (door) => {
    const socket = dial(Number(new URL(service.url).port), "127.0.0.1");
    await once(socket, "connect");
    const body = JSON.stringify({ timeout_seconds: 30, ...(door === "trpc" && { addr: inbox.address }) });
    const path = door === "rest" ? `/v1/inboxes/${encodeURIComponent(inbox.address)}/wait` : "/trpc/messages.wait";
    const head = [
      `POST ${path} HTTP/1.1`,
      "Host: localhost",
      `Authorization: Bearer ${secrets.key}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
    await eventually(async () =>
      expect(await (await fetch(`${service.url}/metrics`)).text()).toContain("mailberth_waits_open 1\n"),
    );
    socket.destroy();
    expect(await oneOf("request", { outcome: "left", door })).toMatchObject({ inbox: inbox.id, level: 30 });
  });

  test("a mail, its parse, its delivery, and the hand-over of another", async () => {
    const { id: message } = waited.message;
    const common = { organization: expect.stringMatching(/^org_/), inbox: inbox.id, ms: expect.any(Number) };
    expect(await oneOf("mail", { message })).toMatchObject({
      ...common,
      outcome: "accepted",
      answer: 250,
      recipients: 1,
    });
    expect(await oneOf("parse", { message })).toMatchObject({ ...common, outcome: "parsed", attempt: 1 });
    expect(await oneOf("delivery", { outcome: "succeeded" })).toMatchObject({
      ...common,
      delivery: receiver.received[0]?.headers["x-service-delivery"],
      event: "message.received",
      status: 200,
      attempt: 1,
    });
    expect(await oneOf("hand_over", { outcome: "sent" })).toMatchObject({ ...common, recipients: 1, attempt: 1 });
  });

  test("a mail that breaks off is one whose client left", async () => {
    const socket = dial(service.smtpPort, "127.0.0.1").setEncoding("utf8");
    for (const command of ["EHLO a", "MAIL FROM:<a@else.example>", `RCPT TO:<${inbox.address}>`, "DATA"]) {
      await once(socket, "data");
      socket.write(`${command}\r\n`);
    }
    await once(socket, "data");
    socket.write("Subject: half");
    socket.destroy();
    expect(await oneOf("mail", { outcome: "left" })).toMatchObject({ level: 30, recipients: 1 });
  });
});

test("no line is an error", () => {
  expect(lines().filter(({ level }) => level >= 50)).toEqual([]);
});

test("every line of stdout is JSON; the first key is shown on stderr alone", () => {
  expect(lines().length).toBeGreaterThan(8);
  expect(service.output()).toContain("is ready");
  expect(stdout).not.toContain("is ready");
});

test("no line has a key, a secret, a password, an address of a sender, a subject, a text or a code", () => {
  for (const [name, secret] of Object.entries(secrets)) {
    expect([name, secret.length > 10, stdout.includes(secret)]).toEqual([name, true, false]);
  }
  expect(stdout).not.toContain("-that-stays-out");
  expect(stdout).not.toMatch(new RegExp(`(?<![0-9a-z])${CODE}(?![0-9a-z])`));
});
