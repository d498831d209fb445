// The keys of an organization as its members see and change them: list, issue, change, revoke.
import { afterAll, describe, expect, test } from "vitest";
import { grantDomain } from "#server/domains/operator/grant.ts";
import { issueEnrollmentKey } from "#server/keys/issue-enrollment-key.ts";
import { updateEnrollmentKey } from "#server/keys/update-enrollment-key.ts";
import { findOrganization } from "#server/organizations/organizations.ts";
import { api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const DAY_MS = 86_400_000;
const clock = adjustableClock();
const service = await startTestService({}, { now: clock.now });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Grant = Parameters<typeof service.newOrganization>[0];

async function team(grant: Grant = {}) {
  const organization = await service.newOrganization(grant);
  const owner = await newOwner(service, organization.organizationId);
  return { ...organization, id: organization.enrollmentKeyId, owner, trpc: owner.trpc };
}

const refusedWith = (code: string) => ({ data: { error: { code } } });

const callAs = async (key: string) => (await client.get("/v1/inboxes", { key })).status;

describe("the list", () => {
  test("has each key with its quota, agents, keys and live inboxes, newest first", async () => {
    const { trpc, id, organizationId, agentKey } = await team({ maxMailboxes: 5 });
    const { address } = await client.createInbox(agentKey);
    await client.createInbox(agentKey);
    await client.delete(`/v1/inboxes/${address}`, { key: agentKey });
    const { enrollmentKeyId: newer } = await service.newEnrollment(organizationId);
    const { data, next_cursor } = await trpc.keys.list.query({});
    expect(data.map((key) => key.id)).toEqual([newer, id]);
    expect(next_cursor).toBeNull();
    expect(data[1]).toMatchObject({
      status: "active",
      max_mailboxes: 5,
      used_count: 2,
      allowed_domains: ["mail.example"],
      agents: 1,
      active_agent_keys: 1,
      live_inboxes: 1,
      used_per_day: 2,
      days_until_full: null,
      expires_at: null,
      revoked_at: null,
    });
    expect(data[0]).toMatchObject({ used_per_day: 0, days_until_full: null });
  });

  test("comes in pages; a cursor is good for one's own organization alone", async () => {
    const { trpc, id, organizationId } = await team();
    const { enrollmentKeyId: newer } = await service.newEnrollment(organizationId);
    const first = await trpc.keys.list.query({ limit: 1 });
    expect(first.data.map((key) => key.id)).toEqual([newer]);
    const cursor = first.next_cursor ?? "";
    expect((await trpc.keys.list.query({ cursor })).data.map((key) => key.id)).toEqual([id]);
    const other = await team();
    await expect(other.trpc.keys.list.query({ cursor })).rejects.toMatchObject(refusedWith("invalid_cursor"));
  });

  test("says what each key's status is", async () => {
    const { trpc, organizationId, id } = await team();
    const { enrollmentKeyId: full } = await service.newEnrollment(organizationId, { maxMailboxes: 0 });
    const expiresAt = new Date(clock.now().getTime() + DAY_MS);
    const { enrollmentKeyId: expiring } = await service.newEnrollment(organizationId, { expiresAt });
    const { enrollmentKeyId: revoked } = await service.newEnrollment(organizationId);
    await trpc.keys.revoke.mutate({ id: revoked });
    const statuses = async () =>
      Object.fromEntries((await trpc.keys.list.query({})).data.map((key) => [key.id, key.status]));
    expect(await statuses()).toEqual({
      [id]: "active",
      [full]: "exhausted",
      [expiring]: "active",
      [revoked]: "revoked",
    });
    clock.advance(2 * DAY_MS);
    expect((await statuses())[expiring]).toBe("expired");
    clock.advance(-2 * DAY_MS);
  });

  test("counts no agent key that was revoked or has expired, and none of a revoked enrollment key", async () => {
    const { trpc, id } = await team();
    const { id: akey } = await service.newAgentKey(id);
    await service.newAgentKey(id, { expiresAt: new Date(clock.now().getTime() - 1) });
    const active = async () => (await trpc.keys.get.query({ id })).active_agent_keys;
    expect(await active()).toBe(2);
    await trpc.keys.revokeAgentKey.mutate({ id: akey });
    expect(await active()).toBe(1);
    await trpc.keys.revoke.mutate({ id });
    expect(await active()).toBe(0);
  });
});

describe("a key is issued", () => {
  test("and shown once, and enrols agents within what it allows", async () => {
    const { trpc, organizationId } = await team();
    await grantDomain(service.system, await findOrganization(service.system, organizationId), {
      domain: "bots.example",
    });
    const expires_at = new Date(clock.now().getTime() + DAY_MS).toISOString();
    const issued = await trpc.keys.issue.mutate({
      name: "Support bots",
      max_mailboxes: 1,
      allowed_domains: ["Mail.Example", "*.bots.example", "mail.example"],
      expires_at,
    });
    expect(issued).toMatchObject({
      name: "Support bots",
      status: "active",
      max_mailboxes: 1,
      used_count: 0,
      allowed_domains: ["mail.example", "*.bots.example"],
      expires_at,
      key: expect.stringMatching(/^mb_enroll_/),
    });
    const { agent_key } = await service.enroll(issued.key);
    await client.createInbox(agent_key, { domain: "a.bots.example" });
    const { status, body } = await client.post("/v1/inboxes", {}, { key: agent_key });
    expect([status, body.error.code]).toEqual([409, "enrollment_token_exhausted"]);
    const { id } = issued;
    const secret = issued.key.split("_").at(-1) ?? "";
    const seen = await Promise.all([
      trpc.keys.list.query({}),
      trpc.keys.get.query({ id }),
      trpc.keys.agents.query({ id }),
      trpc.keys.ledger.query({ id }),
      trpc.team.audit.query({}),
      trpc.keys.revoke.mutate({ id }),
    ]);
    expect(JSON.stringify(seen)).not.toContain(secret);
    expect(JSON.stringify(seen)).not.toContain("secret");
    expect(JSON.stringify(seen)).not.toContain("mb_");
  });

  test("for the shared domain when none is named, and does not expire", async () => {
    const { trpc } = await team();
    const issued = await trpc.keys.issue.mutate({ name: "x", max_mailboxes: 3 });
    expect(issued).toMatchObject({ allowed_domains: ["mail.example"], expires_at: null });
    expect(await trpc.keys.defaults.query()).toMatchObject({ domains: ["mail.example"] });
  });

  test("with the organization's own domains offered", async () => {
    const { trpc } = await team({ allowedDomains: ["offered.example"] });
    expect((await trpc.keys.defaults.query()).domains).toEqual(["mail.example", "offered.example"]);
  });
});

describe("a key is not issued", () => {
  test("without a name or a number, with a bad domain or a time that has passed: the field is named", async () => {
    const { trpc } = await team();
    const good = { name: "x", max_mailboxes: 1 };
    const bad = [
      ["name", { ...good, name: " " }],
      ["name", { ...good, name: "a\nb" }],
      ["max_mailboxes", { ...good, max_mailboxes: 0 }],
      ["max_mailboxes", { ...good, max_mailboxes: 1.5 }],
      ["max_mailboxes", { ...good, max_mailboxes: 10_000_001 }],
      ["allowed_domains", { ...good, allowed_domains: [] }],
      ["allowed_domains.1", { ...good, allowed_domains: ["a.example", "a..b"] }],
      ["allowed_domains.0", { ...good, allowed_domains: ["*"] }],
      ["expires_at", { ...good, expires_at: "tomorrow" }],
      ["expires_at", { ...good, expires_at: "2020-01-01T00:00:00Z" }],
    ] as const;
    for (const [path, input] of bad) {
      const refused = trpc.keys.issue.mutate(input as typeof good);
      await expect(refused, path).rejects.toMatchObject({
        data: { error: { code: "invalid_request", issues: [{ path }] } },
      });
    }
  });

  test("for a domain that is not granted to the organization", async () => {
    await team({ allowedDomains: ["taken.example", "*.wide.example"] });
    const { trpc } = await team();
    for (const domain of ["taken.example", "*.example", "a.wide.example", "*.a.wide.example", "free.example"]) {
      const refused = trpc.keys.issue.mutate({ name: "x", max_mailboxes: 1, allowed_domains: [domain] });
      await expect(refused, domain).rejects.toMatchObject({
        data: { error: { code: "domain_not_verified", issues: [{ path: "allowed_domains.0" }] } },
      });
    }
  });
});

describe("a key is changed", () => {
  test("in name, quota and expiry, which the audit log has from what they were", async () => {
    const { trpc, id, agentKey } = await team({ maxMailboxes: 1 });
    const expires_at = new Date(clock.now().getTime() + DAY_MS).toISOString();
    await client.createInbox(agentKey);
    expect((await client.post("/v1/inboxes", {}, { key: agentKey })).status).toBe(409);
    const changed = await trpc.keys.update.mutate({ id, name: "Sales", max_mailboxes: 2, expires_at });
    expect(changed).toMatchObject({ id, name: "Sales", max_mailboxes: 2, expires_at, status: "active" });
    await client.createInbox(agentKey);
    expect(await trpc.keys.update.mutate({ id, expires_at: null })).toMatchObject({ name: "Sales", expires_at: null });
    const { data } = await trpc.team.audit.query({ limit: 2, noun: "keys" });
    expect(data).toMatchObject([
      {
        action: "keys.update",
        object: { name: "Sales" },
        changes: [{ name: "expires_at", from: expires_at, to: null }],
      },
      {
        changes: [
          { name: "name", to: "Sales" },
          { name: "max_mailboxes", from: "1", to: "2" },
          { name: "expires_at", from: null, to: expires_at },
        ],
      },
    ]);
  });

  test("not to a quota below what it has created, not after its revocation, not by another organization", async () => {
    const { trpc, id, agentKey } = await team({ maxMailboxes: 3 });
    await client.createInbox(agentKey);
    await client.createInbox(agentKey);
    const bad = (path: string) => ({ data: { error: { code: "invalid_request", issues: [{ path }] } } });
    await expect(trpc.keys.update.mutate({ id, max_mailboxes: 1 })).rejects.toMatchObject(bad("max_mailboxes"));
    const past = new Date(clock.now().getTime() - 1).toISOString();
    await expect(trpc.keys.update.mutate({ id, expires_at: past })).rejects.toMatchObject(bad("expires_at"));
    expect((await trpc.keys.update.mutate({ id, max_mailboxes: 2 })).status).toBe("exhausted");
    const other = await team();
    const name = "Taken over";
    await expect(other.trpc.keys.update.mutate({ id, name })).rejects.toMatchObject(
      refusedWith("enrollment_key_not_found"),
    );
    await trpc.keys.revoke.mutate({ id });
    await expect(trpc.keys.update.mutate({ id, name })).rejects.toMatchObject(bad("id"));
  });

  test("not to a later expiry by a member, where the operator granted domains until then", async () => {
    const organization = await team();
    const from = clock.now().getTime();
    const inDays = (days: number) => new Date(from + days * DAY_MS).toISOString();
    const { id } = await issueEnrollmentKey(service.system, {
      organization: organization.organizationId,
      max_mailboxes: 1,
      allowed_domains: ["granted-until.example"],
      expires_at: inDays(2),
    });
    const { trpc } = organization;
    for (const expires_at of [inDays(3), null]) {
      await expect(trpc.keys.update.mutate({ id, expires_at })).rejects.toMatchObject(refusedWith("invalid_request"));
    }
    expect(await trpc.keys.update.mutate({ id, expires_at: inDays(1) })).toMatchObject({ expires_at: inDays(1) });
    expect(await updateEnrollmentKey(service.system, { id, expires_at: inDays(3) })).toMatchObject({
      expires_at: inDays(3),
    });
  });
});

test("keys say when they were used last", async () => {
  const { trpc, id, agentKey } = await team();
  const used = async () => (await trpc.keys.agents.query({ id })).data[0]?.keys[0]?.last_used_at;
  expect((await trpc.keys.get.query({ id })).last_used_at).not.toBeNull();
  expect(await used()).toBeNull();
  await callAs(agentKey);
  await eventually(async () => expect(await used()).toEqual(expect.stringMatching(/Z$/)));
  expect((await trpc.keys.issue.mutate({ name: "New", max_mailboxes: 1 })).last_used_at).toBeNull();
});

describe("a key is revoked", () => {
  test("its agents are refused within a second; the page knew how many", async () => {
    const { trpc, id, agentKey } = await team();
    const inbox = await client.createInbox(agentKey);
    await service.newAgentKey(id);
    expect((await trpc.keys.get.query({ id })).stops).toEqual({
      agents: 2,
      agent_keys: 2,
      live_inboxes: 1,
      orphaned_inboxes: 1,
    });
    expect(await callAs(agentKey)).toBe(200);
    const revoked = await trpc.keys.revoke.mutate({ id });
    expect(revoked).toMatchObject({ status: "revoked", revoked_at: expect.any(String) });
    await eventually(async () => expect(await callAs(agentKey)).toBe(401));
    // Members can still see its mail, and revoking again changes nothing.
    expect((await trpc.inboxes.list.query({})).data).toMatchObject([{ address: inbox.address }]);
    expect((await trpc.keys.revoke.mutate({ id })).revoked_at).toBe(revoked.revoked_at);
  });

  test("inboxes that agents of another key read are not counted as left alone", async () => {
    const { trpc, id, organizationId, agentKey } = await team();
    const [one] = [await client.createInbox(agentKey), await client.createInbox(agentKey)];
    const { enrollmentKeyId: other, agentKey: otherKey } = await service.newEnrollment(organizationId);
    const orphaned = async () => (await trpc.keys.get.query({ id })).stops.orphaned_inboxes;
    expect(await orphaned()).toBe(0);
    await trpc.keys.revoke.mutate({ id: other });
    await eventually(async () => expect(await callAs(otherKey)).toBe(401));
    expect(await orphaned()).toBe(2);
    const issued = await trpc.keys.issue.mutate({ name: "third", max_mailboxes: 1 });
    await service.newAgentKey(issued.id, { inboxes: [one.address] });
    expect(await orphaned()).toBe(1);
  });
});

describe("who may", () => {
  test("members read and change nothing; admins issue, change and revoke", async () => {
    const { owner, id } = await team();
    const { id: akey } = await service.newAgentKey(id);
    const member = (await newMember(service, owner, "member")).trpc;
    await member.keys.list.query({});
    await member.keys.get.query({ id });
    await member.keys.agents.query({ id });
    await member.keys.ledger.query({ id });
    await member.keys.defaults.query();
    const grant = { name: "x", max_mailboxes: 1 };
    const no = refusedWith("insufficient_role");
    await expect(member.keys.issue.mutate(grant)).rejects.toMatchObject(no);
    await expect(member.keys.update.mutate({ id, name: "y" })).rejects.toMatchObject(no);
    await expect(member.keys.revoke.mutate({ id })).rejects.toMatchObject(no);
    await expect(member.keys.revokeAgentKey.mutate({ id: akey })).rejects.toMatchObject(no);
    const admin = (await newMember(service, owner, "admin")).trpc;
    await admin.keys.issue.mutate(grant);
    await admin.keys.update.mutate({ id, name: "y" });
    await admin.keys.revokeAgentKey.mutate({ id: akey });
    await admin.keys.revoke.mutate({ id });
  });

  test("what was done is in the audit log, the secret is not", async () => {
    const { trpc, id } = await team();
    await trpc.keys.issue.mutate({ name: "For the log", max_mailboxes: 1 });
    await trpc.keys.revoke.mutate({ id });
    const { data } = await trpc.team.audit.query({});
    expect(data.slice(0, 2)).toMatchObject([
      { action: "keys.revoke", subject: id, outcome: "done" },
      { action: "keys.issue", subject: "For the log", outcome: "done" },
    ]);
  });
});
