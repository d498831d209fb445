// GET /v1/webhooks/{id}/deliveries.
import { afterAll, describe, expect, test } from "vitest";
import type { Page } from "#test/support/api.ts";
import { reportedOf } from "#test/support/events.ts";
import { status } from "#test/webhooks/delivery/receiver.ts";
import { describePages } from "../api/pages.ts";
import { type Delivery, events, startRig, UNKNOWN_WEBHOOK } from "./rig.ts";

const rig = await startRig();
const { service, client, furnished } = rig;
const idle = await startRig("web,smtp");
afterAll(() => Promise.all([rig.close(), idle.close()]));

const subjectOf = async (key: string, { message_id }: Delivery) =>
  (await client.get<{ subject: string }>(`/v1/messages/${message_id}`, { key })).body.subject;

describe("200", () => {
  test("newest first: what was owed, and what became of it", async () => {
    const { key, webhook, deliveries, receiver, mail, settled } = await furnished();
    expect(await deliveries()).toEqual([]);
    await mail("first");
    await settled("succeeded");
    receiver.answer = status(500);
    await mail("second");
    await expect.poll(async () => (await deliveries())[0]?.attempt_count).toBe(1);
    const [second, first] = (await deliveries()) as [Delivery, Delivery];
    const time = expect.stringMatching(/^\d{4}-.+\.\d{3}Z$/);
    const common = {
      id: expect.stringMatching(/^dlv_/),
      webhook_id: webhook.id,
      event_id: expect.stringMatching(/^evt_/),
      event: "message.received",
      message_id: expect.stringMatching(/^msg_/),
      attempt_count: 1,
      created_at: time,
    };
    const done = { status: "succeeded", last_status: 200, last_error: null, next_attempt_at: null, completed_at: time };
    expect(first).toEqual({ ...common, ...done });
    const due = { status: "pending", last_status: 500, last_error: "answered 500", completed_at: null };
    expect(second).toEqual({ ...common, ...due, next_attempt_at: time });
    expect([await subjectOf(key, first), await subjectOf(key, second)]).toEqual(["first", "second"]);
    const log = reportedOf((await client.get<Page<{ id: string; event: string }>>("/v1/events", { key })).body.data);
    expect(log.map(({ id }) => id)).toEqual([first.event_id, second.event_id]);
  });

  test("of this webhook alone; of all mailboxes for one that covers all", async () => {
    const { key, inbox, register, mail, deliveries } = await idle.furnished();
    const other = await idle.client.createInbox(key);
    const [one, all] = [
      await register(undefined, other.address),
      (await idle.client.post<{ id: string }>("/v1/webhooks", { url: "https://a.example/", events }, { key })).body,
    ];
    await mail();
    await idle.service.mail({ from: "w@else.example", to: [inbox.address, other.address] });
    const counts = [await deliveries(), await deliveries("", `/v1/webhooks/${one.id}`)];
    counts.push(await deliveries("", `/v1/webhooks/${all.id}`));
    expect(counts.map((rows) => rows.length)).toEqual([2, 1, 3]);
  });

  test("by status", async () => {
    const { deliveries, mail, patch, post } = await idle.furnished();
    await mail();
    await patch({ active: false });
    expect(await deliveries("?status=pending")).toEqual([]);
    await patch({ active: true });
    await mail();
    await post("/replay", { since: new Date(Date.now() - 60_000).toISOString(), only_failed: true });
    await mail();
    expect(await deliveries("?status=pending")).toHaveLength(3);
    await patch({ active: false });
    expect(await deliveries("?status=failed")).toEqual(await deliveries());
    expect(await deliveries("?status=succeeded")).toEqual([]);
  });

  test("by event, by message, and by both", async () => {
    const { deliveries, mail, register } = await idle.furnished();
    await register();
    await mail("a");
    await mail("b");
    const [b, a] = (await deliveries()) as [Delivery, Delivery];
    expect(await deliveries(`?event_id=${a.event_id}`)).toEqual([a]);
    expect(await deliveries(`?message_id=${b.message_id}`)).toEqual([b]);
    expect(await deliveries(`?message_id=${b.message_id}&event_id=${b.event_id}`)).toEqual([b]);
    expect(await deliveries(`?message_id=${b.message_id}&event_id=${a.event_id}`)).toEqual([]);
    for (const name of ["x", "%00", a.id, b.event_id.slice(4)]) {
      expect([await deliveries(`?event_id=${name}`), await deliveries(`?message_id=${name}`)]).toEqual([[], []]);
    }
  });

  test("by time, as far as time goes", async () => {
    const { deliveries, mail } = await idle.furnished();
    await mail();
    await mail();
    const [b, a] = (await deliveries()) as [Delivery, Delivery];
    const at = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();
    expect(await deliveries(`?after=${a.created_at}`)).toEqual([b]);
    expect(await deliveries(`?before=${b.created_at}`)).toEqual([a]);
    expect(await deliveries(`?after=${at(a.created_at, -1)}&before=${at(b.created_at, 1)}`)).toEqual([b, a]);
    expect(await deliveries(`?after=${at(b.created_at, 1)}`)).toEqual([]);
    const offset = encodeURIComponent(at(a.created_at, 3_600_000).replace("Z", "+01:00"));
    expect(await deliveries(`?after=${offset}`)).toEqual([b]);
    expect(
      await deliveries("?after=0000-01-01T00:00:00Z&before=9999-12-31T23:59:59-23:59".replace("+", "%2B")),
    ).toEqual([b, a]);
  });

  test("they go with the webhook, and with the mailbox", async () => {
    const { key, path, inbox, mail, deliveries, register } = await furnished();
    const other = await register();
    await mail();
    await expect.poll(async () => (await deliveries())[0]?.status).toBe("succeeded");
    const [delivery] = (await deliveries()) as [Delivery];
    await client.delete(path, { key });
    expect((await client.get(`${path}/deliveries`, { key })).status).toBe(404);
    expect((await client.get(`${path}/deliveries/${delivery.id}`, { key })).status).toBe(404);
    await client.delete(`/v1/inboxes/${inbox.address}`, { key });
    expect((await client.get(`/v1/webhooks/${other.id}/deliveries`, { key })).status).toBe(404);
  });
});

