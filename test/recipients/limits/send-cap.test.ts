// The daily cap, which grows: POST /v1/inboxes/{addr}/send over it, and GET /v1/inboxes/{addr}/send-limit.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const DAY_MS = 86_400_000;
const MORNING = "2031-03-01T09:00:00.000Z";
const clock = adjustableClock();
clock.set(MORNING);
/** Mail of else.example is aligned when it comes from this machine. */
const zone = { "else.example": { TXT: [["v=spf1 ip4:127.0.0.1 -all"]] } };
const service = await startTestService({ ROLES: "web,smtp,worker", SEND_CAP_RAMP: "2,3,5" }, { now: clock.now, zone });
const client = api(service);
afterAll(() => client.close().then(service.stop));
beforeEach(() => clock.set(MORNING));

type Limit = {
  limit: number;
  used: number;
  remaining: number;
  resets_at: string;
  step: number;
  next_step_at: string | null;
  replies_used: number;
};

async function newSender() {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  const send = (json: object = {}) =>
    client.post<Sent & Failure>(inboxPath(address, "/send"), { to: "a@else.example", text: "x", ...json }, { key });
  const sendUntilRefused = async (json: object = {}, at: number = Number.POSITIVE_INFINITY) => {
    for (let sent = 0; ; sent += 1) {
      const answer = await send(json);
      if (answer.status !== 202 || sent > at) return { sent, answer };
    }
  };
  const limit = async () => (await client.get<Limit>(inboxPath(address, "/send-limit"), { key })).body;
  /** Hands a mail over by SMTP, and waits until it is parsed. */
  const receive = async (from: string) => {
    await service.mail({ from, to: address });
    const list = await client.get<Page<{ id: string }>>(inboxPath(address, "/messages?limit=1"), { key });
    await client.get(`/v1/messages/${list.body.data[0]?.id}`, { key });
  };
  return { key, address, send, sendUntilRefused, limit, receive };
}

describe("200 of send-limit", () => {
  test("the first day", async () => {
    const { send, limit } = await newSender();
    const fresh = { limit: 2, used: 0, remaining: 2, step: 1 };
    const midnight = "2031-03-02T00:00:00.000Z";
    expect(await limit()).toEqual({
      ...fresh,
      replies_used: 0,
      replies_limit: 20,
      resets_at: midnight,
      next_step_at: midnight,
      next_step_needs: expect.stringContaining("less than 5% bounces"),
      held: false,
      domain: { name: "mail.example", limit: 20, used: 0, remaining: 20, step: 1, next_step_at: midnight },
      organization: { limit: 40, used: 0, remaining: 40, step: 1, next_step_at: midnight },
      paused: null,
    });
    await send();
    expect(await limit()).toMatchObject({ limit: 2, used: 1, remaining: 1 });
  });

  test("each UTC day is a step, and the last step stays", async () => {
    const { send, limit } = await newSender();
    await send();
    for (const [day, expected] of [
      [1, 3],
      [2, 5],
      [3, 5],
      [400, 5],
    ] as const) {
      clock.set(new Date(Date.parse("2031-03-01T00:00:00.000Z") + day * DAY_MS));
      expect(await limit()).toMatchObject({
        limit: expected,
        used: 0,
        remaining: expected,
        step: Math.min(day, 2) + 1,
      });
    }
    expect((await limit()).next_step_at).toBeNull();
  });

  test("a mailbox made a second before midnight is a day old after it", async () => {
    clock.set("2031-03-01T23:59:58.000Z");
    const { limit } = await newSender();
    expect((await limit()).step).toBe(1);
    clock.set("2031-03-02T00:00:00.000Z");
    expect(await limit()).toMatchObject({ step: 2, resets_at: "2031-03-03T00:00:00.000Z" });
  });
});

