// GET /v1/inboxes.
import { afterAll, describe, expect, test } from "vitest";
import { api, type Failure, type Inbox, inboxPath, type Page } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { describePages } from "../api/pages.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

const list = (key: string, query = "") => client.get<Page<Partial<Inbox>>>(`/v1/inboxes${query}`, { key });

describe("200", () => {
  test("lists the newest mailbox first, with three fields each", async () => {
    const { agentKey: key } = await service.newOrganization();
    expect((await list(key)).body).toEqual({ data: [], next_cursor: null });
    const first = await client.createInbox(key);
    const second = await client.createInbox(key);
    expect((await list(key)).body).toEqual({
      data: [second, first].map(({ id, address, status }) => ({ id, address, status })),
      next_cursor: null,
    });
  });

  test("those with a part of the address or display name, in pages", async () => {
    const { agentKey: key } = await service.newOrganization();
    const a = await client.createInbox(key, { username: "search-a", display_name: "50%_Maple" });
    const b = await client.createInbox(key, { username: "search-b" });
    const found = async (query: string) => (await list(key, `?${query}`)).body.data.map(({ id }) => id);
    expect(await found("q=SEARCH")).toEqual([b.id, a.id]);
    expect(await found(`q=${encodeURIComponent("0%_m")}`)).toEqual([a.id]);
    expect(await found(`q=${encodeURIComponent("%")}&limit=1`)).toEqual([a.id]);
    const { next_cursor } = (await list(key, "?q=search&limit=1")).body;
    expect(await found(`q=search&limit=1&cursor=${next_cursor}`)).toEqual([a.id]);
    expect((await list(key, `?q=other&cursor=${next_cursor}`)).status).toBe(400);
  });

  test("neither deleted ones nor those of others", async () => {
    const { agentKey: key } = await service.newOrganization();
    const stranger = await service.newOrganization();
    await client.createInbox(stranger.agentKey);
    const gone = await client.createInbox(key);
    const kept = await client.createInbox(key);
    await client.delete(inboxPath(gone.address), { key });
    expect((await list(key)).body.data.map(({ id }) => id)).toEqual([kept.id]);
  });

  test("a restricted key sees its own inboxes", async () => {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    const [a, , c] = [
      await client.createInbox(agentKey),
      await client.createInbox(agentKey),
      await client.createInbox(agentKey),
    ];
    const { key } = await service.newAgentKey(enrollmentKeyId, { inboxes: [a.address, c.address] });
    expect((await list(key)).body.data.map(({ id }) => id)).toEqual([c.id, a.id]);
    const { next_cursor } = (await list(key, "?limit=1")).body;
    expect((await list(agentKey, `?cursor=${next_cursor}`)).status).toBe(400);
    expect((await list(key, `?cursor=${next_cursor}`)).body.data.map(({ id }) => id)).toEqual([a.id]);
  });
});

describePages(service, client, {
  pathFor: async () => "/v1/inboxes",
  add: async (key) => (await client.createInbox(key)).id,
  remove: async (key, id) => void (await client.delete(inboxPath(id), { key })),
  otherList: "/v1/webhooks",
});

describe("400", () => {
  test.each([
    ["?limit=ten", "limit: must be a number, and is text"],
    ["?limit=1&limit=2", "limit: must be a number, and is a list"],
  ])("invalid_request: %s is no number", async (query, message) => {
    const { agentKey: key } = await service.newOrganization();
    const { status, body } = await client.get<Failure>(`/v1/inboxes${query}`, { key });
    expect([status, body.error.code, body.error.message]).toEqual([400, "invalid_request", message]);
  });
});
