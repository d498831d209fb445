// Allow and block lists: entries, who may change them, and what a send to a refused recipient answers.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId, newId } from "#server/base/ids.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const service = await startTestService({ ROLES: "web,smtp,worker", SEND_CAP_RAMP: "1000" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Entry = { entry: string; reason: string | null; created_at: string };
type Blocked = { address: string; list: string; scope: string; entry: string | null; reason: string | null };
type Refusal = { error: { code: string; message: string }; addresses: Blocked[] };
type DryRun = { would_send: boolean; refusals: { code: string; status: number }[] };
const MANY = 100_000;

async function sender() {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  const { address } = await client.createInbox(key);
  return {
    ...organization,
    key,
    address,
    send: (json: object, from = address) =>
      client.post<Refusal>(inboxPath(from, "/send"), { text: "x", ...json }, { key }),
    add: (list: string, json: object) => client.post<Entry>(`/v1/lists/${list}`, json, { key }),
    list: async (list: string, query = "") =>
      (await client.get<Page<Entry>>(`/v1/lists/${list}${query}`, { key })).body,
    remove: (list: string, query: string) => client.call("DELETE", `/v1/lists/${list}?${query}`, { key }),
  };
}

describe("an entry", () => {
  test("is added once, in lower case, listed, found, and removed", async () => {
    const { add, list, remove } = await sender();
    const added = await add("send/block", { entry: "Ann@Shop.Example", reason: "asked by phone" });
    expect([added.status, added.body]).toMatchObject([201, { entry: "ann@shop.example", reason: "asked by phone" }]);
    expect((await add("send/block", { entry: "ann@shop.example" })).body).toEqual(added.body);
    const second = (await add("send/block", { entry: "@bücher.example" })).body;
    expect(second).toMatchObject({ entry: "xn--bcher-kva.example", reason: null });
    expect(await list("send/block")).toEqual({ data: [second, added.body], next_cursor: null });
    expect((await list("send/block", "?entry=ANN@shop.example")).data).toEqual([added.body]);
    const first = await list("send/block", "?limit=1");
    expect((await list("send/block", `?limit=1&cursor=${first.next_cursor}`)).data).toEqual([added.body]);
    for (const other of ["send/allow", "receive/block", "receive/allow"]) expect((await list(other)).data).toEqual([]);
    expect(await remove("send/block", "entry=ANN@shop.example")).toMatchObject({
      status: 200,
      body: { entry: "ann@shop.example", deleted: true },
    });
    expect(await remove("send/block", "entry=ann@shop.example")).toMatchObject({
      status: 404,
      body: { error: { code: "list_entry_not_found" } },
    });
    expect((await list("send/block")).data).toEqual([second]);
  });

  test("that is neither an address nor a domain: 400", async () => {
    const { add, list, remove } = await sender();
    const wrong = ["", "a@b@c", "*.shop.example", "shop..example", "a b.example", "@", "x@", 5, null, "a".repeat(400)];
    for (const entry of wrong) expect((await add("send/block", { entry })).status).toBe(400);
    expect((await add("send/block", { entry: "a.example", reason: "x".repeat(201) })).status).toBe(400);
    expect((await add("send/maybe", { entry: "a.example" })).status).toBe(400);
    expect((await add("both/block", { entry: "a.example" })).status).toBe(400);
    expect((await remove("send/block", "")).status).toBe(400);
    expect((await list("send/block")).data).toEqual([]);
  });

  test("of a mailbox is apart from those of the organization, and is not changed after the mailbox was deleted", async () => {
    const { add, list, remove, address, key } = await sender();
    await add("send/block", { entry: "ann@shop.example", inbox: address });
    expect((await list("send/block")).data).toEqual([]);
    const own = `?inbox=${encodeURIComponent(address)}`;
    expect((await list("send/block", own)).data).toMatchObject([{ entry: "ann@shop.example" }]);
    expect((await remove("send/block", "entry=ann@shop.example")).status).toBe(404);
    await client.call("DELETE", inboxPath(address), { key });
    expect((await add("send/block", { entry: "bob@shop.example", inbox: address })).status).toBe(404);
  });

  test("is the organization's own", async () => {
    const [one, other] = [await sender(), await sender()];
    await one.add("send/block", { entry: "shop.example" });
    expect((await other.list("send/block")).data).toEqual([]);
    expect((await other.remove("send/block", "entry=shop.example")).status).toBe(404);
    expect((await other.send({ to: "ann@shop.example" })).status).toBe(202);
    expect((await other.add("send/block", { entry: "shop.example", inbox: one.address })).status).toBe(404);
  });
});

