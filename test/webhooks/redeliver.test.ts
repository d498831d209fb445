// POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver, and GET of the delivery with its attempts.
import { afterAll, describe, expect, test } from "vitest";
import { adjustableClock } from "#test/support/service.ts";
import { status } from "#test/webhooks/delivery/receiver.ts";
import { type Delivery, deliveryId, startRig, UNKNOWN_DELIVERY, UNKNOWN_WEBHOOK, verify } from "./rig.ts";

const POLL = { interval: 30 };
const MINUTE_MS = 60_000;
const CONCURRENT = 100;
const clock = adjustableClock();
const rig = await startRig("web,smtp,worker", { now: clock.now });
const { client, furnished } = rig;
const idle = await startRig("web,smtp");
afterAll(() => Promise.all([rig.close(), idle.close()]));

type Attempt = {
  number: number;
  started_at: string;
  duration_ms: number;
  status: number | null;
  error: string | null;
  request_headers: { name: string; value: string }[];
  response_body: string | null;
  next_attempt_at: string | null;
};
type Whole = Delivery & { body: string; attempts: Attempt[] };

async function delivered(answer?: Parameters<typeof furnished>[0]) {
  const it = await furnished(answer);
  await it.mail();
  const [{ id }] = (await it.deliveries()) as [Delivery];
  const path = `${it.path}/deliveries/${id}`;
  const whole = async () => (await client.get<Whole>(path, { key: it.key })).body;
  /** Once so many attempts are in its log. */
  const attempted = async (times: number) => {
    await expect.poll(async () => (await whole()).attempts.length, POLL).toBe(times);
    return whole();
  };
  const redeliver = () => client.post<Delivery>(`${path}/redeliver`, undefined, { key: it.key });
  return { ...it, delivery: id, deliveryPath: path, whole, attempted, redeliver };
}

describe("GET: 200", () => {
  test("the request, and the answer to each attempt, oldest first", async () => {
    const { attempted, receiver, deliveries, redeliver } = await delivered(status(500, {}, "Störung ".repeat(500)));
    await attempted(1);
    receiver.answer = status(201, {}, "ok");
    await redeliver();
    const whole = await attempted(2);
    const { body, attempts, ...row } = whole;
    expect([row]).toEqual(await deliveries());
    expect(body).toBe(receiver.received[0]?.body);
    const [first, second] = attempts as [Attempt, Attempt];
    const time = expect.stringMatching(/\.\d{3}Z$/);
    const common = {
      started_at: time,
      duration_ms: expect.any(Number),
      error: null,
      request_headers: expect.any(Array),
    };
    expect(first).toMatchObject({ ...common, number: 1, status: 500, next_attempt_at: time });
    expect(second).toMatchObject({ ...common, number: 2, status: 201, next_attempt_at: null, response_body: "ok" });
    const kept = Buffer.byteLength(first.response_body ?? "");
    expect("Störung ".repeat(500).startsWith(first.response_body ?? "?")).toBe(true);
    expect(kept > 1_020 && kept <= 1_024).toBe(true);
    for (const [i, { request_headers }] of attempts.entries()) {
      const headers = receiver.received[i]?.headers ?? {};
      for (const { name, value } of request_headers) expect(headers[name.toLowerCase()]).toBe(value);
      expect(request_headers.map(({ name }) => name)).toContain("X-Service-Signature");
    }
  });

  test("an attempt without an answer says why", async () => {
    const { attempted } = await delivered((response) => void response.socket?.resetAndDestroy());
    const { attempts, last_status, last_error } = await attempted(1);
    expect(attempts[0]).toMatchObject({ status: null, error: expect.stringMatching(/\w/), response_body: null });
    expect([last_status, last_error]).toEqual([null, attempts[0]?.error]);
  });
});

