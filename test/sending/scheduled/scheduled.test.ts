// `send_at` on send, reply and forward: what the caller sees until the message leaves.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import type { Failure } from "#test/support/api.ts";
import { adjustableClock } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";
import { startReplyRig } from "../reply-rig.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const NOW = "2031-03-01T09:00:00.000Z";
const clock = adjustableClock();
clock.set(NOW);
const rig = await startReplyRig({ ROLES: "web,smtp,worker" }, { now: clock.now });
const { client, service } = rig;
afterAll(rig.stop);

const ahead = (ms: number) => new Date(clock.now().getTime() + ms).toISOString();

async function scheduledMessage(json: object = {}) {
  const mailbox = await rig.newReader();
  const send_at = ahead(HOUR_MS);
  const sent = await mailbox.send({ to: "ann@else.example", send_at, ...json });
  const read = async () => (await client.get<Record<string, unknown>>(`/v1/messages/${sent.body.id}`, mailbox)).body;
  return { ...mailbox, send_at, sent, read };
}

describe("202", () => {
  test("the message is scheduled, shown with its time, counts nothing, and leaves at its time with that date", async () => {
    const { sent, send_at, read, used, list } = await scheduledMessage({ subject: "Later" });
    expect([sent.status, sent.body.status]).toEqual([202, "scheduled"]);
    expect(await read()).toMatchObject({
      status: "scheduled",
      send_at,
      sent_at: null,
      recipients: [{ status: "queued" }],
    });
    expect((await list())[0]).toMatchObject({ status: "scheduled", send_at });
    expect(await used()).toBe(0);
    clock.advance(HOUR_MS + 1_000);
    const left = await rig.departed(sent.body.id);
    expect(left.subject).toBe("Later");
    expect(Date.parse(String(left.headers.date?.[0]))).toBeGreaterThanOrEqual(Date.parse(send_at) - 1_000);
    await expect.poll(async () => (await read()).status).toBe("sent");
    expect(await read()).toMatchObject({ send_at });
    expect(await used()).toBe(1);
  });

  test("a reply and a forward, in their thread", async () => {
    const mailbox = await rig.newReader();
    const id = await mailbox.receive({ messageId: "<one@else.example>" });
    const send_at = ahead(HOUR_MS);
    const reply = await mailbox.reply(id, { text: "x", send_at });
    const forward = await mailbox.forward(id, { to: "b@else.example", send_at });
    expect([reply, forward].map(({ body }) => body.status)).toEqual(["scheduled", "scheduled"]);
    expect(reply.body.thread_id).toBe(forward.body.thread_id);
    // Scheduled messages do not make the thread move on.
    expect((await mailbox.reply(id, { text: "now", expected_last_message_id: id })).status).toBe(202);
    clock.advance(HOUR_MS + 1_000);
    for (const { body } of [reply, forward]) expect(await rig.departed(body.id)).toBeDefined();
  });

  test("a repeated idempotency key returns the scheduled message, also when its time is past", async () => {
    const { sent, send_at, send } = await scheduledMessage({ idempotency_key: "k" });
    const json = { to: "ann@else.example", send_at, idempotency_key: "k" };
    expect((await send(json)).body).toEqual(sent.body);
    clock.advance(HOUR_MS + 1_000);
    await rig.departed(sent.body.id);
    expect((await send(json)).body).toEqual({ ...sent.body, status: "queued" });
    const other = (await send({ ...json, send_at: ahead(HOUR_MS) })) as unknown as { status: number; body: Failure };
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_conflict"]);
  });

  test("a dry run checks what a scheduled message is refused for, and schedules nothing", async () => {
    const mailbox = await rig.newReader();
    const path = `/v1/inboxes/${mailbox.id}/send?dry_run=true`;
    const { body } = await client.post<{ would_send: boolean }>(
      path,
      { to: "a@else.example", text: "x", send_at: ahead(HOUR_MS) },
      mailbox,
    );
    expect(body.would_send).toBe(true);
    expect(await mailbox.list()).toEqual([]);
  });
});

describe("DELETE /v1/messages/{id}", () => {
  test("cancels: the message never leaves, counts nothing, and its key is free", async () => {
    const { sent, key, used, list, send } = await scheduledMessage({ idempotency_key: "k" });
    expect((await client.delete(`/v1/messages/${sent.body.id}`, { key })).status).toBe(200);
    clock.advance(2 * HOUR_MS);
    const after = await send({ to: "after@else.example", idempotency_key: "k" });
    await rig.departed(after.body.id);
    expect(await list()).toHaveLength(1);
    expect(await used()).toBe(1);
    const rows = await service.system.sql`
      select 1 from scheduled_sends where message_id = ${decodeId("msg", sent.body.id) ?? ""}`;
    expect(rows).toHaveLength(0);
  });

  test("after it left: the recipient stays counted", async () => {
    const { sent, key, used } = await scheduledMessage();
    clock.advance(HOUR_MS + 1_000);
    await rig.departed(sent.body.id);
    expect((await client.delete(`/v1/messages/${sent.body.id}`, { key })).status).toBe(200);
    expect(await used()).toBe(1);
  });
});

