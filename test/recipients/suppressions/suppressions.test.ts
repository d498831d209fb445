// The list of suppressed addresses, and what a send to one of them answers.
import { afterAll, describe, expect, test } from "vitest";
import { EVERY_INBOX } from "#db/conditions.ts";
import { decodeId, newId } from "#server/base/ids.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Suppression = {
  address: string;
  reason: string;
  inbox: string | null;
  message_id: string | null;
  created_at: string;
};
type Refusal = {
  error: { code: string; message: string };
  addresses: { address: string; reason: string; since: string }[];
};
const MANY = 100_000;
const PIECE = 10_000;

async function sender() {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  const { address } = await client.createInbox(key);
  return {
    ...organization,
    key,
    address,
    send: (json: object) => client.post<Refusal>(inboxPath(address, "/send"), { text: "x", ...json }, { key }),
    dryRun: (json: object) =>
      client.post<{ refusals: object[] }>(inboxPath(address, "/send?dry_run=true"), { text: "x", ...json }, { key }),
    suppress: (json: object) => client.post<Suppression>("/v1/suppressions", json, { key }),
    list: async (query = "") => (await client.get<Page<Suppression>>(`/v1/suppressions${query}`, { key })).body,
    lift: (who: string) => client.call("DELETE", `/v1/suppressions/${encodeURIComponent(who)}`, { key }),
  };
}

describe("an address", () => {
  test("is found by a part of it", async () => {
    const { suppress, list } = await sender();
    const found = async (part: string) =>
      (await list(`?contains=${encodeURIComponent(part)}`)).data.map(({ address }) => address);
    for (const address of ["ann@shop.example", "bob@far.example"]) await suppress({ address });
    expect(await found("SHOP.ex")).toEqual(["ann@shop.example"]);
    expect(await found("@")).toEqual(["bob@far.example", "ann@shop.example"]);
    expect(await found("%")).toEqual([]);
  });

  test("is added once, in lower case, listed, found, and removed", async () => {
    const { suppress, list, lift } = await sender();
    const added = await suppress({ address: "Ann@Shop.example", reason: "asked by phone" });
    expect([added.status, added.body]).toMatchObject([
      201,
      { address: "ann@shop.example", reason: "asked by phone", inbox: null, message_id: null },
    ]);
    expect((await suppress({ address: "ann@shop.example" })).body).toEqual(added.body);
    const second = (await suppress({ address: "bob@shop.example" })).body;
    expect(second.reason).toBe("manual");
    expect(await list()).toEqual({ data: [second, added.body], next_cursor: null });
    expect((await list("?address=ANN@shop.example")).data).toEqual([added.body]);
    const first = await list("?limit=1");
    expect((await list(`?limit=1&cursor=${first.next_cursor}`)).data).toEqual([added.body]);
    expect(await lift("ANN@shop.example")).toMatchObject({
      status: 200,
      body: { address: "ann@shop.example", deleted: true },
    });
    expect(await lift("ann@shop.example")).toMatchObject({
      status: 404,
      body: { error: { code: "suppression_not_found" } },
    });
    expect((await list()).data).toEqual([second]);
  });

  test("an invalid address answers 400", async () => {
    const { suppress } = await sender();
    for (const address of ["", "nobody", "a@b@c", "a@b.example\nx@y.example", 5, null]) {
      expect((await suppress({ address })).status).toBe(400);
    }
  });

  test("is the organization's own", async () => {
    const [one, other] = [await sender(), await sender()];
    await one.suppress({ address: "ann@shop.example" });
    expect((await other.list()).data).toEqual([]);
    expect((await other.lift("ann@shop.example")).status).toBe(404);
    expect((await other.send({ to: "ann@shop.example" })).status).toBe(202);
    // A dry run looks for suppressions with another statement.
    expect((await other.dryRun({ to: "ann@shop.example" })).body).toMatchObject({ refusals: [] });
  });
});

