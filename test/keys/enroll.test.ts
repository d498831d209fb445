// POST /v1/enroll.
import { afterAll, describe, expect, test } from "vitest";
import { SCOPES } from "#server/base/context.ts";
import { revokeAgentKey, revokeEnrollmentKey } from "#server/keys/revoke.ts";
import { api, type Quota } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

type Enrolled = {
  agent_id: string;
  agent_key: string;
  scopes: string[];
  org_id: string;
  quota: Quota;
  allowed_domains: string[];
};

const clock = adjustableClock();
const service = await startTestService({}, { now: clock.now });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const enroll = (token: unknown, handle: unknown = "bot", more: object = {}) =>
  client.post<Enrolled>("/v1/enroll", { token, agent_handle: handle, ...more });
const refused = async (token: unknown, handle: unknown = "bot", more: object = {}) => {
  const { status, body } = await client.post("/v1/enroll", { token, agent_handle: handle, ...more });
  return [status, body.error.code];
};

describe("201", () => {
  test("an agent with a key, its scopes, quota and domains", async () => {
    const organization = await service.newOrganization({
      maxMailboxes: 7,
      allowedDomains: ["a.example", "*.b.example"],
    });
    const { status, body } = await enroll(organization.enrollmentKey, "new-bot");
    expect(status).toBe(201);
    expect(body).toEqual({
      agent_id: expect.stringMatching(/^agt_[0-9a-z]{26}$/),
      agent_key: expect.stringMatching(/^mb_agent_[0-9a-z]{26}_[0-9A-Za-z]{49}$/),
      scopes: SCOPES,
      org_id: organization.organizationId,
      quota: { max_mailboxes: 7, used_count: 0, remaining: 7 },
      allowed_domains: ["a.example", "*.b.example"],
    });
    expect((await client.get("/v1/auth/me", { key: body.agent_key })).status).toBe(200);
  });

  test("the same handle is the same agent with a fresh key; the earlier keys live on", async () => {
    const { enrollmentKey } = await service.newOrganization();
    const first = (await enroll(enrollmentKey, "twice")).body;
    const second = (await enroll(enrollmentKey, "twice")).body;
    const other = (await enroll(enrollmentKey, "Twice")).body;
    expect(second.agent_id).toBe(first.agent_id);
    expect(other.agent_id).not.toBe(first.agent_id);
    expect(second.agent_key).not.toBe(first.agent_key);
    for (const key of [first.agent_key, second.agent_key]) {
      expect((await client.get("/v1/auth/me", { key })).status).toBe(200);
    }
  });

  test("the same handle with another enrollment key is another agent", async () => {
    const a = await service.newOrganization();
    const b = await service.newOrganization();
    expect(a.agentId).not.toBe(b.agentId);
    const sibling = await service.newEnrollment(a.organizationId);
    expect(sibling.agentId).not.toBe(a.agentId);
  });

  test("50 concurrent calls with one handle are one agent", async () => {
    const { enrollmentKey } = await service.newOrganization();
    const answers = await Promise.all(Array.from({ length: 50 }, () => enroll(enrollmentKey, "crowd")));
    expect(new Set(answers.map(({ body }) => body.agent_id)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.agent_key)).size).toBe(50);
  });

  test("a name given anew is taken over, one left out stays", async () => {
    const { enrollmentKey } = await service.newOrganization();
    const named = (await enroll(enrollmentKey, "n", { agent_name: "Billing" })).body;
    const again = (await enroll(enrollmentKey, "n")).body;
    const renamed = (await enroll(enrollmentKey, "n", { agent_name: "Accounts", unknown_field: [1] })).body;
    const name = async (key: string) =>
      (await client.get<{ agent_name: string }>("/v1/auth/me", { key })).body.agent_name;
    expect(await name(named.agent_key)).toBe("Accounts");
    expect(again.agent_id).toBe(renamed.agent_id);
  });

  test("an Authorization header, even a bad one, plays no part", async () => {
    const { enrollmentKey: token } = await service.newOrganization();
    const json = { token, agent_handle: "bot" };
    expect((await client.post<Enrolled>("/v1/enroll", json, { key: "nonsense" })).status).toBe(201);
  });

  test("an exhausted key still enrols: what it lacks is mailboxes", async () => {
    const { enrollmentKey } = await service.newOrganization({ maxMailboxes: 0 });
    const { status, body } = await enroll(enrollmentKey);
    expect([status, body.quota.remaining]).toEqual([201, 0]);
  });
});

