// The use of an enrollment key, for members: its agents with their keys, and the ledger of its quota.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { setPaidProvisioning } from "#server/organizations/organizations.ts";
import { api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

async function team(grant: Parameters<typeof service.newOrganization>[0] = {}) {
  const organization = await service.newOrganization(grant);
  const { trpc } = await newOwner(service, organization.organizationId);
  return { ...organization, id: organization.enrollmentKeyId, trpc };
}

const callAs = async (key: string) => (await client.get("/v1/inboxes", { key })).status;

describe("the agents of a key", () => {
  test("with the inboxes they made and their keys, newest first, in pages", async () => {
    const { trpc, id, agentKey, agentId } = await team();
    const { address } = await client.createInbox(agentKey);
    const restricted = await service.newAgentKey(id, { scopes: ["mailbox:read"], inboxes: [address] });
    const { data, next_cursor } = await trpc.keys.agents.query({ id });
    expect(next_cursor).toBeNull();
    expect(data.map(({ handle, inboxes, key_count }) => ({ handle, inboxes, key_count }))).toEqual([
      { handle: "other-bot", inboxes: 0, key_count: 1 },
      { handle: "bot", inboxes: 1, key_count: 1 },
    ]);
    expect(data[0]?.keys).toMatchObject([
      { id: restricted.id, scopes: ["mailbox:read"], inboxes: { count: 1, addresses: [address] }, active: true },
    ]);
    expect(data[1]).toMatchObject({ id: agentId, keys: [{ inboxes: null, revoked_at: null }] });
    const first = await trpc.keys.agents.query({ id, limit: 1 });
    const second = await trpc.keys.agents.query({ id, limit: 1, cursor: first.next_cursor ?? "" });
    expect(second.data.map((agent) => agent.handle)).toEqual(["bot"]);
  });

  test("one agent key is revoked, the others work on", async () => {
    const { trpc, id, agentKey } = await team();
    const other = await service.newAgentKey(id);
    expect(await callAs(other.key)).toBe(200);
    expect(await trpc.keys.revokeAgentKey.mutate({ id: other.id })).toMatchObject({ id: other.id });
    await eventually(async () => expect(await callAs(other.key)).toBe(401));
    expect(await callAs(agentKey)).toBe(200);
    const { data } = await trpc.keys.agents.query({ id });
    expect(data[0]?.keys).toMatchObject([{ id: other.id, active: false, revoked_at: expect.any(String) }]);
  });
});

describe("the ledger of a key", () => {
  test("has every mailbox that counted, and adds up", async () => {
    const { trpc, id, agentKey, agentId } = await team({ maxMailboxes: 5 });
    const made: string[] = [];
    for (let i = 0; i < 3; i += 1) made.unshift((await client.createInbox(agentKey)).address);
    await client.delete(`/v1/inboxes/${made[1]}`, { key: agentKey });
    const { quota, data } = await trpc.keys.ledger.query({ id });
    expect(quota).toEqual({ issued: 5, bought: 0, max_mailboxes: 5, created: 3, used_count: 3 });
    expect(data.map(({ address, status }) => [address, status])).toEqual([
      [made[0], "live"],
      [made[1], "deleted"],
      [made[2], "live"],
    ]);
    expect(data[1]).toMatchObject({
      kind: "mailbox",
      mailboxes: 1,
      agent: { id: agentId, handle: "bot" },
      deleted_at: expect.any(String),
    });
    const first = await trpc.keys.ledger.query({ id, limit: 2 });
    const second = await trpc.keys.ledger.query({ id, limit: 2, cursor: first.next_cursor ?? "" });
    expect([...first.data, ...second.data]).toEqual(data);
  });

  test("an address that is used again is the new mailbox's", async () => {
    const { trpc, id, agentKey } = await team();
    const { address } = await client.createInbox(agentKey);
    await client.delete(`/v1/inboxes/${address}`, { key: agentKey });
    await client.createInbox(agentKey, { username: address.split("@")[0] });
    const { data } = await trpc.keys.ledger.query({ id });
    expect(data.map((entry) => [entry.address, entry.status])).toEqual([
      [address, "live"],
      [null, "deleted"],
    ]);
  });

  test("has the prepaid mailboxes", async () => {
    const { trpc, id, agentKey, agentId, organizationId } = await team({ maxMailboxes: 2 });
    await setPaidProvisioning(service.system, organizationId, true);
    await client.createInbox(agentKey);
    await buyPrepaid({ id, agentId, organizationId }, 10);
    const { quota, data } = await trpc.keys.ledger.query({ id });
    expect(quota).toEqual({ issued: 2, bought: 10, max_mailboxes: 12, created: 1, used_count: 1 });
    expect(data).toMatchObject([
      { kind: "prepaid", mailboxes: 10, agent: { handle: "bot" }, address: null, status: null },
      { kind: "mailbox", mailboxes: 1 },
    ]);
    expect((await trpc.keys.get.query({ id })).prepaid).toBe(10);
  });

  /** What a purchase leaves behind (test/payments goes the whole way). */
  async function buyPrepaid(key: { id: string; agentId: string; organizationId: string }, mailboxes: number) {
    const { sql, now } = service.system;
    const keyId = decodeId("ekey", key.id) ?? "";
    await sql`
      insert into payments (id, organization_id, enrollment_key_id, agent_id, kind, mailboxes, request_hash,
        authorization_hash, status, network, asset, payer, nonce, pay_to, amount, valid_before, x402_version, from_block,
        created_at, completed_at)
      select uuidv7(), ${decodeId("org", key.organizationId) ?? ""}, ${keyId}, ${decodeId("agt", key.agentId) ?? ""},
        'mailboxes', ${mailboxes}, '', '', status, 'n', 'a', 'p', gen_random_uuid()::text, 't', '1', 1, 1, 1, ${now()}, ${now()}
      from unnest(array['fulfilled', 'failed', 'settling']) as status`;
    await sql`
      update enrollment_keys set max_mailboxes = max_mailboxes + ${mailboxes}, prepaid = ${mailboxes} where id = ${keyId}`;
  }
});
