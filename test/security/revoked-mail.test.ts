// Mail of revoked keys: what waits is held until a member releases it, and what is scheduled meets the policy of its time.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { api, type Failure, inboxPath, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { newOwner } from "#test/support/team.ts";

const HOUR_MS = 3_600_000;
const MAX_KEYS = 3;
const clock = adjustableClock();
const sink = await startSmtpSink();
const service = await startTestService(
  {
    OUTBOUND: "smtp",
    OUTBOUND_SMTP_URL: sink.url,
    SEND_CAP_RAMP: "3",
    RATE_LIMIT_PER_SECOND: "1000",
    MAX_KEYS_PER_AGENT: String(MAX_KEYS),
  },
  { now: clock.now },
);
const client = api(service);
afterAll(async () => {
  await client.close();
  await service.stop();
  await sink.close();
});

let people = 0;

async function newTeam() {
  const organization = await service.newOrganization();
  const owner = await newOwner(service, organization.organizationId);
  const { address } = await client.createInbox(organization.agentKey);
  const { id, key } = await service.newAgentKey(organization.enrollmentKeyId, { handle: "writer" });
  const wire = (wireId: string) => decodeId("msg", wireId) ?? "";
  /** A message of `by`, to someone who gets no other. */
  async function send(by: string, more: object = {}) {
    people += 1;
    const to = `r${people}@elsewhere.example`;
    const json = { to, text: "x", ...more };
    const { status, body } = await client.post<Sent & Failure>(inboxPath(address, "/send"), json, { key: by });
    expect(status).toBe(202);
    return { id: body.id, to, status: body.status };
  }
  return {
    ...organization,
    owner,
    address,
    /** The key that is revoked. */
    writer: { id, key },
    send,
    later: (by: string, hours: number) =>
      send(by, { send_at: new Date(clock.now().getTime() + hours * HOUR_MS).toISOString() }),
    /** One whose next attempt is hours away: the relay refused it for now. */
    async retried(by: string) {
      sink.faults.mail = { code: 451, text: "4.7.1 Later" };
      const sent = await send(by);
      await eventually(async () => {
        const [row] = await service.system.sql`select status, attempts from messages where id = ${wire(sent.id)}`;
        expect(row).toMatchObject({ status: "queued", attempts: 1 });
      });
      sink.faults.mail = undefined;
      return sent;
    },
    async becomes(messageId: string, status: string) {
      await eventually(async () => {
        const [row] = await service.system.sql`select status from messages where id = ${wire(messageId)}`;
        expect(row?.status).toBe(status);
      });
    },
    async review(messageId: string) {
      return owner.trpc.reviews.get.query({ id: messageId });
    },
    async used() {
      const { trpc } = owner;
      return (await trpc.messages.sendLimit.query({ addr: address })).used;
    },
  };
}
type Team = Awaited<ReturnType<typeof newTeam>>;
const got = (to: string) => sink.received.filter((mail) => mail.to.includes(to)).length;

