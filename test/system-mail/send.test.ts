// Mail of the service itself: what is sent, when it is tried again, and when it is given up.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { newId } from "#server/base/ids.ts";
import type { Outbound, OutboundMail, SendOutcome } from "#server/base/ports/outbound.ts";
import { pruneNotices, sendNotices } from "#server/system-mail/send.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const DAY_MS = 86_400_000;
const clock = adjustableClock();
const service = await startTestService({ ROLES: "web" }, { now: clock.now });
afterAll(service.stop);

const running = new AbortController().signal;
const accepted: SendOutcome = { outcome: "sent", providerMessageId: null, recipients: [] };

/** The service with a scripted outbound adapter. */
function withOutbound(answer: (mail: OutboundMail) => SendOutcome | Promise<SendOutcome>) {
  const mails: OutboundMail[] = [];
  const outbound: Outbound = {
    name: "smtp",
    recognisesRepeats: false,
    usesReturnPaths: false,
    async send(mail) {
      mails.push(mail);
      return answer(mail);
    },
    close: async () => undefined,
  };
  return { mails, ctx: { ...service.system, outbound } };
}

async function notice(to = "owner@elsewhere.example"): Promise<string> {
  const id = newId();
  const at = clock.now();
  const row = {
    id,
    organization_id: newId(),
    to_address: to,
    subject: "A subject",
    text: "A text",
    next_attempt_at: at,
  };
  await service.system.sql`insert into notices ${service.system.sql({ ...row, created_at: at })}`;
  return id;
}

const rowOf = async (id: string) => (await service.system.sql`select * from notices where id = ${id}`)[0];
beforeEach(async () => {
  await service.system.sql`delete from notices`;
});

test("a due notice is sent once, from no-reply at the default domain", async () => {
  const id = await notice();
  const { mails, ctx } = withOutbound(() => accepted);
  expect(await sendNotices(ctx, running)).toBe(1);
  expect(await sendNotices(ctx, running)).toBe(0);
  expect(mails).toMatchObject([
    {
      from: { address: "no-reply@mail.example" },
      to: ["owner@elsewhere.example"],
      subject: "A subject",
      text: "A text",
    },
  ]);
  expect(await rowOf(id)).toMatchObject({ next_attempt_at: null, sent_at: expect.any(Date), error: null, attempts: 1 });
});

describe("a notice that could not be handed over", () => {
  test("is tried again, later and later, as the same message, for two days", async () => {
    const id = await notice();
    const { mails, ctx } = withOutbound(() => ({ outcome: "retry", error: "451 later\r\n\0" }));
    const created = Number((await rowOf(id))?.created_at);
    const pauses: number[] = [];
    for (let round = 0; round < 100; round += 1) {
      await sendNotices(ctx, running);
      const next = (await rowOf(id))?.next_attempt_at as Date | null;
      if (!next) break;
      pauses.push(next.getTime() - clock.now().getTime());
      clock.set(new Date(next.getTime() + 1));
    }
    expect(await rowOf(id)).toMatchObject({ next_attempt_at: null, sent_at: null, error: "451 later " });
    expect(pauses[0]).toBeLessThan(60_000);
    expect(Math.max(...pauses)).toBeLessThan(5 * 3_600_000);
    expect(clock.now().getTime() - created).toBeGreaterThan(1.5 * DAY_MS);
    expect(clock.now().getTime() - created).toBeLessThanOrEqual(2 * DAY_MS);
    expect(new Set(mails.map(({ messageId, id: key }) => `${messageId} ${key}`)).size).toBe(1);
  });

  test("waits as long as it is asked to", async () => {
    const id = await notice();
    const { ctx } = withOutbound(() => ({ outcome: "retry", error: "slow down", retryAfterMs: 7_200_000 }));
    await sendNotices(ctx, running);
    expect(Number((await rowOf(id))?.next_attempt_at) - clock.now().getTime()).toBeGreaterThan(7_000_000);
  });

  test("because it was refused fails immediately", async () => {
    const id = await notice();
    const { ctx } = withOutbound(() => ({ outcome: "refused", error: "550 no such user", recipients: [] }));
    await sendNotices(ctx, running);
    expect(await rowOf(id)).toMatchObject({ next_attempt_at: null, sent_at: null, error: "550 no such user" });
  });

  test("because the adapter threw is tried again, and its neighbours are sent", async () => {
    const [bad, good] = [await notice("bad@elsewhere.example"), await notice()];
    const { ctx } = withOutbound(({ to }) => {
      if (to[0]?.startsWith("bad")) throw new Error("boom");
      return accepted;
    });
    await sendNotices(ctx, running);
    expect(await rowOf(bad)).toMatchObject({
      sent_at: null,
      next_attempt_at: expect.any(Date),
      error: "internal: boom",
    });
    expect(await rowOf(good)).toMatchObject({ sent_at: expect.any(Date) });
  });
});

