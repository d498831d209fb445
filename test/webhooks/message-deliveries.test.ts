// GET /v1/messages/{id}/deliveries.
import { afterAll, describe, expect, test } from "vitest";
import type { Page, Sent } from "#test/support/api.ts";
import { describePages } from "../api/pages.ts";
import { type Delivery, events, startRig } from "./rig.ts";

const rig = await startRig("web,smtp");
const { service, client, furnished } = rig;
afterAll(() => rig.close());

const UNKNOWN = "msg_01jd3m9v5sf0b8j3mgz7qk2x4c";
type Ids = Page<{ id: string }>;

async function mailed() {
  const it = await furnished();
  const all = (await client.post<{ id: string }>("/v1/webhooks", { url: it.receiver.url, events }, { key: it.key }))
    .body;
  await it.mail();
  const list = `/v1/inboxes/${it.inbox.address}/messages`;
  const [message] = (await client.get<Ids>(list, { key: it.key })).body.data as [{ id: string }];
  return { ...it, all, message, log: `/v1/messages/${message.id}/deliveries` };
}

describe("200", () => {
  test("to every webhook, newest first, as the webhooks' own logs have them", async () => {
    const { key, log, webhook, all, deliveries, mail } = await mailed();
    await mail("another");
    const { body } = await client.get<Page<Delivery>>(log, { key });
    expect(body.next_cursor).toBeNull();
    expect(body.data.map(({ id }) => id)).toEqual(
      body.data
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    const own = [await deliveries(), await deliveries("", `/v1/webhooks/${all.id}`)].map(([, first]) => first);
    expect(new Set(body.data.map((row) => JSON.stringify(row)))).toEqual(
      new Set(own.map((row) => JSON.stringify(row))),
    );
    expect(new Set(body.data.map(({ webhook_id }) => webhook_id))).toEqual(new Set([webhook.id, all.id]));
  });

  test("not to a webhook that is gone; for a restricted key, to those of its mailboxes alone", async () => {
    const { key, log, webhook, all, inbox, enrollmentKeyId } = await mailed();
    const of = async (as: string) => (await client.get<Page<Delivery>>(log, { key: as })).body.data;
    const restricted = await service.newAgentKey(enrollmentKeyId, { inboxes: [inbox.address] });
    expect((await of(restricted.key)).map(({ webhook_id }) => webhook_id)).toEqual([webhook.id]);
    await client.delete(`/v1/webhooks/${webhook.id}`, { key });
    expect((await of(key)).map(({ webhook_id }) => webhook_id)).toEqual([all.id]);
    expect(await of(restricted.key)).toEqual([]);
  });

  test("a sent message, and one that arrived before any webhook, have no deliveries", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    await service.mail({ from: "w@else.example", to: address });
    const sent = await client.post<Sent>(`/v1/inboxes/${address}/send`, { to: "x@else.example", text: "x" }, { key });
    const { data } = (await client.get<Ids>(`/v1/inboxes/${address}/messages`, { key })).body;
    expect(data.map(({ id }) => id)).toContain(sent.body.id);
    for (const { id } of data) {
      expect((await client.get<object>(`/v1/messages/${id}/deliveries`, { key })).body).toEqual({
        data: [],
        next_cursor: null,
      });
    }
  });
});

describe("404", () => {
  test("unknown, another's, deleted, of a mailbox out of bounds or deleted, or no id at all", async () => {
    const { key, message, log, inbox, enrollmentKeyId } = await mailed();
    const stranger = await mailed();
    for (const id of [UNKNOWN, stranger.message.id, "x", "%", message.id.slice(4), message.id.replace("msg", "evt")]) {
      const { status, body } = await client.get(`/v1/messages/${id}/deliveries`, { key });
      expect([id, status, body.error.code]).toEqual([id, 404, "message_not_found"]);
    }
    const other = await client.createInbox(key);
    const restricted = await service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] });
    expect((await client.get(log, { key: restricted.key })).status).toBe(404);
    await client.delete(`/v1/messages/${message.id}`, { key });
    expect((await client.get(log, { key })).status).toBe(404);
    await client.delete(`/v1/inboxes/${stranger.inbox.address}`, { key: stranger.key });
    expect((await client.get(stranger.log, { key: stranger.key })).status).toBe(404);
    expect((await client.get<object>(`/v1/inboxes/${inbox.address}`, { key })).status).toBe(200);
  });
});

describePages(service, client, {
  async pathFor(key) {
    const { address } = await client.createInbox(key);
    await service.mail({ from: "w@else.example", to: address });
    const { data } = (await client.get<Ids>(`/v1/inboxes/${address}/messages`, { key })).body;
    return `/v1/messages/${data[0]?.id}/deliveries`;
  },
  // One more webhook, which then replays past events.
  async add(key, path) {
    const { id } = (await client.post<{ id: string }>("/v1/webhooks", { url: "https://a.example/", events }, { key }))
      .body;
    const since = new Date(Date.now() - 60_000).toISOString();
    await client.post<object>(`/v1/webhooks/${id}/replay`, { since }, { key });
    return (await client.get<Ids>(path, { key })).body.data[0]?.id ?? "";
  },
  otherList: "/v1/webhooks",
});
