// Two secrets after a rotation: whichever of them a receiver holds, it verifies every delivery.
import { afterEach, beforeEach, expect, test } from "vitest";
import { verifyWebhook } from "#client/verify-webhook.ts";
import { newSigningSecret } from "#server/base/secrets.ts";
import { ENDPOINT_FRESH_MS } from "#server/webhooks/delivery/endpoint.ts";
import { size } from "#test/sizes.ts";
import { openEngine, type TestEngine } from "./engine.ts";
import { hang, type Receiver, status } from "./receiver.ts";

const HOUR_MS = 3_600_000;
const POLL = { interval: 20 };
/** For thousands of deliveries on a busy machine: an upper bound, not a rate. */
const MANY = { timeout: 150_000, interval: 100 };
const MANY_TEST_MS = 180_000;
const DELIVERIES = size("ROTATION_DELIVERIES");
const MORE_DELIVERIES = 10;
const ANSWER_MS = 5;

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

type Received = Receiver["received"][number];
const signatureOf = ({ headers }: Received) => String(headers["x-service-signature"]);
/** In whole seconds. */
const signedAt = (received: Received) => Number(/^t=(\d+)/.exec(signatureOf(received))?.[1]) * 1_000;

function verifies(received: Received, secret: string): boolean {
  try {
    verifyWebhook(received.body, signatureOf(received), secret, { now: new Date(signedAt(received)) });
    return true;
  } catch {
    return false;
  }
}

const finished = async () => (await engine.rows()).every((row) => row.status === "succeeded");

/** What a receiver verifies with: another secret for what is signed from some time on. */
type Known = { secret: string; next?: { secret: string; from: number } };

test(
  "under load, a receiver that changes secrets some time after the rotation, or never, rejects nothing",
  async () => {
    const receivers = [await engine.receiver(), await engine.receiver()] as const;
    const [eager, lazy] = [await engine.webhook(receivers[0].url), await engine.webhook(receivers[1].url)];
    const rejected: string[] = [];
    const known: [Known, Known] = [{ secret: eager.secret }, { secret: lazy.secret }];
    for (const [i, receiver] of receivers.entries()) {
      receiver.answer = (response, _, received) => {
        const { secret, next } = known[i] as Known;
        const good = verifies(received, next && signedAt(received) >= next.from ? next.secret : secret);
        if (!good) rejected.push(signatureOf(received));
        setTimeout(() => response.writeHead(good ? 200 : 400).end(), ANSWER_MS);
      };
    }
    const { dispatcher } = engine.worker();
    let made = 0;
    /** Some wait in memory, leased with the old secret; some are leased afterwards. */
    async function add(count: number): Promise<void> {
      for (const webhook of [eager, lazy]) {
        dispatcher.take(await engine.deliveries(webhook, count, "leased"));
        await engine.deliveries(webhook, count, "due");
      }
      made += 2 * count;
      engine.signals.raise("deliveries");
    }
    for (let round = 0; round < 2; round += 1) {
      await add(DELIVERIES);
      const secret = await rotate(eager.id);
      if (round === 0) await rotate(lazy.id);
      const from = Date.now() + ENDPOINT_FRESH_MS;
      known[0].next = { secret, from };
      // Load until the eager one has verified some with the new secret alone.
      await expect
        .poll(async () => {
          await add(MORE_DELIVERIES);
          return receivers[0].received.some((received) => signedAt(received) >= from);
        }, MANY)
        .toBe(true);
      await expect.poll(finished, MANY).toBe(true);
      known[0] = { secret };
    }
    expect(rejected).toEqual([]);
    for (const { received } of receivers) expect(received).toHaveLength(made);
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
  const since = performance.now();
  await expect.poll(() => performance.now() - since, POLL).toBeGreaterThan(ENDPOINT_FRESH_MS);
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
