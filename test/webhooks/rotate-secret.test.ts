// POST /v1/webhooks/{id}/rotate-secret, and where a secret is ever shown.
import { afterAll, describe, expect, test } from "vitest";
import { adjustableClock } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";
import { type Delivery, events, signatures, startRig, UNKNOWN_WEBHOOK, verify } from "./rig.ts";

const HOUR_MS = 3_600_000;
const clock = adjustableClock();
const rig = await startRig("web,smtp,worker", { now: clock.now });
const { service, client, furnished } = rig;
afterAll(() => rig.close());

type Rotated = { id: string; secret: string; previous_secret_expires_at: string };

async function rotatable() {
  const it = await furnished();
  const rotate = async () => (await it.post<Rotated>("/rotate-secret")).body;
  /** A mail's delivery, as it came. */
  const next = async () => {
    const before = it.receiver.received.length;
    await it.mail();
    await it.called(before + 1);
    return it.receiver.received[before] as (typeof it.receiver.received)[number];
  };
  return { ...it, rotate, next };
}

describe("200", () => {
  test("a new secret, in this answer alone, and the end of the one before a day from now", async () => {
    const { rotate, webhook, read, post } = await rotatable();
    const before = clock.now().getTime();
    const { status, body } = await post<Rotated>("/rotate-secret");
    expect([status, body]).toEqual([
      200,
      {
        id: webhook.id,
        secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
        previous_secret_expires_at: expect.stringMatching(/Z$/),
      },
    ]);
    const overlap = Date.parse(body.previous_secret_expires_at) - before;
    expect(overlap >= 24 * HOUR_MS && overlap < 24 * HOUR_MS + 60_000).toBe(true);
    expect((await read()).previous_secret_expires_at).toBe(body.previous_secret_expires_at);
    expect(new Set([webhook.secret, body.secret, (await rotate()).secret]).size).toBe(3);
  });

  test("both secrets sign for a day, then the new one alone", async () => {
    const { rotate, webhook, next, read, organizationId } = await rotatable();
    const owner = await newOwner(service, organizationId);
    const { secret } = await rotate();
    clock.advance(23 * HOUR_MS);
    const during = await next();
    expect(signatures(during)).toHaveLength(2);
    for (const each of [webhook.secret, secret]) expect(() => verify(during, each, clock.now())).not.toThrow();
    clock.advance(2 * HOUR_MS);
    const after = await next();
    expect(signatures(after)).toHaveLength(1);
    expect(() => verify(after, secret, clock.now())).not.toThrow();
    expect(() => verify(after, webhook.secret, clock.now())).toThrow();
    expect((await read()).previous_secret_expires_at).toBeNull();
    const { data } = await owner.trpc.webhooks.health.query();
    expect(data.map((each) => each.previous_secret_expires_at)).toEqual([null]);
  });

  test("rotated again within the day, the oldest ends immediately", async () => {
    const { rotate, webhook, next } = await rotatable();
    const [second, third] = [await rotate(), await rotate()];
    const received = await next();
    expect(signatures(received)).toHaveLength(2);
    for (const { secret } of [second, third]) expect(() => verify(received, secret, clock.now())).not.toThrow();
    expect(() => verify(received, webhook.secret, clock.now())).toThrow();
  });

  test("at the same time, the valid secrets are two of the returned ones", async () => {
    const { rotate, next } = await rotatable();
    const rotated = await Promise.all([1, 2, 3, 4, 5].map(rotate));
    const received = await next();
    const good = rotated.filter(({ secret }) => {
      try {
        verify(received, secret, clock.now());
        return true;
      } catch {
        return false;
      }
    });
    expect(good).toHaveLength(2);
  });

  test("an inactive one too; the test that enables it is signed by both", async () => {
    const { rotate, webhook, patch, receiver } = await rotatable();
    await patch({ active: false });
    const { secret } = await rotate();
    await patch({ active: true });
    const [received] = receiver.received;
    for (const each of [webhook.secret, secret])
      expect(() => verify(received as never, each, clock.now())).not.toThrow();
  });

  test("at rest, both are sealed", async () => {
    const { rotate, webhook } = await rotatable();
    const { secret } = await rotate();
    const [row] = await service.system.sql`select secret, previous_secret from webhooks order by id desc limit 1`;
    for (const each of [webhook.secret, secret]) {
      expect(row?.secret.includes(each) || row?.previous_secret.includes(each)).toBe(false);
    }
  });
});

test("no other answer shows a secret: every webhook answer, the delivery log, mailboxes and events are searched", async () => {
  const { rotate, webhook, next, path, key, inbox, deliveries, enrollmentKeyId } = await rotatable();
  const created = await client.createInbox(key, { client_id: "c", inbound_webhook_url: "https://a.example/" });
  const shown = [webhook.secret, created.webhook?.secret ?? "", (await rotate()).secret];
  await next();
  const [delivery] = (await deliveries()) as [Delivery];
  const one = `${path}/deliveries/${delivery.id}`;
  const restricted = (await service.newAgentKey(enrollmentKeyId, { inboxes: [inbox.address] })).key;
  const calls: [string, string, object?][] = [
    ["GET", "/v1/webhooks"],
    ["GET", path],
    ["PATCH", path, {}],
    ["PATCH", path, { active: false }],
    ["PATCH", path, { active: true }],
    ["PATCH", path, { url: 5 }],
    ["POST", `${path}/test`],
    ["GET", `${path}/deliveries`],
    ["GET", one],
    ["POST", `${one}/redeliver`],
    ["POST", `${path}/replay`, { since: new Date(clock.now().getTime() - HOUR_MS).toISOString() }],
    ["POST", "/v1/webhooks", { url: "no url", events }],
    ["POST", "/v1/inboxes", { client_id: "c", inbound_webhook_url: "https://a.example/" }],
    ["GET", `/v1/messages/${delivery.message_id}/deliveries`],
    ["GET", `/v1/messages/${delivery.message_id}`],
    ["GET", `/v1/inboxes/${inbox.address}`],
    ["GET", "/v1/events"],
    ["DELETE", path],
  ];
  for (const [method, at, json] of calls) {
    for (const as of [restricted, key]) {
      const { text } = await client.call(method, at, { key: as, json });
      expect([method, at, text.includes("whsec_")]).toEqual([method, at, false]);
      for (const secret of shown) expect(text).not.toContain(secret.slice("whsec_".length));
    }
  }
  expect(shown.every((secret) => secret.startsWith("whsec_"))).toBe(true);
});

describe("404", () => {
  test("unknown, another's, or out of a restricted key's bounds; their secrets stay", async () => {
    const { key, post, enrollmentKeyId, read } = await rotatable();
    const stranger = await rotatable();
    for (const id of [UNKNOWN_WEBHOOK, stranger.webhook.id, "x", "%"]) {
      const { status, body } = await client.post(`/v1/webhooks/${id}/rotate-secret`, undefined, { key });
      expect([id, status, body.error.code]).toEqual([id, 404, "webhook_not_found"]);
    }
    const other = await client.createInbox(key);
    const restricted = await service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] });
    expect((await post("/rotate-secret", undefined, restricted.key)).status).toBe(404);
    expect((await read()).previous_secret_expires_at).toBeNull();
    expect((await stranger.read()).previous_secret_expires_at).toBeNull();
  });
});