describe("202", () => {
  test("one that succeeded: again, with its ids, the same bytes and a new signature; the log counts on", async () => {
    const { attempted, redeliver, receiver, webhook, whole, delivery } = await delivered();
    const before = await attempted(1);
    clock.advance(2_000);
    const { status: code, body } = await redeliver();
    expect([code, body]).toEqual([
      202,
      {
        ...(await whole()),
        ...before,
        body: undefined,
        attempts: undefined,
        status: "pending",
        next_attempt_at: expect.stringMatching(/Z$/),
        completed_at: null,
      },
    ]);
    const after = await attempted(2);
    expect(after).toMatchObject({ status: "succeeded", attempt_count: 2, created_at: before.created_at });
    expect(after.attempts.map(({ number }) => number)).toEqual([1, 2]);
    const [first, second] = receiver.received as [
      (typeof receiver.received)[number],
      (typeof receiver.received)[number],
    ];
    expect([deliveryId(first), deliveryId(second)]).toEqual([delivery, delivery]);
    expect(second.body).toBe(first.body);
    expect(second.headers["x-service-event-id"]).toBe(first.headers["x-service-event-id"]);
    expect(second.headers["x-service-signature"]).not.toBe(first.headers["x-service-signature"]);
    expect(() => verify(second, webhook.secret, clock.now())).not.toThrow();
    expect(receiver.received).toHaveLength(2);
  });

  test("a redelivered delivery restarts its retry schedule, and is retried soon after a failure", async () => {
    const { attempted, redeliver, receiver } = await delivered(status(500));
    for (let made = 1; made < 4; made += 1) {
      await attempted(made);
      clock.advance(60 * MINUTE_MS);
    }
    const late = await attempted(4);
    expect(Date.parse(late.next_attempt_at ?? "") - clock.now().getTime()).toBeGreaterThan(20 * MINUTE_MS);
    receiver.answer = status(200);
    await redeliver();
    await attempted(5);
    receiver.answer = status(500);
    await redeliver();
    const { attempts, attempt_count, next_attempt_at } = await attempted(6);
    expect([attempts.map(({ number }) => number), attempt_count]).toEqual([[1, 2, 3, 4, 5, 6], 6]);
    expect(Date.parse(next_attempt_at ?? "") - clock.now().getTime()).toBeLessThan(6_000);
  });

  test("each answer has the delivery as the call made it, also when the attempt is faster", async () => {
    const { attempted, redeliver } = await delivered();
    await attempted(1);
    const answers = await Promise.all(Array.from({ length: CONCURRENT }, redeliver));
    expect(new Set(answers.map(({ body }) => body.status))).toEqual(new Set(["pending"]));
  });

  test("one that is pending gets an extra attempt, and its automatic retry stays when it was", async () => {
    const { attempted, redeliver } = await delivered(status(500));
    await attempted(1);
    clock.advance(MINUTE_MS);
    const { next_attempt_at } = await attempted(2);
    expect((await redeliver()).body).toMatchObject({ status: "pending", attempt_count: 2, next_attempt_at });
    const extra = await attempted(3);
    expect(extra).toMatchObject({ status: "pending", last_status: 500, next_attempt_at });
    expect(extra.attempts.at(-1)).toMatchObject({ number: 3, next_attempt_at });
    clock.set(new Date(Date.parse(next_attempt_at ?? "") + 1_000));
    // The third attempt of the schedule, and the pause after a third one: five minutes.
    const after = await attempted(4);
    const pauseMs = Date.parse(after.next_attempt_at ?? "") - clock.now().getTime();
    expect(pauseMs).toBeGreaterThan(4 * MINUTE_MS);
    expect(pauseMs).toBeLessThan(6 * MINUTE_MS);
  });

  test("one that is pending ends with an extra attempt that succeeds", async () => {
    const { attempted, redeliver, receiver } = await delivered(status(500));
    await attempted(1);
    clock.advance(MINUTE_MS);
    await attempted(2);
    receiver.answer = status(200);
    await redeliver();
    const after = await attempted(3);
    expect(after).toMatchObject({ status: "succeeded", next_attempt_at: null, last_error: null });
    clock.advance(60 * MINUTE_MS);
    await redeliver();
    expect(await attempted(4)).toMatchObject({ status: "succeeded" });
    expect(receiver.received).toHaveLength(4);
  });

  test("one that failed when its webhook was disabled, to the url of now", async () => {
    const { attempted, redeliver, patch, receiver } = await delivered(status(500));
    await attempted(1);
    await patch({ active: false });
    const next = await rig.endpoint();
    await patch({ active: true, url: next.url });
    await redeliver();
    expect(await attempted(2)).toMatchObject({ status: "succeeded", last_error: null });
    expect([receiver.received.length, next.received.length]).toEqual([1, 2]);
  });

  test("twice concurrently: due once", async () => {
    const { key, mail, deliveries, path, patch } = await idle.furnished();
    await mail();
    await patch({ active: false });
    await patch({ active: true });
    const [{ id }] = (await deliveries()) as [Delivery];
    const again = () => idle.client.post<Delivery>(`${path}/deliveries/${id}/redeliver`, undefined, { key });
    expect((await Promise.all([again(), again()])).map(({ status: code }) => code)).toEqual([202, 202]);
    expect(await deliveries()).toMatchObject([{ id, status: "pending", completed_at: null }]);
  });
});

describe("404", () => {
  test("a webhook or delivery that is unknown, another's, another webhook's, or out of bounds", async () => {
    const { key, path, register, mail, deliveries, enrollmentKeyId } = await idle.furnished();
    const stranger = await idle.furnished();
    const other = await register();
    await mail();
    await stranger.mail();
    const [mine] = (await deliveries()) as [Delivery];
    const [others] = (await deliveries("", `/v1/webhooks/${other.id}`)) as [Delivery];
    const [foreign] = (await stranger.deliveries()) as [Delivery];
    const cases = [others.id, foreign.id, UNKNOWN_DELIVERY, mine.event_id, "x", "%"].map((id) => {
      return [`${path}/deliveries/${id}`, "delivery_not_found"];
    });
    for (const webhook of [UNKNOWN_WEBHOOK, stranger.webhook.id, "x"]) {
      cases.push([`/v1/webhooks/${webhook}/deliveries/${mine.id}`, "webhook_not_found"]);
    }
    for (const [at = "", code] of cases) {
      for (const [method, rest] of [
        ["GET", ""],
        ["POST", "/redeliver"],
      ] as const) {
        const { status: got, body } = await idle.client.call(method, at + rest, { key });
        expect([method, at, got, body.error.code]).toEqual([method, at, 404, code]);
      }
    }
    const elsewhere = await idle.client.createInbox(key);
    const restricted = await idle.service.newAgentKey(enrollmentKeyId, { inboxes: [elsewhere.address] });
    const at = `${path}/deliveries/${mine.id}`;
    expect((await idle.client.get(at, { key: restricted.key })).status).toBe(404);
    expect((await idle.client.post(`${at}/redeliver`, undefined, { key: restricted.key })).status).toBe(404);
  });
});

describe("409", () => {
  test("an inactive webhook answers webhook_inactive, and the delivery does not change", async () => {
    const { key, path, mail, patch, deliveries } = await idle.furnished();
    await mail();
    await patch({ active: false });
    const before = await deliveries();
    const at = `${path}/deliveries/${before[0]?.id}/redeliver`;
    const { status: code, body } = await idle.client.post(at, undefined, { key });
    expect([code, body.error.code]).toEqual([409, "webhook_inactive"]);
    expect(await deliveries()).toEqual(before);
  });
});