describe("400", () => {
  test("a time in the past, 31 days ahead, without an offset, or in another form is refused", async () => {
    const mailbox = await rig.newReader();
    const id = await mailbox.receive();
    const bad = [
      ahead(-1_000),
      ahead(31 * DAY_MS),
      "2031-03-01T10:00:00",
      "tomorrow",
      "",
      5,
      {},
      "9999999-01-01T00:00:00Z",
    ];
    for (const send_at of bad) {
      const answers = [
        await mailbox.send({ to: "a@else.example", send_at }),
        await mailbox.reply(id, { text: "x", send_at }),
        await mailbox.forward(id, { to: "a@else.example", send_at }),
      ];
      for (const { status, body } of answers as unknown as { status: number; body: Failure }[]) {
        expect([send_at, status, body.error?.code]).toEqual([send_at, 400, "invalid_request"]);
        expect(body.error.issues?.[0]?.path).toBe("send_at");
      }
    }
    expect(await mailbox.list()).toHaveLength(1);
  });

  test("30 days are accepted, with any offset", async () => {
    const mailbox = await rig.newReader();
    const send_at = ahead(30 * DAY_MS - 60_000).replace("Z", "+00:00");
    expect((await mailbox.send({ to: "a@else.example", send_at })).status).toBe(202);
  });
});

describe("409", () => {
  test("too_many_scheduled: 1,000 for a mailbox, exactly", async () => {
    const { sent, send, id } = await scheduledMessage();
    await service.system.sql`
      insert into scheduled_sends (message_id, organization_id, inbox_id, send_at, due_at)
      select gen_random_uuid(), organization_id, inbox_id, send_at, due_at from scheduled_sends, generate_series(1, 995)
      where message_id = ${decodeId("msg", sent.body.id) ?? ""}`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => send({ to: "a@else.example", send_at: ahead(HOUR_MS) })),
    );
    const refused = answers.filter(({ status }) => status !== 202) as unknown as { status: number; body: Failure }[];
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(6).fill([409, "too_many_scheduled"]),
    );
    expect((await send({ to: "a@else.example" })).status).toBe(202);
    await service.system.sql`delete from scheduled_sends where inbox_id = ${decodeId("inb", id) ?? ""}`;
  });

  test("domain, suppression and thread are checked immediately too", async () => {
    const { key, send, receive, reply } = await scheduledMessage();
    await client.post("/v1/suppressions", { address: "bob@else.example" }, { key });
    expect((await send({ to: "bob@else.example", send_at: ahead(HOUR_MS) })).status).toBe(422);
    const id = await receive({ messageId: "<first@else.example>" });
    await receive({ subject: "second", inReplyTo: "<first@else.example>", references: "<first@else.example>" });
    const answer = await reply(id, { text: "x", send_at: ahead(HOUR_MS), expected_last_message_id: id });
    expect([answer.status, answer.body.error.code]).toEqual([409, "thread_moved_on"]);
  });
});

test("a scheduled message is deleted with its mailbox", async () => {
  const { sent, key, address } = await scheduledMessage();
  await client.delete(`/v1/inboxes/${encodeURIComponent(address)}`, { key });
  clock.advance(2 * HOUR_MS);
  const rows = () => service.system.sql`
    select 1 from scheduled_sends where message_id = ${decodeId("msg", sent.body.id) ?? ""}`;
  await expect.poll(rows).toHaveLength(0);
  expect(rig.sink.received.filter(({ raw }) => raw.includes(sent.body.id))).toEqual([]);
});

test("another organization neither lists nor cancels it", async () => {
  const [mine, stranger] = [await scheduledMessage(), await service.newOrganization()];
  const { org_id } = (await client.get<{ org_id: string }>("/v1/auth/me", mine)).body;
  const listed = async (organizationId: string) => {
    const { trpc } = await newOwner(service, organizationId);
    return (await trpc.messages.listScheduled.query({})).data.map(({ id }) => id);
  };
  expect([await listed(org_id), await listed(stranger.organizationId)]).toEqual([[mine.sent.body.id], []]);
  expect((await client.delete(`/v1/messages/${mine.sent.body.id}`, { key: stranger.agentKey })).status).toBe(404);
  expect(await mine.read()).toMatchObject({ status: "scheduled" });
});
