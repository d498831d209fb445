// DELETE /v1/inboxes/{addr}.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

// Without a worker, so that what is queued stays queued and what is to be erased is still there.
const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

describe("200", () => {
  test("by address or id, with its id", async () => {
    const { agentKey: key } = await service.newOrganization();
    const [a, b] = [await client.createInbox(key), await client.createInbox(key)];
    const first = await client.delete(inboxPath(a.address), { key });
    expect([first.status, first.body]).toEqual([200, { id: a.id, deleted: true }]);
    const second = await client.delete(inboxPath(b.id), { key });
    expect([second.status, second.body]).toEqual([200, { id: b.id, deleted: true }]);
    expect((await client.get<Page<object>>("/v1/inboxes", { key })).body.data).toEqual([]);
  });

  test("a body is not read", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const headers = { "content-type": "text/plain" };
    const { status } = await client.call("DELETE", inboxPath(address), { key, body: "{not json", headers });
    expect(status).toBe(200);
  });

  test("its mail is out of reach, its webhooks are gone, mail to it is refused", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key, { inbound_webhook_url: "http://127.0.0.1:9/hook" });
    await client.post("/v1/webhooks", { url: "http://127.0.0.1:9/", events: ["message.received"], address }, { key });
    const all = await client.post<{ id: string }>(
      "/v1/webhooks",
      { url: "http://127.0.0.1:9/", events: ["message.received"] },
      { key },
    );
    await service.mail({ from: "someone@else.example", to: address });
    const { data } = (await client.get<Page<{ id: string }>>(inboxPath(address, "/messages"), { key })).body;
    expect(data).toHaveLength(1);
    await client.delete(inboxPath(address), { key });
    expect((await client.get(inboxPath(address, "/messages"), { key })).status).toBe(404);
    expect((await client.get(`/v1/messages/${data[0]?.id}`, { key })).status).toBe(404);
    expect((await client.get(inboxPath(address, "/send-limit"), { key })).status).toBe(404);
    const hooks = await client.get<Page<{ id: string }>>("/v1/webhooks", { key });
    expect(hooks.body.data.map(({ id }) => id)).toEqual([all.body.id]);
    await expect(service.mail({ from: "someone@else.example", to: address })).rejects.toThrow(/550.*5\.1\.1/s);
  });

  test("nothing can be sent from it, and what was queued never arrives", async () => {
    const { agentKey: key } = await service.newOrganization();
    const [from, to] = [await client.createInbox(key), await client.createInbox(key)];
    const message = { to: to.address, text: "x", idempotency_key: "k" };
    expect((await client.post<Sent>(inboxPath(from.address, "/send"), message, { key })).status).toBe(202);
    await client.delete(inboxPath(from.address), { key });
    expect((await client.post(inboxPath(from.address, "/send"), message, { key })).status).toBe(404);
    const worker = await startTestService({ ROLES: "worker" }, { database: service.database });
    const { sql } = service.system;
    await eventually(async () => expect(await sql`select 1 from messages where status = 'queued'`).toHaveLength(0));
    await worker.stop();
    expect((await client.get<Page<object>>(inboxPath(to.address, "/messages"), { key })).body.data).toEqual([]);
  });
});

describe("404", () => {
  test("a deleted mailbox, an unknown one and another organization's are not found, and the last one remains", async () => {
    const { agentKey: key } = await service.newOrganization();
    const stranger = await service.newOrganization();
    const foreign = await client.createInbox(stranger.agentKey);
    const { address, id } = await client.createInbox(key);
    await client.delete(inboxPath(address), { key });
    for (const name of [address, id, foreign.address, foreign.id, "nobody@mail.example", "%"]) {
      const { status, body } = await client.delete(name === "%" ? "/v1/inboxes/%" : inboxPath(name), { key });
      expect([name, status, body.error.code]).toEqual([name, 404, "inbox_not_found"]);
    }
    expect((await client.get(inboxPath(foreign.address), { key: stranger.agentKey })).status).toBe(200);
  });

  test("one of 10 concurrent calls deletes the mailbox", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.delete(inboxPath(address), { key })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
  });
});
