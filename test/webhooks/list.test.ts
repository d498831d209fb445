// GET /v1/webhooks.
import { afterAll, describe, expect, test } from "vitest";
import { api, type Page, type Webhook } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { describePages } from "../api/pages.ts";
import { addWebhook } from "./rig.ts";

const service = await startTestService({ ROLES: "web" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const ids = async (key: string) =>
  (await client.get<Page<Webhook>>("/v1/webhooks", { key })).body.data.map(({ id }) => id);

describe("200", () => {
  test("newest first, of this organization alone, without secrets", async () => {
    const { agentKey: key } = await service.newOrganization();
    const stranger = await service.newOrganization();
    await addWebhook(client, stranger.agentKey);
    const { address } = await client.createInbox(key);
    const [all, one] = [await addWebhook(client, key), await addWebhook(client, key, address)];
    const { body, text } = await client.get<Page<Webhook>>("/v1/webhooks", { key });
    const none = {
      agent_id: null,
      name: null,
      filter: null,
      headers: [],
      include: [],
      format: null,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      previous_secret_expires_at: null,
    };
    const common = { url: "https://agent.example/", events: ["message.received"], active: true, ...none };
    const created_at = expect.stringMatching(/Z$/);
    expect(body).toEqual({
      data: [
        { id: one, address, ...common, created_at },
        { id: all, address: null, ...common, created_at },
      ],
      next_cursor: null,
    });
    expect(text).not.toContain("whsec_");
  });

  test("a restricted key sees those of its mailboxes", async () => {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    const [a, b] = [await client.createInbox(agentKey), await client.createInbox(agentKey)];
    const [, ofA] = [
      await addWebhook(client, agentKey),
      await addWebhook(client, agentKey, a.address),
      await addWebhook(client, agentKey, b.address),
    ];
    const { key } = await service.newAgentKey(enrollmentKeyId, { inboxes: [a.address] });
    expect(await ids(key)).toEqual([ofA]);
  });
});

describePages(service, client, {
  pathFor: async () => "/v1/webhooks",
  add: (key) => addWebhook(client, key),
  remove: async (key, id) => void (await client.delete(`/v1/webhooks/${id}`, { key })),
  otherList: "/v1/inboxes",
});
