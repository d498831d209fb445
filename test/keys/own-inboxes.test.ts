// `inbox_access: own`: an agent reaches the mailboxes that it created, at every door, and none of another agent.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually, follow } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Message = { id: string; thread_id: string; subject: string };
type Webhook = { id: string; agent_id: string | null };
const HOOK = { url: "https://a.example/x", events: ["message.received"] };

/** Two agents of one enrollment key, each with a mailbox that has one mail. */
async function twoAgents() {
  const { organizationId } = await service.newOrganization();
  const enrollment = await service.newEnrollment(organizationId, { inboxAccess: "own" });
  const other = await service.enroll(enrollment.enrollmentKey, "other");
  const [key, otherKey] = [enrollment.agentKey, other.agent_key];
  const [inbox, foreign] = [await client.createInbox(key), await client.createInbox(otherKey)];
  for (const { address } of [inbox, foreign]) {
    await service.mail({ from: "w@else.example", to: address, subject: address });
  }
  const secret = await newest(otherKey);
  return { ...enrollment, organizationId, key, otherKey, inbox, foreign, secret };
}

async function newest(key: string): Promise<Message> {
  const message = await eventually(async () => {
    const [first] = (await client.get<Page<Message>>("/v1/messages", { key })).body.data;
    if (!first) throw new Error("no mail yet");
    return first;
  });
  return message;
}
const subjects = async (key: string, path: string) =>
  (await client.get<Page<Message>>(path, { key })).body.data.map(({ subject }) => subject);

describe("an agent with its own inboxes", () => {
  test("reads so in its account, and an issued key has the same", async () => {
    const { key } = await twoAgents();
    expect((await client.get("/v1/auth/me", { key })).body).toMatchObject({ inbox_access: "own", inboxes: null });
    const narrower = await client.post("/v1/keys", { scopes: ["mailbox:read"] }, { key });
    expect([narrower.status, narrower.body]).toMatchObject([201, { inbox_access: "own", inboxes: null }]);
    const wider = await client.post("/v1/keys", { scopes: ["mailbox:read"], inbox_access: "organization" }, { key });
    expect([wider.status, wider.body.error?.code]).toEqual([403, "insufficient_scope"]);
  });

  test("lists its inboxes, messages, threads and events alone", async () => {
    const { key, inbox, foreign } = await twoAgents();
    expect((await client.get<Page<{ id: string }>>("/v1/inboxes", { key })).body.data.map(({ id }) => id)).toEqual([
      inbox.id,
    ]);
    for (const path of ["/v1/messages", "/v1/messages?q=else.example", "/v1/threads"]) {
      await eventually(async () => expect([path, await subjects(key, path)]).toEqual([path, [inbox.address]]));
    }
    const events = await client.get("/v1/events", { key });
    expect(events.text).toContain(inbox.address);
    expect(events.text).not.toContain(foreign.address);
  });

  test("gets of another inbox what it gets of one that never existed", async () => {
    const { key, foreign, secret } = await twoAgents();
    const errorOf = async (path: string) => {
      const { status, body } = await client.get(path, { key });
      return { status, code: body.error?.code, message: body.error?.message };
    };
    const none = "nobody-here@mail.example";
    for (const rest of ["", "/messages", "/threads", "/storage", "/send-limit"]) {
      expect(await errorOf(inboxPath(foreign.address, rest))).toEqual(await errorOf(inboxPath(none, rest)));
    }
    for (const path of [
      `/v1/messages/${secret.id}`,
      `/v1/messages/${secret.id}/raw`,
      `/v1/threads/${secret.thread_id}`,
    ]) {
      expect([path, (await errorOf(path)).status]).toEqual([path, 404]);
    }
    const reply = await client.post(`/v1/messages/${secret.id}/reply`, { text: "x" }, { key });
    expect(reply.status).toBe(404);
    const marked = await client.patch("/v1/messages", { ids: [secret.id], read: true }, { key });
    expect(marked.body).toEqual({ updated: [], missing: [secret.id] });
  });

  test("does not learn whose address is taken", async () => {
    const { key, foreign } = await twoAgents();
    const [username = ""] = foreign.address.split("@");
    const { status, body } = await client.post("/v1/inboxes", { username }, { key });
    expect([status, body.error?.code]).toEqual([409, "address_taken"]);
    expect(JSON.stringify(body)).not.toContain("Your organization");
  });

  test("pages through its inboxes while it creates more", async () => {
    const { key, inbox } = await twoAgents();
    await service.mail({ from: "w@else.example", to: inbox.address, subject: "second" });
    await eventually(async () => expect(await subjects(key, "/v1/messages")).toHaveLength(2));
    const first = (await client.get<Page<Message>>("/v1/messages?limit=1", { key })).body;
    await client.createInbox(key);
    const second = await client.get<Page<Message>>(`/v1/messages?limit=1&cursor=${first.next_cursor}`, { key });
    expect([second.status, second.body.data.length]).toEqual([200, 1]);
  });

  test("may not change what applies to the whole organization", async () => {
    const { key } = await twoAgents();
    const codes = await Promise.all([
      client.post("/v1/suppressions", { address: "a@else.example" }, { key }),
      client.post("/v1/lists/send/block", { entry: "else.example" }, { key }),
      client.post("/v1/domains", { domain: "claimed.example" }, { key }),
    ]);
    expect(codes.map(({ status, body }) => [status, body.error?.code])).toEqual([
      [403, "insufficient_scope"],
      [403, "insufficient_scope"],
      [403, "insufficient_scope"],
    ]);
  });

  test("follows events of inboxes that it creates while it follows", async () => {
    const { key, foreign } = await twoAgents();
    const stream = await follow(service, { key });
    await service.mail({ from: "w@else.example", to: foreign.address, subject: "not for it" });
    const later = await client.createInbox(key);
    await service.mail({ from: "w@else.example", to: later.address, subject: "for it" });
    await eventually(() => expect(stream.events.map(({ message }) => message.subject)).toEqual(["for it"]));
    await stream.close();
  });
});

