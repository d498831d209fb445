// What deliveries mean for their webhooks, and what becomes of them when a process ends: real receivers, real PostgreSQL.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DELIVERY_LEASE_MS } from "#server/webhooks/delivery/due-delivery.ts";
import { openEngine, type TestEngine } from "./engine.ts";
import { deliveryId, hang, status } from "./receiver.ts";

const DAY_MS = 86_400_000;
const POLL = { interval: 20 };

let engine: TestEngine;

beforeEach(async () => {
  engine = await openEngine();
});
afterEach(() => engine.close());

describe("a webhook", () => {
  test("that answers 410 is disabled, and gets nothing more", async () => {
    const receiver = await engine.receiver(status(410));
    const webhook = await engine.webhook(receiver.url);
    await engine.deliveries(webhook, 3, "due");
    await engine.sql`update deliveries set next_attempt_at = ${new Date(engine.now().getTime() + DAY_MS)}
      where id <> (select min(id::text)::uuid from deliveries)`;
    engine.worker();
    await expect.poll(engine.statuses, POLL).toEqual(["failed", "failed", "failed"]);
    expect(await engine.webhookRow(webhook.id)).toMatchObject({
      active: false,
      disabled_reason: expect.stringMatching(/410/),
    });
    expect(receiver.received).toHaveLength(1);
  });

  test("notes since when it fails, and forgets it with a success", async () => {
    const receiver = await engine.receiver(status(500));
    const webhook = await engine.webhook(receiver.url);
    await engine.deliveries(webhook, 1, "due");
    engine.worker();
    await expect.poll(async () => (await engine.webhookRow(webhook.id))?.failing_since, POLL).toBeInstanceOf(Date);
    receiver.answer = status(200);
    await engine.makeDue();
    await expect.poll(async () => (await engine.webhookRow(webhook.id))?.failing_since, POLL).toBeNull();
    expect(await engine.webhookRow(webhook.id)).toMatchObject({ active: true });
  });

  test("that failed for five days without a success is disabled", async () => {
    const receiver = await engine.receiver(status(500));
    const failing_since = new Date(engine.now().getTime() - 5 * DAY_MS - 1);
    const webhook = await engine.webhook(receiver.url, { failing_since });
    await engine.deliveries(webhook, 3, "due");
    await engine.sql`update deliveries set attempts = 4`;
    engine.worker();
    await expect.poll(engine.statuses, POLL).toEqual(["failed", "failed", "failed"]);
    expect(await engine.webhookRow(webhook.id)).toMatchObject({
      active: false,
      disabled_reason: expect.stringMatching(/5 days/),
    });
  });

  test.each([
    ["for less than five days", 5 * DAY_MS - 60_000, 4, false],
    ["with fewer than ten failures", 6 * DAY_MS, 1, false],
    ["with a concurrent success in another process", 6 * DAY_MS, 4, true],
  ])("that failed %s is not", async (_, failingForMs, attempts, hadSuccess) => {
    const receiver = await engine.receiver(status(500));
    const webhook = await engine.webhook(receiver.url, {
      failing_since: new Date(engine.now().getTime() - failingForMs),
    });
    await engine.deliveries(webhook, 3, "due");
    await engine.sql`update deliveries set attempts = ${attempts}`;
    if (hadSuccess) {
      const [{ id } = { id: "" }] = await engine.deliveries(webhook, 1, "leased");
      await engine.sql`update deliveries set status = 'succeeded', completed_at = ${engine.now()} where id = ${id}`;
    }
    const { stop } = engine.worker();
    await expect.poll(() => receiver.received.length, POLL).toBe(3);
    await stop();
    expect(await engine.webhookRow(webhook.id)).toMatchObject({ active: true, disabled_reason: null });
  });

  test("that is inactive or deleted, or whose event is gone, is sent nothing", async () => {
    const receiver = await engine.receiver();
    await engine.deliveries(await engine.webhook(receiver.url, { active: false }), 1, "due");
    await engine.deliveries({ id: "0190163d-8694-739b-aea5-966c26f8ad91", url: receiver.url }, 1, "due");
    const [orphan] = await engine.deliveries(await engine.webhook(receiver.url), 1, "due");
    await engine.sql`delete from events where id = ${orphan?.event_id ?? ""}`;
    engine.worker();
    await expect.poll(engine.statuses, POLL).toEqual(["failed", "failed", "failed"]);
    expect(receiver.received).toHaveLength(0);
  });

  test("deleted while its deliveries wait in memory is sent no more of them", async () => {
    const receiver = await engine.receiver(hang);
    const webhook = await engine.webhook(receiver.url);
    const dispatcher = engine.dispatcher({ attemptTimeoutMs: 4_000 });
    dispatcher.take(await engine.deliveries(webhook, 12, "leased"));
    await expect.poll(() => receiver.received.length, POLL).toBe(4);
    await engine.sql`delete from deliveries where webhook_id = ${webhook.id}`;
    await engine.sql`delete from webhooks where id = ${webhook.id}`;
    await expect.poll(() => dispatcher.room(), POLL).toBe(3_072);
    await dispatcher.close(5_000);
    expect(receiver.received).toHaveLength(4);
  });

  test("whose URL the settings no longer allow is not sent to", async () => {
    const webhook = await engine.webhook("ftp://127.0.0.1/");
    await engine.deliveries(webhook, 1, "due");
    engine.worker();
    await expect.poll(async () => (await engine.first())?.last_error, POLL).toMatch(/cannot be a webhook/);
  });
});

