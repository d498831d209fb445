// Agents for members: a page of them, one with its keys and its days, and agent keys that members issue.
import { afterAll, describe, expect, test } from "vitest";
import { issueAgentKey } from "#server/keys/issue-agent-key.ts";
import { revokeEnrollmentKey } from "#server/keys/revoke.ts";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const HOUR_MS = 3_600_000;
/** Of one agent. */
const KEYS_LISTED = 20;
const clock = { aheadMs: 0 };
const service = await startTestService({}, { now: () => new Date(Date.now() + clock.aheadMs) });
const client = api(service);
afterAll(async () => {
  await client.close();
  await service.stop();
});

// Few people: the door to sign in is for ten a minute.
const people = await service.newOrganization();
const owner = await newOwner(service, people.organizationId);
const [admin, member] = [await newMember(service, owner, "admin"), await newMember(service, owner, "member")];
const stranger = await newOwner(service, (await service.newOrganization()).organizationId);

const refused = (code: string) => ({ data: { error: { code } } });
type Grant = Parameters<typeof service.newEnrollment>[1];

/** An enrollment key of the organization, redeemed by the agents. */
async function enrolled(handles: string[], grant: Grant = {}) {
  const enrollment = await service.newEnrollment(people.organizationId, grant);
  const keys: Record<string, string> = {};
  for (const agent_handle of handles) {
    const redeemed = { token: enrollment.enrollmentKey, agent_handle };
    keys[agent_handle] = (await client.post<{ agent_key: string }>("/v1/enroll", redeemed)).body.agent_key;
  }
  return { id: enrollment.enrollmentKeyId, keys };
}

async function agentNamed(handle: string) {
  const { data } = await member.trpc.agents.list.query({ q: handle });
  const found = data.find((row) => row.handle === handle);
  if (!found) throw new Error(`no agent ${handle}`);
  return found;
}

describe("the page of agents", () => {
  test("counts keys, mailboxes, webhooks and sent mail of each", async () => {
    const { id, keys } = await enrolled(["counted", "idle"]);
    const key = keys.counted ?? "";
    const { body } = await client.post<{ address: string }>("/v1/inboxes", {}, { key });
    await client.post("/v1/inboxes", { inbound_webhook_url: "https://a.example/x" }, { key });
    const mail = { to: ["ann@else.example", "ben@else.example"], text: "x" };
    await client.post(`/v1/inboxes/${body.address}/send`, mail, { key });
    const counted = await agentNamed("counted");
    expect(counted).toMatchObject({ working_keys: 1, inboxes: 2, sent_today: 2, webhooks: 1 });
    expect(counted.enrollment_key).toMatchObject({ id, revoked: false });
    const idle = await agentNamed("idle");
    expect(idle).toMatchObject({ working_keys: 1, inboxes: 0, sent_today: 0, webhooks: 0 });
    expect(Date.parse(counted.last_active_at ?? "")).toBeGreaterThan(Date.parse(counted.created_at));
  });

  test("has no agent for members, who create mailboxes themselves", async () => {
    const { id } = await enrolled([]);
    const { address } = await owner.trpc.inboxes.createWith.mutate({ enrollment_key_id: id });
    expect((await member.trpc.agents.list.query({ q: "dashboard" })).data).toEqual([]);
    expect((await member.trpc.keys.get.query({ id })).agents).toBe(1);
    expect((await member.trpc.keys.agents.query({ id })).data.map(({ handle }) => handle)).not.toContain("dashboard");
    expect((await member.trpc.inboxes.summaries.query({ addr: address })).data[0]?.agent).toBeNull();
  });

  test("comes in pages, each agent once, and cursors belong to one list", async () => {
    await enrolled(["paged-1", "paged-2", "paged-3"]);
    const first = await member.trpc.agents.list.query({ q: "PAGED-", limit: 2 });
    expect(first.data.map(({ handle }) => handle)).toEqual(["paged-3", "paged-2"]);
    const cursor = first.next_cursor ?? "";
    const second = await member.trpc.agents.list.query({ q: "paged-", limit: 2, cursor });
    expect(second.data.map(({ handle }) => handle)).toEqual(["paged-1"]);
    expect(second.next_cursor).toBeNull();
    for (const person of [member, stranger]) {
      await expect(person.trpc.agents.list.query({ cursor })).rejects.toMatchObject(refused("invalid_cursor"));
    }
    expect((await member.trpc.agents.list.query({ limit: 100 })).data.map(({ handle }) => handle)).toContain("paged-1");
  });

  test("has none of another organization", async () => {
    await enrolled(["only-ours"]);
    expect((await stranger.trpc.agents.list.query({ q: "only-ours" })).data).toEqual([]);
    const { id } = await agentNamed("only-ours");
    const { agents, inboxes } = stranger.trpc;
    for (const ask of [agents.get, agents.days]) {
      await expect(ask.query({ id })).rejects.toMatchObject(refused("agent_not_found"));
    }
    await expect(inboxes.summaries.query({ agent: id })).rejects.toMatchObject(refused("agent_not_found"));
  });

  test("says that a key was revoked", async () => {
    const { id } = await enrolled(["cut-off"]);
    await revokeEnrollmentKey(service.system, id);
    expect(await agentNamed("cut-off")).toMatchObject({ working_keys: 0, enrollment_key: { revoked: true } });
  });
});

