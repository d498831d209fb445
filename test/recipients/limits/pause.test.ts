// Pauses of sending: what they stop and what they leave alone, who sets them and who ends them.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { organizationTarget, pauseByOperator, resumeByOperator } from "#server/recipients/limits/pause.ts";
import { type Api, api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { eventually, reportedOf } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const sink = await startSmtpSink();
const service = await startTestService({
  OUTBOUND: "smtp",
  OUTBOUND_SMTP_URL: sink.url,
  SEND_CAP_RAMP: "1000",
  RATE_LIMIT_PER_SECOND: "1000",
});
const client: Api = api(service);
afterAll(async () => {
  await client.close();
  await service.stop();
  await sink.close();
});

type Pause = {
  scope: string;
  id: string;
  paused_by: string;
  by_operator: boolean;
  reason: string | null;
  in_flight: number;
  queued: number;
  scheduled: number;
};
type Event = { event: string; inbox: string | null; pause?: { scope: string; id: string; reason: string | null } };
type Limit = { paused: { cause: string; scope: string; paused_by: string | null; reason: string } | null };
type Answer = Sent & Failure;

let people = 0;

async function newTeam() {
  const organization = await service.newOrganization();
  const { agentKey: key } = organization;
  const owner = await newOwner(service, organization.organizationId);
  const inbox = await client.createInbox(key);
  return { ...organization, key, owner, inbox };
}
/** Someone who gets one mail. */
function someone(): string {
  people += 1;
  return `p${people}@elsewhere.example`;
}
const send = (key: string, address: string, to: string, more: object = {}) =>
  client.post<Answer>(inboxPath(address, "/send"), { to, text: "x", ...more }, { key });
const got = (to: string) => sink.received.filter((mail) => mail.to.includes(to)).length;
const arrives = (to: string) => eventually(() => expect(got(to)).toBe(1));
const pauseInbox = (key: string, address: string, json: object = {}) =>
  client.post<Pause & Failure>(inboxPath(address, "/pause"), json, { key });
const limitOf = async (key: string, address: string) =>
  (await client.get<Limit>(inboxPath(address, "/send-limit"), { key })).body.paused;
const statusOf = async (key: string, id: string) =>
  (await client.get<{ status: string }>(`/v1/messages/${id}`, { key })).body.status;
const eventsOf = async (key: string) => reportedOf((await client.get<Page<Event>>("/v1/events", { key })).body.data);
const refusal = (code: string) => ({ data: { error: { code } } });
/** A message whose next attempt is in the future: the relay refused it for now. */
async function queuedAt(key: string, address: string): Promise<{ id: string; to: string }> {
  const to = someone();
  sink.faults.rcpt = (recipient) => (recipient === to ? { code: 451, text: "4.7.1 Later" } : undefined);
  const { body } = await send(key, address, to);
  await eventually(async () => {
    const [row] = await service.system
      .sql`select attempts, status from messages where id = ${decodeId("msg", body.id) ?? ""}`;
    expect(row).toMatchObject({ status: "queued", attempts: 1 });
  });
  sink.faults.rcpt = undefined;
  return { id: body.id, to };
}
/** Makes it due now, as when its backoff is over. */
const makeDue = (id: string) =>
  service.system.sql`update messages set next_attempt_at = now() where id = ${decodeId("msg", id) ?? ""}`;
const isPaused = (id: string) =>
  eventually(async () => {
    const [row] = await service.system.sql`
      select status, next_attempt_at from messages where id = ${decodeId("msg", id) ?? ""}`;
    expect(row).toEqual({ status: "queued", next_attempt_at: null });
  });

describe("a paused mailbox", () => {
  test("sends nothing in any way, keeps its queued mail, receives, and leaves other mailboxes alone", async () => {
    const { key, owner, inbox } = await newTeam();
    const { address } = inbox;
    const other = await client.createInbox(key);
    await service.mail({ from: "ann@elsewhere.example", to: address, subject: "Before" });
    const received = async () =>
      (
        await client.get<Page<{ id: string }>>(`/v1/messages?inbox=${encodeURIComponent(address)}&direction=inbound`, {
          key,
        })
      ).body.data;
    await eventually(async () => expect(await received()).toHaveLength(1));
    const [mail] = await received();
    const written = { inbox: address, to: [someone()], subject: "s", text: "x" };
    const draft = await client.post<{ id: string; revision: number }>("/v1/drafts", written, { key });
    const waiting = await queuedAt(key, address);

    const { status, body } = await pauseInbox(key, address, { reason: " It loops " });
    expect([status, body]).toMatchObject([
      200,
      { scope: "inbox", reason: "It loops", by_operator: false, in_flight: 0, queued: 1, scheduled: 0 },
    ]);
    await makeDue(waiting.id);
    await isPaused(waiting.id);

    const at = new Date(Date.now() + 3_600_000).toISOString();
    const refused = [
      await send(key, address, someone()),
      await send(key, address, someone(), { send_at: at }),
      await client.post<Answer>(`/v1/messages/${mail?.id}/reply`, { text: "x" }, { key }),
      await client.post<Answer>(`/v1/messages/${mail?.id}/forward`, { to: someone() }, { key }),
      await client.post<Answer>(`/v1/drafts/${draft.body.id}/send`, { revision: draft.body.revision }, { key }),
    ];
    for (const answer of refused) {
      expect([answer.status, answer.body.error?.code]).toEqual([403, "sending_paused"]);
      expect(answer.body.error?.message).toContain("Reason: It loops");
    }
    const dry = await client.post<{ would_send: boolean; refusals: { code: string }[] }>(
      `${inboxPath(address, "/send")}?dry_run=true`,
      { to: someone(), text: "x" },
      { key },
    );
    expect(dry.body).toMatchObject({ would_send: false, refusals: [{ code: "sending_paused" }] });
    expect(await limitOf(key, address)).toMatchObject({ cause: "organization", scope: "inbox" });
    await expect(owner.trpc.messages.send.mutate({ addr: address, to: someone(), text: "x" })).rejects.toMatchObject(
      refusal("sending_paused"),
    );

    expect(await limitOf(key, other.address)).toBeNull();
    const to = someone();
    await send(key, other.address, to);
    await arrives(to);
    await service.mail({ from: "ann@elsewhere.example", to: address, subject: "During" });
    await eventually(async () => expect(await received()).toHaveLength(2));

    expect(await owner.trpc.inboxes.resumeSending.mutate({ addr: address })).toMatchObject({ paused: null });
    await arrives(waiting.to);
    await eventually(async () => expect(await statusOf(key, waiting.id)).toBe("sent"));
    const id = body.id;
    const kinds = (await eventsOf(key)).filter(({ pause }) => pause);
    expect(kinds).toMatchObject([
      { event: "sending.paused", inbox: address, pause: { scope: "inbox", id, reason: "It loops" } },
      { event: "sending.resumed", inbox: address, pause: { scope: "inbox", id, reason: null } },
    ]);
  });

  test("holds back what was scheduled until a member resumes it, and then sends it without delay", async () => {
    const { key, owner, inbox } = await newTeam();
    const to = someone();
    const { body } = await send(key, inbox.address, to, { send_at: new Date(Date.now() + 1_500).toISOString() });
    expect((await pauseInbox(key, inbox.address)).body.scheduled).toBe(1);
    await eventually(async () => {
      const [row] = await service.system.sql`
        select due_at > now() + interval '50 minutes' as later from scheduled_sends
        where message_id = ${decodeId("msg", body.id) ?? ""}`;
      expect(row?.later).toBe(true);
    });
    expect([await statusOf(key, body.id), got(to)]).toEqual(["scheduled", 0]);
    await owner.trpc.inboxes.resumeSending.mutate({ addr: inbox.address });
    await arrives(to);
  });

  test("refuses an approval, and the message goes on waiting", async () => {
    const { key, owner, inbox } = await newTeam();
    await owner.trpc.reviews.setPolicy.mutate({ review: "all" });
    const to = someone();
    const { body } = await send(key, inbox.address, to);
    expect(body.status).toBe("held");
    await pauseInbox(key, inbox.address);
    const { sha256 } = await owner.trpc.reviews.get.query({ id: body.id });
    const approve = () => owner.trpc.reviews.approve.mutate({ id: body.id, sha256 });
    await expect(approve()).rejects.toMatchObject(refusal("sending_paused"));
    expect(await statusOf(key, body.id)).toBe("held");
    await owner.trpc.inboxes.resumeSending.mutate({ addr: inbox.address });
    await approve();
    await arrives(to);
  });
});

// Invitations are shown only where no mail leaves.
const local = await startTestService();
afterAll(local.stop);

describe("who may", () => {
  test("an agent pauses with list:manage, never resumes, and does not see other organizations", async () => {
    const { inbox, enrollmentKeyId, key } = await newTeam();
    const other = await newTeam();
    const { key: reader } = await service.newAgentKey(enrollmentKeyId, { scopes: ["mailbox:read", "mailbox:send"] });
    expect((await pauseInbox(reader, inbox.address)).status).toBe(403);
    expect((await pauseInbox(other.key, inbox.address)).status).toBe(404);
    expect((await pauseInbox(key, inbox.address, { reason: "x".repeat(201) })).status).toBe(400);
    expect(await limitOf(key, inbox.address)).toBeNull();
    await pauseInbox(key, inbox.address);
    const byTrpc = (path: string) => client.exchange("POST", path, { key, json: { addr: inbox.address } });
    expect((await byTrpc("/trpc/inboxes.resumeSending")).status).toBe(403);
    expect((await byTrpc("/trpc/organization.resumeSending")).status).toBe(401);
    expect(await limitOf(key, inbox.address)).not.toBeNull();
  });

  test("an agent that resumes a mailbox reads who paused it and who can resume it, and changes nothing", async () => {
    const { inbox, key, owner, organizationId } = await newTeam();
    const resume = () => client.post<Limit & Failure>(inboxPath(inbox.address, "/resume"), undefined, { key });
    expect(await resume()).toMatchObject({ status: 200, body: { paused: null } });
    const refusedWith = async (message: RegExp, fix: string) => {
      const { status, body } = await resume();
      expect([status, body.error?.code]).toEqual([403, "sending_paused"]);
      expect(body.error?.message).toMatch(message);
      expect(body.error?.fix).toContain(fix);
      expect(await limitOf(key, inbox.address)).not.toBeNull();
    };
    const { address } = inbox;
    await owner.trpc.inboxes.pauseSending.mutate({ addr: address, reason: "Loop" });
    expect(await owner.trpc.organization.pauses.query()).toMatchObject({ data: [{ scope: "inbox", address }] });
    await refusedWith(
      /paused the sending of this mailbox .*Reason: Loop.* An agent key cannot resume it\.$/,
      "a member",
    );
    await owner.trpc.inboxes.resumeSending.mutate({ addr: inbox.address });
    await pauseByOperator(service.system, organizationTarget(decodeId("org", organizationId) ?? ""), "Complaints");
    await refusedWith(/^The operator paused/, "the operator");
    const other = await newTeam();
    expect((await client.post(inboxPath(inbox.address, "/resume"), undefined, { key: other.key })).status).toBe(404);
  });

  test("a member without the role of an admin neither pauses nor resumes the organization", async () => {
    const { organizationId } = await local.newOrganization();
    const owner = await newOwner(local, organizationId);
    const member = await newMember(local, owner, "member");
    const admin = await newMember(local, owner, "admin");
    const { organization } = member.trpc;
    await expect(organization.pauseSending.mutate({})).rejects.toMatchObject(refusal("insufficient_role"));
    await admin.trpc.organization.pauseSending.mutate({});
    await expect(organization.resumeSending.mutate({})).rejects.toMatchObject(refusal("insufficient_role"));
    expect(await organization.pauses.query()).toMatchObject({ data: [{ paused_by: "A admin" }] });
    await admin.trpc.organization.resumeSending.mutate({});
    const { data } = await owner.trpc.team.audit.query({});
    expect(data.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["organization.pauseSending", "organization.resumeSending"]),
    );
  });

  test("an operator's pause outlives the resumption by a member, and theirs outlives the operator's", async () => {
    const { owner, key, inbox, organizationId } = await newTeam();
    const target = organizationTarget(decodeId("org", organizationId) ?? "");
    await owner.trpc.organization.pauseSending.mutate({});
    const paused = await pauseByOperator(service.system, target, "Complaints");
    expect(paused).toMatchObject({ by_operator: true, reason: "Complaints", paused_by: "The operator" });
    expect(await owner.trpc.organization.resumeSending.mutate({})).toEqual({ resumed: true, paused: true });
    const again = owner.trpc.organization.resumeSending.mutate({});
    await expect(again).rejects.toMatchObject(refusal("sending_paused"));
    expect(await limitOf(key, inbox.address)).toMatchObject({ cause: "operator" });
    await owner.trpc.organization.pauseSending.mutate({});
    expect(await resumeByOperator(service.system, target)).toEqual({ resumed: true, paused: true });
    expect(await owner.trpc.organization.resumeSending.mutate({})).toEqual({ resumed: true, paused: false });
    const to = someone();
    await send(key, inbox.address, to);
    await arrives(to);
  });
});

