// How many webhooks an organization may register: in total, for one mailbox, at one target; exact for concurrent calls
// of any kind.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Api, api, type Failure, type Inbox, type Webhook } from "#test/support/api.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

const EVENTS = ["message.received"];
const CAPS = { MAX_WEBHOOKS_PER_ORGANIZATION: "12", MAX_WEBHOOKS_PER_MAILBOX: "5", MAX_WEBHOOKS_PER_ORIGIN: "4" };
const AT_ONCE = 20;

let service: TestService;
let second: TestService;
let uncapped: TestService;
let client: Api;
beforeAll(async () => {
  service = await startTestService({ ROLES: "web", ...CAPS });
  second = await startTestService({ ROLES: "web", ...CAPS }, { database: service.database });
  uncapped = await startTestService({ ROLES: "web" }, { database: service.database });
  client = api(service);
});
afterAll(async () => {
  await client?.close();
  await Promise.all([second?.stop(), uncapped?.stop()]);
  await service?.stop();
});

type Registered = Webhook & Failure;

async function organization() {
  const { agentKey: key, organizationId } = await service.newOrganization();
  let made = 0;
  const register = (url: string, address?: string, by: Api = client) =>
    by.post<Registered>("/v1/webhooks", { url, events: EVENTS, ...(address && { address }) }, { key });
  return {
    key,
    organizationId,
    register,
    /** A URL at an origin that has no other webhook. */
    elsewhere: () => {
      made += 1;
      return `https://h${made}.example.com/hook`;
    },
    inbox: async () => (await client.post<Inbox>("/v1/inboxes", {}, { key })).body.address,
    count: async () => (await client.get<{ data: Webhook[] }>("/v1/webhooks?limit=100", { key })).body.data.length,
  };
}

function expectRefused({ status, body }: { status: number; body: Failure }, message: RegExp): void {
  expect([status, body.error.code]).toEqual([409, "too_many_webhooks"]);
  expect(body.error.message).toMatch(message);
  expect(body.error.fix).toMatch(/Delete webhooks/);
}

describe("one request more than a cap", () => {
  test("of the organization", async () => {
    const { register, elsewhere, inbox } = await organization();
    for (let mailbox = 0; mailbox < 3; mailbox += 1) {
      const address = await inbox();
      for (let n = 0; n < 4; n += 1) expect((await register(elsewhere(), address)).status).toBe(201);
    }
    expectRefused(await register(elsewhere()), /^Your organization has 12 webhooks/);
    const stranger = await organization();
    expect((await stranger.register(elsewhere())).status).toBe(201);
  });

  test.each(["one mailbox", "all mailboxes"])("for %s", async (which) => {
    const { register, elsewhere, inbox } = await organization();
    const address = which === "one mailbox" ? await inbox() : undefined;
    for (let n = 0; n < 5; n += 1) expect((await register(elsewhere(), address)).status).toBe(201);
    expectRefused(await register(elsewhere(), address), /^There are 5 webhooks for (this mailbox|all mailboxes)/);
    expect((await register(elsewhere(), await inbox())).status).toBe(201);
  });

  test("at one origin, however it is written", async () => {
    const { register, inbox } = await organization();
    const written = [
      "https://victim.example.com/a",
      "https://VICTIM.example.com:443/b",
      "https://victim.example.com?c",
    ];
    for (const url of [...written, "https://victim.example.com/#d"]) expect((await register(url)).status).toBe(201);
    expectRefused(
      await register("https://victim.example.com/e", await inbox()),
      /4 webhooks at https:\/\/victim\.example\.com,/,
    );
    expect((await register("https://victim.example.com:8443/e")).status).toBe(201);
  });

  test("with the same URL for the same mailbox", async () => {
    const { register, inbox } = await organization();
    const url = "https://same.example.com/hook";
    const by = api(uncapped);
    for (let n = 0; n < 50; n += 1) expect((await register(url, undefined, by)).status).toBe(201);
    expectRefused(await register(url, undefined, by), /50 webhooks for all mailboxes with this URL/);
    expect((await register(url, await inbox(), by)).status).toBe(201);
    await by.close();
  });
});

test("a webhook that is deleted makes room", async () => {
  const { register, elsewhere, key } = await organization();
  const made: Webhook[] = [];
  for (let n = 0; n < 5; n += 1) made.push((await register(elsewhere())).body);
  expect((await client.call("DELETE", `/v1/webhooks/${made[0]?.id}`, { key })).status).toBe(200);
  expect((await register(elsewhere())).status).toBe(201);
  expectRefused(await register(elsewhere()), /all mailboxes/);
});

test("many concurrently, in two processes: exactly the cap", async () => {
  const { register, elsewhere, count } = await organization();
  const other = api(second);
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) => register(elsewhere(), undefined, n % 2 ? other : client)),
  );
  await other.close();
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  for (const answer of answers) if (answer.status !== 201) expectRefused(answer, /all mailboxes/);
  expect(await count()).toBe(5);
});

describe("creating mailboxes with webhooks", () => {
  test("counts, also concurrently in two processes, and refused ones are not created", async () => {
    const { key, count } = await organization();
    const other = api(second);
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) =>
        (n % 2 ? other : client).post<Inbox & Failure>(
          "/v1/inboxes",
          { inbound_webhook_url: "https://victim.example.com/hook" },
          { key },
        ),
      ),
    );
    await other.close();
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    for (const answer of answers) if (answer.status !== 201) expectRefused(answer, /4 webhooks at/);
    expect(await count()).toBe(4);
    const { data } = (await client.get<{ data: Inbox[] }>("/v1/inboxes?limit=100", { key })).body;
    expect(data).toHaveLength(4);
    expect((await client.post("/v1/inboxes", {}, { key })).status).toBe(201);
  });
});

test("changing the URL of webhooks does not go around the cap of an origin", async () => {
  const { register, elsewhere, key, count, inbox } = await organization();
  const address = await inbox();
  const made: Webhook[] = [];
  for (let n = 0; n < 6; n += 1) made.push((await register(elsewhere(), n % 2 ? address : undefined)).body);
  const moved = await Promise.all(
    made.map(({ id }, n) =>
      client.call<Registered>("PATCH", `/v1/webhooks/${id}`, { key, json: { url: `https://victim.example.com/${n}` } }),
    ),
  );
  expect(moved.filter(({ status }) => status === 200)).toHaveLength(4);
  for (const answer of moved) if (answer.status !== 200) expectRefused(answer, /4 webhooks at/);
  expect(await count()).toBe(6);
  const [first] = made;
  const again = await client.call("PATCH", `/v1/webhooks/${first?.id}`, {
    key,
    json: { url: "https://h1.example.com/x" },
  });
  expect(again.status).toBe(200);
});