describe("400", () => {
  test("fields that are missing, of another type, too long, or with control characters", async () => {
    const { enrollmentKey: token } = await service.newOrganization();
    expect((await client.post("/v1/enroll")).status).toBe(400);
    expect((await client.post("/v1/enroll", {})).body.error.issues?.map(({ path }) => path)).toEqual([
      "token",
      "agent_handle",
    ]);
    for (const handle of ["", 5, null, [], {}, true, "x".repeat(65), "a\nb", "a\0b", "\ud800"]) {
      expect([handle, ...(await refused(token, handle))]).toEqual([handle, 400, "invalid_request"]);
    }
    for (const bad of [5, null, ["x"], { a: 1 }, true, "x".repeat(201)]) {
      expect([bad, ...(await refused(bad))]).toEqual([bad, 400, "invalid_request"]);
    }
    for (const agent_name of [5, "x".repeat(101), "a\r\nb"]) {
      expect(await refused(token, "bot", { agent_name })).toEqual([400, "invalid_request"]);
    }
  });
});

test("400: the handle of the agent that stands for members, by which it would reach what they create", async () => {
  const { organizationId } = await service.newOrganization();
  const { enrollmentKey } = await service.newEnrollment(organizationId, { inboxAccess: "own" });
  const { status, body } = await client.post("/v1/enroll", { token: enrollmentKey, agent_handle: "dashboard" });
  expect([status, body.error.code, body.error.issues?.[0]?.path]).toEqual([400, "invalid_request", "agent_handle"]);
  const call = { name: "redeem_enrollment_key", arguments: { token: enrollmentKey, agent_handle: "dashboard" } };
  const tool = await fetch(`${service.url}/mcp`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
  });
  expect(await tool.text()).toContain("stands for what members do");
});

test("401: the handle of members with an unknown token says nothing else", async () => {
  expect(await refused("mb_enroll_x", "dashboard")).toEqual([401, "unauthorized"]);
});

describe("401", () => {
  test("a token that is unknown, mistyped, an agent key, or empty", async () => {
    const { enrollmentKey, agentKey } = await service.newOrganization();
    const typo = enrollmentKey.slice(0, -1) + (enrollmentKey.endsWith("0") ? "1" : "0");
    for (const token of ["", "x", typo, agentKey, ` ${enrollmentKey}`, "mb_enroll_\0"]) {
      expect([token, ...(await refused(token))]).toEqual([token, 401, "unauthorized"]);
    }
  });

  test("a revoked key; and its agents are out", async () => {
    const { enrollmentKey, enrollmentKeyId, agentKey } = await service.newOrganization();
    await revokeEnrollmentKey(service.system, enrollmentKeyId);
    expect(await refused(enrollmentKey)).toEqual([401, "unauthorized"]);
    expect((await client.get("/v1/auth/me", { key: agentKey })).status).toBe(401);
  });

  test("one revoked agent key leaves its sibling alone", async () => {
    const { enrollmentKeyId, agentKey } = await service.newOrganization();
    const { id, key } = await service.newAgentKey(enrollmentKeyId);
    await revokeAgentKey(service.system, id);
    expect((await client.get("/v1/auth/me", { key })).status).toBe(401);
    expect((await client.get("/v1/auth/me", { key: agentKey })).status).toBe(200);
  });

  test("an expired key", async () => {
    const expiresAt = new Date(clock.now().getTime() + 3_600_000);
    const { enrollmentKey } = await service.newOrganization({ expiresAt });
    expect((await enroll(enrollmentKey)).status).toBe(201);
    clock.advance(3_600_000);
    expect(await refused(enrollmentKey)).toEqual([401, "unauthorized"]);
  });
});

describe("405", () => {
  test("for other methods, with Allow", async () => {
    for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const { status, headers } = await client.call(method, "/v1/enroll");
      expect([method, status, headers.allow]).toEqual([method, 405, "POST"]);
    }
  });
});
