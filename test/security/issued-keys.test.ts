// Keys that an agent issues: they take no room from the keys above them, and no more waits than the agent has.
import { afterAll, expect, test } from "vitest";
import { api, inboxPath } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const MOST = 3;
const service = await startTestService({
  ROLES: "web",
  MAX_KEYS_PER_AGENT: `${MOST}`,
  MAX_KEYS_PER_ENROLLMENT_KEY: `${MOST + 1}`,
  MAX_ISSUED_KEYS_PER_KEY: `${MOST}`,
  MAX_WAITS_PER_KEY: `${MOST}`,
});
const client = api(service);
afterAll(() => client.close().then(service.stop));

const issue = (key: string) =>
  client.post<{ key: string; error?: { code: string } }>(
    "/v1/keys",
    { scopes: ["mailbox:read", "key:issue"] },
    { key },
  );
const statusOf = async (key: string) => (await client.get("/v1/auth/me", { key })).status;

test("a narrower key that issues all it can ends no key above it, and keeps no agent from enrolling", async () => {
  const { enrollmentKey, agentKey } = await service.newOrganization();
  const narrower = (await issue(agentKey)).body.key;
  const answers = await Promise.all(Array.from({ length: 3 * MOST }, () => issue(narrower)));
  const refused = answers.filter(({ status }) => status === 409);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(MOST);
  expect(refused.map(({ body }) => body.error?.code)).toEqual(Array(2 * MOST).fill("too_many_agent_keys"));
  expect((await issue(agentKey)).status).toBe(201);
  await service.enroll(enrollmentKey);
  await service.enroll(enrollmentKey, "another");
  const fresh = await service.enroll(enrollmentKey);
  expect(await statusOf(fresh.agent_key)).toBe(200);
  expect([await statusOf(agentKey), await statusOf(narrower)]).toEqual([200, 200]);
  // A key is known for some seconds after its end; lists read the database.
  const { body } = await client.get<{ data: { revoked_at: string | null }[] }>("/v1/keys", { key: agentKey });
  expect(body.data.map(({ revoked_at }) => revoked_at)).toEqual(Array(MOST + 2).fill(null));
});

test("the waits of an agent are limited for all its keys together", async () => {
  const { agentKey } = await service.newOrganization();
  const { address } = await client.createInbox(agentKey);
  const keys = [agentKey, (await issue(agentKey)).body.key, (await issue(agentKey)).body.key];
  const open = keys.map((key) => client.post(inboxPath(address, "/wait"), { timeout_seconds: 5 }, { key }));
  await expect.poll(() => service.system.openAnswers.used).toBe(MOST);
  const one = await client.post(inboxPath(address, "/wait"), { timeout_seconds: 1 }, { key: keys[1] });
  expect([one.status, one.body.error.code]).toEqual([429, "rate_limited"]);
  await Promise.all(open);
});