describe("422", () => {
  test("a suppressed recipient in To, Cc or Bcc, in any letter case, refuses the whole send", async () => {
    const { suppress, send, lift, key, address } = await sender();
    const { created_at: since } = (await suppress({ address: "ann@shop.example", reason: "bounced" })).body;
    for (const json of [
      { to: "Ann@shop.example" },
      { to: "x@else.example", cc: ["ann@SHOP.example"] },
      { to: "x@else.example", bcc: ["ann@shop.example"] },
    ]) {
      const { status, body } = await send(json);
      expect([status, body]).toMatchObject([
        422,
        {
          error: { code: "recipient_suppressed" },
          addresses: [{ address: "ann@shop.example", reason: "bounced", since }],
        },
      ]);
    }
    expect((await client.get<Page<object>>(inboxPath(address, "/messages"), { key })).body.data).toEqual([]);
    const limit = await client.get<{ used: number }>(inboxPath(address, "/send-limit"), { key });
    expect(limit.body.used).toBe(0);
    await lift("ann@shop.example");
    expect((await send({ to: "ann@shop.example" })).status).toBe(202);
  });

  test("for a reply and a forward", async () => {
    const { suppress, key, address } = await sender();
    await service.mail({ from: "ann@shop.example", to: address, subject: "Hello" });
    const { data } = (await client.get<Page<{ id: string }>>(inboxPath(address, "/messages"), { key })).body;
    await suppress({ address: "ann@shop.example" });
    const path = `/v1/messages/${data[0]?.id}`;
    expect((await client.post(`${path}/reply`, { text: "x" }, { key })).status).toBe(422);
    expect((await client.post(`${path}/forward`, { to: "ann@shop.example" }, { key })).status).toBe(422);
  });

  test("for the mailbox that a recipient unsubscribed from, and no other", async () => {
    const { key, address, send, organizationId } = await sender();
    const other = await client.createInbox(key);
    const inbox = (await client.get<{ id: string }>(inboxPath(address), { key })).body.id;
    await service.system.sql`
      insert into suppressions (id, organization_id, inbox_id, address, reason, created_at)
      values (${newId()}, ${decodeId("org", organizationId) ?? organizationId}, ${decodeId("inb", inbox) ?? ""},
        'ann@shop.example', 'unsubscribed', now())`;
    expect((await send({ to: "ann@shop.example" })).body.addresses).toMatchObject([{ reason: "unsubscribed" }]);
    const json = { to: "ann@shop.example", text: "x" };
    expect((await client.post(inboxPath(other.address, "/send"), json, { key })).status).toBe(202);
  });

  test(`among ${MANY} entries, found by an index`, async () => {
    const { send, list, organizationId } = await sender();
    const organization = decodeId("org", organizationId) ?? organizationId;
    await service.system.sql`
      insert into suppressions (id, organization_id, inbox_id, address, reason, created_at)
      select gen_random_uuid(), ${organization}, '00000000-0000-0000-0000-000000000000', 'u' || n || '@shop.example', 'bounced', now()
      from generate_series(1, ${MANY}::int) n`;
    const to = Array.from({ length: 50 }, (_, i) => (i < 3 ? `u${i * 40_000 + 1}@shop.example` : `v${i}@shop.example`));
    expect((await send({ to })).body.addresses.map(({ address }) => address)).toEqual(to.slice(0, 3).sort());
    expect((await list("?address=u99999@shop.example")).data).toHaveLength(1);
    const plan = await service.system.sql`
      explain (format json) select 1 from suppressions
      where organization_id = ${organization} and address = any(${to}) and inbox_id = any(${[newId()]}::uuid[])`;
    expect(JSON.stringify(plan)).toContain("suppressions_address");
  });
});

test("403: a key that is restricted to some inboxes", async () => {
  const { key: _, enrollmentKeyId, address } = await sender();
  const { key } = await service.newAgentKey(enrollmentKeyId, { inboxes: [address] });
  const answers = [
    await client.get("/v1/suppressions", { key }),
    await client.post("/v1/suppressions", { address: "ann@shop.example" }, { key }),
    await client.call("DELETE", "/v1/suppressions/ann@shop.example", { key }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
});

test("members change the list too, and the audit log has it", async () => {
  const { organizationId } = await sender();
  const { trpc } = await newOwner(service, organizationId);
  await trpc.suppressions.add.mutate({ address: "ann@shop.example" });
  await trpc.suppressions.remove.mutate({ address: "ann@shop.example" });
  const { data } = await trpc.team.audit.query({ limit: 2 });
  expect(data.map(({ action, subject }) => [action, subject]).slice(0, 2)).toEqual([
    ["suppressions.remove", "ann@shop.example"],
    ["suppressions.add", "ann@shop.example"],
  ]);
});

test("an organization has at most 200,000, and those that are there can be added again", async () => {
  const { suppress, list, lift, organizationId } = await sender();
  const organization = decodeId("org", organizationId) ?? "";
  await suppress({ address: "0@gone.example" });
  for (let from = 1; from <= 2 * MANY; from += PIECE) {
    await service.system.sql`
      insert into suppressions (id, organization_id, inbox_id, address, reason, created_at)
      select gen_random_uuid(), ${organization}::uuid, ${EVERY_INBOX}::uuid, n || '@gone.example', 'bounced', now()
      from generate_series(${from}::int, ${Math.min(from + PIECE, 2 * MANY) - 1}::int) n`;
  }
  const refused = await suppress({ address: "one-more@gone.example" });
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("too_many_suppressions")]);
  expect((await suppress({ address: "1@gone.example" })).status).toBe(201);
  expect((await lift("0@gone.example")).status).toBe(200);
  expect((await suppress({ address: "one-more@gone.example" })).status).toBe(201);
  expect((await list("?contains=one-more@gone.example")).data).toHaveLength(1);
});
