// The overview: what is wrong, what quota is left, and what the last days brought.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { adjustableClock } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";
import { type Receiver, status } from "#test/webhooks/delivery/receiver.ts";
import { startRig } from "#test/webhooks/rig.ts";

const DAY_MS = 86_400_000;
/** Some way from midnight, so that no test sees two days. */
const NOON = `${new Date(Date.now() + DAY_MS).toISOString().slice(0, 10)}T12:00:00.000Z`;
const NO_DELIVERIES = { succeeded: 0, failed: 0, retrying: 0, waiting: 0, attempts: 0, failed_attempts: 0 };
const clock = adjustableClock();
clock.set(NOON);
const rig = await startRig("web,smtp,worker", { now: clock.now }, { SEND_CAP_RAMP: "4,8" });
const { service, client } = rig;
afterAll(rig.close);
beforeEach(async () => {
  clock.set(NOON);
});

type Grant = Parameters<typeof service.newOrganization>[0];

async function team(grant: Grant = {}) {
  const organization = await service.newOrganization(grant);
  const owner = await newOwner(service, organization.organizationId);
  const read = () => owner.trpc.overview.get.query();
  return { ...organization, key: organization.agentKey, owner, read };
}

/** An organization with one inbox, one webhook, and one member. */
async function furnished(answer?: Receiver["answer"]) {
  const organization = await rig.furnished(answer);
  const { trpc } = await newOwner(service, organization.organizationId);
  return { ...organization, url: organization.receiver.url, overview: () => trpc.overview.get.query() };
}

/** `days` days from now, at noon. */
function go(days: number): void {
  clock.set(new Date(Date.parse(NOON) + days * DAY_MS));
}

describe("nothing yet", () => {
  test("no problems, 14 days without mail, and the steps to take", async () => {
    const { read, enrollmentKeyId } = await team();
    const { days, ...overview } = await read();
    expect(overview).toMatchObject({
      needs: [],
      problems: [],
      keys: [{ id: enrollmentKeyId, used_count: 0, max_mailboxes: 100, used_per_day: 0, days_until_full: null }],
      key_count: 1,
      send_caps: { inboxes: [], resets_at: expect.stringContaining("T00:00:00.000Z") },
      steps: { key: true, inbox: false, webhook: false },
    });
    expect(days).toHaveLength(14);
    expect(days.at(-1)?.day).toBe(NOON.slice(0, 10));
    for (const { day, ...counts } of days) {
      expect([day, counts]).toEqual([day, { received: 0, sent: 0, deliveries: NO_DELIVERIES }]);
    }
  });

  test("the steps that were taken", async () => {
    const { overview } = await furnished();
    expect((await overview()).steps).toEqual({ key: true, inbox: true, webhook: true });
  });
});