test("one agent has its limits, its keys and its days", async () => {
  const { keys } = await enrolled(["one"], { maxMailboxes: 3, scopes: ["mailbox:create", "mailbox:send"] });
  const key = keys.one ?? "";
  const { body } = await client.post<{ address: string }>("/v1/inboxes", {}, { key });
  await client.post(`/v1/inboxes/${body.address}/send`, { to: "ann@else.example", text: "x" }, { key });
  await service.mail({ from: "a@else.example", to: body.address });
  const { id } = await agentNamed("one");
  const one = await member.trpc.agents.get.query({ id });
  expect(one.limits).toMatchObject({ max_mailboxes: 3, remaining: 2, scopes: ["mailbox:create", "mailbox:send"] });
  expect(one.keys).toMatchObject([{ active: true, scopes: ["mailbox:create", "mailbox:send"] }]);
  const { data: days } = await member.trpc.agents.days.query({ id });
  expect(days).toHaveLength(14);
  expect(days.at(-1)).toMatchObject({ sent: 1, received: 1, bounced: 0 });
  const { data } = await member.trpc.inboxes.summaries.query({ agent: id });
  expect(data.map(({ address }) => address)).toEqual([body.address]);
});

test("one agent has the key with the newest change, however many newer keys it has and uses", async () => {
  const { id: enrollment_key_id, keys } = await enrolled(["rotating"]);
  const key = keys.rotating ?? "";
  const { id } = await agentNamed("rotating");
  const first = await member.trpc.agents.get.query({ id });
  expect(first.last_changed_key).toBeNull();
  await client.post("/v1/inboxes", {}, { key });
  const wish = { enrollment_key_id, agent_handle: "rotating", scopes: ["mailbox:create" as const] };
  const newer: string[] = [];
  for (let i = 0; i < KEYS_LISTED; i += 1) newer.push((await admin.trpc.keys.issueAgentKey.mutate(wish)).key);
  await client.get("/v1/inboxes", { key: newer[0] ?? "" });
  const one = await member.trpc.agents.get.query({ id });
  expect(one.keys.map((each) => each.id)).not.toContain(first.keys[0]?.id);
  expect(one.last_changed_key).toEqual({ id: first.keys[0]?.id, active: true });
  await client.post("/v1/inboxes", {}, { key: newer[3] ?? "" });
  const { last_changed_key } = await member.trpc.agents.get.query({ id });
  expect(last_changed_key).toEqual({ id: one.keys.at(-4)?.id, active: true });
  await revokeEnrollmentKey(service.system, enrollment_key_id);
  expect((await member.trpc.agents.get.query({ id })).last_changed_key?.active).toBe(false);
});

