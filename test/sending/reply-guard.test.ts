// POST /v1/messages/{id}/reply and /forward: the optimistic guard, idempotency keys, and what the daily cap counts.
import { afterAll, describe, expect, test } from "vitest";
import { startReplyRig } from "./reply-rig.ts";

const AT_ONCE = 20;
const UNKNOWN = "msg_01jd3m9v5sf0b8j3mgz7qk2x4c";
const CAP = 3;

// Without a worker: a message is as it was queued.
const rig = await startReplyRig({ ROLES: "web,smtp" });
/** Mail of else.example is aligned when it comes from this machine. */
const zone = { "else.example": { TXT: [["v=spf1 ip4:127.0.0.1 -all"]] } };
const capped = await startReplyRig({ ROLES: "web,smtp", SEND_CAP_RAMP: String(CAP) }, { zone });
const { newReader, service } = rig;
afterAll(() => Promise.all([rig.stop(), capped.stop()]));

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

describe("expected_last_message_id", () => {
  test("the newest of the thread goes through, in either direction; an older one is 409 and the newest is named", async () => {
    const reader = await newReader();
    const first = await reader.receive({ messageId: "<a@else.example>" });
    const second = await reader.receive({ text: "2", inReplyTo: "<a@else.example>" });
    const late = await reader.reply(first, { text: "x", expected_last_message_id: first });
    expect([late.status, late.body.error?.code]).toEqual([409, "thread_moved_on"]);
    expect(late.body.error.message).toContain(second);
    const good = await reader.reply(first, { text: "x", expected_last_message_id: second });
    expect(good.status).toBe(202);
    const after = await reader.forward(second, { to: "b@else.example", expected_last_message_id: second });
    expect([after.status, after.body.error?.message.includes(good.body.id)]).toEqual([409, true]);
    const last = await reader.forward(second, { to: "b@else.example", expected_last_message_id: good.body.id });
    expect([last.status, last.body.thread_id]).toEqual([202, good.body.thread_id]);
    expect(await reader.list()).toHaveLength(4);
  });

  test("a message of another thread, or an unknown one, is never the newest", async () => {
    const reader = await newReader();
    const [id, other] = [await reader.receive(), await reader.receive({ text: "2" })];
    for (const expected_last_message_id of [other, UNKNOWN]) {
      const { status, body } = await reader.reply(id, { text: "x", expected_last_message_id });
      expect([status, body.error?.code]).toEqual([409, "thread_moved_on"]);
    }
  });

  test(`of ${AT_ONCE} concurrent replies that expect the same, one succeeds`, async () => {
    const reader = await newReader();
    const id = await reader.receive();
    const json = { text: "x", expected_last_message_id: id };
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) =>
        i % 2 ? reader.reply(id, json) : reader.forward(id, { ...json, to: "b@else.example" }),
      ),
    );
    expect(statuses(answers)).toEqual([202, ...Array(AT_ONCE - 1).fill(409)]);
    expect(await reader.list()).toHaveLength(2);
  });

  test("mail that comes in at the same time is either seen or comes after", async () => {
    const reader = await newReader();
    const id = await reader.receive({ messageId: "<a@else.example>" });
    const [answer, incoming] = await Promise.all([
      reader.reply(id, { text: "x", expected_last_message_id: id }),
      reader.receive({ text: "2", inReplyTo: "<a@else.example>" }),
    ]);
    if (answer.status === 409) expect(answer.body.error.message).toContain(incoming);
    else expect(answer.status).toBe(202);
    expect(new Set((await reader.list()).map((message) => message.thread_id)).size).toBe(1);
  });
});