describe("after thirty days", () => {
  test("sent and failed mail is deleted, pending mail is not", async () => {
    const [sent, refused] = [await notice("sent@else.example"), await notice("refused@else.example")];
    const { ctx } = withOutbound(({ to }) =>
      to[0]?.startsWith("sent") ? accepted : { outcome: "refused", error: "550", recipients: [] },
    );
    await sendNotices(ctx, running);
    const waits = await notice();
    clock.advance(30 * DAY_MS - 60_000);
    expect(await pruneNotices(service.system)).toBe(0);
    clock.advance(120_000);
    expect(await pruneNotices(service.system)).toBe(2);
    expect([await rowOf(sent), await rowOf(refused)]).toEqual([undefined, undefined]);
    expect(await rowOf(waits)).toBeDefined();
    expect(await pruneNotices(service.system)).toBe(0);
  });
});

test("two workers send a notice once; a worker that stops gives back what it has not begun", async () => {
  const ids = [await notice(), await notice(), await notice()];
  const stopping = new AbortController();
  const first = withOutbound(() => {
    stopping.abort();
    return accepted;
  });
  expect(await sendNotices(first.ctx, stopping.signal)).toBe(3);
  const second = withOutbound(() => accepted);
  const third = withOutbound(() => accepted);
  await Promise.all([sendNotices(second.ctx, running), sendNotices(third.ctx, running)]);
  const all = [first, second, third].flatMap(({ mails }) => mails.map(({ id }) => id));
  expect(all.sort()).toEqual(ids.map((id) => `notice-${id}`).sort());
  expect(first.mails).toHaveLength(1);
  for (const id of ids) expect(await rowOf(id)).toMatchObject({ attempts: 1 });
});

test("a notice whose hand-over takes long is renewed, and comes back within a minute when its worker died", async () => {
  const id = await notice();
  const hanging = Promise.withResolvers<void>();
  const { mails, ctx } = withOutbound(async () => {
    await hanging.promise;
    return accepted;
  });
  const sending = sendNotices(ctx, running);
  await expect.poll(() => mails.length).toBe(1);
  clock.advance(40_000);
  const renewedAt = clock.now().getTime();
  const due = async () => (await rowOf(id))?.next_attempt_at.getTime();
  await expect.poll(due, { interval: 100 }).toBeGreaterThanOrEqual(renewedAt + 60_000);
  expect(await sendNotices(ctx, running)).toBe(0);
  hanging.resolve();
  expect(await sending).toBe(1);
  expect(await rowOf(id)).toMatchObject({ attempts: 1, next_attempt_at: null, sent_at: expect.any(Date) });

  const lost = await notice();
  const died = Promise.withResolvers<SendOutcome>();
  const dying = withOutbound(() => died.promise);
  const stopped = clock.now();
  const abandoned = sendNotices({ ...dying.ctx, now: () => stopped }, running);
  await expect.poll(() => dying.mails.length).toBe(1);
  clock.advance(60_000);
  const next = withOutbound(() => accepted);
  expect(await sendNotices(next.ctx, running)).toBe(1);
  died.resolve({ outcome: "retry", error: "too late" });
  await abandoned;
  expect(await rowOf(lost)).toMatchObject({ attempts: 2, sent_at: expect.any(Date), error: null });
});
