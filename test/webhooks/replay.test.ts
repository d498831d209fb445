// POST /v1/webhooks/{id}/replay.
import { afterAll, describe, expect, test } from "vitest";
import type { Failure, Webhook } from "#test/support/api.ts";
import { reportedOf } from "#test/support/events.ts";
import { adjustableClock } from "#test/support/service.ts";
import { status } from "#test/webhooks/delivery/receiver.ts";
import { type Delivery, deliveryId, events, startRig, UNKNOWN_WEBHOOK } from "./rig.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const clock = adjustableClock();
const rig = await startRig("web,smtp,worker", { now: clock.now });
const { service, client, furnished } = rig;
const idle = await startRig("web,smtp", { now: clock.now });
afterAll(() => Promise.all([rig.close(), idle.close()]));

type Replayed = { replayed: number; until: string; next_cursor: string | null };
const ago = (ms: number) => new Date(clock.now().getTime() - ms).toISOString();
const lately = () => ({ since: ago(MINUTE_MS) });
const subjects = (received: { body: string }[]) => received.map(({ body }) => JSON.parse(body).message.subject).sort();

describe("202", () => {
  test("what succeeded and what failed is sent again, with the ids it had", async () => {
    const { mail, post, settled, receiver, deliveries, patch, called } = await furnished();
    await mail("good");
    await settled("succeeded");
    receiver.answer = status(500);
    await mail("bad");
    await called(2);
    await patch({ active: false });
    receiver.answer = status(200);
    await patch({ active: true });
    await settled("failed", "succeeded");
    const before = await deliveries();
    const { status: code, body } = await post<Replayed>("/replay", lately());
    expect([code, body]).toEqual([202, { replayed: 2, until: expect.stringMatching(/Z$/), next_cursor: null }]);
    await settled("succeeded", "succeeded");
    const again = receiver.received.slice(3);
    expect(subjects(again)).toEqual(["bad", "good"]);
    expect(again.map(deliveryId).sort()).toEqual(before.map(({ id }) => id).sort());
    expect((await deliveries()).map(({ id, event_id }) => [id, event_id])).toEqual(
      before.map(({ id, event_id }) => [id, event_id]),
    );
  });

  test("events from before it was registered, and of while it was disabled; for all mailboxes, of all of them", async () => {
    const { mail, key, patch, post, receiver, called, settled, inbox } = await furnished();
    const other = await client.createInbox(key);
    await patch({ active: false });
    await mail("missed");
    await service.mail({ from: "w@else.example", to: other.address, subject: "elsewhere" });
    await patch({ active: true });
    expect((await post<Replayed>("/replay", lately())).body.replayed).toBe(1);
    await settled("succeeded");
    expect(subjects(receiver.received.slice(1))).toEqual(["missed"]);
    const late = await rig.endpoint();
    const { id } = (await client.post<Webhook>("/v1/webhooks", { url: late.url, events }, { key })).body;
    const { body } = await client.post<Replayed>(`/v1/webhooks/${id}/replay`, lately(), { key });
    expect(body.replayed).toBe(2);
    await called(2);
    await expect.poll(() => subjects(late.received)).toEqual(["elsewhere", "missed"]);
    expect(late.received.map(({ body: text }) => JSON.parse(text).inbox).sort()).toEqual(
      [inbox.address, other.address].sort(),
    );
  });

  test("only_failed: neither what succeeded nor what it never was owed", async () => {
    const { mail, post, patch, settled, receiver } = await furnished();
    await mail("good");
    await settled("succeeded");
    receiver.answer = status(500);
    await mail("bad");
    await patch({ active: false });
    await mail("missed");
    receiver.answer = status(200);
    await patch({ active: true });
    await settled("failed", "succeeded");
    const calls = receiver.received.length;
    const { body } = await post<Replayed>("/replay", { ...lately(), only_failed: true });
    expect(body).toMatchObject({ replayed: 1, next_cursor: null });
    await settled("succeeded", "succeeded");
    expect(subjects(receiver.received.slice(calls))).toEqual(["bad"]);
    expect((await post<Replayed>("/replay", { ...lately(), only_failed: true })).body.replayed).toBe(0);
  });

  test("a replayed delivery restarts its retry schedule, as a redelivered one does", async () => {
    const { mail, post, patch, receiver, deliveries } = await furnished(status(500));
    const made = (count: number) => expect.poll(async () => (await deliveries())[0]?.attempt_count).toBe(count);
    const { since } = lately();
    await mail();
    for (const count of [1, 2, 3]) {
      await made(count);
      clock.advance(10 * MINUTE_MS);
    }
    await made(4);
    await patch({ active: false });
    receiver.answer = status(200);
    await patch({ active: true });
    receiver.answer = status(500);
    expect((await post<Replayed>("/replay", { since, only_failed: true })).body.replayed).toBe(1);
    await made(5);
    const [row] = (await deliveries()) as [Delivery];
    expect(Date.parse(row.next_attempt_at ?? "") - clock.now().getTime()).toBeLessThan(6_000);
  });

  test("a repeated or concurrent replay does not double pending deliveries", async () => {
    const { mail, patch, post, deliveries } = await idle.furnished();
    await patch({ active: false });
    for (const subject of ["a", "b", "c"]) await mail(subject);
    await patch({ active: true });
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => post<Replayed>("/replay", lately())));
    expect(answers.map(({ body }) => body.replayed).sort()).toEqual([0, 0, 0, 0, 3]);
    expect((await post<Replayed>("/replay", lately())).body.replayed).toBe(0);
    expect((await deliveries()).map((row) => row.status)).toEqual(["pending", "pending", "pending"]);
  });

  test("of a time alone: from `since` to before `until`", async () => {
    const { mail, patch, post, deliveries, key, inbox } = await idle.furnished();
    await patch({ active: false });
    for (const subject of ["a", "b", "c", "d"]) await mail(subject);
    await patch({ active: true });
    const log = await idle.client.get<{ data: { created_at: string; event: string }[] }>("/v1/events", { key });
    const [, b = "", c = "", d = ""] = reportedOf(log.body.data).map(({ created_at }) => created_at);
    expect(new Set(reportedOf(log.body.data).map(({ created_at }) => created_at)).size).toBe(4);
    const { body } = await post<Replayed>("/replay", { since: b, until: d });
    expect(body).toEqual({ replayed: 2, until: d, next_cursor: null });
    const list = await idle.client.get<{ data: { id: string }[] }>(`/v1/inboxes/${inbox.address}/messages`, { key });
    const [, third, second] = list.body.data.map(({ id }) => id);
    expect(new Set((await deliveries()).map(({ message_id }) => message_id))).toEqual(new Set([second, third]));
    expect((await post<Replayed>("/replay", { since: c, until: c })).body.replayed).toBe(0);
    await patch({ active: false });
    await patch({ active: true });
    expect((await post<Replayed>("/replay", { since: c, until: d, only_failed: true })).body.replayed).toBe(1);
    const offset = { since: b.replace("Z", "+00:00"), until: d };
    expect((await post<Replayed>("/replay", offset)).body.replayed).toBe(1);
  });

  test("nothing to send; a time in the future ends now", async () => {
    const { post } = await idle.furnished();
    const before = clock.now().getTime();
    const { body } = await post<Replayed>("/replay", { since: ago(DAY_MS), until: "2999-01-01T00:00:00Z" });
    expect([body, 0]).toEqual([expect.anything(), 0]);
    const near = await post<Replayed>("/replay", { since: ago(DAY_MS), until: ago(-DAY_MS) });
    expect(near.body).toMatchObject({ replayed: 0, next_cursor: null });
    expect(Date.parse(near.body.until) - before).toBeLessThan(MINUTE_MS);
  });
});

