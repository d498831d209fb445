// Deliveries from their rows to real endpoints and back: outcomes, retries, leases, and endpoints that misbehave.
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { verifyWebhook } from "#client/verify-webhook.ts";
import { openEngine, type TestEngine } from "./engine.ts";
import { deliveryId, hang, type Receiver, status } from "./receiver.ts";

const POLL = { interval: 20 };
/** For thousands of deliveries on a busy machine: an upper bound, not a rate. */
const MANY = { timeout: 150_000, interval: 100 };
const MANY_TEST_MS = 180_000;

let engine: TestEngine;

beforeEach(async () => {
  engine = await openEngine();
});
afterEach(() => engine.close());

describe("success", () => {
  test.each([200, 201, 204])("%i closes the delivery", async (code) => {
    const receiver = await engine.receiver(status(code));
    const webhook = await engine.webhook(receiver.url);
    await engine.deliveries(webhook, 1, "due");
    engine.worker();
    await expect.poll(engine.statuses, POLL).toEqual(["succeeded"]);
    expect(await engine.first()).toMatchObject({
      attempts: 1,
      last_status: code,
      last_error: null,
      next_attempt_at: null,
    });
    expect((await engine.first())?.completed_at).toBeInstanceOf(Date);
    expect(receiver.received).toHaveLength(1);
  });

  test("a delivery verifies with stripe and with our client, to the byte", async () => {
    const receiver = await engine.receiver();
    const webhook = await engine.webhook(receiver.url);
    const [due] = await engine.deliveries(webhook, 1, "leased");
    engine.dispatcher().take(due ? [due] : []);
    await expect.poll(() => receiver.received.length, POLL).toBe(1);
    const { headers, body } = receiver.received[0] as Receiver["received"][number];
    const header = String(headers["x-service-signature"]);
    expect(body).toBe(due?.body);
    expect(Stripe.webhooks.constructEvent(body, header, webhook.secret)).toEqual(JSON.parse(body));
    expect(verifyWebhook(body, header, webhook.secret)).toEqual(JSON.parse(body));
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": expect.stringMatching(/^Mailberth\/\d/),
      "x-service-event": "message.received",
      "x-service-delivery": expect.stringMatching(/^dlv_[0-9a-z]{26}$/),
    });
    expect(deliveryId({ headers } as never)).toBe(due?.id);
  });

  test(
    "thousands, from memory and from the table, each once",
    async () => {
      const receiver = await engine.receiver();
      const webhooks = await Promise.all([1, 2, 3].map(() => engine.webhook(receiver.url)));
      const { dispatcher } = engine.worker();
      for (const webhook of webhooks) {
        dispatcher.take(await engine.deliveries(webhook, 500, "leased"));
        await engine.deliveries(webhook, 500, "due");
        engine.signals.raise("deliveries");
      }
      const counts = async () =>
        (await engine.sql`select status, count(*)::int from deliveries group by status`).map((row) => [
          ...Object.values(row),
        ]);
      await expect.poll(counts, MANY).toEqual([["succeeded", 3_000]]);
      expect(new Set(receiver.received.map(deliveryId)).size).toBe(3_000);
      expect(receiver.received).toHaveLength(3_000);
    },
    MANY_TEST_MS,
  );
});