describe("403 recipient_blocked", () => {
  test("for a recipient in To, Cc or Bcc, by address, plus tag, domain or domain above; nothing is sent or counted", async () => {
    const { add, remove, send, key, address } = await sender();
    await add("send/block", { entry: "ann@shop.example", reason: "left" });
    await add("send/block", { entry: "spam.example" });
    const wanted = { list: "block", scope: "organization" };
    for (const [json, found] of [
      [{ to: "Ann@SHOP.example" }, { address: "ann@shop.example", entry: "ann@shop.example", reason: "left" }],
      [{ to: "x@else.example", cc: ["ann+tag@shop.example"] }, { address: "ann+tag@shop.example" }],
      [
        { to: "x@else.example", bcc: ["x@a.b.spam.example"] },
        { entry: "spam.example", reason: null },
      ],
    ] as const) {
      const { status, body } = await send(json);
      expect([status, body.error.code]).toEqual([403, "recipient_blocked"]);
      expect(body.addresses).toMatchObject([{ ...wanted, ...found }]);
    }
    for (const to of ["bob@shop.example", "x@notspam.example"]) expect((await send({ to })).status).toBe(202);
    const json = { to: "x@spam.example", text: "x" };
    const dry = await client.post<DryRun>(inboxPath(address, "/send?dry_run=true"), json, { key });
    expect([dry.status, dry.body]).toMatchObject([
      200,
      { would_send: false, refusals: [{ code: "recipient_blocked", status: 403 }] },
    ]);
    const limit = await client.get<{ used: number }>(inboxPath(address, "/send-limit"), { key });
    expect(limit.body.used).toBe(2);
    await remove("send/block", "entry=ann@shop.example");
    expect((await send({ to: "ann@shop.example" })).status).toBe(202);
  });

  test("for everyone else while there is an allow list", async () => {
    const { add, send } = await sender();
    await add("send/allow", { entry: "shop.example" });
    expect((await send({ to: "ann@shop.example" })).status).toBe(202);
    const { status, body } = await send({ to: ["ann@shop.example", "x@else.example"] });
    expect([status, body.addresses]).toEqual([
      403,
      [{ address: "x@else.example", list: "allow", scope: "organization", entry: null, reason: null }],
    ]);
  });

  test("the narrowest decides, and block beats allow", async () => {
    const { add, send, address, key } = await sender();
    const other = await client.createInbox(key);
    const status = async (to: string, from = address) => (await send({ to }, from)).status;
    await add("send/block", { entry: "shop.example" });
    await add("send/allow", { entry: "ann@shop.example" });
    await add("send/allow", { entry: "else.example" });
    expect([await status("ann@shop.example"), await status("bob@shop.example")]).toEqual([202, 403]);
    await add("send/block", { entry: "ann@shop.example" });
    expect(await status("ann@shop.example")).toBe(403);
    // The lists of the mailbox come first, for this mailbox only.
    await add("send/allow", { entry: "shop.example", inbox: address });
    expect([await status("ann@shop.example"), await status("ann@shop.example", other.address)]).toEqual([202, 403]);
    // It has an allow list now, so what only the organization allows is refused to it.
    expect([await status("x@else.example"), await status("x@else.example", other.address)]).toEqual([403, 202]);
    await add("send/block", { entry: "sub.shop.example", inbox: address });
    expect([await status("x@sub.shop.example"), await status("x@a.shop.example")]).toEqual([403, 202]);
  });

  test("for a reply and a forward", async () => {
    const { add, key, address } = await sender();
    await service.mail({ from: "ann@shop.example", to: address, subject: "Hello" });
    const { data } = (await client.get<Page<{ id: string }>>(inboxPath(address, "/messages"), { key })).body;
    await add("send/block", { entry: "shop.example" });
    const path = `/v1/messages/${data[0]?.id}`;
    expect((await client.post(`${path}/reply`, { text: "x" }, { key })).status).toBe(403);
    expect((await client.post(`${path}/forward`, { to: "ann@shop.example" }, { key })).status).toBe(403);
  });

  test(`among ${MANY} entries, found by an index`, async () => {
    const { send, list, add, organizationId, address, key } = await sender();
    const organization = decodeId("org", organizationId) ?? organizationId;
    await service.system.sql`
      insert into list_entries (id, organization_id, inbox_id, direction, list, entry, created_at)
      select gen_random_uuid(), ${organization}, '00000000-0000-0000-0000-000000000000', 'send', 'block',
        'u' || n || '@shop.example', now() from generate_series(1, ${MANY}::int) n`;
    const to = Array.from({ length: 50 }, (_, i) => (i < 3 ? `u${i * 40_000 + 1}@shop.example` : `v${i}@shop.example`));
    expect((await send({ to })).body.addresses.map((each) => each.address)).toEqual(to.slice(0, 3).sort());
    expect((await list("send/block", "?entry=u99999@shop.example")).data).toHaveLength(1);
    expect((await add("send/block", { entry: "one-more.example" })).status).toBe(201);
    const inbox = (await client.get<{ id: string }>(inboxPath(address), { key })).body.id;
    const inboxes = ["00000000-0000-0000-0000-000000000000", decodeId("inb", inbox) ?? newId()];
    const plan = await service.system.sql`
      explain (format json) select 1 from list_entries
      where organization_id = ${organization} and direction = 'send' and entry = any(${to}) and inbox_id::text = any(${inboxes})`;
    expect(JSON.stringify(plan)).toContain("list_entries_entry");
    const allowing = await service.system.sql`
      explain (format json) select 1 from list_entries
      where organization_id = ${organization} and inbox_id = ${newId()} and direction = 'send' and list = 'allow'`;
    expect(JSON.stringify(allowing)).toContain("list_entries_list");
    await service.system.sql`
      insert into list_entries (id, organization_id, inbox_id, direction, list, entry, created_at)
      select gen_random_uuid(), ${organization}, '00000000-0000-0000-0000-000000000000', 'send', 'block',
        'w' || n || '@shop.example', now() from generate_series(2, ${MANY}::int) n`;
    const full = await client.post<Refusal>("/v1/lists/receive/allow", { entry: "more.example" }, { key });
    expect([full.status, full.body.error.code]).toEqual([409, "too_many_list_entries"]);
  });
});

