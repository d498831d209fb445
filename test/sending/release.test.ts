// What happens to a scheduled message at its time: its thread, mailbox, domain, cap and recipients may have changed.
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { encodeId, newId } from "#server/base/ids.ts";
import { assemble } from "#server/boot/assemble.ts";
import { removeInbox } from "#server/inboxes/remove.ts";
import { removeMessage } from "#server/messages/remove.ts";
import { addListEntry } from "#server/recipients/lists/add.ts";
import { addSuppression } from "#server/recipients/suppressions/add.ts";
import { findAnswered } from "#server/sending/answered.ts";
import { releaseDue } from "#server/sending/release.ts";
import { replyToMessage } from "#server/sending/reply.ts";
import { replyInput } from "#server/sending/schema.ts";
import { transmitQueued } from "#server/sending/transmit.ts";
import { messageIdIn } from "#test/contracts/outbound/contract.ts";
import { type SmtpSink, startSmtpSink } from "#test/support/smtp-sink.ts";
import { type Rig, startRig } from "./transmit-rig.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LEASE_MS = 60_000;
const CAP = 2;
const RACED = 100;

let sink: SmtpSink;
let rig: Rig;
let inbox: { id: string; address: string };
beforeEach(async () => {
  sink = await startSmtpSink();
  rig = await startRig({ OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url, SEND_CAP_RAMP: String(CAP) });
  inbox = await rig.inbox("desk");
});
afterEach(async () => {
  await rig.close();
  await sink.close();
});

const inAnHour = () => new Date(rig.system.now().getTime() + HOUR_MS).toISOString();
const later = (message: object = {}) => rig.send(inbox.address, { send_at: inAnHour(), ...message });
/** Runs the jobs an hour later. */
async function whenDue(ms = HOUR_MS + 1) {
  rig.clock.aheadMs += ms;
  const released = await releaseDue(rig.system);
  await transmitQueued(rig.system);
  return released;
}
const events = () => rig.sql`select kind, body::jsonb->'message' as message from events order by position`;

test("is not looked at before its time, and leaves once", async () => {
  const id = await later();
  expect(await whenDue(HOUR_MS - 5_000)).toBe(0);
  expect(await rig.message(id)).toMatchObject({ status: "scheduled", next_attempt_at: null, attempts: 0 });
  expect(await whenDue(6_000)).toBe(1);
  expect((await rig.message(id))?.status).toBe("sent");
  expect(await whenDue()).toBe(0);
  expect(sink.received).toHaveLength(1);
});

describe("the thread", () => {
  async function answer(expected: (id: string) => string) {
    const first = await rig.send(inbox.address);
    await transmitQueued(rig.system);
    const wireId = encodeId("msg", first);
    const input = { id: wireId, text: "x", send_at: inAnHour(), expected_last_message_id: expected(wireId) };
    const { id } = await replyToMessage(rig.agent, replyInput.parse(input));
    return { first: wireId, id };
  }

  test("has a newer message: failed with the reason thread_moved_on, counted nowhere, and an event says so", async () => {
    const { first, id } = await answer((wireId) => wireId);
    const { message } = await findAnswered(rig.agent, first);
    await rig.sql`
      insert into messages (id, organization_id, inbox_id, thread_id, direction, status, from_address, to_addresses, cc_addresses,
        bcc_addresses, reply_to, subject, references_ids, attachments, size, created_at)
      select ${newId()}, organization_id, inbox_id, thread_id, 'inbound', 'parsed', 'ada@elsewhere.example', to_addresses, '{}', '{}', '{}',
        subject, '{}', '[]', 1, now() from messages where id = ${message.id}`;
    await whenDue();
    const error = expect.stringMatching(/^thread_moved_on: The thread has changed: its newest message is msg_/);
    expect(await rig.message(id)).toMatchObject({ status: "failed", error });
    expect(await rig.recipients(id)).toMatchObject([{ status: "failed", reason: error }]);
    expect((await events()).at(-1)).toMatchObject({
      kind: "message.failed",
      message: { recipient: null, reason: error },
    });
    expect(sink.received).toHaveLength(1);
    const [usage] = await rig.sql`select sum(counted)::int as counted from send_usage`;
    expect(usage?.counted).toBe(1);
  });

  test("is as expected: sent", async () => {
    const { id } = await answer((wireId) => wireId);
    await whenDue();
    expect((await rig.message(id))?.status).toBe("sent");
  });
});