describe("failure", () => {
  test.each([301, 307, 400, 404, 500])("%i is tried again in about 5 s", async (code) => {
    const canary = await engine.receiver();
    const receiver = await engine.receiver(status(code, { location: canary.url }));
    await engine.deliveries(await engine.webhook(receiver.url), 1, "due");
    engine.worker();
    await expect.poll(async () => (await engine.first())?.attempts, POLL).toBe(1);
    const row = await engine.first();
    expect(row).toMatchObject({
      status: "pending",
      last_status: code,
      last_error: `answered ${code}`,
      completed_at: null,
    });
    const wait = Number(row?.next_attempt_at) - engine.now().getTime();
    expect(wait > 0 && wait <= 5_500).toBe(true);
    expect(canary.connections).toBe(0);
  });

  test("an endpoint that resets has an error and no status", async () => {
    const receiver = await engine.receiver((response) => response.socket?.resetAndDestroy());
    await engine.deliveries(await engine.webhook(receiver.url), 1, "due");
    engine.worker();
    await expect.poll(async () => (await engine.first())?.attempts, POLL).toBe(1);
    expect(await engine.first()).toMatchObject({
      status: "pending",
      last_status: null,
      last_error: expect.stringMatching(/\w/),
    });
  });

  test("an endpoint that hangs is given up", async () => {
    const receiver = await engine.receiver(hang);
    await engine.deliveries(await engine.webhook(receiver.url), 1, "due");
    engine.worker({ attemptTimeoutMs: 200 });
    await expect.poll(async () => (await engine.first())?.attempts, POLL).toBe(1);
    expect(await engine.first()).toMatchObject({
      status: "pending",
      last_status: null,
      last_error: "no answer within 200 ms",
    });
  });

  test("Retry-After is waited for", async () => {
    const receiver = await engine.receiver(status(503, { "retry-after": "3600" }));
    await engine.deliveries(await engine.webhook(receiver.url), 1, "due");
    engine.worker();
    await expect.poll(async () => (await engine.first())?.attempts, POLL).toBe(1);
    const wait = Number((await engine.first())?.next_attempt_at) - engine.now().getTime();
    expect(wait > 3_500_000 && wait <= 3_600_000).toBe(true);
  });

  test("every attempt has the same bytes and id, and a signature of its time; the ninth is the last", async () => {
    const receiver = await engine.receiver(status(500));
    const webhook = await engine.webhook(receiver.url);
    await engine.deliveries(webhook, 1, "due");
    engine.worker();
    for (let attempts = 1; attempts <= 9; attempts += 1) {
      await expect.poll(async () => (await engine.first())?.attempts, POLL).toBe(attempts);
      engine.clock.aheadMs += 7_000;
      await engine.makeDue();
    }
    expect(await engine.first()).toMatchObject({
      status: "failed",
      attempts: 9,
      last_status: 500,
      next_attempt_at: null,
    });
    expect(receiver.received).toHaveLength(9);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(deliveryId)).size).toBe(1);
    const times = receiver.received.map(({ headers, body }) => {
      const header = String(headers["x-service-signature"]);
      const t = Number(/^t=(\d+),/.exec(header)?.[1]);
      expect(() => verifyWebhook(body, header, webhook.secret, { now: new Date(t * 1_000) })).not.toThrow();
      return t;
    });
    expect(times.every((t, i) => i === 0 || t >= (times[i - 1] ?? 0) + 7)).toBe(true);
  });

  test("a third of answers failing loses nothing", async () => {
    let count = 0;
    const accepted = new Set<string>();
    const receiver = await engine.receiver((response, _, received) => {
      count += 1;
      if (count % 3 !== 0) accepted.add(deliveryId(received));
      response.writeHead(count % 3 === 0 ? 500 : 200).end();
    });
    const due = await engine.deliveries(await engine.webhook(receiver.url), 600, "due");
    engine.worker();
    await expect
      .poll(async () => {
        await engine.sql`update deliveries set next_attempt_at = ${engine.now()} where attempts > 0 and status = 'pending'`;
        engine.signals.raise("deliveries");
        return (await engine.statuses()).every((state) => state === "succeeded");
      }, POLL)
      .toBe(true);
    expect(accepted).toEqual(new Set(due.map(({ id }) => id)));
  });
});

describe("a slow endpoint", () => {
  test("with many deliveries does not stop another", async () => {
    const [dead, good] = [await engine.receiver(hang), await engine.receiver()];
    const [deadHook, goodHook] = [await engine.webhook(dead.url), await engine.webhook(good.url)];
    const { dispatcher, stop } = engine.worker();
    dispatcher.take(await engine.deliveries(deadHook, 2_500, "leased"));
    dispatcher.take(await engine.deliveries(goodHook, 200, "leased"));
    await engine.deliveries(goodHook, 200, "due");
    engine.signals.raise("deliveries");
    await expect.poll(() => new Set(good.received.map(deliveryId)).size, POLL).toBe(400);
    expect(dead.received.length).toBeLessThanOrEqual(4);
    // What it cannot take goes back to its rows, to come due later, and nothing of it is lost.
    await expect.poll(() => dispatcher.room(), POLL).toBeGreaterThan(2_000);
    await stop();
    const rows = await engine.rows();
    expect(rows.filter(({ status: state }) => state === "succeeded")).toHaveLength(400);
    expect(rows.filter(({ status: state, attempts }) => state === "pending" && attempts === 0)).toHaveLength(2_500);
  });
});

describe("an error of the service itself", () => {
  test.each([
    ["before the endpoint is read", { include_message: true }, 0],
    ["while the body is formed", { format: "resend" }, 0],
    ["while the body is formed, after the webhook was read again", { format: "resend" }, 60_000],
  ] as const)("%s, is a failed attempt, and other deliveries go on", async (_, more, ageMs) => {
    const receiver = await engine.receiver();
    const webhook = await engine.webhook(receiver.url);
    await engine.sql`update webhooks set ${engine.sql(more)} where id = ${webhook.id}`;
    const [broken, whole] = await engine.deliveries(webhook, 2, "leased");
    if (!broken || !whole) throw new Error("no deliveries");
    const read_at = broken.read_at - ageMs;
    const dispatcher = engine.dispatcher({ readMessage: async () => ({ omitted: "deleted" }) });
    dispatcher.take([
      { ...broken, ...more, read_at, body: "{" },
      { ...whole, ...more, read_at, body: whole.body.replace('"message":{', `"message":{"id":"${webhook.id}",`) },
    ]);
    await expect.poll(() => receiver.received.map(deliveryId), POLL).toEqual([whole.id]);
    const failed = { status: "pending", attempts: 1, last_status: null, last_error: expect.stringContaining("own") };
    await expect.poll(engine.rows, POLL).toMatchObject([failed, { status: "succeeded", attempts: 1 }]);
  });
});