describe("a webhook without an inbox, of an agent with its own inboxes", () => {
  const deliveriesOf = async (key: string, id: string) =>
    (await client.get<Page<{ message_id: string }>>(`/v1/webhooks/${id}/deliveries`, { key })).body.data;

  test("gets the mail of these, also when it is replayed", async () => {
    const { key, inbox, foreign, agentId } = await twoAgents();
    const since = new Date(0).toISOString();
    const { body: webhook } = await client.post<Webhook>("/v1/webhooks", HOOK, { key });
    const shown = await client.get<Webhook>(`/v1/webhooks/${webhook.id}`, { key });
    expect(shown.body).toMatchObject({ address: null, agent_id: agentId });
    for (const { address } of [foreign, inbox]) {
      await service.mail({ from: "w@else.example", to: address, subject: "later" });
    }
    await eventually(async () => expect(await deliveriesOf(key, webhook.id)).toHaveLength(1));
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const replayed = await client.post<{ replayed: number }>(
      `/v1/webhooks/${webhook.id}/replay`,
      { since: from },
      { key },
    );
    expect([since < from, replayed.body.replayed]).toEqual([true, expect.any(Number)]);
    expect(await deliveriesOf(key, webhook.id)).toHaveLength(2);
  });

  test("is seen by that agent alone, which does not see those of the organization", async () => {
    const { key, otherKey, organizationId } = await twoAgents();
    const owner = await newOwner(service, organizationId);
    const whole = await owner.trpc.webhooks.register.mutate({ url: HOOK.url, events: ["message.received"] });
    const { body: webhook } = await client.post<Webhook>("/v1/webhooks", HOOK, { key });
    const listed = async (of: string) =>
      (await client.get<Page<Webhook>>("/v1/webhooks", { key: of })).body.data.map(({ id }) => id);
    expect([await listed(key), await listed(otherKey)]).toEqual([[webhook.id], []]);
    const missing = await client.get(`/v1/webhooks/${whole.id}`, { key });
    expect([missing.status, missing.body.error?.code]).toEqual([404, "webhook_not_found"]);
    const names = (await owner.trpc.webhooks.list.query({})).data.map(({ id }) => id);
    expect(names.sort()).toEqual([whole.id, webhook.id].sort());
  });
});

test("a key of the organization issues a key for the inboxes of its agent", async () => {
  const { organizationId, agentKey: key, enrollmentKey } = await service.newOrganization();
  const foreign = await client.createInbox((await service.enroll(enrollmentKey, "other")).agent_key);
  const inbox = await client.createInbox(key);
  expect(organizationId).not.toBe("");
  const body = { scopes: ["mailbox:read"], inbox_access: "own" };
  const { body: issued } = await client.post<{ key: string; inbox_access: string }>("/v1/keys", body, { key });
  expect(issued.inbox_access).toBe("own");
  const statuses = [inbox, foreign].map(async ({ address }) => {
    return (await client.get(inboxPath(address, ""), { key: issued.key })).status;
  });
  expect(await Promise.all(statuses)).toEqual([200, 404]);
});

test("an operator cannot name an inbox of another agent for a key", async () => {
  const { enrollmentKeyId, foreign } = await twoAgents();
  await expect(service.newAgentKey(enrollmentKeyId, { inboxes: [foreign.address] })).rejects.toThrow("inbox");
});
