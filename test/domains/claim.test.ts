// POST, GET and DELETE /v1/domains: which domains can be claimed, in which forms, and by whom.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import type { Failure, Page } from "#test/support/api.ts";
import { type Domain, startDomains } from "./rig.ts";

const rig = await startDomains({ DEFAULT_DOMAIN: "mail.service.example" });
const { service, client, claim, path } = rig;
afterAll(rig.stop);

const organization = await service.newOrganization();
const key = organization.agentKey;

test("a claim returns the records to publish, with none of them found yet", async () => {
  const domain = await claim(key, "acme.example");
  expect(domain).toMatchObject({
    domain: "acme.example",
    status: "pending",
    ownership: { status: "pending" },
    sending: { status: "pending" },
    receiving: { status: "pending" },
    verified_at: null,
    last_checked_at: null,
  });
  const listed = domain.records.map(({ purpose, type, name, priority }) => [purpose, type, name, priority]);
  expect(listed).toEqual([
    ["ownership", "TXT", "_mailberth.acme.example", null],
    ["mx", "MX", "acme.example", 10],
    ["spf", "TXT", "acme.example", null],
    ["dkim", "TXT", "mb1._domainkey.acme.example", null],
    ["return_path_mx", "MX", "bounce.acme.example", 10],
    ["return_path_spf", "TXT", "bounce.acme.example", null],
    ["dmarc", "TXT", "_dmarc.acme.example", null],
    ["tls_rpt", "TXT", "_smtp._tls.acme.example", null],
  ]);
  for (const record of domain.records) expect(record).toMatchObject({ status: "missing", observed: [] });
  for (const { fix, name, value } of domain.records) {
    expect(fix).toContain(name);
    expect(fix).toContain(value);
  }
});

test("a repeated claim returns the same domain and token", async () => {
  const first = await claim(key, "again.example");
  expect(await claim(key, "AGAIN.example.")).toEqual(first);
});

test.each([
  ["a trailing dot", "dotted.example.", "dotted.example"],
  ["upper case", "UPPER.Example", "upper.example"],
  ["Unicode", "bücher.example", "xn--bcher-kva.example"],
  ["the ASCII form of a Unicode name", "xn--bcher-kva.ascii.example", "xn--bcher-kva.ascii.example"],
])("%s: stored in lower-case ASCII, and found in the form that was given", async (_form, given, stored) => {
  const { id, domain } = await claim(key, given);
  expect(domain).toBe(stored);
  for (const named of [given, stored, id]) {
    expect((await client.get<Domain>(path(named), { key })).body.id).toBe(id);
  }
});

describe("never claimable", () => {
  test.each([
    "",
    ".",
    "*.example.com",
    "a..example",
    "exa mple.com",
    "user@example.com",
    "https://example.com",
    "192.0.2.1",
    "-a.example",
    "com",
    "co.uk",
    "github.io",
    "xn--55qx5d.cn",
    "intranet",
    "localhost",
    "mail.localhost",
    "a.invalid",
    "printer.local",
    "x.onion",
    "1.in-addr.arpa",
    "mail.service.example",
    "below.mail.service.example",
    "service.example",
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(122)}example.com`,
    `${"a.".repeat(116)}example.com`,
    `${"x".repeat(301)}.example`,
    "\u0000.example",
  ])("%j", async (domain) => {
    const answer = await client.post("/v1/domains", { domain }, { key });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  });
});

test("lists its own domains only, newest first, in pages", async () => {
  const lister = await service.newOrganization();
  for (const domain of ["a.list.example", "b.list.example", "c.list.example"]) await claim(lister.agentKey, domain);
  const first = await client.get<Page<Domain>>("/v1/domains?limit=2", { key: lister.agentKey });
  expect(first.body.data.map(({ domain }) => domain)).toEqual(["c.list.example", "b.list.example"]);
  const cursor = first.body.next_cursor;
  const second = await client.get<Page<Domain>>(`/v1/domains?limit=2&cursor=${cursor}`, { key: lister.agentKey });
  expect(second.body.data.map(({ domain }) => domain)).toEqual(["a.list.example"]);
  expect(second.body.next_cursor).toBeNull();
  expect(await client.get(`/v1/domains?cursor=${cursor}`, { key })).toMatchObject({ status: 400 });
});

test("a deleted domain is gone, and can be claimed again with another token", async () => {
  const before = await claim(key, "gone.example");
  const { status, body } = await client.delete<object>(path("gone.example"), { key });
  expect({ status, body }).toEqual({ status: 200, body: { id: before.id, deleted: true } });
  expect(await client.get(path(before.id), { key })).toMatchObject({
    status: 404,
    body: { error: { code: "domain_not_found" } },
  });
  const after = await claim(key, "gone.example");
  expect(after.records[0]?.value).not.toBe(before.records[0]?.value);
});

test("needs the scope domain:manage to change, mailbox:read to see", async () => {
  const reader = (await service.newAgentKey(organization.enrollmentKeyId, { scopes: ["mailbox:read"] })).key;
  const manager = (await service.newAgentKey(organization.enrollmentKeyId, { scopes: ["domain:manage"] })).key;
  const refused = { status: 403, body: { error: { code: "insufficient_scope" } } };
  expect(await client.post("/v1/domains", { domain: "x.example" }, { key: reader })).toMatchObject(refused);
  expect(await client.get("/v1/domains", { key: manager })).toMatchObject(refused);
});

test("a key restricted to some inboxes cannot manage domains", async () => {
  const { address } = await client.createInbox(key);
  const restricted = (await service.newAgentKey(organization.enrollmentKeyId, { inboxes: [address] })).key;
  const answer = await client.post("/v1/domains", { domain: "y.example" }, { key: restricted });
  expect(answer).toMatchObject({ status: 403, body: { error: { code: "insufficient_scope" } } });
});

test("an organization has at most 100 domains that are not verified", async () => {
  const many = await service.newOrganization();
  await service.system.sql`
    insert into domains (id, organization_id, domain, token, status, records, next_check_at, created_at)
    select gen_random_uuid(), ${decodeId("org", many.organizationId) ?? ""}, 'd' || n || '.many.example', '', 'pending', '[]',
      now() + interval '1 day', now() from generate_series(1, 99) n`;
  await claim(many.agentKey, "last.many.example");
  const answer = await client.post("/v1/domains", { domain: "over.many.example" }, { key: many.agentKey });
  expect(answer).toMatchObject({ status: 409, body: { error: { code: "too_many_domains" } } });
});

test("many claims of one organization at the same time leave others their turn to get a DKIM key", async () => {
  const [many, other] = [await service.newOrganization(), await service.newOrganization()];
  const refused = Promise.withResolvers<void>();
  const claims = Array.from({ length: 40 }, async (_, n) => {
    const answer = await client.post<Failure>("/v1/domains", { domain: `many${n}.example` }, { key: many.agentKey });
    if (answer.status === 503) refused.resolve();
    return answer;
  });
  await refused.promise;
  await claim(other.agentKey, "other-turn.example");
  const answers = await Promise.all(claims);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 503]));
  const [busy] = answers.filter(({ status }) => status === 503);
  expect([busy?.body.error.code, busy?.headers["retry-after"]]).toEqual(["unavailable", "2"]);
});
