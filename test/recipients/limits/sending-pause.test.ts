// Bounces and complaints: they hold the ramp, pause sending at their thresholds, and a member resumes it.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { countOutcome } from "#server/recipients/limits/sending-pause.ts";
import { api, type Failure, inboxPath, type Sent } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { newMember, newOwner, type Person } from "#test/support/team.ts";

const DAY_MS = 86_400_000;
const MORNING = "2031-03-01T09:00:00.000Z";
const MANY = 50;
const clock = adjustableClock();
clock.set(MORNING);
const service = await startTestService({ ROLES: "web", SEND_CAP_RAMP: "1000,2000,3000,4000" }, { now: clock.now });
const client = api(service);
afterAll(() => client.close().then(service.stop));
beforeEach(() => clock.set(MORNING));

const home = await service.newOrganization();
const owner = await newOwner(service, home.organizationId);
const member = await newMember(service, owner, "member");

type Limit = {
  limit: number;
  used: number;
  step: number;
  held: boolean;
  next_step_at: string | null;
  next_step_needs: string | null;
  paused: { since: string; bounce_rate: number; complaint_rate: number; reason: string } | null;
};

async function newSender({ agentKey: key } = home) {
  const { address } = await client.createInbox(key);
  const messages: string[] = [];
  const trySend = (recipients = 1) => {
    const to = Array.from({ length: recipients }, (_, i) => `${messages.length}.${i}@else.example`);
    return client.post<Sent & Failure>(inboxPath(address, "/send"), { to, text: "x" }, { key });
  };
  return {
    key,
    address,
    trySend,
    /** Sends to so many recipients. */
    async send(recipients: number): Promise<void> {
      for (let left = recipients; left > 0; left -= MANY) {
        const count = Math.min(left, MANY);
        const { body, status } = await trySend(count);
        expect(status).toBe(202);
        messages.push(...Array.from({ length: count }, () => body.id));
      }
    },
    /** So many of the newest recipients bounced or complained. */
    async report(kind: "bounced" | "complained", count: number): Promise<void> {
      const outcomes = messages.slice(-count).map((id) => ({ messageId: decodeId("msg", id) ?? "", kind }));
      await service.system.db.transaction((tx) => countOutcome(tx, outcomes, clock.now()));
    },
    limit: async () => (await client.get<Limit>(inboxPath(address, "/send-limit"), { key })).body,
  };
}

const resume = ({ trpc }: Person, addr: string) => trpc.inboxes.resumeSending.mutate({ addr });

describe("the ramp", () => {
  test.each([
    ["5 % bounces of 20", 20, "bounced", 1, true],
    ["less than 5 % bounces", 21, "bounced", 1, false],
    ["19 recipients", 19, "bounced", 1, false],
    ["0.1 % complaints", 1_000, "complained", 1, true],
  ] as const)("%s", async (_name, recipients, kind, count, holds) => {
    const { send, report, limit } = await newSender();
    await send(recipients);
    expect(await limit()).toMatchObject({ held: false, next_step_at: "2031-03-02T00:00:00.000Z" });
    await report(kind, count);
    expect(await limit()).toMatchObject({
      step: 1,
      held: holds,
      next_step_at: holds ? "2031-03-03T00:00:00.000Z" : "2031-03-02T00:00:00.000Z",
      next_step_needs: expect.stringContaining(holds ? "today" : "qualifies"),
    });
    clock.advance(DAY_MS);
    expect(await limit()).toMatchObject({ step: holds ? 1 : 2, limit: holds ? 1000 : 2000, held: holds });
    clock.advance(DAY_MS);
    expect(await limit()).toMatchObject({ step: holds ? 2 : 3, held: false });
    clock.advance(30 * DAY_MS);
    expect(await limit()).toMatchObject({ step: 4, held: false, next_step_at: null, next_step_needs: null });
  });

  test("less than 0.1 % complaints do not hold it", async () => {
    clock.advance(DAY_MS);
    const { send, report, limit } = await newSender();
    clock.advance(DAY_MS);
    await send(1_001);
    await report("complained", 1);
    expect(await limit()).toMatchObject({ step: 2, used: 1_001, held: false });
  });

  test("a late bounce counts for the day of its message", async () => {
    const { send, report, limit } = await newSender();
    await send(20);
    clock.advance(DAY_MS);
    expect(await limit()).toMatchObject({ step: 2, held: false });
    await report("bounced", 1);
    expect(await limit()).toMatchObject({ step: 1, held: true });
  });

  test("a bounce counts for the day on which a member approved its message", async () => {
    const reviewed = await service.newOrganization();
    const { trpc } = await newOwner(service, reviewed.organizationId);
    await trpc.reviews.setPolicy.mutate({ review: "all" });
    const { send, report, limit } = await newSender(reviewed);
    await send(20);
    clock.advance(DAY_MS);
    const { data } = await trpc.reviews.list.query({});
    const { id, sha256 } = await trpc.reviews.get.query({ id: data[0]?.id ?? "" });
    await trpc.reviews.approve.mutate({ id, sha256 });
    await report("bounced", 1);
    expect(await limit()).toMatchObject({ used: 20, held: true, next_step_at: "2031-03-04T00:00:00.000Z" });
  });
});

