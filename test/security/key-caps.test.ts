// Agent keys are capped, and rates are limited above the single key: by enrollment key, and by client address without a key.
import { afterAll, describe, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { adjustableClock, startTestService, type TestService } from "#test/support/service.ts";
import { newOwner, post } from "#test/support/team.ts";

const clock = adjustableClock();
const PER_AGENT = 3;
const PER_ENROLLMENT_KEY = 6;
const service = await startTestService(
  { ROLES: "web", MAX_KEYS_PER_AGENT: `${PER_AGENT}`, MAX_KEYS_PER_ENROLLMENT_KEY: `${PER_ENROLLMENT_KEY}` },
  { now: clock.now },
);
const client = api(service);
const BURST = 5;
const more: TestService[] = [];
afterAll(async () => {
  await client.close();
  await Promise.all(more.map((one) => one.stop()));
  await service.stop();
});

async function start(settings: Parameters<typeof startTestService>[0]): Promise<TestService> {
  const one = await startTestService({ ROLES: "web", ...settings }, { database: service.database });
  more.push(one);
  return one;
}

const enroll = (token: string, agent_handle: string) =>
  client.post<{ agent_key: string }>("/v1/enroll", { token, agent_handle });
const statusOf = async (key: string) => (await client.get("/v1/auth/me", { key })).status;

describe("keys of one agent", () => {
  test("beyond the cap the oldest is revoked", async () => {
    const { enrollmentKey, agentKey } = await service.newOrganization();
    const keys = [agentKey];
    for (let n = 1; n < PER_AGENT; n += 1) keys.push((await enroll(enrollmentKey, "bot")).body.agent_key);
    expect(await Promise.all(keys.map(statusOf))).toEqual([200, 200, 200]);
    const next = (await enroll(enrollmentKey, "bot")).body.agent_key;
    // A process may use what it knows of a key for half a second.
    await expect.poll(() => statusOf(agentKey)).toBe(401);
    expect(await Promise.all([...keys.slice(1), next].map(statusOf))).toEqual([200, 200, 200]);
  });

  test("are counted exactly when many enroll at the same time", async () => {
    const { enrollmentKey } = await service.newOrganization();
    const answers = await Promise.all(Array.from({ length: 4 * PER_AGENT }, () => enroll(enrollmentKey, "bot")));
    expect(answers.map(({ status }) => status)).toEqual(Array(4 * PER_AGENT).fill(201));
    const keys = answers.map(({ body }) => body.agent_key);
    await expect
      .poll(async () => {
        const statuses = await Promise.all(keys.map(statusOf));
        return statuses.filter((status) => status === 200).length;
      })
      .toBe(PER_AGENT);
  });
});

describe("keys of one enrollment key", () => {
  test("409 too_many_agent_keys for a new agent; a known agent loses its oldest key", async () => {
    const { enrollmentKey, agentKey } = await service.newOrganization();
    for (let n = 1; n < PER_ENROLLMENT_KEY; n += 1) {
      expect((await enroll(enrollmentKey, `bot-${n}`)).status).toBe(201);
    }
    const refused = await client.post("/v1/enroll", { token: enrollmentKey, agent_handle: "one-more" });
    expect([refused.status, refused.body.error.code]).toEqual([409, "too_many_agent_keys"]);
    const agents = await service.system.sql`select 1 from agents where handle = 'one-more'`;
    expect(agents).toHaveLength(0);
    expect((await enroll(enrollmentKey, "bot")).status).toBe(201);
    await expect.poll(() => statusOf(agentKey)).toBe(401);
    // Another enrollment key is free.
    const other = await service.newOrganization();
    expect((await enroll(other.enrollmentKey, "one-more")).status).toBe(201);
  });
});

describe("429 above the rate of a single key", () => {
  test("for all agents of an enrollment key together, redemptions included", async () => {
    const limited = await start({ RATE_LIMIT_ENROLLMENT_PER_SECOND: "1", RATE_LIMIT_ENROLLMENT_BURST: `${BURST}` });
    const one = api(limited);
    // Issued by the other service, whose buckets are its own.
    const [organization, other] = [await service.newOrganization(), await service.newOrganization()];
    const keys = [organization.agentKey, (await service.newAgentKey(organization.enrollmentKeyId)).key];
    const calls = Array.from({ length: 20 }, (_, n) => one.get("/v1/auth/me", { key: keys[n % 2] }));
    const answers = await Promise.all(calls);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(5);
    for (const { body, headers } of refused) {
      expect([body.error.code, Number(headers["retry-after"]) > 0]).toEqual(["rate_limited", true]);
    }
    const redeem = () => one.post("/v1/enroll", { token: organization.enrollmentKey, agent_handle: "bot" });
    expect((await Promise.all([redeem(), redeem(), redeem(), redeem()])).map(({ status }) => status)).toContain(429);
    expect((await one.get("/v1/auth/me", { key: other.agentKey })).status).toBe(200);
    await one.close();
  });

  test("for callers without a key by client address; others and agents go on", async () => {
    const limited = await start({
      TRUST_PROXY: "127.0.0.1",
      RATE_LIMIT_ANONYMOUS_PER_SECOND: "1",
      RATE_LIMIT_ANONYMOUS_BURST: `${BURST}`,
    });
    const one = api(limited);
    const { agentKey: key, organizationId } = await service.newOrganization();
    const owner = await newOwner(service, organizationId);
    const calls: [string, string, object | undefined][] = [
      ["POST", "/v1/enroll", { token: "mb_enroll_wrong", agent_handle: "bot" }],
      ["GET", "/v1/auth/me", undefined],
      ["GET", "/trpc/auth.me", undefined],
      ["POST", "/trpc/team.link", { token: "x".repeat(43) }],
      ["POST", "/trpc/team.join", { token: "x".repeat(43), password: "a long password" }],
      ["POST", "/auth/sign-in/email", { email: "nobody@people.example", password: "a long password" }],
      ["GET", "/v1/openapi.json", undefined],
      ["GET", "/mail-html/msg_1", undefined],
    ];
    for (const [n, [method, path, json]] of calls.entries()) {
      const headers = { "x-forwarded-for": `2001:db8:${n}::1`, origin: limited.url };
      // A /64 is one client, whatever of its addresses it uses.
      const forwarded = (m: number) => ({ ...headers, "x-forwarded-for": `2001:db8:${n}::${m + 1}` });
      const answers = await Promise.all(
        Array.from({ length: 4 * BURST }, (_, m) => one.exchange(method, path, { json, headers: forwarded(m) })),
      );
      const refused = answers.filter(({ status }) => status === 429);
      expect([path, refused.length > BURST]).toEqual([path, true]);
      expect(Number(refused[0]?.headers["retry-after"])).toBeGreaterThan(0);
      // Callers with a valid key or session are not counted, and another address is free.
      expect((await one.exchange("GET", "/v1/auth/me", { key, headers })).status).toBe(200);
      const session = { ...headers, cookie: owner.cookie };
      expect((await one.exchange("GET", "/trpc/team.me", { headers: session })).status).toBe(200);
      const elsewhere = { "x-forwarded-for": `2001:db8:ffff:${n}::1`, origin: limited.url };
      expect((await one.exchange(method, path, { json, headers: elsewhere })).status).not.toBe(429);
    }
    await one.close();
  });

  test("a forwarded address from a caller that is no trusted proxy changes nothing", async () => {
    const limited = await start({ RATE_LIMIT_ANONYMOUS_PER_SECOND: "1", RATE_LIMIT_ANONYMOUS_BURST: `${BURST}` });
    const answers = await Promise.all(
      Array.from({ length: 4 * BURST }, (_, n) =>
        post(limited, "/trpc/team.link", { token: "x".repeat(43) }, { "X-Forwarded-For": `203.0.113.${n}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(BURST);
  });
});