describe("202, more than one call takes", () => {
  const MAILS = 10_500;

  /** Events of one mailbox, 8 s apart until now, without the mail: thousands by SMTP would take minutes. */
  async function logged(count: number) {
    const it = await idle.furnished();
    const { sql } = idle.service.system;
    await it.mail();
    await sql`
      with first as (
        update events set created_at = created_at - ${count}::int * interval '8 seconds'
        where id = (select event_id from deliveries order by id desc limit 1) returning *)
      insert into events (id, organization_id, position, inbox_id, message_id, kind, body, created_at)
      select gen_random_uuid(), organization_id, position + n, inbox_id, gen_random_uuid(), kind, body,
        created_at + n * interval '8 seconds'
      from first, generate_series(1, ${count - 1}::int) n`;
    const since = ago(DAY_MS);
    const owed = async () =>
      (
        await sql`select count(*)::int as n, count(distinct event_id)::int as events from deliveries d
        where webhook_id = (select id from webhooks order by id desc limit 1) and status = 'pending'`
      )[0];
    return { ...it, since, owed };
  }

  test("the cursor goes on: nothing lost, nothing doubled", async () => {
    const { post, since, owed, patch } = await logged(MAILS);
    const first = (await post<Replayed>("/replay", { since })).body;
    // One of the first ten thousand was pending before.
    expect(first).toMatchObject({ replayed: 9_999, next_cursor: expect.any(String) });
    const { until, next_cursor: cursor } = first;
    const rest = (await post<Replayed>("/replay", { since, until, cursor })).body;
    expect(rest).toEqual({ replayed: 500, until, next_cursor: null });
    expect(await owed()).toEqual({ n: MAILS, events: MAILS });
    await patch({ active: false });
    expect(await owed()).toEqual({ n: 0, events: 0 });
    await patch({ active: true });
    const failed = (await post<Replayed>("/replay", { since, until, only_failed: true })).body;
    expect(failed).toMatchObject({ replayed: 10_000, next_cursor: expect.any(String) });
    const again = { since, until, only_failed: true, cursor: failed.next_cursor };
    expect((await post<Replayed>("/replay", again)).body).toEqual({ replayed: 500, until, next_cursor: null });
    expect(await owed()).toEqual({ n: MAILS, events: MAILS });
    for (const other of [
      { since, cursor },
      { since, until, only_failed: true, cursor },
      { since, until, cursor: "x" },
    ]) {
      const { status: code, body } = await post<Failure>("/replay", other);
      expect([code, body.error.code]).toEqual([400, "invalid_cursor"]);
    }
  });

  test("a part of a long log is found, and all of it", async () => {
    const { post, owed } = await logged(5_000);
    const { body } = await post<Replayed>("/replay", { since: ago(24_000_000), until: ago(16_000_000) });
    expect(body).toMatchObject({ replayed: 1_000, next_cursor: null });
    expect(await owed()).toEqual({ n: 1_001, events: 1_001 });
    // 3,001 in all until then, the first of which is owed since it came.
    expect((await post<Replayed>("/replay", { since: ago(DAY_MS), until: ago(16_000_000) })).body.replayed).toBe(2_000);
  });
});

