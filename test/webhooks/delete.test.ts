// DELETE /v1/webhooks/{id}.
import { afterAll, describe, expect, test } from "vitest";
import { api, type Page, type Webhook } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { addWebhook, UNKNOWN_WEBHOOK } from "./rig.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

describe("200", () => {
  test("it is gone, and with it what was owed to it", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const [id, kept] = [await addWebhook(client, key, address), await addWebhook(client, key)];
    await service.mail({ from: "w@else.example", to: address });
    const { sql } = service.system;
    expect(await sql`select 1 from deliveries`).toHaveLength(2);
    const { status, body } = await client.delete<object>(`/v1/webhooks/${id}`, { key });
    expect([status, body]).toEqual([200, { id, deleted: true }]);
    expect(await sql`select 1 from deliveries`).toHaveLength(1);
    const { data } = (await client.get<Page<Webhook>>("/v1/webhooks", { key })).body;
    expect(data.map((webhook) => webhook.id)).toEqual([kept]);
  });
});

describe("404", () => {
  test("the second time, and for another's, which stays", async () => {
    const { agentKey: key } = await service.newOrganization();
    const stranger = await service.newOrganization();
    const [id, foreign] = [await addWebhook(client, key), await addWebhook(client, stranger.agentKey)];
    await client.delete(`/v1/webhooks/${id}`, { key });
    for (const name of [id, foreign, UNKNOWN_WEBHOOK, "x", "%"]) {
      const { status, body } = await client.delete(`/v1/webhooks/${name}`, { key });
      expect([name, status, body.error.code]).toEqual([name, 404, "webhook_not_found"]);
    }
    expect((await client.get(`/v1/webhooks/${foreign}`, { key: stranger.agentKey })).status).toBe(200);
  });
});