describe("a member issues an agent key", () => {
  test("that works within its scopes and inboxes, and is in the audit log without its secret", async () => {
    const { id, keys } = await enrolled(["founder"]);
    const made = async () => (await client.post<{ address: string }>("/v1/inboxes", {}, { key: keys.founder })).body;
    const [mine, other] = [await made(), await made()];
    const issued = await admin.trpc.keys.issueAgentKey.mutate({
      enrollment_key_id: id,
      agent_handle: "clerk",
      agent_name: "The clerk",
      scopes: ["mailbox:read"],
      inboxes: [mine.address],
    });
    const key = issued.key;
    expect((await client.get(`/v1/inboxes/${mine.address}`, { key })).status).toBe(200);
    expect((await client.get(`/v1/inboxes/${other.address}`, { key })).status).toBe(404);
    expect((await client.post("/v1/inboxes", {}, { key })).status).toBe(403);
    expect(await agentNamed("clerk")).toMatchObject({ name: "The clerk", working_keys: 1 });
    const { data } = await owner.trpc.team.audit.query({});
    const entry = data.find(({ action }) => action === "keys.issueAgentKey");
    expect(entry).toMatchObject({ subject: "clerk", outcome: "done" });
    expect(JSON.stringify(data)).not.toContain(key);
  });

  test("with an outgoing delay, which its keys and inboxes show", async () => {
    const { id, keys } = await enrolled(["slow"]);
    const wish = { enrollment_key_id: id, agent_handle: "slow-clerk", scopes: ["mailbox:send" as const] };
    const { agent_id } = await admin.trpc.keys.issueAgentKey.mutate({ ...wish, outgoing_delay_seconds: 45 });
    const agent = await member.trpc.agents.get.query({ id: agent_id });
    expect(agent.keys).toMatchObject([{ outgoing_delay_seconds: 45 }]);
    const { body } = await client.post<{ address: string }>("/v1/inboxes", {}, { key: keys.slow });
    await member.trpc.inboxes.update.mutate({ addr: body.address, outgoing_delay_seconds: 30 });
    const { data } = await member.trpc.inboxes.summaries.query({ addr: body.address });
    expect(data).toMatchObject([{ outgoing_delay_seconds: 30 }]);
    const long = admin.trpc.keys.issueAgentKey.mutate({ ...wish, outgoing_delay_seconds: 121 });
    await expect(long).rejects.toMatchObject({ data: { error: { issues: [{ path: "outgoing_delay_seconds" }] } } });
  });

  test("never as a member, whose refusal is in the audit log", async () => {
    const { id } = await enrolled([]);
    const wish = { enrollment_key_id: id, agent_handle: "refused-clerk", scopes: ["mailbox:read" as const] };
    await expect(member.trpc.keys.issueAgentKey.mutate(wish)).rejects.toMatchObject(refused("insufficient_role"));
    expect((await member.trpc.agents.list.query({ q: "refused-clerk" })).data).toEqual([]);
  });

  test("with no scope that the enrollment key lacks, nor for an inbox that the key cannot reach", async () => {
    const { id, keys } = await enrolled(["keeper"], {
      scopes: ["mailbox:read", "mailbox:create"],
      inboxAccess: "own",
    });
    const { body } = await client.post<{ address: string }>("/v1/inboxes", {}, { key: keys.keeper });
    const wish = { enrollment_key_id: id, agent_handle: "wider" };
    const wider = admin.trpc.keys.issueAgentKey.mutate({ ...wish, scopes: ["mailbox:send"] });
    await expect(wider).rejects.toMatchObject({ data: { error: { issues: [{ path: "scopes" }] } } });
    const others = admin.trpc.keys.issueAgentKey.mutate({
      ...wish,
      scopes: ["mailbox:read"],
      inboxes: [body.address],
    });
    await expect(others).rejects.toMatchObject(refused("inbox_not_found"));
    const theirs = stranger.trpc.keys.issueAgentKey.mutate({ ...wish, scopes: ["mailbox:read"] });
    await expect(theirs).rejects.toMatchObject(refused("enrollment_key_not_found"));
  });

  test.each(["organization", "own"] as const)(
    "without a new agent, or a new name, if an inbox is unknown: %s",
    async (inboxAccess) => {
      const handles = { known: `${inboxAccess}-known`, unknown: `${inboxAccess}-unknown` };
      const { id, keys } = await enrolled([handles.known], { scopes: ["mailbox:read", "mailbox:create"], inboxAccess });
      const before = await agentNamed(handles.known);
      const { body } = await client.post<{ address: string }>("/v1/inboxes", {}, { key: keys[handles.known] });
      const wish = { enrollment_key_id: id, agent_name: "Renamed", scopes: ["mailbox:read" as const] };
      for (const agent_handle of [handles.known, handles.unknown]) {
        const inboxes = [body.address, "missing@mail.example"];
        const issued = admin.trpc.keys.issueAgentKey.mutate({ ...wish, agent_handle, inboxes });
        await expect(issued).rejects.toMatchObject(refused("inbox_not_found"));
      }
      expect(await agentNamed(handles.known)).toMatchObject({ name: before.name });
      expect((await member.trpc.agents.list.query({ q: handles.unknown })).data).toEqual([]);
      const { id: keyId } = await admin.trpc.keys.issueAgentKey.mutate({
        ...wish,
        agent_handle: handles.known,
        inboxes: [body.address],
      });
      expect(keyId).toMatch(/^akey_/);
      expect(await agentNamed(handles.known)).toMatchObject({ name: "Renamed" });
    },
  );

  test("with fields that the operators' command names when they are refused", async () => {
    const { enrollmentKeyId: enrollment_key } = await service.newEnrollment(people.organizationId);
    for (const [path, grant] of Object.entries({
      handle: { handle: "h".repeat(65) },
      outgoing_delay_seconds: { handle: "long-delay", outgoing_delay_seconds: 500 },
    })) {
      const issued = issueAgentKey(service.system, { enrollment_key, ...grant });
      await expect(issued).rejects.toMatchObject({ code: "invalid_request", issues: [{ path }] });
    }
  });

  test("not for the name that stands for members", async () => {
    const { id } = await enrolled([]);
    const wish = { enrollment_key_id: id, agent_handle: "dashboard", scopes: ["mailbox:read" as const] };
    const issued = owner.trpc.keys.issueAgentKey.mutate(wish);
    await expect(issued).rejects.toMatchObject({ data: { error: { issues: [{ path: "agent_handle" }] } } });
  });

  test("not with an enrollment key that expired or was revoked, nor one that expired before", async () => {
    const scopes = ["mailbox:read" as const];
    const { id } = await enrolled([], { expiresAt: new Date(Date.now() + HOUR_MS) });
    const wish = { enrollment_key_id: id, agent_handle: "late", scopes };
    const past = owner.trpc.keys.issueAgentKey.mutate({ ...wish, expires_at: "2020-01-01T00:00:00Z" });
    await expect(past).rejects.toMatchObject({ data: { error: { issues: [{ path: "expires_at" }] } } });
    clock.aheadMs = 2 * HOUR_MS;
    await expect(owner.trpc.keys.issueAgentKey.mutate(wish)).rejects.toMatchObject({
      ...refused("enrollment_key_not_found"),
      message: /expired/,
    });
    clock.aheadMs = 0;
    await revokeEnrollmentKey(service.system, id);
    const issued = owner.trpc.keys.issueAgentKey.mutate(wish);
    await expect(issued).rejects.toMatchObject({ ...refused("enrollment_key_not_found"), message: /revoked/ });
  });
});

test("a member issues no key beyond the limit of an enrollment key", async () => {
  const full = await startTestService(
    { ROLES: "web", MAX_KEYS_PER_ENROLLMENT_KEY: "1" },
    { database: service.database },
  );
  const { id } = await enrolled([]);
  const answer = await fetch(`${full.url}/trpc/keys.issueAgentKey`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie: admin.cookie, origin: full.url },
    body: JSON.stringify({ enrollment_key_id: id, agent_handle: "one-more", scopes: ["mailbox:read"] }),
  });
  expect(answer.status).toBe(409);
  await full.stop();
  expect(await service.system.sql`select from agents where handle = 'one-more'`).toHaveLength(0);
});
