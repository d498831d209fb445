// Two secrets after a rotation: whichever of them a receiver holds, it verifies every delivery.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { verifyWebhook } from "#client/verify-webhook.ts";
import { newSigningSecret } from "#server/base/secrets.ts";
import { ENDPOINT_FRESH_MS } from "#server/webhooks/delivery/endpoint.ts";
import { openEngine, type TestEngine } from "./engine.ts";
import { hang, type Receiver, status } from "./receiver.ts";

const HOUR_MS = 3_600_000;
const POLL = { timeout: 20_000, interval: 20 };
/** For thousands of deliveries on a busy machine: an upper bound, not a rate. */
const MANY = { timeout: 150_000, interval: 100 };
const MANY_TEST_MS = 180_000;

let engine: TestEngine;
beforeEach(async () => {
  engine = await openEngine();
});
afterEach(() => engine.close());

/** As the rotation does it, in one statement. */
async function rotate(id: string): Promise<string> {
  const secret = newSigningSecret();
  await engine.sql`
    update webhooks set previous_secret = secret, secret = ${engine.secrets.seal(secret, id)},
      previous_secret_expires_at = ${new Date(engine.now().getTime() + 24 * HOUR_MS)} where id = ${id}`;
  return secret;
}

function verifies({ headers, body }: Receiver["received"][number], secret: string): boolean {
  const header = String(headers["x-service-signature"]);
  try {
    verifyWebhook(body, header, secret, { now: new Date(Number(/^t=(\d+)/.exec(header)?.[1]) * 1_000) });
    return true;
  } catch {
    return false;
  }
}

const finished = async () => (await engine.rows()).every((row) => row.status === "succeeded");

test(
  "under load, a receiver that changes secrets some time after the rotation, or never, rejects nothing",
  async () => {
    const [eager, lazy] = [await engine.receiver(), await engine.receiver()];
    const webhooks = [await engine.webhook(eager.url), await engine.webhook(lazy.url)] as const;
    const rejected: string[] = [];
    const known = [webhooks[0].secret, webhooks[1].secret];
    for (const [i, receiver] of [eager, lazy].entries()) {
      receiver.answer = (response, _, received) => {
        const good = verifies(received, known[i] ?? "");
        if (!good) rejected.push(String(received.headers["x-service-signature"]));
        setTimeout(() => response.writeHead(good ? 200 : 400).end(), 5);
      };
    }
    const { dispatcher } = engine.worker();
    for (let round = 0; round < 2; round += 1) {
      // Some wait in memory, leased with the old secret; some are leased afterwards.
      for (const webhook of webhooks) {
        dispatcher.take(await engine.deliveries(webhook, 1_000, "leased"));
        await engine.deliveries(webhook, 1_000, "due");
      }
      engine.signals.raise("deliveries");
      const next = await rotate(webhooks[0].id);
      if (round === 0) await rotate(webhooks[1].id);
      await sleep(ENDPOINT_FRESH_MS + 100);
      known[0] = next;
    }
    await expect.poll(finished, MANY).toBe(true);
    expect(rejected).toEqual([]);
    expect(eager.received).toHaveLength(4_000);
    expect(lazy.received).toHaveLength(4_000);
  },
  MANY_TEST_MS,
);

test("what waited in memory behind a slow answer is signed with both, and after the overlap with the new one alone", async () => {
  const held: (() => void)[] = [];
  const receiver = await engine.receiver((response) => void held.push(() => response.writeHead(200).end()));
  const webhook = await engine.webhook(receiver.url);
  const { dispatcher } = engine.worker();
  dispatcher.take(await engine.deliveries(webhook, 8, "leased"));
  await expect.poll(() => receiver.received.length, POLL).toBe(4);
  const next = await rotate(webhook.id);
  await sleep(ENDPOINT_FRESH_MS);
  receiver.answer = status(200);
  for (const answer of held) answer();
  await expect.poll(() => receiver.received.length, POLL).toBe(8);
  for (const received of receiver.received.slice(4)) {
    expect([verifies(received, next), verifies(received, webhook.secret)]).toEqual([true, true]);
  }
  engine.clock.aheadMs = 24 * HOUR_MS;
  dispatcher.take(await engine.deliveries(webhook, 1, "leased"));
  await expect.poll(() => receiver.received.length, POLL).toBe(9);
  const last = receiver.received[8] as Receiver["received"][number];
  expect([verifies(last, next), verifies(last, webhook.secret)]).toEqual([true, false]);
});

test("a new URL counts for what waits in memory", async () => {
  const old = await engine.receiver(hang);
  const fresh = await engine.receiver();
  const webhook = await engine.webhook(old.url);
  const dispatcher = engine.dispatcher({ attemptTimeoutMs: 1_500 });
  dispatcher.take(await engine.deliveries(webhook, 8, "leased"));
  await expect.poll(() => old.received.length, POLL).toBe(4);
  await engine.sql`update webhooks set url = ${fresh.url} where id = ${webhook.id}`;
  await expect.poll(() => fresh.received.length, POLL).toBe(4);
  expect(old.received).toHaveLength(4);
});