describe("leases", () => {
  test("of a dispatcher that vanished are taken over when they end, under the same ids", async () => {
    const receiver = await engine.receiver(hang);
    const webhook = await engine.webhook(receiver.url);
    const due = await engine.deliveries(webhook, 6, "leased");
    engine.dispatcher().take(due);
    await expect.poll(() => receiver.received.length, POLL).toBe(4);
    receiver.answer = status(200);
    const { stop } = engine.worker();
    engine.signals.raise("deliveries");
    await engine.sql`select pg_sleep(0.3)`;
    expect(receiver.received).toHaveLength(4);
    engine.clock.aheadMs += DELIVERY_LEASE_MS + 1;
    await expect.poll(engine.statuses, POLL).toEqual(Array(6).fill("succeeded"));
    await stop();
    expect(new Set(receiver.received.slice(4).map(deliveryId))).toEqual(new Set(due.map(({ id }) => id)));
  });

  test("are not taken twice by two workers", async () => {
    const receiver = await engine.receiver();
    await engine.deliveries(await engine.webhook(receiver.url), 1_000, "due");
    engine.worker();
    engine.worker();
    await expect.poll(async () => (await engine.statuses()).every((state) => state === "succeeded"), POLL).toBe(true);
    expect(receiver.received).toHaveLength(1_000);
  });

  test("are released on close: waiting ones immediately, hanging ones after the limit", async () => {
    const receiver = await engine.receiver(hang);
    const webhook = await engine.webhook(receiver.url);
    const dispatcher = engine.dispatcher();
    dispatcher.take(await engine.deliveries(webhook, 10, "leased"));
    await expect.poll(() => receiver.received.length, POLL).toBe(4);
    await dispatcher.close(100);
    expect(dispatcher.room()).toBe(0);
    const rows = await engine.rows();
    expect(rows).toHaveLength(10);
    for (const row of rows) {
      expect(row).toMatchObject({ status: "pending", attempts: 0 });
      expect(Number(row.next_attempt_at)).toBeLessThanOrEqual(engine.now().getTime());
    }
  });

  test("close lets attempts under way end, and writes their outcomes", async () => {
    const answers: (() => void)[] = [];
    const receiver = await engine.receiver((response) => void answers.push(() => response.writeHead(200).end()));
    const dispatcher = engine.dispatcher();
    dispatcher.take(await engine.deliveries(await engine.webhook(receiver.url), 3, "leased"));
    await expect.poll(() => answers.length, POLL).toBe(3);
    const closed = dispatcher.close(10_000);
    for (const answer of answers) answer();
    await closed;
    expect(await engine.statuses()).toEqual(["succeeded", "succeeded", "succeeded"]);
  });
});

test("outcomes survive a short outage of the database", async () => {
  const receiver = await engine.receiver();
  const dispatcher = engine.dispatcher();
  const due = await engine.deliveries(await engine.webhook(receiver.url), 50, "leased");
  await engine.sql`alter table deliveries rename to deliveries_away`;
  dispatcher.take(due);
  await expect.poll(() => receiver.received.length, POLL).toBe(50);
  await engine.sql`select pg_sleep(0.3)`;
  await engine.sql`alter table deliveries_away rename to deliveries`;
  await expect.poll(engine.statuses, POLL).toEqual(Array(50).fill("succeeded"));
  expect(receiver.received).toHaveLength(50);
});