describe("the days", () => {
  test("mail in and out, each on its day; what is older is not counted", async () => {
    const { overview, inbox, mail, key } = await furnished();
    const send = () =>
      client.post(inboxPath(inbox.address, "/send"), { to: "a@else.example", subject: "x", text: "x" }, { key });
    for (const [day, received, sent] of [
      [-20, 2, 1],
      [-13, 1, 0],
      [-12, 3, 2],
      [-1, 0, 3],
      [0, 4, 1],
    ] as const) {
      go(day);
      for (let i = 0; i < received; i += 1) await mail();
      for (let i = 0; i < sent; i += 1) expect((await send()).status).toBe(202);
    }
    const { days } = await overview();
    const counts = days.map(({ received, sent }) => [received, sent]);
    const none = Array.from({ length: 10 }, () => [0, 0]);
    expect(counts).toEqual([[1, 0], [3, 2], ...none, [0, 3], [4, 1]]);
  });

  test("mail of deleted inboxes counts, other organizations' does not, a disabled webhook is no mail", async () => {
    const gone = await furnished(status(410));
    const other = await furnished();
    await gone.mail();
    await other.mail();
    await gone.settled("failed");
    await eventually(async () => expect((await gone.read()).active).toBe(false));
    await gone.mail();
    await other.mail();
    await client.delete(inboxPath(gone.inbox.address), { key: gone.key });
    expect((await gone.overview()).days.at(-1)?.received).toBe(2);
    expect((await other.overview()).days.at(-1)?.received).toBe(2);
  });

  test("deliveries and their attempts, on the day of their mail; one that failed so far is no success", async () => {
    const { overview, mail, receiver, settled } = await furnished();
    go(-1);
    await mail();
    await settled("succeeded");
    go(0);
    await mail();
    await settled("succeeded", "succeeded");
    receiver.answer = status(500);
    await mail();
    await settled("pending", "succeeded", "succeeded");
    await eventually(async () =>
      expect((await overview()).days.at(-1)?.deliveries).toEqual({
        ...NO_DELIVERIES,
        succeeded: 1,
        retrying: 1,
        attempts: 2,
        failed_attempts: 1,
      }),
    );
    receiver.answer = status(410);
    await mail();
    await settled("failed", "failed", "succeeded", "succeeded");
    const { days } = await overview();
    expect(days.slice(-3).map(({ deliveries }) => deliveries)).toEqual([
      NO_DELIVERIES,
      { ...NO_DELIVERIES, succeeded: 1, attempts: 1 },
      // The disabled webhook ended the delivery that was retried.
      { ...NO_DELIVERIES, succeeded: 1, failed: 2, attempts: 3, failed_attempts: 2 },
    ]);
  });

  test("one busy webhook among many quiet ones is counted to its end", async () => {
    const { overview, mail, settled, organizationId } = await furnished();
    await mail();
    await settled("succeeded");
    const organization = decodeId("org", organizationId) ?? "";
    const { sql } = service.system;
    await sql`
      insert into webhooks (id, organization_id, url, events, secret, active, created_at)
      select gen_random_uuid(), organization_id, url, events, secret, false, created_at
      from webhooks, generate_series(1, 99) where organization_id = ${organization}`;
    // With an equal share for each of 100 webhooks, 500 would be read of each.
    await sql`
      insert into deliveries (id, organization_id, webhook_id, event_id, status, attempts, created_at, completed_at)
      select (left(id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, organization_id, webhook_id, event_id, status, attempts,
        created_at, completed_at
      from deliveries, generate_series(1, 600) n where organization_id = ${organization}`;
    expect((await overview()).days.at(-1)?.deliveries).toEqual({ ...NO_DELIVERIES, succeeded: 601, attempts: 601 });
  });
});

describe("the quotas", () => {
  test("the fullest first, with a forecast; revoked and expired ones are left out", async () => {
    const { read, organizationId, enrollmentKeyId: roomy, key, owner } = await team({ maxMailboxes: 10 });
    const { enrollmentKeyId: full } = await service.newEnrollment(organizationId, { maxMailboxes: 0 });
    const { enrollmentKeyId: revoked } = await service.newEnrollment(organizationId);
    await owner.trpc.keys.revoke.mutate({ id: revoked });
    await service.newEnrollment(organizationId, { expiresAt: new Date(Date.parse(NOON) + 60_000) });
    clock.advance(120_000);
    for (let i = 0; i < 4; i += 1) await client.createInbox(key);
    const { keys, key_count } = await read();
    expect(keys.map(({ id, used_per_day, days_until_full }) => [id, used_per_day, days_until_full])).toEqual([
      [full, 0, 0],
      // A burst on one day is no pace.
      [roomy, 4, null],
    ]);
    expect(key_count).toBe(2);
    go(1);
    await client.createInbox(key);
    expect((await read()).keys[1]).toMatchObject({ days_until_full: null });
    go(2);
    await client.createInbox(key);
    expect((await read()).keys[1]).toMatchObject({ used_per_day: 3, days_until_full: 2 });
    go(22);
    expect((await read()).keys[1]).toMatchObject({ used_per_day: 0, days_until_full: null });
  });
});

describe("the send caps", () => {
  test("the inboxes nearest to today's cap, which follows their age", async () => {
    const { read, key } = await team();
    const send = async (address: string, times: number) => {
      const json = { to: "a@else.example", subject: "x", text: "x" };
      for (let i = 0; i < times; i += 1) {
        expect((await client.post(inboxPath(address, "/send"), json, { key })).status).toBe(202);
      }
    };
    const old = await client.createInbox(key);
    await send(old.address, 4);
    go(1);
    const fresh = await client.createInbox(key);
    await client.createInbox(key);
    await send(old.address, 4);
    await send(fresh.address, 3);
    const { send_caps } = await read();
    expect(send_caps.inboxes).toEqual([
      { address: fresh.address, sent: 3, cap: 4 },
      { address: old.address, sent: 4, cap: 8 },
    ]);
    expect(Date.parse(send_caps.resets_at)).toBe(Date.parse(NOON) + 1.5 * DAY_MS);
  });
});