describe("429", () => {
  test("daily_send_cap_exceeded, with whole seconds to the next UTC midnight", async () => {
    const { sendUntilRefused, limit } = await newSender();
    const { sent, answer } = await sendUntilRefused();
    expect([sent, answer.status, answer.body.error.code]).toEqual([2, 429, "daily_send_cap_exceeded"]);
    const left = (Date.parse("2031-03-02T00:00:00.000Z") - clock.now().getTime()) / 1000;
    expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
    expect(Math.abs(Number(answer.headers["retry-after"]) - left)).toBeLessThan(20);
    expect(await limit()).toMatchObject({ used: 2, remaining: 0 });
  });

  test("after Retry-After it goes on, at the next step", async () => {
    const { sendUntilRefused } = await newSender();
    const { answer } = await sendUntilRefused();
    clock.advance(Number(answer.headers["retry-after"]) * 1000);
    expect((await sendUntilRefused()).sent).toBe(3);
  });

  test("just before midnight Retry-After is 1, never 0", async () => {
    const { sendUntilRefused } = await newSender();
    clock.set("2031-03-01T23:59:30.000Z");
    await sendUntilRefused();
    clock.set("2031-03-01T23:59:59.001Z");
    const { answer } = await sendUntilRefused();
    if (answer.status === 429) expect(answer.headers["retry-after"]).toBe("1");
  });

  test("a refused send leaves nothing behind, and its idempotency key free", async () => {
    const { send, sendUntilRefused, key, address } = await newSender();
    await sendUntilRefused();
    expect((await send({ idempotency_key: "k" })).status).toBe(429);
    const list = await client.get<{ data: object[] }>(inboxPath(address, "/messages"), { key });
    expect(list.body.data).toHaveLength(2);
    clock.advance(DAY_MS);
    expect((await send({ idempotency_key: "k" })).status).toBe(202);
    expect((await send({ idempotency_key: "k" })).status).toBe(202);
  });

  test("a repeated send is answered over the cap too", async () => {
    const { send, sendUntilRefused } = await newSender();
    const first = await send({ idempotency_key: "k" });
    await sendUntilRefused();
    const again = await send({ idempotency_key: "k" });
    expect([again.status, again.body]).toEqual([202, first.body]);
  });

  test("replies to someone who wrote do not count, up to ten times the cap", async () => {
    const { receive, sendUntilRefused, limit } = await newSender();
    await receive("Writer@Else.Example");
    const { sent, answer } = await sendUntilRefused({ to: "Writer <writer@ELSE.example>" });
    expect([sent, answer.status, answer.body.error.code]).toEqual([20, 429, "daily_send_cap_exceeded"]);
    expect(await limit()).toMatchObject({ used: 0, remaining: 2, replies_used: 20 });
    expect((await sendUntilRefused()).sent).toBe(2);
  });

  test("a send to someone who wrote and someone who did not counts one each; to another mailbox no one wrote", async () => {
    const [a, b] = [await newSender(), await newSender()];
    await a.receive("writer@else.example");
    expect((await a.sendUntilRefused({ to: ["writer@else.example"], bcc: ["new@else.example"] })).sent).toBe(2);
    expect(await a.limit()).toMatchObject({ used: 2, replies_used: 2 });
    expect((await b.sendUntilRefused({ to: "writer@else.example" })).sent).toBe(2);
  });

  test("each recipient counts once, in any spelling and field, and what does not fit is refused as a whole", async () => {
    clock.set("2031-03-03T09:00:00.000Z");
    const { send, limit } = await newSender();
    clock.advance(2 * DAY_MS);
    const four = {
      to: ["a@else.example", "A <A@Else.Example>"],
      cc: ["b@else.example", "c@else.example"],
      bcc: ["d@else.example"],
    };
    expect((await send(four)).status).toBe(202);
    expect(await limit()).toMatchObject({ limit: 5, used: 4, remaining: 1 });
    const { status, body } = await send({ to: ["e@else.example", "f@else.example"] });
    expect([status, body.error.code]).toEqual([429, "daily_send_cap_exceeded"]);
    expect(body.error.message).toContain("2 recipients of this message count against the daily cap, and 1 of 5");
    expect(await limit()).toMatchObject({ used: 4 });
    expect((await send({ to: "e@else.example" })).status).toBe(202);
    expect(await limit()).toMatchObject({ used: 5, remaining: 0 });
  });

  test("more recipients than the whole cap", async () => {
    const { send, limit } = await newSender();
    const { status, headers } = await send({ to: ["a@else.example", "b@else.example", "c@else.example"] });
    expect([status, Number(headers["retry-after"]) > 0]).toEqual([429, true]);
    expect(await limit()).toMatchObject({ used: 0 });
  });

  test("each mailbox has a separate cap", async () => {
    const { key, sendUntilRefused } = await newSender();
    await sendUntilRefused();
    const other = await client.createInbox(key);
    const json = { to: "a@else.example", text: "x" };
    expect((await client.post<Sent>(inboxPath(other.address, "/send"), json, { key })).status).toBe(202);
  });
});

describe("404", () => {
  test("unknown, deleted and another's mailboxes", async () => {
    const [mine, stranger] = [await newSender(), await newSender()];
    await client.delete(inboxPath(mine.address), { key: mine.key });
    for (const name of [mine.address, stranger.address, "nobody@mail.example"]) {
      const { status, body } = await client.get(inboxPath(name, "/send-limit"), { key: mine.key });
      expect([name, status, body.error.code]).toEqual([name, 404, "inbox_not_found"]);
    }
  });
});