test("a key that is restricted to some mailboxes changes only their lists, and a key without list:manage changes none", async () => {
  const { key: full, enrollmentKeyId, address } = await sender();
  const other = await client.createInbox(full);
  const { key } = await service.newAgentKey(enrollmentKeyId, { inboxes: [address] });
  const entry = "ann@shop.example";
  const query = (inbox: string) => `entry=${entry}&inbox=${encodeURIComponent(inbox)}`;
  const answers = [
    await client.get("/v1/lists/send/block", { key }),
    await client.post("/v1/lists/send/block", { entry }, { key }),
    await client.call("DELETE", `/v1/lists/send/block?entry=${entry}`, { key }),
    await client.post("/v1/lists/send/block", { entry, inbox: other.address }, { key }),
    await client.call("DELETE", `/v1/lists/send/block?${query(other.address)}`, { key }),
    await client.post("/v1/lists/send/block", { entry, inbox: address }, { key }),
    await client.call("DELETE", `/v1/lists/send/block?${query(address)}`, { key }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 404, 404, 201, 200]);
  const reader = await service.newAgentKey(enrollmentKeyId, { scopes: ["mailbox:read", "mailbox:send"] });
  expect((await client.post("/v1/lists/send/block", { entry }, { key: reader.key })).status).toBe(403);
  expect((await client.get("/v1/lists/send/block", { key: reader.key })).status).toBe(200);
});

test("a member sees the entries of all lists together, and finds them by a part", async () => {
  const { organizationId, address, add } = await sender();
  const other = await sender();
  await other.add("send/block", { entry: "theirs.example" });
  await add("send/block", { entry: "shop.example" });
  await add("receive/allow", { entry: "ann@far.example", inbox: address });
  const { trpc } = await newOwner(service, organizationId);
  const all = async (input: Parameters<typeof trpc.lists.all.query>[0]) =>
    (await trpc.lists.all.query(input)).data.map(({ direction, list, inbox, entry }) => [
      direction,
      list,
      inbox,
      entry,
    ]);
  const ofInbox = ["receive", "allow", address, "ann@far.example"];
  const ofAll = ["send", "block", null, "shop.example"];
  expect(await all({})).toEqual([ofInbox, ofAll]);
  expect(await all({ contains: "HOP.ex" })).toEqual([ofAll]);
  expect(await all({ contains: address.slice(2, 9) })).toEqual([ofInbox]);
  expect(await all({ contains: "%" })).toEqual([]);
  expect(await all({ direction: "send", list: "block" })).toEqual([ofAll]);
  const { next_cursor } = await trpc.lists.all.query({ limit: 1 });
  expect(await all({ limit: 1, cursor: next_cursor ?? "" })).toEqual([ofAll]);
});

test("admins change the lists too, members read them, and the audit log has it", async () => {
  const { organizationId } = await sender();
  const owner = await newOwner(service, organizationId);
  const member = await newMember(service, owner, "member");
  const named = { direction: "send", list: "block", entry: "ann@shop.example" } as const;
  await expect(member.trpc.lists.add.mutate(named)).rejects.toMatchObject({
    data: { error: { code: "insufficient_role" } },
  });
  await owner.trpc.lists.add.mutate(named);
  expect((await member.trpc.lists.list.query({ direction: "send", list: "block" })).data).toHaveLength(1);
  await owner.trpc.lists.remove.mutate(named);
  const { data } = await owner.trpc.team.audit.query({ limit: 2 });
  expect(data.map(({ action }) => action)).toEqual(["lists.remove", "lists.add"]);
});