describe("400", () => {
  test("fields of another type, and a time that is too long or ends before it begins", async () => {
    const { post } = await idle.furnished();
    const { since } = lately();
    const bad: object[] = [{}, { since: null }, { since: 5 }, { since: "yesterday" }, { since, until: "2026-01-01" }];
    bad.push({ since, only_failed: "yes" }, { since, only_failed: 1 }, { since, cursor: 5 }, { since, until: 5 });
    bad.push({ since: ago(31 * DAY_MS) }, { since, until: ago(2 * MINUTE_MS) }, { since: ago(-MINUTE_MS) });
    bad.push({ since: "0000-01-01T00:00:00Z" }, { since: "2026-13-01T00:00:00Z" });
    for (const json of bad) {
      const { status: code, body } = await post<Failure>("/replay", json);
      expect([json, code, body.error.code, body.error.issues?.length]).toEqual([json, 400, "invalid_request", 1]);
    }
    const long = { since: "0000-01-01T00:00:00Z", until: "0001-01-01T00:00:00Z" };
    expect((await post<Replayed>("/replay", long)).body).toMatchObject({ replayed: 0 });
    expect((await post<Replayed>("/replay", { since: ago(30 * DAY_MS - MINUTE_MS) })).status).toBe(202);
  });
});

describe("404", () => {
  test("an unknown webhook, another organization's, and one that a restricted key may not see are not found, and nothing is sent", async () => {
    const { key, enrollmentKeyId, path, mail, deliveries } = await idle.furnished();
    const stranger = await idle.furnished();
    await mail();
    const before = (await deliveries()) as Delivery[];
    for (const id of [UNKNOWN_WEBHOOK, stranger.webhook.id, "x", "%"]) {
      const { status: code, body } = await idle.client.post(`/v1/webhooks/${id}/replay`, lately(), { key });
      expect([id, code, body.error.code]).toEqual([id, 404, "webhook_not_found"]);
    }
    const other = await idle.client.createInbox(key);
    const restricted = (await idle.service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] })).key;
    expect((await idle.client.post(`${path}/replay`, lately(), { key: restricted })).status).toBe(404);
    expect(await deliveries()).toEqual(before);
  });
});

describe("409", () => {
  test("webhook_inactive", async () => {
    const { patch, post, mail, deliveries } = await idle.furnished();
    await patch({ active: false });
    await mail();
    for (const only_failed of [true, false]) {
      const { status: code, body } = await post<Failure>("/replay", { ...lately(), only_failed });
      expect([code, body.error.code]).toEqual([409, "webhook_inactive"]);
    }
    expect(await deliveries()).toEqual([]);
  });
});
