// `listen` forwards events to a local URL, signed as the service signs its deliveries, through restarts of the service.
import { createServer, type IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createClient, verifyWebhook } from "#client/index.ts";
import { commandIn, configFolder } from "#test/support/command.ts";
import { freePort } from "#test/support/process.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

const RESTARTED_MS = 60_000;
type Received = { headers: IncomingHttpHeaders; body: string };

const port = String(await freePort());
const main = await startTestService();
const start = () => startTestService({ PORT: port }, { database: main.database });
const folder = await configFolder();
let service: TestService;
let agentKey = "";
let inbox = "";

beforeAll(async () => {
  service = await start();
  ({ agentKey } = await main.newOrganization());
  inbox = (await createClient({ url: main.url, key: agentKey }).inboxes.create.mutate({})).address;
});
afterAll(async () => {
  await service.stop();
  await main.stop();
  await folder.remove();
});

/** An endpoint that gives the answers in order, and 200 afterwards. */
async function receiver(answers: number[] = []) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      response.writeHead(answers.shift() ?? 200).end();
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/hook`;
  return { url, received };
}

/** `listen`, connected. */
async function listen(url: string, ...more: string[]) {
  const command = commandIn(folder.path, { MAILBERTH_URL: service.url, MAILBERTH_KEY: agentKey });
  const listening = command.start(["listen", "--forward", url, ...more]);
  onTestFinished(async () => {
    listening.child.kill("SIGKILL");
    await listening.ended;
  });
  await expect.poll(listening.stderr).toContain(": connected\n");
  const secret = /Signing secret: (\S+)/.exec(listening.stderr())?.[1] ?? "";
  const lines = () => listening.stdout().split("\n").filter(Boolean);
  return { ...listening, secret, lines };
}

const mail = (subject: string) => main.mail({ from: "ann@else.example", to: inbox, subject });

describe("listen", () => {
  test("posts what a webhook would receive: the same body and headers, with a signature that verifies", async () => {
    const [local, real] = [await receiver(), await receiver()];
    const client = createClient({ url: main.url, key: agentKey });
    const webhook = await client.webhooks.register.mutate({ url: real.url, events: ["message.received"] });
    const { secret, lines } = await listen(local.url);
    await mail("both");
    await expect.poll(() => local.received.length && real.received.length).toBe(1);
    const [ours, theirs] = [local.received[0], real.received[0]] as [Received, Received];
    expect(ours.body).toBe(theirs.body);
    const names = ({ headers }: Received) =>
      Object.keys(headers).filter(
        (name) => name.startsWith("x-") || name.startsWith("webhook-") || name === "user-agent",
      );
    expect(names(ours).sort()).toEqual(names(theirs).sort());
    for (const name of ["content-type", "user-agent", "x-service-event", "x-service-event-id"]) {
      expect(ours.headers[name]).toBe(theirs.headers[name]);
    }
    expect(secret).toMatch(/^whsec_/);
    expect(verifyWebhook(ours.body, ours.headers, secret).message.subject).toBe("both");
    expect(() => verifyWebhook(ours.body, ours.headers, webhook.secret)).toThrow();
    await client.webhooks.remove.mutate({ id: webhook.id });
    await expect.poll(lines).toHaveLength(1);
    expect(JSON.parse(lines()[0] ?? "")).toMatchObject({
      event: "message.received",
      event_id: ours.headers["x-service-event-id"],
      delivered: true,
      status: 200,
      attempts: 1,
    });
  });

  test("repeats a failed delivery with the same ids, and reports it in one line", async () => {
    const { url, received } = await receiver([500, 503]);
    const { lines } = await listen(url, "--no-json", "--secret", "whsec_own");
    await mail("again");
    await expect
      .poll(lines)
      .toEqual([expect.stringMatching(/^message\.received evt_\w+ → 200 \(\d+ ms, 3 attempts\)$/)]);
    expect(new Set(received.map(({ headers }) => headers["x-service-delivery"])).size).toBe(1);
    for (const { body, headers } of received)
      expect(verifyWebhook(body, headers, "whsec_own").event).toBe("message.received");
  });

  test("keeps to one mailbox, to the kinds that are asked for, and starts after an event", async () => {
    const client = createClient({ url: main.url, key: agentKey });
    const other = (await client.inboxes.create.mutate({})).address;
    await main.mail({ from: "ann@else.example", to: other, subject: "first" });
    await main.mail({ from: "ann@else.example", to: other, subject: "second" });
    await mail("elsewhere");
    const { data } = await client.events.list.query({ inbox: other });
    const { url, received } = await receiver();
    const kinds = ["--event", "message.received", "--event", "message.bounced"];
    await listen(url, "--inbox", other, "--after", data[0]?.id ?? "", ...kinds);
    await main.mail({ from: "ann@else.example", to: other, subject: "third" });
    const subjects = () => received.map(({ body }) => JSON.parse(body).message.subject);
    await expect.poll(subjects).toEqual(["second", "third"]);
  });

  test(
    "goes on after a restart of the service, and misses nothing",
    async () => {
      const { url, received } = await receiver();
      const { stderr } = await listen(url);
      const subjects = () => received.map(({ body }) => JSON.parse(body).message.subject);
      for (const [before, during] of [
        ["1", "2"],
        ["3", "4"],
      ] as const) {
        await service.stop();
        await mail(before);
        await mail(during);
        service = await start();
        await expect.poll(subjects, { timeout: RESTARTED_MS / 3 }).toContain(during);
      }
      expect(subjects()).toEqual(["1", "2", "3", "4"]);
      expect(stderr()).toContain("disconnected");
    },
    RESTARTED_MS,
  );

  test("ends with 130 when it is interrupted", async () => {
    const { url } = await receiver();
    const { child, ended } = await listen(url);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, stdout: "" });
  });

  test.each([
    [2, "a URL that is none", ["--forward", "localhost:4000"]],
    [2, "a kind that is none", ["--forward", "http://127.0.0.1:9/", "--event", "message.read"]],
    [3, "a key that is none", ["--forward", "http://127.0.0.1:9/", "--key", "mb_agent_none"]],
    [4, "a mailbox that is none", ["--forward", "http://127.0.0.1:9/", "--inbox", "nobody@mail.example"]],
  ])("ends with %i for %s", async (code, _, args) => {
    const command = commandIn(folder.path, { MAILBERTH_URL: service.url, MAILBERTH_KEY: agentKey });
    const ended = await command.run(["listen", ...args]);
    expect(ended).toMatchObject({ code, stdout: "" });
  });
});