describe("the cap", () => {
  test("is counted on the day on which it leaves, also for later outcomes", async () => {
    const id = await later({
      to: "ada@elsewhere.example",
      send_at: new Date(rig.system.now().getTime() + 3 * DAY_MS).toISOString(),
    });
    sink.faults.rcpt = () => ({ code: 550, text: "5.1.1 Who?" });
    await whenDue(3 * DAY_MS + 1);
    expect((await rig.message(id))?.status).toBe("bounced");
    const day = rig.system.now().toISOString().slice(0, 10);
    expect(await rig.sql`select day::text, counted, bounced from send_usage`).toEqual([
      { day, counted: 1, bounced: 1 },
    ]);
  });

  test("is used up: the message waits for the next day, and then leaves", async () => {
    const ids = [await later(), await later(), await later()];
    await whenDue();
    const statuses = async () => (await Promise.all(ids.map((id) => rig.message(id)))).map((row) => row?.status).sort();
    expect(await statuses()).toEqual(["scheduled", "sent", "sent"]);
    const [row] = await rig.sql`select due_at from scheduled_sends where due_at is not null`;
    expect(row?.due_at.toISOString()).toMatch(/T00:00:00\.000Z$/);
    await whenDue(DAY_MS);
    expect(await statuses()).toEqual(["sent", "sent", "sent"]);
  });

  test("was lowered since: what no longer fits waits for the next day", async () => {
    const ids = [await later(), await later()];
    const settings = { ...rig.system.settings, SEND_CAP_RAMP: [CAP - 1] };
    const lowered = await assemble(settings, rig.system.log, rig.databaseUrl, { now: rig.system.now });
    onTestFinished(lowered.close);
    rig.clock.aheadMs += HOUR_MS + 1;
    const statuses = async () => (await Promise.all(ids.map((id) => rig.message(id)))).map((row) => row?.status).sort();
    await releaseDue(lowered.system);
    expect(await statuses()).toEqual(["queued", "scheduled"]);
    rig.clock.aheadMs += DAY_MS;
    await releaseDue(lowered.system);
    expect(await statuses()).toEqual(["queued", "queued"]);
  });

  test("never fits: it fails seven days after its time", async () => {
    const id = await later({ to: Array.from({ length: CAP + 1 }, (_, i) => `u${i}@elsewhere.example`) });
    for (let day = 0; day < 7; day += 1) await whenDue(DAY_MS);
    expect((await rig.message(id))?.status).toBe("scheduled");
    await whenDue(DAY_MS);
    expect(await rig.message(id)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^daily_send_cap_exceeded: /),
    });
    expect(sink.received).toEqual([]);
  });
});

test("a pause holds it back until a member ends it", async () => {
  const id = await later();
  await rig.sql`
    insert into sending_states (inbox_id, organization_id, recent, paused_at)
    values (${inbox.id}, ${rig.agent.actor.organizationId}, '{}', now())`;
  await whenDue();
  expect((await rig.message(id))?.status).toBe("scheduled");
  await rig.sql`update sending_states set paused_at = null`;
  await whenDue();
  expect((await rig.message(id))?.status).toBe("sent");
});

test("a deleted mailbox: nothing leaves", async () => {
  const id = await later();
  await removeInbox(rig.agent, inbox.address);
  await whenDue();
  expect(await rig.message(id)).toMatchObject({ status: "failed", error: expect.stringMatching(/^inbox_not_found: /) });
  expect(sink.received).toEqual([]);
});

