// POST /v1/inboxes: the client_id that makes a create repeatable, and the domains a key allows.
import { afterAll, describe, expect, test } from "vitest";
import { api, type Inbox, inboxPath, type Page, type Quota, type Webhook } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

let count = 0;
const fresh = () => {
  count += 1;
  return `named-${count}`;
};
const create = (key: string, json?: unknown) => client.post<Inbox>("/v1/inboxes", json, { key });
const refused = async (key: string, json?: unknown) => {
  const { status, body } = await client.post("/v1/inboxes", json, { key });
  return [status, body.error?.code];
};
const quota = async (key: string) => (await client.get<{ quota: Quota }>("/v1/auth/me", { key })).body.quota;

describe("client_id", () => {
  test("a repeated client_id returns the same mailbox, says so in a header, and never counts twice", async () => {
    const { agentKey: key } = await service.newOrganization({ maxMailboxes: 2 });
    const first = await create(key, {
      client_id: "same",
      display_name: "One",
      inbound_webhook_url: "http://a.example",
    });
    const again = await create(key, { client_id: "same", display_name: "Two" });
    expect([again.status, again.headers["idempotent-replayed"]]).toEqual([201, "true"]);
    const { webhook, ...plain } = first.body;
    expect(webhook?.secret).toBeDefined();
    expect(again.body).toEqual(plain);
    expect(await quota(key)).toMatchObject({ used_count: 1 });
    expect((await client.get<Page<Webhook>>("/v1/webhooks", { key })).body.data).toHaveLength(1);
  });

  test("with another address it is another request: 409 names the mailbox, and costs nothing", async () => {
    const domains = ["mail.example", "other.example"];
    const { agentKey: key } = await service.newOrganization({ allowedDomains: domains });
    const username = fresh();
    const { address } = (await create(key, { client_id: "one", username })).body;
    for (const other of [{ username: fresh() }, { username, domain: "other.example" }, { domain: "other.example" }]) {
      const { status, body } = await client.post("/v1/inboxes", { client_id: "one", ...other }, { key });
      expect([other, status, body.error.code]).toEqual([other, 409, "idempotency_conflict"]);
      expect(body.error.message).toContain(address);
    }
    for (const same of [{}, { username: username.toUpperCase() }, { username, domain: "mail.example" }]) {
      expect((await create(key, { client_id: "one", ...same })).body.address).toBe(address);
    }
    const generated = (await create(key, { client_id: "two" })).body.address;
    expect(await refused(key, { client_id: "two", username })).toEqual([409, "idempotency_conflict"]);
    expect((await create(key, { client_id: "two", domain: "mail.example" })).body.address).toBe(generated);
    expect(await quota(key)).toMatchObject({ used_count: 2 });
  });

  test("it is answered when the quota is exhausted too", async () => {
    const { agentKey: key } = await service.newOrganization({ maxMailboxes: 1 });
    const first = await create(key, { client_id: "last" });
    expect(await refused(key)).toEqual([409, "enrollment_token_exhausted"]);
    const again = await create(key, { client_id: "last" });
    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  test("it shows later changes", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = (await create(key, { client_id: "c" })).body;
    await client.patch(inboxPath(address), { display_name: "New", metadata: { a: 1 } }, { key });
    expect((await create(key, { client_id: "c" })).body).toMatchObject({ display_name: "New", metadata: { a: 1 } });
  });

  test("a client_id belongs to its agent: an agent of another enrollment key or organization gets another mailbox", async () => {
    const a = await service.newOrganization();
    const sibling = await service.newEnrollment(a.organizationId);
    const stranger = await service.newOrganization();
    const first = await create(a.agentKey, { client_id: "shared" });
    for (const { agentKey } of [sibling, stranger]) {
      const other = await create(agentKey, { client_id: "shared" });
      expect(other.body.id).not.toBe(first.body.id);
      expect(await quota(agentKey)).toMatchObject({ used_count: 1 });
    }
  });

  test("any line of up to 200 characters", async () => {
    const { agentKey: key } = await service.newOrganization();
    for (const client_id of ["ü", "x".repeat(200), "null", "a b", "'; drop table inboxes --", "\\u0000"]) {
      const first = await create(key, { client_id });
      const again = await create(key, { client_id });
      expect([client_id, first.status, again.body.id]).toEqual([client_id, 201, first.body.id]);
    }
  });
});

describe("domains", () => {
  test("exactly the allowed ones, after IDNA, in any case", async () => {
    const allowedDomains = ["mail.example", "bücher.example", "Shop.Example"];
    const { agentKey: key } = await service.newOrganization({ allowedDomains });
    const domains = { "BÜCHER.example": "xn--bcher-kva.example", "xn--bcher-kva.example": "xn--bcher-kva.example" };
    for (const [domain, ascii] of Object.entries({
      ...domains,
      "shop.example": "shop.example",
      "MAIL.EXAMPLE": "mail.example",
    })) {
      const { status, body } = await create(key, { username: fresh(), domain });
      expect([domain, status, body.domain]).toEqual([domain, 201, ascii]);
      expect(body.address).toMatch(new RegExp(`@${ascii}$`));
    }
    for (const domain of ["example", "x.mail.example", "amail.example", "mail.example.org", "mail.example.example"]) {
      expect([domain, ...(await refused(key, { domain }))]).toEqual([domain, 403, "domain_not_allowed"]);
    }
  });

  test("a wildcard allows what is below it, and only if it is written so", async () => {
    const { agentKey: key } = await service.newOrganization({ allowedDomains: ["*.team.example"] });
    expect((await create(key, { domain: "a.team.example" })).status).toBe(201);
    expect((await create(key, { domain: "a.b.team.example" })).status).toBe(201);
    for (const domain of ["team.example", "ateam.example", "mail.example", "a.team.example.org"]) {
      expect([domain, ...(await refused(key, { domain }))]).toEqual([domain, 403, "domain_not_allowed"]);
    }
    expect(await refused(key)).toEqual([403, "domain_not_allowed"]);
    const { agentKey: exact } = await service.newOrganization({ allowedDomains: ["crew.example"] });
    expect(await refused(exact, { domain: "a.crew.example" })).toEqual([403, "domain_not_allowed"]);
    expect((await create(exact, { domain: "crew.example" })).body.domain).toBe("crew.example");
    // Without a domain it is DEFAULT_DOMAIN, which this key does not allow.
    const { status, body } = await create(exact);
    expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining("allows: crew.example")]);
  });

  test("an invalid domain is refused", async () => {
    const { agentKey: key } = await service.newOrganization();
    const bad = [
      "",
      " ",
      "a..b",
      "-a.example",
      "a-.example",
      "a_b.example",
      "mail.example.",
      "mail.example:25",
      "[::1]",
    ];
    for (const domain of [
      ...bad,
      "127.0.0.1",
      "a@mail.example",
      "mail%2eexample",
      "mail.example/x",
      "a\0",
      "x".repeat(254),
    ]) {
      expect([domain, ...(await refused(key, { domain }))]).toEqual([domain, 400, "invalid_request"]);
    }
  });
});
