// Leases from the table, and what the table lets go of: order, backlogs, retention.
import { v7 } from "uuid";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeId, newId } from "#server/base/ids.ts";
import { leaseDue } from "#server/webhooks/delivery/deliver.ts";
import { DELIVERY_LEASE_MS } from "#server/webhooks/delivery/due-delivery.ts";
import { pruneDeliveries, pruneDeliveryAttempts } from "#server/webhooks/delivery/prune.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { openEngine, type TestEngine } from "./engine.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

const DAY_MS = 86_400_000;
const POLL = { interval: 20 };

describe("a backlog", () => {
  let engine: TestEngine;
  let receiver: Receiver;
  beforeEach(async () => {
    engine = await openEngine();
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await engine.close();
    await receiver.close();
  });

  test("does not delay recently due rows", async () => {
    const [old, fresh] = [await engine.webhook(receiver.url), await engine.webhook(receiver.url)];
    await engine.deliveries(old, 3_000, "due");
    await engine.sql`update deliveries set next_attempt_at = next_attempt_at - interval '1 hour'`;
    const [last] = await engine.deliveries(fresh, 1, "due");
    const order: unknown[] = [];
    receiver.answer = (response, _, { headers }) => {
      order.push(headers["x-service-delivery"]);
      response.end();
    };
    engine.worker();
    await expect.poll(() => order.length, POLL).toBe(3_001);
    expect(order.indexOf(encodeId("dlv", last?.id ?? ""))).toBeLessThan(1_500);
  });

  test("an extra attempt of a worker that died is made again when its lease ends, and the schedule stays", async () => {
    const [due] = await engine.deliveries(await engine.webhook(receiver.url), 1, "due");
    const retryAt = new Date(engine.now().getTime() + 3_600_000);
    await engine.sql`update deliveries set attempts = 3, next_attempt_at = ${retryAt}, resend_at = ${engine.now()}`;
    receiver.answer = (response) => response.writeHead(500).end();
    const limits = { oldest: 1, newest: 0, resends: 1 };
    const leased = await leaseDue(engine, limits);
    expect(leased).toMatchObject({ scheduled: 0, resends: 1, due: [{ id: due?.id, attempts: 3 }] });
    expect(await leaseDue(engine, limits)).toMatchObject({ scheduled: 0, resends: 0 });
    engine.clock.aheadMs = DELIVERY_LEASE_MS;
    engine.worker();
    await expect.poll(() => receiver.received.length, POLL).toBe(1);
    const row = async () => (await engine.sql`select attempts, next_attempt_at, resend_at from deliveries`)[0];
    await expect.poll(row, POLL).toEqual({ attempts: 3, next_attempt_at: retryAt, resend_at: null });
  });

  test("of a disabled webhook is closed when it comes due, unsent", async () => {
    await engine.deliveries(await engine.webhook(receiver.url, { active: false }), 1_000, "due");
    engine.worker();
    const left = async () => (await engine.sql`select 1 from deliveries where status <> 'failed' limit 1`).length;
    await expect.poll(left, POLL).toBe(0);
    expect(receiver.received).toHaveLength(0);
  });
});

describe("retention", async () => {
  const clock = adjustableClock();
  const service = await startTestService({ ROLES: "web" }, { now: clock.now });
  afterAll(service.stop);
  const { sql } = service.system;

  async function delivery(state: string, createdDaysAgo: number, completedDaysAgo: number | null): Promise<string> {
    const [id, at] = [newId(), clock.now().getTime()];
    const attempt = v7({ msecs: at - (completedDaysAgo ?? createdDaysAgo) * DAY_MS });
    const ago = (days: number | null) => (days === null ? null : new Date(at - days * DAY_MS));
    await sql`
      insert into deliveries (id, organization_id, webhook_id, event_id, status, next_attempt_at, created_at, completed_at)
      values (${id}, ${id}, ${id}, ${id}, ${state}, ${state === "pending" ? ago(0) : null}, ${ago(createdDaysAgo)},
        ${ago(completedDaysAgo)})`;
    await sql`
      insert into delivery_attempts (id, organization_id, webhook_id, delivery_id, number, started_at, duration_ms, request_headers)
      values (${attempt}, ${id}, ${id}, ${id}, 1, ${ago(completedDaysAgo ?? createdDaysAgo)}, 1, '[]')`;
    return id;
  }

  test("is 30 days for finished deliveries and for attempts; what is pending stays", async () => {
    await delivery("succeeded", 31, 31);
    await delivery("failed", 31, 30.01);
    const redelivered = await delivery("succeeded", 31, 1);
    const pending = await delivery("pending", 40, null);
    const young = await delivery("failed", 29.9, 29.9);
    for (const prune of [pruneDeliveries, pruneDeliveryAttempts]) {
      expect(await prune(service.system)).toBeGreaterThan(0);
      expect(await prune(service.system)).toBe(0);
    }
    const ids = async (column: string, table: string) =>
      (await sql`select ${sql(column)} as id from ${sql(table)} order by 1`).map((row) => row.id);
    expect(await ids("id", "deliveries")).toEqual([redelivered, pending, young].sort());
    expect(await ids("delivery_id", "delivery_attempts")).toEqual([redelivered, young].sort());
  });
});