describe("the problems", () => {
  test("keys that are used up, nearly so, or expire within a week", async () => {
    const { read, organizationId } = await team();
    const { enrollmentKeyId: full } = await service.newEnrollment(organizationId, { maxMailboxes: 0 });
    const { enrollmentKeyId: nearly, agentKey } = await service.newEnrollment(organizationId, { maxMailboxes: 10 });
    for (let i = 0; i < 8; i += 1) await client.createInbox(agentKey);
    const expiresAt = new Date(Date.parse(NOON) + 9 * DAY_MS);
    const { enrollmentKeyId: expiring } = await service.newEnrollment(organizationId, { expiresAt });
    const told = async () => (await read()).problems.map(({ severity, where }) => [severity, where]);
    expect(await told()).toEqual([["critical", { kind: "key", id: full }]]);
    await client.createInbox(agentKey);
    go(2);
    expect(await told()).toEqual([
      ["critical", { kind: "key", id: full }],
      ["warning", { kind: "key", id: expiring }],
      ["warning", { kind: "key", id: nearly }],
    ]);
    const texts = (await read()).problems.map(({ text }) => text).join("\n");
    expect(texts).toMatch(/used up: 0 of 0.*\n.*expires in 6 days.*\n.*nearly used up: 9 of 10/);
  });

  test("webhooks that fail or were disabled, but for those disabled by hand", async () => {
    const { overview, mail, receiver, webhook, read, register, patch, url } = await furnished(status(500));
    await register();
    await mail();
    await eventually(async () => expect((await read()).failing_since).not.toBeNull());
    const ofWebhook = async () => {
      const { problems } = await overview();
      return problems.filter(({ where }) => where.kind === "webhook" && where.id === webhook.id);
    };
    expect(await ofWebhook()).toMatchObject([
      { severity: "warning", text: expect.stringContaining(`${url} is failing`), since: (await read()).failing_since },
    ]);
    receiver.answer = status(410);
    await mail();
    await eventually(async () => expect((await read()).active).toBe(false));
    expect(await ofWebhook()).toMatchObject([
      {
        severity: "critical",
        text: expect.stringContaining("answered 410"),
        since: expect.any(String),
        fix: expect.any(String),
      },
    ]);
    receiver.answer = status(200);
    await patch({ active: true });
    expect(await ofWebhook()).toEqual([]);
    await patch({ active: false });
    expect(await ofWebhook()).toEqual([]);
  });

  test("messages that could not be sent, one line for each inbox, for as long as it is news", async () => {
    const { read, key } = await team();
    const { address } = await client.createInbox(key);
    const jsonTo = (to: string) => ({ to, subject: "x", text: "x" });
    const path = inboxPath(address, "/send");
    await client.post(path, jsonTo("nobody@mail.example"), { key });
    const { body } = await client.post<{ id: string; thread_id: string }>(path, jsonTo("none@mail.example"), { key });
    await eventually(async () => {
      expect((await read()).problems).toMatchObject([
        {
          severity: "warning",
          text: `2 messages from ${address} did not reach every recipient: 550 5.1.1 No such mailbox here`,
          where: { kind: "message", id: body.id, thread_id: body.thread_id, inbox: address },
        },
      ]);
    });
    go(4);
    expect((await read()).problems).toEqual([]);
    go(0);
    await client.delete(inboxPath(address), { key });
    expect((await read()).problems).toEqual([]);
  });
});

