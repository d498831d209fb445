// POST /v1/inboxes. Its client_id and domain are in create-naming.test.ts.
import { afterAll, describe, expect, test } from "vitest";
import { api, type Inbox, inboxPath, type Page, type Quota, type Webhook } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

let count = 0;
const fresh = () => {
  count += 1;
  return `box-${count}`;
};
const create = (key: string, json?: unknown) => client.post<Inbox>("/v1/inboxes", json, { key });
const refused = async (key: string, json?: unknown) => {
  const { status, body } = await client.post("/v1/inboxes", json, { key });
  return [status, body.error?.code];
};
const quota = async (key: string) => (await client.get<{ quota: Quota }>("/v1/auth/me", { key })).body.quota;

describe("201", () => {
  test("keeps `metadata`, at most 50 keys of it", async () => {
    const { agentKey: key } = await service.newOrganization();
    const metadata = { customer: "c-1042", n: 7, ok: false };
    const { status, body } = await create(key, { metadata });
    expect([status, body.metadata]).toEqual([201, metadata]);
    expect((await client.get<Inbox>(inboxPath(body.address), { key })).body.metadata).toEqual(metadata);
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i]));
    expect(await refused(key, { metadata: many })).toEqual([400, "invalid_request"]);
    expect(await refused(key, { metadata: { a: null } })).toEqual([400, "invalid_request"]);
  });

  test("with nothing given: two readable words and digits, at the default domain", async () => {
    const { agentKey: key } = await service.newOrganization();
    for (const json of [undefined, {}, { username: null }]) {
      const { status, body } = await create(key, json);
      expect(status).toBe(201);
      expect(body).toEqual({
        id: expect.stringMatching(/^inb_[0-9a-z]{26}$/),
        address: expect.stringMatching(/^[a-z]+-[a-z]+-\d{4}@mail\.example$/),
        display_name: "",
        domain: "mail.example",
        status: "live",
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        metadata: {},
      });
    }
    expect(await quota(key)).toEqual({ max_mailboxes: 100, used_count: 3, remaining: 97 });
  });

  test("with everything given", async () => {
    const { agentKey: key } = await service.newOrganization();
    const username = fresh();
    const { status, body, headers } = await create(key, {
      username,
      domain: "mail.example",
      display_name: "Zoë, “the” Bot <1>",
      client_id: "c-1",
      inbound_webhook_url: "https://agent.example/hooks?x=1",
    });
    expect(status).toBe(201);
    expect(headers["idempotent-replayed"]).toBeUndefined();
    expect(body).toMatchObject({ address: `${username}@mail.example`, display_name: "Zoë, “the” Bot <1>" });
    expect(body.webhook).toEqual({
      id: expect.stringMatching(/^whk_/),
      url: "https://agent.example/hooks?x=1",
      events: ["message.received"],
      secret: expect.stringMatching(/^whsec_.{40,}$/),
    });
    const { body: hooks } = await client.get<Page<Webhook & { address: string }>>("/v1/webhooks", { key });
    expect(hooks.data).toMatchObject([{ id: body.webhook?.id, address: body.address, active: true }]);
    expect(JSON.stringify(hooks)).not.toContain("whsec_");
  });

  test("user names that are allowed", async () => {
    const { agentKey: key } = await service.newOrganization();
    const unique = fresh();
    for (const name of ["a", "0", "-x", "_", "a.b-c_d.9", "x".repeat(64 - unique.length), "UPPER.Case"]) {
      const username = name.length < 3 ? `${name}${unique}` : `${unique}${name}`.slice(0, 64);
      const { status, body } = await create(key, { username });
      expect([username, status, body.address]).toEqual([username, 201, `${username.toLowerCase()}@mail.example`]);
    }
    expect((await create(key, { username: "root-beer" })).status).toBe(201);
  });
});

describe("inbound_webhook_url", () => {
  test("a URL that is plainly wrong creates nothing", async () => {
    const { agentKey: key } = await service.newOrganization();
    for (const url of [
      "",
      "x",
      "ftp://a.example",
      "https://",
      "javascript:alert(1)",
      "https://u:p@a.example",
      "https://a b",
    ]) {
      const json = { inbound_webhook_url: url };
      expect([url, ...(await refused(key, json))]).toEqual([url, 400, "invalid_webhook_url"]);
    }
    expect(await refused(key, { inbound_webhook_url: `https://a.example/${"x".repeat(2048)}` })).toEqual([
      400,
      "invalid_request",
    ]);
    expect(await quota(key)).toMatchObject({ used_count: 0 });
  });
});