test("a domain that was lost: failed with its reason", async () => {
  const second = await rig.inbox("desk", "second.example.com");
  const id = await rig.send(second.address, { send_at: inAnHour() });
  await rig.sql`delete from domain_grants where domain = 'second.example.com'`;
  await rig.sql`
    insert into domains (id, organization_id, domain, status, token, records, created_at, next_check_at)
    values (${newId()}, ${rig.agent.actor.organizationId}, 'second.example.com', 'lost', 'x', '[]', now(), now())`;
  await whenDue();
  expect(await rig.message(id)).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/^domain_not_ready: /),
  });
});

test("a recipient who was put on a block list: failed with its reason, and nothing leaves", async () => {
  const id = await later({ to: ["ada@elsewhere.example", "bob@elsewhere.example"] });
  await addListEntry(rig.agent, { direction: "send", list: "block", inbox: undefined, entry: "ada@elsewhere.example" });
  await whenDue();
  expect(await rig.message(id)).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/^recipient_blocked: /),
  });
  expect(sink.received).toEqual([]);
});

test("a recipient who was suppressed gets nothing; the others get the message", async () => {
  const id = await later({ to: ["ada@elsewhere.example", "bob@elsewhere.example"] });
  await addSuppression(rig.agent, { address: "ada@elsewhere.example", reason: "asked" });
  await whenDue();
  expect((await rig.recipients(id)).map(({ status }) => status)).toEqual(["suppressed", "sent"]);
  expect(sink.received.map(({ to }) => to)).toEqual([["bob@elsewhere.example"]]);
});

describe("two processes", () => {
  async function second() {
    const other = await assemble(rig.system.settings, rig.system.log, rig.databaseUrl, { now: rig.system.now });
    onTestFinished(other.close);
    return other.system;
  }

  test(`release and send ${RACED} messages once each`, async () => {
    await rig.sql`update inboxes set created_at = now()`;
    const many = await startRig({ OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url });
    onTestFinished(many.close);
    const { address } = await many.inbox("desk");
    const send_at = new Date(many.system.now().getTime() + HOUR_MS).toISOString();
    for (let i = 0; i < RACED; i += 1) await many.send(address, { to: `u${i}@elsewhere.example`, send_at });
    const other = await assemble(many.system.settings, many.system.log, many.databaseUrl, { now: many.system.now });
    onTestFinished(other.close);
    many.clock.aheadMs += HOUR_MS + 1;
    const work = async (system: Rig["system"]) => {
      while ((await releaseDue(system)) + (await transmitQueued(system)) > 0);
    };
    await Promise.all([work(many.system), work(other.system), work(many.system), work(other.system)]);
    expect(new Set(sink.received.map(({ raw }) => messageIdIn(raw))).size).toBe(RACED);
    expect(sink.received).toHaveLength(RACED);
    const [usage] = await many.sql`select sum(counted)::int as counted from send_usage`;
    expect(usage?.counted).toBe(RACED);
  });

  test("one dies with a lease: the other takes over when it ends", async () => {
    const id = await later();
    rig.clock.aheadMs += HOUR_MS + 1;
    await rig.sql`update scheduled_sends set due_at = ${new Date(rig.system.now().getTime() + LEASE_MS)}`;
    const other = await second();
    expect(await releaseDue(other)).toBe(0);
    rig.clock.aheadMs += LEASE_MS + 1;
    expect(await releaseDue(other)).toBe(1);
    expect((await rig.message(id))?.status).toBe("queued");
  });

  test("a cancellation during the release: sent or deleted, never both", async () => {
    const ids = [await later(), await later()];
    rig.clock.aheadMs += HOUR_MS + 1;
    await Promise.all([
      releaseDue(rig.system),
      releaseDue(await second()),
      ...ids.map((id) => removeMessage(rig.agent, encodeId("msg", id))),
    ]);
    await transmitQueued(rig.system);
    expect(await Promise.all(ids.map((id) => rig.message(id)))).toEqual([undefined, undefined]);
    expect(await rig.sql`select 1 from scheduled_sends`).toHaveLength(0);
    expect(sink.received).toEqual([]);
  });
});