describe("a paused key", () => {
  test("stops its mail and that of keys below it, and no other", async () => {
    const { key, owner, inbox } = await newTeam();
    const { address } = inbox;
    const issue = async (by: string) =>
      (
        await client.post<{ id: string; key: string }>(
          "/v1/keys",
          { scopes: ["mailbox:read", "mailbox:send", "key:issue"] },
          { key: by },
        )
      ).body;
    const parent = await issue(key);
    const child = await issue(parent.key);
    const sibling = await issue(key);
    const waiting = await queuedAt(child.key, address);
    const paused = await client.post<Pause>(`/v1/keys/${parent.id}/pause`, { reason: "wild" }, { key });
    expect([paused.status, paused.body]).toMatchObject([200, { scope: "agent_key", id: parent.id, queued: 1 }]);
    expect((await client.post(`/v1/keys/${parent.id}/pause`, {}, { key: child.key })).status).toBe(404);
    await makeDue(waiting.id);
    await isPaused(waiting.id);
    for (const by of [parent.key, child.key]) {
      expect((await send(by, address, someone())).body.error?.code).toBe("sending_paused");
    }
    const [first, second] = [someone(), someone()];
    await send(sibling.key, address, first);
    await send(key, address, second);
    await arrives(first);
    await arrives(second);
    expect(got(waiting.to)).toBe(0);
    expect(await owner.trpc.organization.pauses.query()).toMatchObject({ data: [{ scope: "agent_key", queued: 1 }] });
    await owner.trpc.keys.resumeAgentKey.mutate({ id: parent.id });
    await arrives(waiting.to);
  });
});

test("webhooks that name the events get them, and a second pause changes nothing", async () => {
  const { key, owner, inbox } = await newTeam();
  const first = await pauseInbox(key, inbox.address, { reason: "first" });
  const second = await owner.trpc.inboxes.pauseSending.mutate({ addr: inbox.address, reason: "second" });
  expect(second).toMatchObject({ reason: "first", paused_by: first.body.paused_by });
  expect((await eventsOf(key)).filter(({ event }) => event === "sending.paused")).toHaveLength(1);
  const hook = { url: "https://agent.example/hook", events: ["sending.paused", "sending.resumed"] };
  const { status, body } = await client.post<{ id: string }>("/v1/webhooks", hook, { key });
  expect(status).toBe(201);
  await owner.trpc.inboxes.resumeSending.mutate({ addr: inbox.address });
  const deliveries = await client.get<Page<{ event: { kind?: string } }>>(`/v1/webhooks/${body.id}/deliveries`, {
    key,
  });
  expect(deliveries.body.data).toHaveLength(1);
});