describe("dismissed mail that did not reach everyone", () => {
  test("is shown to no member until newer mail of its inbox fails; that of other inboxes stays", async () => {
    const { read, key, owner } = await team();
    const [one, other] = [await client.createInbox(key), await client.createInbox(key)];
    const send = async ({ address }: { address: string }, to: string) => {
      const { body } = await client.post<{ id: string }>(inboxPath(address, "/send"), { to, text: "x" }, { key });
      return body.id;
    };
    const shown = async () => (await read()).problems.map(({ where }) => where.id);
    const first = await send(one, "gone@mail.example");
    await eventually(async () => expect(await shown()).toEqual([first]));
    const newest = await send(one, "left@mail.example");
    const kept = await send(other, "moved@mail.example");
    await eventually(async () => expect(await shown()).toEqual([kept, newest]));
    const delivered = await send(one, other.address);
    const { email, trpc } = await newMember(service, owner, "member");
    const stranger = await team();
    const unknown = { data: { error: { code: "message_not_found" } } };
    await expect(stranger.owner.trpc.messages.dismissFailures.mutate({ id: newest })).rejects.toMatchObject(unknown);
    await expect(trpc.messages.dismissFailures.mutate({ id: delivered })).rejects.toMatchObject(unknown);
    await trpc.messages.dismissFailures.mutate({ id: newest });
    expect(await shown()).toEqual([kept]);
    await trpc.messages.dismissFailures.mutate({ id: first });
    expect(await shown()).toEqual([kept]);
    expect((await read()).needs).toMatchObject([{ kind: "message", count: 1 }]);
    const { data } = await owner.trpc.team.audit.query({ noun: "messages", who: "members" });
    const [last, ...others] = data.filter(({ action }) => action === "messages.dismissFailures");
    expect(last).toMatchObject({ outcome: "done", actor: expect.stringContaining(email), object: { id: first } });
    expect(others).toHaveLength(2);
    const again = await send(one, "away@mail.example");
    await eventually(async () => expect(await shown()).toEqual([again, kept]));
    expect((await read()).problems[0]?.text).toContain(`A message from ${one.address}`);
  });
});

describe("what needs a member", () => {
  test("messages that wait for approval, with the first that expires, before a used up key", async () => {
    const { read, key, owner, organizationId } = await team();
    const { address } = await client.createInbox(key);
    await owner.trpc.reviews.setPolicy.mutate({ review: "all", ttl_seconds: 7_200 });
    const send = () => client.post(inboxPath(address, "/send"), { to: "a@else.example", text: "x" }, { key });
    await send();
    clock.set(new Date(Date.parse(NOON) + 3_600_000));
    await send();
    await service.newEnrollment(organizationId, { maxMailboxes: 0 });
    await service.newEnrollment(organizationId, { maxMailboxes: 0 });
    const { needs } = await read();
    expect(needs).toEqual([
      {
        kind: "approval",
        severity: "warning",
        count: 2,
        oldest_at: expect.any(String),
        expires_at: expect.any(String),
      },
      { kind: "key", severity: "critical", count: 2, oldest_at: null, expires_at: null },
    ]);
    const [{ oldest_at, expires_at } = { oldest_at: "", expires_at: "" }] = needs;
    expect(Date.parse(expires_at ?? "") - Date.parse(oldest_at ?? "")).toBe(7_200_000);
    expect((await owner.trpc.overview.needs.query()).data).toEqual(needs);
    const stranger = await team();
    expect((await stranger.owner.trpc.overview.needs.query()).data).toEqual([]);
  });

  test("a domain that was never verified", async () => {
    const { read, key } = await team();
    await client.post("/v1/domains", { domain: "new.example" }, { key });
    expect((await read()).needs).toMatchObject([{ kind: "pending_domain", count: 1, expires_at: null }]);
  });
});

describe("who may", () => {
  test("every member of the organization, and no member of another one sees it", async () => {
    const { owner, enrollmentKeyId, organizationId, agentKey } = await team();
    await client.createInbox(agentKey);
    await service.newEnrollment(organizationId, { maxMailboxes: 0 });
    const member = await newMember(service, owner, "member");
    expect((await member.trpc.overview.get.query()).keys.map(({ id }) => id)).toContain(enrollmentKeyId);
    const stranger = await team();
    const seen = JSON.stringify(await stranger.read());
    expect(seen).not.toContain(enrollmentKeyId);
    expect(JSON.parse(seen)).toMatchObject({ problems: [], steps: { inbox: false } });
  });

  test("no agent", async () => {
    const { agentKey } = await team();
    const answer = await fetch(`${service.url}/trpc/overview.get`, {
      headers: { Authorization: `Bearer ${agentKey}` },
    });
    expect(answer.status).toBe(401);
  });
});
