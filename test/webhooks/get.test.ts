// GET /v1/webhooks/{id}.
import { afterAll, describe, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { addWebhook, UNKNOWN_WEBHOOK } from "./rig.ts";

const service = await startTestService({ ROLES: "web" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

describe("200", () => {
  test("returns the webhook without its secret", async () => {
    const { agentKey: key } = await service.newOrganization();
    const id = await addWebhook(client, key);
    const { status, body } = await client.get<object>(`/v1/webhooks/${id}`, { key });
    expect([status, body]).toEqual([
      200,
      {
        id,
        url: "https://agent.example/",
        events: ["message.received"],
        format: null,
        address: null,
        agent_id: null,
        name: null,
        filter: null,
        headers: [],
        include: [],
        active: true,
        disabled_reason: null,
        disabled_at: null,
        failing_since: null,
        previous_secret_expires_at: null,
        created_at: expect.stringMatching(/^\d{4}-.+\.\d{3}Z$/),
      },
    ]);
  });
});

describe("404", () => {
  test("an unknown webhook, another organization's, a deleted one, and one that a restricted key may not see are not found", async () => {
    const { agentKey: key, enrollmentKeyId } = await service.newOrganization();
    const stranger = await service.newOrganization();
    const [foreign, gone, all] = [
      await addWebhook(client, stranger.agentKey),
      await addWebhook(client, key),
      await addWebhook(client, key),
    ];
    await client.delete(`/v1/webhooks/${gone}`, { key });
    for (const id of [
      UNKNOWN_WEBHOOK,
      foreign,
      gone,
      "whk_",
      "x",
      "%",
      "%00",
      gone.replace("whk", "inb"),
      gone.slice(4),
    ]) {
      const { status, body } = await client.get(`/v1/webhooks/${id}`, { key });
      expect([id, status, body.error.code]).toEqual([id, 404, "webhook_not_found"]);
    }
    const { address } = await client.createInbox(key);
    const restricted = await service.newAgentKey(enrollmentKeyId, { inboxes: [address] });
    expect((await client.get(`/v1/webhooks/${all}`, { key: restricted.key })).status).toBe(404);
  });
});
