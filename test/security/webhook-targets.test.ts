// Webhooks that lead to the service itself: its HTTP and SMTP ports, its database and its public address are refused in every
// mode, at registration and when a webhook of before is sent to.
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { type Api, api, type Failure, type Webhook } from "#test/support/api.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { type Receiver, startReceiver } from "#test/webhooks/delivery/receiver.ts";

const POLL = { interval: 30 };
const PUBLIC_URL = "https://mailberth.example";
const EVENTS = ["message.received"];

let service: TestService;
let listed: TestService;
let client: Api;
let receiver: Receiver;
let key: string;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_URL });
  const { port } = new URL(service.url);
  // A second one on the same database, whose operator has opened its own ports by mistake.
  listed = await startTestService(
    {
      ROLES: "web",
      WEBHOOK_TARGETS: "public",
      WEBHOOK_ALLOWED_HOSTS: "127.0.0.1,localhost",
      PORT: "0",
      SMTP_PORT: port,
    },
    { database: service.database },
  );
  client = api(service);
  receiver = await startReceiver();
  key = (await service.newOrganization()).agentKey;
});
afterAll(async () => {
  await client?.close();
  await receiver?.close();
  await listed?.stop();
  await service?.stop();
});

/** Ways to write an address of this machine in a URL. */
function ownHosts(): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outside = interfaces.filter(({ internal, scopeid }) => !internal && !scopeid);
  return [
    ...["127.0.0.1", "127.8.9.1", "0.0.0.0", "0", "2130706433", "localhost", "LOCALHOST", "a.localhost"],
    ...["[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:0.0.0.0]"],
    ...outside.map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address)),
    ...outside.filter(({ family }) => family === "IPv4").map(({ address }) => `[::ffff:${address}]`),
  ];
}

const register = (url: string) => client.post<Webhook & Failure>("/v1/webhooks", { url, events: EVENTS }, { key });

describe("registering", () => {
  test("each way to write an own port is refused", async () => {
    const { port } = new URL(service.url);
    const urls = [port, String(service.smtpPort)].flatMap((own) =>
      ownHosts().map((host) => `http://${host}:${own}/v1/enroll`),
    );
    for (const url of [...urls, `${PUBLIC_URL}/v1/enroll`, "https://MAILBERTH.example:443/"]) {
      const { status, body } = await register(url);
      expect([url, status, body.error?.code]).toEqual([url, 400, "invalid_webhook_url"]);
      expect(body.error.message).toContain("leads to this service itself");
    }
    const created = await client.post<Failure>("/v1/inboxes", { inbound_webhook_url: urls[0] }, { key });
    expect([created.status, created.body.error.code]).toEqual([400, "invalid_webhook_url"]);
  });

  test("the neighbours pass", async () => {
    const { port } = new URL(service.url);
    const urls = [
      receiver.url,
      `https://mailberth.example:8443/`,
      `https://x.mailberth.example/`,
      `http://10.9.8.7:${port}/`,
    ];
    for (const { status } of await Promise.all(urls.map(register))) expect(status).toBe(201);
  });

  test("a port that the operator has listed, or that another process on this machine has, is refused as well", async () => {
    const other = api(listed);
    const ports = [new URL(listed.url).port, new URL(service.url).port];
    for (const url of ports.flatMap((port) => [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`])) {
      const { status, body } = await other.post<Failure>("/v1/webhooks", { url, events: EVENTS }, { key });
      expect([status, body.error.code]).toEqual([400, "invalid_webhook_url"]);
    }
    await other.close();
  });
});

describe("sending", () => {
  test("a webhook that was registered before is not sent to, and its test says why", async () => {
    const { sql } = service.system;
    const owner = await service.newOrganization();
    const created = await client.post<{ address: string }>("/v1/inboxes", {}, { key: owner.agentKey });
    const { body } = await client.post<Webhook>(
      "/v1/webhooks",
      { url: receiver.url, events: EVENTS },
      { key: owner.agentKey },
    );
    await sql`update webhooks set url = ${`${service.url}/v1/enroll`} where id = ${decodeId("whk", body.id) ?? ""}`;
    await service.mail({ from: "a@sender.example", to: created.body.address });
    const errors = async () =>
      (
        await sql<{ last_error: string }[]>`
          select last_error from deliveries where webhook_id = ${decodeId("whk", body.id) ?? ""} and attempts > 0`
      ).map((row) => row.last_error);
    await expect.poll(errors, POLL).toEqual([expect.stringContaining("leads to this service itself")]);
    const tested = await client.post<{ delivered: boolean; error: string }>(`/v1/webhooks/${body.id}/test`, undefined, {
      key: owner.agentKey,
    });
    expect(tested.body).toMatchObject({ delivered: false, error: expect.stringContaining("this service itself") });
  });
});
