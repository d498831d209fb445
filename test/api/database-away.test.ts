// 503 while the database is away, at every door; and no restart when it is back.
import { afterAll, describe, expect, test } from "vitest";
import { type Answer, api, type Failure } from "#test/support/api.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { startProxy } from "#test/support/proxy.ts";
import { startTestService } from "#test/support/service.ts";

const BACK_MS = 25_000;
const ID = "01jd3m9v5sf0b8j3mgz7qk2x4c";
/** What a path's `{id}` is of. */
const KINDS: Record<string, string> = { webhooks: "whk", threads: "thr", purchase: "pay", messages: "msg" };
const database = await createTestDatabase();
const proxy = await startProxy(database.url);
const service = await startTestService({ ROLES: "web" }, { database: { ...database, url: proxy.url } });
const client = api(service);
const { agentKey: key, enrollmentKey: token } = await service.newOrganization();
const { address } = await client.createInbox(key);
/** Not in the cache of keys. */
const { agentKey: unused } = await service.newOrganization();
afterAll(async () => {
  await client.close();
  await service.stop();
  await proxy.cut();
  await database.drop();
});

const expectUnavailable = ({ status, body, headers }: Answer<Failure>) => {
  expect([status, body.error.code]).toEqual([503, "unavailable"]);
  expect(headers["retry-after"]).toMatch(/^\d+$/);
};

describe("503", () => {
  test("unavailable with Retry-After on every endpoint and at the tRPC door; readiness says so, liveness holds", async () => {
    const json = {
      to: "a@else.example",
      text: "x",
      url: "https://a.example",
      events: ["message.received"],
      since: new Date(Date.now() - 60_000),
      resource: "mailboxes:1",
    };
    const { paths } = await client.document();
    await proxy.cut();
    const rest = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { requestBody }]) => {
        const kind = Object.keys(KINDS).find((name) => path.includes(name)) ?? "messages";
        const filled = path
          .replace("{addr}", encodeURIComponent(address))
          .replace("{id}", `${KINDS[kind]}_${ID}`)
          .replace("{delivery_id}", `dlv_${ID}`)
          .replace("{attachment_id}", `att_${ID}`);
        const body = path === "/v1/enroll" ? { token, agent_handle: "bot" } : requestBody && json;
        return client.call(method.toUpperCase(), filled, { key: unused, json: body });
      }),
    );
    const trpc = client.exchange("GET", "/trpc/auth.me", { key: unused });
    const plain = ["/health", "/health/ready", "/health/live", "/v1/openapi.json"].map((path) =>
      client.exchange("GET", path, {}),
    );
    for (const answer of await Promise.all(rest)) expectUnavailable(answer);
    const { text, ...atTrpc } = await trpc;
    const { error } = JSON.parse(text);
    expectUnavailable({ ...atTrpc, text, body: { error: error.data?.error ?? error } });
    const answers = await Promise.all(plain);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 200, 200]);
    expect(JSON.parse(answers[0]?.text ?? "")).toMatchObject({ status: "unavailable", database: "unavailable" });
  });

  test("no more once it is back", async () => {
    await proxy.mend();
    await expect.poll(async () => (await client.exchange("GET", "/health", {})).status, { timeout: BACK_MS }).toBe(200);
    expect((await client.get("/v1/inboxes", { key })).status).toBe(200);
    expect((await client.post("/v1/inboxes", {}, { key })).status).toBe(201);
  });
});