describe("a revoked key", () => {
  test.each<[string, (team: Team) => Promise<unknown>]>([
    ["an agent key", ({ owner, writer }) => owner.trpc.keys.revokeAgentKey.mutate({ id: writer.id })],
    ["its enrollment key", ({ owner, enrollmentKeyId }) => owner.trpc.keys.revoke.mutate({ id: enrollmentKeyId })],
  ])("%s: its scheduled and queued mail is held, and a member releases or rejects it", async (_name, revoke) => {
    const team = await newTeam();
    const { owner, writer, becomes, review } = team;
    const scheduled = await team.later(writer.key, 2);
    const rejected = await team.later(writer.key, 2);
    const queued = await team.retried(writer.key);
    await revoke(team);
    for (const { id } of [scheduled, rejected, queued]) await becomes(id, "held");
    expect(await review(scheduled.id)).toMatchObject({ status: "pending", cause: "key_revoked" });
    const { trpc } = owner;
    const usedBefore = await team.used();
    await trpc.reviews.reject.mutate({ id: rejected.id, sha256: (await review(rejected.id)).sha256 });
    await trpc.reviews.approve.mutate({ id: scheduled.id, sha256: (await review(scheduled.id)).sha256 });
    await trpc.reviews.approve.mutate({ id: queued.id, sha256: (await review(queued.id)).sha256 });
    await becomes(queued.id, "sent");
    expect(await team.used()).toBe(usedBefore);
    await becomes(scheduled.id, "scheduled");
    expect(got(scheduled.to)).toBe(0);
    clock.advance(2 * HOUR_MS);
    await becomes(scheduled.id, "sent");
    await becomes(rejected.id, "rejected");
    expect([got(queued.to), got(scheduled.to), got(rejected.to)]).toEqual([1, 1, 0]);
  });

  test("a key below it: its mail is held too, and that of other keys leaves", async () => {
    const { writer, agentKey, later, becomes, owner } = await newTeam();
    const issued = await client.post<{ id: string; key: string }>(
      "/v1/keys",
      { scopes: ["mailbox:send"] },
      { key: writer.key },
    );
    const below = await later(issued.body.key, 1);
    const other = await later(agentKey, 1);
    await owner.trpc.keys.revokeAgentKey.mutate({ id: writer.id });
    await becomes(below.id, "held");
    clock.advance(HOUR_MS);
    await becomes(other.id, "sent");
    expect(got(below.to)).toBe(0);
  });

  test("what a member wrote or approved leaves", async () => {
    const { owner, writer, address, later, becomes, review } = await newTeam();
    await owner.trpc.reviews.setPolicy.mutate({ inbox: address, review: "all" });
    const approved = await later(writer.key, 1);
    expect(approved.status).toBe("held");
    await owner.trpc.reviews.approve.mutate({ id: approved.id, sha256: (await review(approved.id)).sha256 });
    await becomes(approved.id, "scheduled");
    await owner.trpc.keys.revokeAgentKey.mutate({ id: writer.id });
    clock.advance(HOUR_MS);
    await becomes(approved.id, "sent");
  });

  test("that a newer key of its agent replaced stops no mail", async () => {
    const { writer, enrollmentKeyId, later, becomes } = await newTeam();
    const sent = await later(writer.key, 1);
    for (let i = 0; i < MAX_KEYS; i += 1) await service.newAgentKey(enrollmentKeyId, { handle: "writer" });
    await eventually(async () => expect((await client.get("/v1/auth/me", { key: writer.key })).status).toBe(401));
    clock.advance(HOUR_MS);
    await becomes(sent.id, "sent");
  });
});

describe("a scheduled message", () => {
  test("waits for a member if its mailbox needs an approval by then", async () => {
    const { owner, writer, address, later, becomes, review } = await newTeam();
    const sent = await later(writer.key, 1);
    await owner.trpc.reviews.setPolicy.mutate({ inbox: address, review: "all" });
    clock.advance(HOUR_MS);
    await becomes(sent.id, "held");
    const { sha256, cause } = await review(sent.id);
    expect([cause, got(sent.to)]).toEqual(["policy", 0]);
    await owner.trpc.reviews.approve.mutate({ id: sent.id, sha256 });
    await becomes(sent.id, "sent");
    expect(got(sent.to)).toBe(1);
  });

  test("of a member leaves although agents' mail needs an approval", async () => {
    const { owner, address, becomes } = await newTeam();
    const send_at = new Date(clock.now().getTime() + HOUR_MS).toISOString();
    people += 1;
    const { id } = await owner.trpc.messages.send.mutate({
      addr: address,
      to: `r${people}@elsewhere.example`,
      text: "x",
      send_at,
    });
    await owner.trpc.reviews.setPolicy.mutate({ inbox: address, review: "all" });
    clock.advance(HOUR_MS);
    await becomes(id, "sent");
  });
});
