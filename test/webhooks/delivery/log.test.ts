// The log of attempts: each attempt with its request and answer, once.
import type { ServerResponse } from "node:http";
import type { Sql } from "postgres";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { verifyWebhook } from "#client/verify-webhook.ts";
import { decodeId } from "#server/base/ids.ts";
import { logged } from "#server/webhooks/delivery/attempts.ts";
import { createOutcomes } from "#server/webhooks/delivery/outcome.ts";
import { openEngine, type TestEngine } from "./engine.ts";
import { hang, type Receiver, status } from "./receiver.ts";

const POLL = { interval: 20 };

type AttemptRow = {
  id: string;
  delivery_id: string;
  number: number;
  started_at: Date;
  duration_ms: number;
  status: number | null;
  error: string | null;
  request_headers: [string, string][];
  response_body: string | null;
  next_attempt_at: Date | null;
};

let engine: TestEngine;
beforeEach(async () => {
  engine = await openEngine();
});
afterEach(() => engine.close());

const log = () => engine.sql<AttemptRow[]>`select * from delivery_attempts order by id`;

/** One delivery, attempted once; its row in the log. */
async function attemptedOnce(answer: Receiver["answer"], options = {}): Promise<AttemptRow> {
  const receiver = await engine.receiver(answer);
  await engine.deliveries(await engine.webhook(receiver.url), 1, "due");
  engine.worker(options);
  await expect.poll(async () => (await log()).length, POLL).toBe(1);
  return (await log())[0] as AttemptRow;
}

const answering = (body: Buffer) => (response: ServerResponse) => void response.writeHead(200).end(body);

describe("an attempt in the log", () => {
  test("has the request, including its signature, and the answer", async () => {
    const receiver = await engine.receiver(status(200, {}, "thanks"));
    const webhook = await engine.webhook(receiver.url);
    const [due] = await engine.deliveries(webhook, 1, "due");
    const before = engine.now().getTime();
    engine.worker();
    await expect.poll(async () => (await log()).length, POLL).toBe(1);
    const [row] = await log();
    expect(row).toMatchObject({
      delivery_id: due?.id,
      number: 1,
      status: 200,
      error: null,
      response_body: "thanks",
      next_attempt_at: null,
    });
    expect(row?.duration_ms).toBeGreaterThanOrEqual(0);
    expect(Number(row?.started_at)).toBeGreaterThanOrEqual(before);
    const received = receiver.received[0] as Receiver["received"][number];
    const logged = Object.fromEntries((row?.request_headers ?? []).map(([name, value]) => [name.toLowerCase(), value]));
    expect(received.headers).toMatchObject(logged);
    expect(() => verifyWebhook(received.body, String(logged["x-service-signature"]), webhook.secret)).not.toThrow();
    expect(decodeId("evt", String(logged["x-service-event-id"]))).toBe(due?.event_id);
    expect(decodeId("dlv", String(logged["x-service-delivery"]))).toBe(due?.id);
  });

  test("that failed says when the next one is", async () => {
    const row = await attemptedOnce(status(500, {}, "oops"));
    expect(row).toMatchObject({ status: 500, error: null, response_body: "oops" });
    const [delivery] = await engine.rows();
    expect(row.next_attempt_at).toEqual(delivery?.next_attempt_at);
  });

  test("that had no answer says why", async () => {
    const row = await attemptedOnce(hang, { attemptTimeoutMs: 200 });
    expect(row).toMatchObject({ status: null, error: "no answer within 200 ms", response_body: null });
    expect(row.duration_ms).toBeGreaterThanOrEqual(150);
  });

  test.each([
    ["only the first KiB", Buffer.alloc(5_000, "x"), "x".repeat(1_024)],
    ["no half of a character", Buffer.from(`x${"é".repeat(2_000)}`), `x${"é".repeat(511)}`],
    ["NUL as a replacement", Buffer.from("a\0b"), "a\ufffdb"],
    ["what is not UTF-8 as replacements", Buffer.from([0x61, 0xff, 0xfe, 0x62, 0xe2, 0x82]), "a\ufffd\ufffdb\ufffd"],
    ["an empty answer as empty", Buffer.alloc(0), ""],
  ])("has %s", async (_, body, kept) => {
    expect((await attemptedOnce(answering(body))).response_body).toBe(kept);
  });

  test("counts on when a delivery is sent again", async () => {
    const receiver = await engine.receiver(status(500));
    await engine.deliveries(await engine.webhook(receiver.url), 1, "due");
    engine.worker();
    await expect.poll(async () => (await log()).length, POLL).toBe(1);
    await engine.makeDue();
    await expect.poll(async () => (await log()).length, POLL).toBe(2);
    // As a redelivery does: the schedule starts anew.
    await engine.sql`update deliveries set attempts = 0`;
    receiver.answer = status(200);
    await engine.makeDue();
    await expect
      .poll(async () => (await log()).map(({ number, status: code }) => [number, code]), POLL)
      .toEqual([
        [1, 500],
        [2, 500],
        [3, 200],
      ]);
    expect(new Set(receiver.received.map(({ headers }) => headers["x-service-event-id"])).size).toBe(1);
  });
});

/** As `sql`, but the first statement that fits is answered with an error after it was committed. */
function losingAnswers(sql: Sql, fits: RegExp): Sql {
  let lost = false;
  return new Proxy(sql, {
    apply(target, self, args: [TemplateStringsArray]) {
      const query = Reflect.apply(target, self, args);
      if (lost || !fits.test(args[0].join("?"))) return query;
      lost = true;
      return query.then(() => Promise.reject(new Error("the connection was lost after the commit")));
    },
  });
}

test("the log has each attempt once, also when writing it is repeated after an unknown outcome", async () => {
  const webhook = await engine.webhook("http://127.0.0.1/");
  const [due] = await engine.deliveries(webhook, 1, "leased");
  if (!due) throw new Error("no delivery");
  const outcomes = createOutcomes({ ...engine, sql: losingAnswers(engine.sql, /insert into delivery_attempts/) });
  const { id, organization_id, webhook_id } = due;
  const at = engine.now();
  const answer = { status: 500, error: null, retryAfter: null, timedOut: false, durationMs: 1, body: "" };
  outcomes.add({
    ...{ id, organization_id, webhook_id, url: due.url, at, status: "pending", attempts: 1, next_attempt_at: at },
    ...{
      resend_at: null,
      last_status: 500,
      last_error: "answered 500",
      health: null,
      attempt: logged(at, ["A", "b"], answer),
    },
  });
  expect(await outcomes.flush(5_000)).toBe(0);
  expect(await log()).toMatchObject([{ number: 1, request_headers: [["A", "b"]] }]);
  expect(await engine.rows()).toMatchObject([{ attempts: 1 }]);
});

test("a delivery that is deleted under way leaves nothing in the log, and one closed unsent neither", async () => {
  const receiver = await engine.receiver();
  const dispatcher = engine.dispatcher();
  const due = await engine.deliveries(await engine.webhook(receiver.url), 3, "leased");
  await engine.sql`delete from deliveries where id = ${due[0]?.id ?? ""}`;
  dispatcher.take(due);
  await engine.deliveries(await engine.webhook(receiver.url, { active: false }), 1, "due");
  engine.worker();
  await expect
    .poll(async () => (await engine.rows()).map((row) => row.status).sort(), POLL)
    .toEqual(["failed", "succeeded", "succeeded"]);
  expect((await log()).map(({ delivery_id }) => delivery_id).sort()).toEqual([due[1]?.id, due[2]?.id].sort());
});
