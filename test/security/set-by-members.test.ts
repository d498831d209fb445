// What a member or a recipient put on a list or suppressed, no agent lifts: not by removing, replacing or overruling it.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { recordOutcomes } from "#server/recipients/outcomes/record.ts";
import { unsubscribeUrl } from "#server/recipients/suppressions/unsubscribe.ts";
import { api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const service = await startTestService({ ROLES: "web,smtp", SEND_CAP_RAMP: "1000" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Direction = "send" | "receive";
type List = "allow" | "block";
type Entry = { entry: string; set_by: string; set_by_key: string | null };

/** An agent with all scopes, its mailbox, and the owner of its organization. */
async function rig() {
  const organization = await service.newOrganization();
  const { agentKey: key, organizationId } = organization;
  const { address, id } = await client.createInbox(key);
  const { trpc } = await newOwner(service, organizationId);
  const path = (direction: Direction, list: List) => `/v1/lists/${direction}/${list}` as const;
  return {
    key,
    address,
    id,
    organizationId,
    trpc,
    member: {
      add: (direction: Direction, list: List, entry: string, inbox?: string) =>
        trpc.lists.add.mutate({ direction, list, entry, ...(inbox && { inbox }) }),
      remove: (direction: Direction, list: List, entry: string, inbox?: string) =>
        trpc.lists.remove.mutate({ direction, list, entry, ...(inbox && { inbox }) }),
    },
    agent: {
      add: (direction: Direction, list: List, entry: string, inbox?: string) =>
        client.post<Entry & Failure>(path(direction, list), { entry, inbox }, { key }),
      remove: (direction: Direction, list: List, entry: string, inbox?: string) => {
        const query = new URLSearchParams({ entry, ...(inbox && { inbox }) });
        return client.call<Failure>("DELETE", `${path(direction, list)}?${query}`, { key });
      },
      list: async (direction: Direction, list: List, inbox?: string) =>
        (await client.get<Page<Entry>>(`${path(direction, list)}${inbox ? `?inbox=${inbox}` : ""}`, { key })).body.data,
    },
    send: async (to: string) =>
      (await client.post<Sent>(inboxPath(address, "/send"), { to, text: "x" }, { key })).status,
  };
}

const REFUSED = { status: 403, body: { error: { code: "insufficient_scope", fix: expect.stringContaining("Ask a") } } };

describe("an entry that a member added", () => {
  test.each(["allow", "block"] as const)("to the %s list stays when an agent removes it", async (list) => {
    const { member, agent, address } = await rig();
    for (const inbox of [undefined, address]) {
      for (const direction of ["send", "receive"] as const) {
        await member.add(direction, list, "shop.example", inbox);
        expect(await agent.remove(direction, list, "@SHOP.example", inbox)).toMatchObject(REFUSED);
        expect(await agent.list(direction, list, inbox)).toMatchObject([
          { entry: "shop.example", set_by: "member", set_by_key: null },
        ]);
        await member.remove(direction, list, "shop.example", inbox);
        expect(await agent.list(direction, list, inbox)).toEqual([]);
      }
    }
  });

  test("is the member's also when an agent had added it before", async () => {
    const { member, agent, send } = await rig();
    const own = (await agent.add("send", "block", "shop.example")).body;
    expect(own).toMatchObject({ set_by: "agent", set_by_key: expect.stringMatching(/^akey_/) });
    expect(await member.add("send", "block", "shop.example")).toMatchObject({ set_by: "member", set_by_key: null });
    expect(await agent.remove("send", "block", "shop.example")).toMatchObject(REFUSED);
    // Another agent's add of the same entry gives it back to no agent.
    expect((await agent.add("send", "block", "shop.example")).body).toMatchObject({ set_by: "member" });
    expect(await agent.remove("send", "block", "shop.example")).toMatchObject(REFUSED);
    expect(await send("ann@shop.example")).toBe(403);
  });

  test("is not turned into its opposite by the same entry of an agent on the other list", async () => {
    const { member, agent, address } = await rig();
    for (const [inbox, list, other] of [
      [undefined, "allow", "block"],
      [address, "allow", "block"],
      [undefined, "block", "allow"],
      [address, "block", "allow"],
    ] as const) {
      await member.add("receive", list, "ann@shop.example", inbox);
      expect(await agent.add("receive", other, "ann@shop.example", inbox)).toMatchObject(REFUSED);
      await member.remove("receive", list, "ann@shop.example", inbox);
      expect((await agent.add("receive", other, "ann@shop.example", inbox)).status).toBe(201);
      await agent.remove("receive", other, "ann@shop.example", inbox);
    }
  });

  test("stays when the mailbox is deleted and created again", async () => {
    const { key, member, agent, address } = await rig();
    await member.add("send", "block", "shop.example", address);
    await agent.add("send", "block", "else.example", address);
    await client.delete(inboxPath(address), { key });
    await client.createInbox(key, { username: address.slice(0, address.indexOf("@")) });
    expect(await agent.remove("send", "block", "shop.example", address)).toMatchObject(REFUSED);
    expect((await agent.remove("send", "block", "else.example", address)).status).toBe(200);
  });

  test("of an earlier version counts as a member's", async () => {
    const { agent, organizationId } = await rig();
    await service.system.sql`
      insert into list_entries (id, organization_id, inbox_id, direction, list, entry, created_at)
      values (gen_random_uuid(), ${decodeId("org", organizationId) ?? ""}, '00000000-0000-0000-0000-000000000000', 'send', 'block',
        'shop.example', now())`;
    expect(await agent.remove("send", "block", "shop.example")).toMatchObject(REFUSED);
  });
});

describe("an allow entry of an agent", () => {
  test.each([
    ["the same address", "ann@shop.example", "ann@shop.example"],
    ["an address of a blocked domain", "shop.example", "ann@shop.example"],
    ["a plus address of a blocked one", "ann@shop.example", "ann+tag@shop.example"],
    ["a domain below a blocked one", "shop.example", "sub.shop.example"],
  ])("is refused for %s, for the organization and for a mailbox", async (_, blocked, allowed) => {
    const { member, agent, address, send } = await rig();
    await member.add("send", "block", blocked);
    expect(await agent.add("send", "allow", allowed)).toMatchObject(REFUSED);
    expect(await agent.add("send", "allow", allowed, address)).toMatchObject(REFUSED);
    expect(await send(allowed.includes("@") ? allowed : `x@${allowed}`)).toBe(403);
  });

  test("that was there before does not beat a later block of a member, of the mailbox or of the organization", async () => {
    const { member, agent, address, send } = await rig();
    await agent.add("send", "allow", "ann@shop.example", address);
    await agent.add("send", "allow", "ann@shop.example");
    expect(await send("ann@shop.example")).toBe(202);
    for (const inbox of [address, undefined]) {
      await member.add("send", "block", "shop.example", inbox);
      expect(await send("ann@shop.example")).toBe(403);
      await member.remove("send", "block", "shop.example", inbox);
      expect(await send("ann@shop.example")).toBe(202);
    }
  });

  test("that is wider than a member's block does not lift it", async () => {
    const { member, agent, address, send } = await rig();
    await member.add("send", "block", "ann@shop.example");
    expect((await agent.add("send", "allow", "shop.example", address)).status).toBe(201);
    expect([await send("ann@shop.example"), await send("bob@shop.example")]).toEqual([403, 202]);
  });

  test("does not widen an allow list of members, in either order", async () => {
    const { member, agent, address, send } = await rig();
    await agent.add("send", "allow", "before.example", address);
    await member.add("send", "allow", "shop.example");
    for (const inbox of [undefined, address]) {
      expect(await agent.add("send", "allow", "else.example", inbox)).toMatchObject(REFUSED);
      expect(await agent.add("send", "allow", "example", inbox)).toMatchObject(REFUSED);
    }
    expect([await send("x@before.example"), await send("x@else.example")]).toEqual([403, 403]);
    expect((await agent.add("send", "allow", "ann@shop.example", address)).status).toBe(201);
    expect([await send("ann@shop.example"), await send("bob@shop.example")]).toEqual([202, 403]);
  });

  test("overrules blocks of agents as before, and allow entries of members overrule blocks of members", async () => {
    const { member, agent, address, send } = await rig();
    await agent.add("send", "block", "shop.example");
    expect((await agent.add("send", "allow", "ann@shop.example", address)).status).toBe(201);
    expect([await send("ann@shop.example"), await send("bob@shop.example")]).toEqual([202, 403]);
    await member.add("send", "block", "shop.example");
    expect(await send("ann@shop.example")).toBe(403);
    await member.add("send", "allow", "ann@shop.example", address);
    expect(await send("ann@shop.example")).toBe(202);
  });

  test("never comes to beat a member's block when both are added at the same time", async () => {
    const { member, agent, address, send } = await rig();
    const names = Array.from({ length: 8 }, (_, i) => `shop${i}.example`);
    await Promise.all(
      names.flatMap((entry) => [
        member.add("send", "block", entry),
        agent.add("send", "allow", `ann@${entry}`, address),
        agent.add("send", "block", entry),
        agent.remove("send", "block", entry),
      ]),
    );
    for (const entry of names) {
      expect(await send(`ann@${entry}`)).toBe(403);
      expect(await agent.remove("send", "block", entry)).toMatchObject(REFUSED);
    }
  });
});

describe("a suppression", () => {
  async function suppressing() {
    const { key, trpc, ...rest } = await rig();
    return {
      ...rest,
      key,
      trpc,
      suppress: (address: string, reason?: string) =>
        client.post<Failure & { set_by: string }>("/v1/suppressions", { address, reason }, { key }),
      lift: (address: string) => client.call<Failure>("DELETE", `/v1/suppressions/${address}`, { key }),
      list: async () =>
        (await client.get<Page<{ reason: string; set_by: string }>>("/v1/suppressions", { key })).body.data,
    };
  }

  test("of a member is lifted by members only, also when an agent had added it before", async () => {
    const { trpc, suppress, lift, list, send } = await suppressing();
    expect((await suppress("bob@shop.example")).body).toMatchObject({ set_by: "agent" });
    for (const address of ["ann@shop.example", "bob@shop.example"]) {
      expect(await trpc.suppressions.add.mutate({ address })).toMatchObject({ set_by: "member", set_by_key: null });
      expect((await suppress(address)).body).toMatchObject({ set_by: "member" });
      expect(await lift(address)).toMatchObject(REFUSED);
      expect(await send(address)).toBe(422);
    }
    expect(await list()).toHaveLength(2);
    for (const address of ["ann@shop.example", "bob@shop.example"]) {
      await trpc.suppressions.remove.mutate({ address });
      expect(await send(address)).toBe(202);
    }
  });

  test("of an agent or after a bounce is lifted by agents", async () => {
    const { suppress, lift, list, key, address } = await suppressing();
    await suppress("bob@shop.example");
    expect((await lift("bob@shop.example")).status).toBe(200);
    await reported(key, address, "ann@shop.example", ["bounced"]);
    expect(await list()).toMatchObject([{ reason: "bounced", set_by: "service" }]);
    expect((await lift("ann@shop.example")).status).toBe(200);
  });

  test("of an agent becomes the recipient's when they complain, and one after a bounce stays the service's", async () => {
    const { suppress, lift, list, key, address } = await suppressing();
    const id = await sent(key, address, "ann@shop.example");
    await suppress("ann@shop.example");
    await outcomes(id, ["complained"]);
    expect(await list()).toMatchObject([{ reason: "complained", set_by: "service" }]);
    expect(await lift("ann@shop.example")).toMatchObject(REFUSED);
    await reported(key, address, "bob@shop.example", ["bounced"]);
    const again = await suppress("bob@shop.example");
    expect(again.body).toMatchObject({ set_by: "service" });
  });

  test("of a mailbox stays when the recipient unsubscribes while an agent lifts the address", async () => {
    const { suppress, lift, list, id } = await suppressing();
    const { sql } = service.system;
    const url = unsubscribeUrl(service.system, { inboxId: decodeId("inb", id) ?? "", address: "ann@shop.example" });
    await suppress("ann@shop.example");
    const lifting = await sql.begin(async (tx) => {
      await tx`select 1 from suppressions where address = 'ann@shop.example' and set_by = 'agent' for update`;
      const answer = lift("ann@shop.example");
      const waiting = () => sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%suppressions%'`;
      await expect.poll(waiting).toHaveLength(1);
      expect((await fetch(new URL(new URL(url).pathname, service.url), { method: "POST" })).status).toBe(200);
      return { answer };
    });
    expect((await lifting.answer).status).toBe(200);
    expect(await list()).toMatchObject([{ reason: "unsubscribed", set_by: "service" }]);
    expect(await lift("ann@shop.example")).toMatchObject(REFUSED);
  });
});

async function sent(key: string, from: string, to: string): Promise<string> {
  const { body } = await client.post<Sent>(inboxPath(from, "/send"), { to, text: "x" }, { key });
  return decodeId("msg", body.id) ?? "";
}

async function outcomes(messageId: string, all: ("bounced" | "complained")[]) {
  const codes = { smtp_code: null, enhanced_code: null, reason: null };
  const rows = all.map((status) => ({ messageId, index: 0, status, permanent: true, at: new Date(), ...codes }));
  await service.system.db.transaction((tx) => recordOutcomes(service.system, tx, rows));
}

async function reported(key: string, from: string, to: string, all: ("bounced" | "complained")[]) {
  await outcomes(await sent(key, from, to), all);
}
