// POST /v1/webhooks.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath, type Page, type Webhook } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web" });
const strict = await startTestService({ ROLES: "web", WEBHOOK_TARGETS: "public", ALLOW_INSECURE_WEBHOOKS: "false" });
const client = api(service);
const strictClient = api(strict);
afterAll(async () => {
  await Promise.all([client.close(), strictClient.close()]);
  await Promise.all([service.stop(), strict.stop()]);
});

const events = ["message.received"];
const url = "https://agent.example/hooks/mail?x=1#part";

describe("201", () => {
  test("for all mailboxes: four fields, the secret among them and nowhere else", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { status, body } = await client.post<Webhook>("/v1/webhooks", { url, events, address: null }, { key });
    expect([status, body]).toEqual([
      201,
      { id: expect.stringMatching(/^whk_/), url, events, secret: expect.stringMatching(/^whsec_.{40,}$/) },
    ]);
    const stored = await client.get<object>(`/v1/webhooks/${body.id}`, { key });
    expect(stored.body).toMatchObject({ id: body.id, url, events, address: null, active: true });
    expect(stored.text).not.toContain('"secret"');
    expect(stored.text).not.toContain(body.secret);
    const [row] = await service.system.sql`select secret from webhooks order by id desc limit 1`;
    expect(row?.secret.includes(body.secret)).toBe(false);
  });

  test("for one mailbox, named by address in any case or by id", async () => {
    const { agentKey: key } = await service.newOrganization();
    const inbox = await client.createInbox(key);
    for (const address of [inbox.address, inbox.address.toUpperCase(), inbox.id]) {
      const { body } = await client.post<Webhook>("/v1/webhooks", { url, events, address }, { key });
      const stored = await client.get<{ address: string }>(`/v1/webhooks/${body.id}`, { key });
      expect(stored.body.address).toBe(inbox.address);
    }
  });

  test("the same URL twice is two webhooks, with secrets of their own", async () => {
    const { agentKey: key } = await service.newOrganization();
    const [a, b] = [
      await client.post<Webhook>("/v1/webhooks", { url, events }, { key }),
      await client.post<Webhook>("/v1/webhooks", { url, events }, { key }),
    ];
    expect(a.body.id).not.toBe(b.body.id);
    expect(a.body.secret).not.toBe(b.body.secret);
  });

  test("by a restricted key, for one of its mailboxes", async () => {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    const { address } = await client.createInbox(agentKey);
    const { key } = await service.newAgentKey(enrollmentKeyId, { inboxes: [address] });
    expect((await client.post<Webhook>("/v1/webhooks", { url, events, address }, { key })).status).toBe(201);
  });
});

describe("400", () => {
  test("fields that are missing or of another type", async () => {
    const { agentKey: key } = await service.newOrganization();
    const bad: object[] = [{}, { url }, { events }, { url, events: [] }, { url, events: "received" }];
    bad.push({ url, events: ["message.opened"] }, { url, events: ["*"] }, { url, events: [null] }, { url, events: {} });
    bad.push(
      { url: 5, events },
      { url: null, events },
      { url: [url], events },
      { url: `${url}${"x".repeat(2048)}`, events },
    );
    bad.push({ url, events, address: 5 }, { url, events, address: [] });
    for (const json of bad) {
      const { status, body } = await client.post("/v1/webhooks", json, { key });
      expect([json, status, body.error.code]).toEqual([json, 400, "invalid_request"]);
    }
  });

  test("invalid_webhook_url, whose message says why", async () => {
    const { agentKey: key } = await service.newOrganization();
    for (const wrong of [
      "",
      "x",
      "/hook",
      "ftp://a.example",
      "https://",
      "https://u:p@a.example",
      "https://a\\b.example",
      "https://a.example:0",
    ]) {
      const { status, body } = await client.post("/v1/webhooks", { url: wrong, events }, { key });
      expect([wrong, status, body.error.code]).toEqual([wrong, 400, "invalid_webhook_url"]);
    }
    expect((await client.get<Page<object>>("/v1/webhooks", { key })).body.data).toEqual([]);
  });

  test("where targets must be public: http, and hosts that plainly are not", async () => {
    const { agentKey: key } = await strict.newOrganization();
    const hosts = [
      "127.0.0.1",
      "10.1.2.3",
      "[::1]",
      "localhost",
      "x.local",
      "169.254.169.254",
      "0x7f000001",
      "printer",
      "[::ffff:10.0.0.1]",
    ];
    for (const wrong of ["http://agent.example", ...hosts.map((host) => `https://${host}/`)]) {
      for (const [path, json] of [
        ["/v1/webhooks", { url: wrong, events }],
        ["/v1/inboxes", { inbound_webhook_url: wrong }],
      ] as const) {
        const { status, body } = await strictClient.post(path, json, { key });
        expect([wrong, status, body.error.code]).toEqual([wrong, 400, "invalid_webhook_url"]);
      }
    }
    expect((await strictClient.post<Webhook>("/v1/webhooks", { url, events }, { key })).status).toBe(201);
  });
});

describe("403", () => {
  test("a restricted key cannot cover all mailboxes", async () => {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    const { address } = await client.createInbox(agentKey);
    const { key } = await service.newAgentKey(enrollmentKeyId, { inboxes: [address] });
    const { status, body } = await client.post("/v1/webhooks", { url, events }, { key });
    expect([status, body.error.code]).toEqual([403, "insufficient_scope"]);
  });
});

describe("404", () => {
  test("a mailbox that is unknown, deleted, another's, or out of the key's bounds", async () => {
    const { agentKey: key, enrollmentKeyId } = await service.newOrganization();
    const stranger = await service.newOrganization();
    const foreign = await client.createInbox(stranger.agentKey);
    const [gone, mine] = [await client.createInbox(key), await client.createInbox(key)];
    await client.delete(inboxPath(gone.address), { key });
    for (const address of [foreign.address, foreign.id, gone.address, gone.id, "nobody@mail.example", "", "x", "\0"]) {
      const { status, body } = await client.post("/v1/webhooks", { url, events, address }, { key });
      expect([address, status, body.error.code]).toEqual([address, 404, "inbox_not_found"]);
    }
    const other = await client.createInbox(key);
    const restricted = await service.newAgentKey(enrollmentKeyId, { inboxes: [mine.address] });
    const json = { url, events, address: other.address };
    expect((await client.post("/v1/webhooks", json, { key: restricted.key })).status).toBe(404);
  });
});