describe("idempotency", () => {
  test("the same key and body is the same reply, also when the thread has moved on by it", async () => {
    const reader = await newReader();
    const id = await reader.receive();
    const json = { text: "x", expected_last_message_id: id };
    const first = await reader.reply(id, { ...json, idempotency_key: "k" });
    const again = await reader.reply(id, { ...json, reply_all: false, idempotency_key: "k" });
    const byHeader = await reader.reply(id, json, { "idempotency-key": "k" });
    expect([first.status, again.status, byHeader.status]).toEqual([202, 202, 202]);
    expect([again.body, byHeader.body]).toEqual([first.body, first.body]);
    expect(await reader.list()).toHaveLength(2);
  });

  test(`${AT_ONCE} concurrently with one key, and the guard: one message, the same 202 for all`, async () => {
    const reader = await newReader();
    const id = await reader.receive();
    const json = { text: "x", idempotency_key: "k", expected_last_message_id: id };
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => reader.reply(id, json)));
    expect(statuses(answers)).toEqual(Array(AT_ONCE).fill(202));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await reader.list()).toHaveLength(2);
  });

  test("send, reply and forward share an organization's keys; another request is 409", async () => {
    const reader = await newReader();
    const [id, other] = [await reader.receive(), await reader.receive({ text: "2" })];
    expect((await reader.send({ to: "a@else.example", idempotency_key: "sent" })).status).toBe(202);
    expect((await reader.reply(id, { text: "x", idempotency_key: "replied" })).status).toBe(202);
    const to = "b@else.example";
    expect((await reader.forward(id, { to, idempotency_key: "forwarded" })).status).toBe(202);
    const repeated = await reader.forward(id, { to: [to].flat()[0], idempotency_key: "forwarded" });
    expect(repeated.status).toBe(202);
    const conflicts = [
      await reader.reply(id, { text: "x", idempotency_key: "sent" }),
      await reader.reply(id, { text: "y", idempotency_key: "replied" }),
      await reader.reply(id, { text: "x", reply_all: true, idempotency_key: "replied" }),
      await reader.reply(other, { text: "x", idempotency_key: "replied" }),
      await reader.forward(id, { to, text: "x", idempotency_key: "replied" }),
      await reader.forward(other, { to, idempotency_key: "forwarded" }),
      await reader.send({ to: "a@else.example", idempotency_key: "replied" }),
    ];
    for (const { status, body } of conflicts as { status: number; body: unknown }[]) {
      expect([status, body]).toMatchObject([409, { error: { code: "idempotency_conflict" } }]);
    }
    expect(await reader.list()).toHaveLength(5);
  });

  test("a refused reply does not use up its key", async () => {
    const reader = await newReader();
    const id = await reader.receive();
    const json = { text: "x", idempotency_key: "k" };
    expect((await reader.reply(id, { ...json, expected_last_message_id: UNKNOWN })).status).toBe(409);
    expect((await reader.reply(id, json)).status).toBe(202);
  });
});

describe("the daily cap", () => {
  test("replies to who wrote do not count and stop at ten times the cap", async () => {
    const reader = await capped.newReader();
    const id = await reader.receive();
    // Parses it.
    await reader.read(id);
    for (let sent = 0; sent < 10 * CAP; sent += 1) expect((await reader.reply(id)).status).toBe(202);
    const { status, body, headers } = await reader.reply(id);
    expect([status, body.error.code]).toEqual([429, "daily_send_cap_exceeded"]);
    expect(headers["retry-after"]).toMatch(/^\d+$/);
    expect(await reader.used()).toBe(0);
  });

  test("replies that go to others too, and forwards to people who never wrote, count", async () => {
    const reader = await capped.newReader();
    const id = await reader.receive({ cc: "copy@else.example" });
    await reader.read(id);
    expect((await reader.reply(id, { text: "x", reply_all: true })).status).toBe(202);
    expect((await reader.forward(id, { to: "boss@else.example" })).status).toBe(202);
    const elsewhere = await reader.receive({ replyTo: "desk@else.example", text: "2" });
    expect((await reader.reply(elsewhere)).status).toBe(202);
    expect(await reader.used()).toBe(CAP);
    const before = (await reader.list()).length;
    expect((await reader.forward(id, { to: "boss@else.example" })).status).toBe(429);
    expect([(await reader.list()).length, (await reader.reply(id)).status]).toEqual([before, 202]);
  });
});

test("replies racing a delete of the mailbox are accepted or not found", async () => {
  const reader = await newReader();
  const id = await reader.receive();
  const [answers] = await Promise.all([
    Promise.all(Array.from({ length: AT_ONCE }, () => reader.reply(id))),
    rig.client.delete(`/v1/inboxes/${reader.id}`, { key: reader.key }),
  ]);
  for (const { status, body } of answers) {
    if (status !== 202) expect([status, body.error.code]).toEqual([404, "message_not_found"]);
  }
  const rows = await service.system.sql`select 1 from messages where inbox_id = (
    select id from inboxes where address = ${reader.address}) and direction = 'outbound'`;
  expect(rows).toHaveLength(answers.filter(({ status }) => status === 202).length);
});