describe("403 sending_paused", () => {
  test.each([
    ["10 of 100 bounces", 100, "bounced", 10, true],
    ["9 of 100 bounces", 100, "bounced", 9, false],
    ["2 of 20 bounces", 20, "bounced", 2, true],
    ["all of 19 bounced", 19, "bounced", 19, false],
    ["1 of 100 complaints", 100, "complained", 1, true],
    ["1 complaint of 19", 19, "complained", 1, false],
  ] as const)("%s", async (_name, recipients, kind, count, pauses) => {
    const { send, report, trySend, limit } = await newSender();
    await send(recipients);
    await report(kind, count);
    const { paused } = await limit();
    const { status, body } = await trySend();
    expect(status).toBe(pauses ? 403 : 202);
    if (!pauses) return expect(paused).toBeNull();
    const share = count / recipients;
    expect(body.error).toMatchObject({ code: "sending_paused", message: expect.stringContaining(`${100 * share}%`) });
    expect(body.error.fix).toContain("10% of the last 100 recipients, or 0.5% complaints");
    expect(paused).toEqual({
      since: expect.stringMatching(/^2031-03-01T09:00/),
      bounce_rate: kind === "bounced" ? share : 0,
      complaint_rate: kind === "complained" ? share : 0,
      cause: "bounces",
      scope: "inbox",
      paused_by: null,
      reason: expect.stringContaining(`last ${recipients} recipients`),
    });
  });

  test("only the last 100 recipients count", async () => {
    const { send, report, trySend } = await newSender();
    await send(100);
    await report("bounced", 9);
    await send(100);
    await report("bounced", 9);
    expect((await trySend()).status).toBe(202);
    await report("bounced", 1);
    expect((await trySend()).status).toBe(403);
  });

  test("a refused send counts nothing, and replies are refused too", async () => {
    const { send, report, trySend, limit } = await newSender();
    await send(20);
    await report("bounced", 20);
    const { used } = await limit();
    for (const recipients of [1, 5]) expect((await trySend(recipients)).status).toBe(403);
    expect((await limit()).used).toBe(used);
  });

  test("the message that makes 20 recipients is the last one, if the others bounced", async () => {
    const { send, report, trySend } = await newSender();
    await send(19);
    await report("bounced", 19);
    expect((await trySend()).status).toBe(202);
    expect((await trySend()).status).toBe(403);
  });

  test("the pause lasts after midnight, and deleting messages does not end it", async () => {
    const { send, report, trySend, key, address } = await newSender();
    await send(20);
    await report("bounced", 2);
    const { body } = await client.get<{ data: { id: string }[] }>(inboxPath(address, "/messages"), { key });
    for (const { id } of body.data) await client.delete(`/v1/messages/${id}`, { key });
    clock.advance(2 * DAY_MS);
    expect((await trySend()).status).toBe(403);
  });

  test("concurrent reports: each counts once", async () => {
    const { send, report, limit } = await newSender();
    await send(100);
    await Promise.all(Array.from({ length: 9 }, () => report("bounced", 1)));
    expect((await limit()).paused).toBeNull();
  });
});

test("the overview lists paused mailboxes of its organization until sending is resumed", async () => {
  const { send, report, address } = await newSender();
  const where = { kind: "inbox", id: address };
  const problems = async ({ trpc }: Person) => (await trpc.overview.get.query()).problems;
  expect(await problems(owner)).not.toContainEqual(expect.objectContaining({ where }));
  await send(100);
  await report("bounced", 10);
  const text = `Sending from ${address} is paused. Of its last 100 recipients, 10 (10%) bounced and 0 (0%) complained.`;
  expect(await problems(owner)).toContainEqual(
    expect.objectContaining({ severity: "critical", text, since: expect.any(String), where }),
  );
  const other = await service.newOrganization();
  expect(await problems(await newOwner(service, other.organizationId))).toEqual([]);
  await resume(member, address);
  expect(await problems(owner)).not.toContainEqual(expect.objectContaining({ where }));
});

describe("resuming", () => {
  test("counting restarts after a member resumes sending", async () => {
    const { send, report, trySend, limit, address } = await newSender();
    await send(100);
    await report("bounced", 10);
    expect((await limit()).paused).not.toBeNull();
    expect(await resume(member, address)).toMatchObject({ paused: null });
    expect((await trySend()).status).toBe(202);
    // Late outcomes of earlier messages do not pause it again.
    await report("bounced", 10);
    await send(19);
    expect((await limit()).paused).toBeNull();
    await report("bounced", 2);
    expect((await trySend()).status).toBe(403);
    const { data } = await owner.trpc.team.audit.query({ limit: 1, who: "members" });
    expect(data[0]).toMatchObject({ action: "inboxes.resumeSending", subject: address, outcome: "done" });
  });

  test("of a mailbox that is not paused changes nothing", async () => {
    const { send, report, trySend, address } = await newSender();
    await send(100);
    await report("bounced", 9);
    expect(await resume(owner, address)).toMatchObject({ paused: null, used: 100 });
    await report("bounced", 10);
    expect((await trySend()).status).toBe(403);
  });

  test("is refused to agents and to members of another organization", async () => {
    const { send, report, trySend, address, key } = await newSender();
    await send(20);
    await report("complained", 1);
    const stranger = await newOwner(service, (await service.newOrganization()).organizationId);
    await expect(resume(stranger, address)).rejects.toMatchObject({ data: { httpStatus: 404 } });
    const asAgent = await client.exchange("POST", "/trpc/inboxes.resumeSending", { key, json: { addr: address } });
    expect(asAgent.status).toBe(403);
    const path = inboxPath(address, "/resume-sending");
    expect((await client.exchange("POST", path, { key, json: {} })).status).toBe(404);
    expect((await trySend()).status).toBe(403);
  });
});