describe("400", () => {
  test("invalid filters are refused", async () => {
    const { path, key } = await idle.furnished();
    const bad = ["status=open", "status=", "status=pending,failed", "after=yesterday", "before=2026-01-01", "after="];
    bad.push(`event_id=${"e".repeat(101)}`, "status=pending&status=failed", "before=2026-13-01T00:00:00Z");
    for (const query of bad) {
      const { status: code, body } = await idle.client.get(`${path}/deliveries?${query}`, { key });
      expect([query, code, body.error.code]).toEqual([query, 400, "invalid_request"]);
    }
  });

  test("a cursor of another filter", async () => {
    const { path, key, mail } = await idle.furnished();
    await mail();
    await mail();
    const list = `${path}/deliveries?limit=1`;
    const { next_cursor: cursor } = (await idle.client.get<Page<Delivery>>(list, { key })).body;
    expect((await idle.client.get(`${list}&cursor=${cursor}`, { key })).status).toBe(200);
    const { status: code, body } = await idle.client.get(`${list}&cursor=${cursor}&status=pending`, { key });
    expect([code, body.error.code]).toEqual([400, "invalid_cursor"]);
  });
});

describe("404", () => {
  test("unknown, another's, or out of a restricted key's bounds", async () => {
    const { key, enrollmentKeyId, path } = await furnished();
    const stranger = await furnished();
    for (const id of [UNKNOWN_WEBHOOK, stranger.webhook.id, "x", "%"]) {
      const { status: code, body } = await client.get(`/v1/webhooks/${id}/deliveries`, { key });
      expect([id, code, body.error.code]).toEqual([id, 404, "webhook_not_found"]);
    }
    const other = await client.createInbox(key);
    const restricted = await service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] });
    expect((await client.get(`${path}/deliveries`, { key: restricted.key })).status).toBe(404);
  });
});

const addresses = new Map<string, string>();
describePages(idle.service, idle.client, {
  async pathFor(key) {
    const { address } = await idle.client.createInbox(key);
    const json = { url: "https://a.example/", events, address };
    const { id } = (await idle.client.post<{ id: string }>("/v1/webhooks", json, { key })).body;
    addresses.set(`/v1/webhooks/${id}/deliveries`, address);
    return `/v1/webhooks/${id}/deliveries`;
  },
  async add(key, path) {
    await idle.service.mail({ from: "w@else.example", to: addresses.get(path) ?? "" });
    return (await idle.client.get<Page<Delivery>>(path, { key })).body.data[0]?.id ?? "";
  },
  otherList: "/v1/webhooks",
});