describe("400", () => {
  test("fields of another type", async () => {
    const { agentKey: key } = await service.newOrganization();
    for (const field of ["username", "domain", "display_name", "client_id", "inbound_webhook_url"]) {
      for (const value of [5, true, [], ["x"], {}, { a: 1 }]) {
        const { status, body } = await client.post("/v1/inboxes", { [field]: value }, { key });
        expect([field, value, status, body.error.code]).toEqual([field, value, 400, "invalid_request"]);
        expect(body.error.issues?.[0]?.path).toBe(field);
        expect(body.error.message).toContain(field);
      }
    }
    expect(await quota(key)).toMatchObject({ used_count: 0 });
  });

  test("user names that are no plain local part", async () => {
    const { agentKey: key } = await service.newOrganization();
    const bad = [
      "",
      ".a",
      "a.",
      "a..b",
      "a b",
      "a+b",
      "a@b",
      "ä",
      "a\n",
      "a\r\nb",
      "a\0",
      "x".repeat(65),
      "%40",
      "a/b",
      '"a"',
      "a'",
    ];
    for (const username of bad) {
      expect([username, ...(await refused(key, { username }))]).toEqual([username, 400, "invalid_request"]);
    }
  });

  test("reserved names, in any case", async () => {
    const { agentKey: key } = await service.newOrganization();
    for (const username of [
      "postmaster",
      "Abuse",
      "hostmaster",
      "WEBMASTER",
      "noc",
      "security",
      "mailer-daemon",
      "root",
    ]) {
      expect([username, ...(await refused(key, { username }))]).toEqual([username, 400, "invalid_request"]);
    }
  });

  test("display names and client ids that are too long or hold control characters", async () => {
    const { agentKey: key } = await service.newOrganization();
    for (const bad of ["a\r\nBcc: x@y.example", "a\0b", "a\tb", "\x7f", "\u0085", "\ud800"]) {
      expect([bad, ...(await refused(key, { display_name: bad }))]).toEqual([bad, 400, "invalid_request"]);
      expect([bad, ...(await refused(key, { client_id: bad }))]).toEqual([bad, 400, "invalid_request"]);
    }
    expect(await refused(key, { display_name: "x".repeat(101) })).toEqual([400, "invalid_request"]);
    expect(await refused(key, { client_id: "" })).toEqual([400, "invalid_request"]);
    expect(await refused(key, { client_id: "x".repeat(201) })).toEqual([400, "invalid_request"]);
    expect((await create(key, { display_name: "x".repeat(100) })).status).toBe(201);
  });
});

describe("403", () => {
  test("a key that is restricted to some mailboxes cannot create one", async () => {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    const { address } = await client.createInbox(agentKey);
    const { key } = await service.newAgentKey(enrollmentKeyId, { inboxes: [address] });
    expect(await refused(key)).toEqual([403, "insufficient_scope"]);
  });
});

describe("409", () => {
  test("enrollment_token_exhausted; deleting gives nothing back", async () => {
    const { agentKey: key } = await service.newOrganization({ maxMailboxes: 2 });
    const { address } = await client.createInbox(key);
    await client.createInbox(key);
    expect(await refused(key)).toEqual([409, "enrollment_token_exhausted"]);
    await client.delete(inboxPath(address), { key });
    expect(await refused(key)).toEqual([409, "enrollment_token_exhausted"]);
    expect(await quota(key)).toEqual({ max_mailboxes: 2, used_count: 2, remaining: 0 });
    const { agentKey: none } = await service.newOrganization({ maxMailboxes: 0 });
    expect(await refused(none)).toEqual([409, "enrollment_token_exhausted"]);
  });

  test("address_taken while it is live, in any organization, and it costs nothing", async () => {
    const a = await service.newOrganization();
    const b = await service.newOrganization();
    const username = fresh();
    await client.createInbox(a.agentKey, { username });
    expect(await refused(a.agentKey, { username: username.toUpperCase() })).toEqual([409, "address_taken"]);
    expect(await refused(b.agentKey, { username })).toEqual([409, "address_taken"]);
    expect(await quota(b.agentKey)).toMatchObject({ used_count: 0 });
    const own = await client.post("/v1/inboxes", { username }, { key: a.agentKey });
    const foreign = await client.post("/v1/inboxes", { username }, { key: b.agentKey });
    expect(own.body.error).toMatchObject({
      message: `Your organization has the mailbox ${username}@mail.example already.`,
      fix: expect.stringContaining(`GET /v1/inboxes/${username}%40mail.example`),
    });
    expect(foreign.body.error.message).toContain("in use, or was used before");
  });

  test("a deleted address is never another organization's; its own may use it again, as a new mailbox", async () => {
    const a = await service.newOrganization();
    const b = await service.newOrganization();
    const username = fresh();
    const first = await client.createInbox(a.agentKey, { username, display_name: "Old" });
    await client.delete(inboxPath(first.address), { key: a.agentKey });
    expect(await refused(b.agentKey, { username })).toEqual([409, "address_taken"]);
    const second = await client.createInbox(a.agentKey, { username });
    expect(second).toMatchObject({ address: first.address, display_name: "" });
    expect(second.id).not.toBe(first.id);
    expect((await client.get(inboxPath(first.id), { key: a.agentKey })).status).toBe(404);
    expect(await quota(a.agentKey)).toMatchObject({ used_count: 2 });
    await client.delete(inboxPath(second.address), { key: a.agentKey });
    expect(await refused(b.agentKey, { username })).toEqual([409, "address_taken"]);
  });

  test("inbox_deleted for the client_id of a deleted mailbox, its address in use again or not", async () => {
    const { agentKey: key } = await service.newOrganization();
    const username = fresh();
    const { address } = await client.createInbox(key, { username, client_id: "gone" });
    await client.delete(inboxPath(address), { key });
    expect(await refused(key, { client_id: "gone" })).toEqual([409, "inbox_deleted"]);
    await client.createInbox(key, { username, client_id: "again" });
    const { status, body } = await client.post("/v1/inboxes", { client_id: "gone" }, { key });
    expect([status, body.error.code]).toEqual([409, "inbox_deleted"]);
    expect(body.error.message).not.toContain("superseded");
    expect(await quota(key)).toMatchObject({ used_count: 2 });
  });
});
