// GET /v1/auth/me.
import { afterAll, describe, expect, test } from "vitest";
import { SCOPES } from "#server/base/context.ts";
import { api, type Quota } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

type Me = {
  agent_id: string;
  agent_handle: string;
  agent_name: string | null;
  key_id: string;
  org_id: string;
  organization: string;
  scopes: string[];
  inboxes: string[] | null;
  allowed_domains: string[];
  quota: Quota;
  send_budget: number | null;
  sends_left: number | null;
  expires_at: string | null;
};

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

describe("200", () => {
  test("agent, organization, scopes, domains, quota, expiry", async () => {
    const organization = await service.newOrganization({ maxMailboxes: 3 });
    const { status, body } = await client.get<Me>("/v1/auth/me", { key: organization.agentKey });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      agent_id: organization.agentId,
      agent_handle: "bot",
      agent_name: null,
      org_id: organization.organizationId,
      scopes: SCOPES,
      inboxes: null,
      allowed_domains: ["mail.example"],
      quota: { max_mailboxes: 3, used_count: 0, remaining: 3 },
      send_budget: null,
      sends_left: null,
      submission: null,
      expires_at: null,
    });
  });

  test("the quota is that of this moment, and never negative", async () => {
    const { agentKey: key, enrollmentKeyId } = await service.newOrganization({ maxMailboxes: 2 });
    await client.createInbox(key);
    expect((await client.get<Me>("/v1/auth/me", { key })).body.quota).toEqual({
      max_mailboxes: 2,
      used_count: 1,
      remaining: 1,
    });
    const { sql } = service.system;
    await sql`update enrollment_keys set max_mailboxes = 0 where organization_id = (
      select organization_id from agent_keys order by id desc limit 1)`;
    expect((await client.get<Me>("/v1/auth/me", { key })).body.quota).toEqual({
      max_mailboxes: 0,
      used_count: 1,
      remaining: 0,
    });
    expect(enrollmentKeyId).toMatch(/^ekey_/);
  });

  test("a restricted key shows its inboxes, scopes and expiry", async () => {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    const inbox = await client.createInbox(agentKey);
    const expiresAt = new Date("2090-01-02T03:04:05.678Z");
    const { key, id } = await service.newAgentKey(enrollmentKeyId, {
      scopes: ["mailbox:read"],
      inboxes: [inbox.address],
      expiresAt,
    });
    const { body } = await client.get<Me>("/v1/auth/me", { key });
    expect(body).toMatchObject({
      key_id: id,
      scopes: ["mailbox:read"],
      inboxes: [inbox.address],
      expires_at: "2090-01-02T03:04:05.678Z",
    });
  });

  test("the scheme is case-insensitive, and HEAD is GET without a body", async () => {
    const { agentKey } = await service.newOrganization();
    const headers = { authorization: `bearer  ${agentKey}` };
    expect((await client.get<Me>("/v1/auth/me", { headers })).status).toBe(200);
    const head = await client.call("HEAD", "/v1/auth/me", { headers });
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  test("every answer has a different request id", async () => {
    const { agentKey: key } = await service.newOrganization();
    const answers = await Promise.all([1, 2, 3].map(() => client.get<Me>("/v1/auth/me", { key })));
    expect(new Set(answers.map(({ headers }) => headers["x-request-id"])).size).toBe(3);
  });
});
