// `doctor` says what is wrong with a service and what to do, and ends with 9 when something is.
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTcpServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "#client/index.ts";
import { recheckDomains } from "#server/domains/recheck.ts";
import { commandIn, configFolder } from "#test/support/command.ts";
import { freePort } from "#test/support/process.ts";
import { startTestService } from "#test/support/service.ts";

const DAY_MS = 86_400_000;
const METRICS_TOKEN = "a-token-of-the-metrics";
const service = await startTestService({ METRICS_TOKEN });
const folder = await configFolder();
let agentKey = "";
let enrollmentKeyId = "";

type Check = { name: string; status: string; message: string; fix: string | null };
type Report = { schema: string; url: string; ok: boolean; checks: Check[] };

beforeAll(async () => {
  ({ agentKey, enrollmentKeyId } = await service.newOrganization());
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

async function doctor(environment: Record<string, string> = {}, ...args: string[]) {
  const own = { MAILBERTH_URL: service.url, MAILBERTH_KEY: agentKey, ...environment };
  const ended = await commandIn(folder.path, own).run(["doctor", "--smtp", `127.0.0.1:${service.smtpPort}`, ...args]);
  const report = args.includes("--no-json") ? undefined : (JSON.parse(ended.stdout) as Report);
  const check = (name: string) => report?.checks.find((one) => one.name.startsWith(name));
  return { ...ended, report, check };
}

/** Listens until the test ends. */
async function listening<Kind extends Server>(server: Kind): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

/** A service that answers its health with this version and date, and its metrics with a text. */
const serviceThatSays = (version: string, date: Date, metrics = "", facts = {}) =>
  listening(
    createServer(({ url }, response) => {
      response.setHeader("Date", date.toUTCString());
      if (url === "/metrics") response.end(metrics);
      else response.end(JSON.stringify({ status: "ok", version, ...facts }));
    }),
  );

describe("doctor", () => {
  test("names the ports for mail programs", async () => {
    // They need no listener: only the role smtp opens them.
    const ports = { ROLES: "web", SUBMISSION_PORT: "587", SUBMISSIONS_PORT: "465" };
    const other = await startTestService(ports, { database: service.database });
    onTestFinished(other.stop);
    const { check } = await doctor({ MAILBERTH_URL: other.url });
    expect(check("submission")).toMatchObject({
      status: "ok",
      message: "Mail programs send through 127.0.0.1, port 587 (STARTTLS) or 465 (TLS).",
    });
  });

  test("finds a service well", async () => {
    const { code, stderr, report } = await doctor();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(report).toMatchObject({ schema: "mailberth.doctor/v1", url: service.url, ok: true });
    const statuses = Object.fromEntries(report?.checks.map(({ name, status }) => [name, status]) ?? []);
    expect(statuses).toEqual({
      service: "ok",
      version: "ok",
      clock: "ok",
      key: "ok",
      domains: "skipped",
      webhooks: "skipped",
      queues: "skipped",
      smtp: "ok",
      tls: "skipped",
    });
  });

  test("prints a line for each check, and what to do", async () => {
    const { code, stdout, stderr } = await doctor({ MAILBERTH_KEY: "mb_agent_none" }, "--no-json");
    expect({ code, stderr }).toEqual({ code: 9, stderr: "1 of 7 checks failed.\n" });
    expect(stdout).toMatch(/^ok +service: The service is ready\.$/m);
    expect(stdout).toMatch(/^failed +key: .*\(unauthorized\)\n +→ Enroll again/m);
  });

  test("says that mail of a granted domain leaves unsigned until DNS has its key", async () => {
    const { organizationId } = await service.newOrganization();
    const { agentKey: key } = await service.newEnrollment(organizationId, { allowedDomains: ["granted.example"] });
    await recheckDomains(service.system);
    const { code, check } = await doctor({ MAILBERTH_KEY: key });
    expect(code).toBe(0);
    expect(check("domain granted.example")).toMatchObject({
      status: "skipped",
      message: expect.stringContaining("unsigned by this service: your relay must sign it"),
      fix: expect.stringContaining("mb1._domainkey.granted.example"),
    });
  });

  test("says which DNS records a domain lacks", async () => {
    const { key } = await service.newAgentKey(enrollmentKeyId, { scopes: ["mailbox:read", "domain:manage"] });
    await createClient({ url: service.url, key }).domains.create.mutate({ domain: "doctor.example" });
    const { code, check } = await doctor({ MAILBERTH_KEY: key });
    expect(code).toBe(9);
    expect(check("domain doctor.example")).toMatchObject({
      status: "failed",
      fix: expect.stringMatching(/_mailberth\.doctor\.example.*mailberth domains verify doctor\.example/s),
    });
  });

  test("says that a webhook is disabled", async () => {
    const { agentKey: key } = await service.newOrganization();
    const client = createClient({ url: service.url, key });
    const url = `http://127.0.0.1:${await freePort()}/`;
    const { id } = await client.webhooks.register.mutate({ url, events: ["message.received"] });
    expect((await doctor({ MAILBERTH_KEY: key })).check("webhook ")).toMatchObject({ status: "ok" });
    await client.webhooks.update.mutate({ id, active: false });
    const { code, check } = await doctor({ MAILBERTH_KEY: key });
    expect(code).toBe(9);
    expect(check(`webhook ${id}`)).toMatchObject({ status: "failed", message: expect.stringContaining(url) });
  });

  test("says that a key is missing, or expires soon", async () => {
    expect((await doctor({ MAILBERTH_KEY: "" })).check("key")).toMatchObject({ status: "failed" });
    const expiresAt = new Date(Date.now() + DAY_MS);
    const own = await service.newOrganization();
    const { key } = await service.newAgentKey(own.enrollmentKeyId, { expiresAt });
    const { code, check } = await doctor({ MAILBERTH_KEY: key });
    expect(code).toBe(0);
    expect(check("key")).toMatchObject({ status: "warning", message: expect.stringContaining("expires") });
  });

  test("says that a key may not read the webhooks", async () => {
    const { key } = await service.newAgentKey(enrollmentKeyId, { scopes: ["mailbox:send"] });
    const { check } = await doctor({ MAILBERTH_KEY: key });
    expect(check("webhooks")).toMatchObject({
      status: "skipped",
      message: expect.stringContaining("insufficient_scope"),
    });
  });

  test("says that nothing listens: at the URL, at the SMTP port", async () => {
    const closed = `127.0.0.1:${await freePort()}`;
    const { code, report } = await doctor({ MAILBERTH_URL: `http://${closed}` }, "--smtp", closed);
    expect(code).toBe(9);
    expect(report?.checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "service failed",
      "smtp failed",
      "tls skipped",
    ]);
  });

  test("asks the SMTP_PORT of the environment, then of .env, of a service on this machine", async () => {
    const environment = { MAILBERTH_URL: service.url, MAILBERTH_KEY: agentKey };
    const smtpOf = async (own: Record<string, string>) => {
      const { ended } = commandIn(folder.path, { ...environment, ...own }).start(["doctor"], { cwd: folder.path });
      return (JSON.parse((await ended).stdout) as Report).checks.find(({ name }) => name === "smtp")?.status;
    };
    await writeFile(join(folder.path, ".env"), `SMTP_PORT=${service.smtpPort}\n`);
    expect(await smtpOf({})).toBe("ok");
    expect(await smtpOf({ SMTP_PORT: `${await freePort()}` })).toBe("failed");
    await rm(join(folder.path, ".env"));
    expect(await smtpOf({ SMTP_PORT: `${service.smtpPort}` })).toBe("ok");
  });

  test("says that another program answers: at the URL, at the SMTP port", async () => {
    const http = await listening(createServer((_, response) => response.end("{}")));
    const smtp = await listening(createTcpServer((socket) => socket.end("554 no mail here\r\n")));
    const { check } = await doctor({ MAILBERTH_URL: `http://127.0.0.1:${http}` }, "--smtp", `127.0.0.1:${smtp}`);
    expect(check("service")).toMatchObject({ status: "failed", message: expect.stringContaining("not as Mailberth") });
    expect(check("smtp")).toMatchObject({ status: "failed", message: expect.stringContaining("554 no mail here") });
  });

  test("says that the versions or the clocks differ", async () => {
    const port = await serviceThatSays("99.1.0", new Date(Date.now() - 600_000));
    const { check } = await doctor({ MAILBERTH_URL: `http://127.0.0.1:${port}` });
    expect(check("version")).toMatchObject({ status: "warning", message: expect.stringContaining("99.1.0") });
    expect(check("clock")).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/differ by (59\d|60\d) s/),
    });
  });

  test("reads the queues with the token of the metrics", async () => {
    const read = async (token: string) => (await doctor({ MAILBERTH_METRICS_TOKEN: token })).check("queues");
    expect(await read("wrong")).toMatchObject({ status: "skipped", fix: expect.stringContaining("METRICS_TOKEN") });
    // The worker has counted its queues.
    await expect.poll(() => read(METRICS_TOKEN)).toMatchObject({ status: "ok", message: "No work is overdue." });
  });

  test.each([
    [61, "warning"],
    [601, "failed"],
  ])("says that work has waited for %i s", async (seconds, status) => {
    const line = (queue: string, age: number) => `mailberth_queue_oldest_due_seconds{queue="${queue}"} ${age}\n`;
    const port = await serviceThatSays("1.0.0", new Date(), line("notices", 0) + line("deliveries", seconds));
    const { check } = await doctor({ MAILBERTH_URL: `http://127.0.0.1:${port}` });
    expect(check("queues")).toMatchObject({ status, message: expect.stringContaining(`deliveries has waited`) });
  });

  test.each([
    ["ok", "ok", null],
    ["unavailable", "failed", "S3_ENDPOINT"],
    ["refused", "failed", "S3_BUCKET"],
    ["full", "failed", "space"],
    ["damaged", "failed", "S3_ENDPOINT"],
    ["wrong_key", "failed", "ENCRYPTION_KEY"],
  ])("says that S3 is %s", async (blobs, status, fix) => {
    const port = await serviceThatSays("1.0.0", new Date(), "", { blobs });
    const { check } = await doctor({ MAILBERTH_URL: `http://127.0.0.1:${port}` });
    expect(check("storage")).toMatchObject({ status, fix: fix && expect.stringContaining(fix) });
  });

  test("says that a process reports no queues", async () => {
    const port = await serviceThatSays("1.0.0", new Date());
    const { check } = await doctor({ MAILBERTH_URL: `http://127.0.0.1:${port}` });
    expect(check("queues")).toMatchObject({ status: "skipped", message: "This process reports no queues." });
  });

  test("says that there is no TLS", async () => {
    const port = await freePort();
    const plain = await doctor({ MAILBERTH_URL: `https://127.0.0.1:${port}` });
    expect(plain.check("tls")).toMatchObject({ status: "failed", message: expect.stringContaining("ECONNREFUSED") });
  });
});
