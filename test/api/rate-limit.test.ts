// 429 rate_limited: per agent key, on every endpoint that takes one, at both doors.
import { afterAll, describe, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const BURST = 5;
const MORE_THAN_REFILLS = 200;
const service = await startTestService({ ROLES: "web", RATE_LIMIT_PER_SECOND: "1", RATE_LIMIT_BURST: String(BURST) });
const client = api(service);
afterAll(() => client.close().then(service.stop));

async function exhausted() {
  const { agentKey: key } = await service.newOrganization();
  await Promise.all(Array.from({ length: MORE_THAN_REFILLS }, () => client.get("/v1/auth/me", { key })));
  return key;
}

describe("429", () => {
  test("rate_limited with Retry-After and RateLimit headers; a success counts down", async () => {
    const { agentKey: key } = await service.newOrganization();
    const first = await client.get("/v1/auth/me", { key });
    expect(first.headers).toMatchObject({ "ratelimit-limit": String(BURST), "ratelimit-remaining": String(BURST - 1) });
    expect(Number(first.headers["ratelimit-reset"])).toBe(1);
    const answers = await Promise.all(
      Array.from({ length: MORE_THAN_REFILLS }, () => client.get("/v1/auth/me", { key })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { body, headers } of refused) {
      expect(body.error.code).toBe("rate_limited");
      expect(headers).toMatchObject({ "ratelimit-limit": String(BURST), "ratelimit-remaining": "0" });
      expect(Number(headers["retry-after"])).toBeGreaterThanOrEqual(1);
    }
  });

  test("every endpoint with a key; another key is free", async () => {
    const key = await exhausted();
    const document = await client.document();
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        if (operation.security?.length === 0) continue;
        const { status } = await client.call(method.toUpperCase(), path.replace(/\{\w+\}/, "x"), { key });
        // A bucket of one a second may hold one again; the request after it is refused for certain.
        const again =
          status === 429
            ? status
            : (await client.call(method.toUpperCase(), path.replace(/\{\w+\}/, "x"), { key })).status;
        expect([method, path, again]).toEqual([method, path, 429]);
      }
    }
    const { agentKey: other } = await service.newOrganization();
    expect((await client.get("/v1/auth/me", { key: other })).status).toBe(200);
  });

  test("at the tRPC door too, from the same bucket", async () => {
    const key = await exhausted();
    const calls = Array.from({ length: 20 }, () => client.exchange("GET", "/trpc/auth.me", { key }));
    const refused = (await Promise.all(calls)).find(({ status }) => status === 429);
    expect(JSON.parse(refused?.text ?? "{}").error.data.error.code).toBe("rate_limited");
    expect(refused?.headers).toMatchObject({
      "retry-after": expect.stringMatching(/^\d+$/),
      "ratelimit-remaining": "0",
    });
  });

  test("after Retry-After there is a request to make", async () => {
    const key = await exhausted();
    await expect.poll(async () => (await client.get("/v1/auth/me", { key })).status).toBe(200);
  });
});
