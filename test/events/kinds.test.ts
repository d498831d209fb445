// What is recorded in the event log: changes by agents, members and the service.
import { afterAll, describe, expect, test } from "vitest";
import { EVENT_KINDS } from "#db/event-kinds.ts";
import { api, type Failure, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";
import { startReceiver } from "#test/webhooks/delivery/receiver.ts";

const service = await startTestService({ ALLOW_INSECURE_WEBHOOKS: "true" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Event = { event: string; inbox: string | null; message?: { id: string }; suppression?: object; mailbox?: object };
const logOf = async (key: string) =>
  (await client.get<Page<Event>>(`/v1/events?events=${EVENT_KINDS}`, { key })).body.data;
const kindsOf = async (key: string) => (await logOf(key)).map(({ event }) => event);
const send = (key: string, from: string, to: string) =>
  client.post<{ id: string }>(inboxPath(from, "/send"), { to, text: "Hello" }, { key });

describe("the log and a webhook of all kinds have", () => {
  test("mailboxes, mail that left, suppressions and restored mail, in order", async () => {
    const { agentKey: key, enrollmentKeyId } = await service.newOrganization();
    const hook = await startReceiver();
    const events = ["message.sent", "message.restored", "suppression.added", "suppression.removed", "inbox.created"];
    await client.post("/v1/webhooks", { url: hook.url, events: [...events, "inbox.deleted"] }, { key });
    const mailbox = await client.createInbox(key);
    const { id } = (await send(key, mailbox.address, "ann@else.example")).body;
    await eventually(async () => expect(await kindsOf(key)).toEqual(["inbox.created", "message.sent"]));
    await client.post("/v1/suppressions", { address: "Ann@else.example", reason: "asked" }, { key });
    await client.post("/v1/suppressions", { address: "ann@else.example" }, { key });
    await client.call("DELETE", "/v1/suppressions/ann@else.example", { key });
    await client.call("DELETE", `/v1/messages/${id}`, { key });
    await client.post(`/v1/messages/${id}/restore`, {}, { key });
    const narrow = (await service.newAgentKey(enrollmentKeyId, { inboxes: [mailbox.address] })).key;
    expect(await kindsOf(narrow)).toEqual(["inbox.created", "message.sent", "message.restored"]);
    await client.delete(`/v1/inboxes/${mailbox.id}`, { key });

    const inbox = mailbox.address;
    const suppression = { address: "ann@else.example", reason: "asked" };
    const expected = [
      { event: "inbox.created", inbox, mailbox: { id: mailbox.id } },
      { event: "message.sent", inbox, message: { id, recipients: ["ann@else.example"] } },
      { event: "suppression.added", inbox: null, suppression },
      { event: "suppression.removed", inbox: null, suppression },
      { event: "message.restored", inbox, message: { id } },
      { event: "inbox.deleted", inbox, mailbox: { id: mailbox.id } },
    ];
    expect(await logOf(key)).toMatchObject(expected);
    await eventually(() => expect(hook.received).toHaveLength(expected.length));
    const bodies = hook.received.map(({ body }) => JSON.parse(String(body)) as Event);
    const byKind = (a: Event, b: Event) => (a.event < b.event ? -1 : 1);
    expect(bodies.sort(byKind)).toMatchObject(expected.toSorted(byKind));
    await hook.close();
  });

  test("nothing that earlier programs do not know, unless it is asked for", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    await service.mail({ from: "ann@else.example", to: address, subject: "Hello" });
    const read = async (query: string) =>
      (await client.get<Page<Event>>(`/v1/events${query}`, { key })).body.data.map(({ event }) => event);
    expect(await read("")).toEqual(["message.received"]);
    expect(await read("?events=inbox.created,message.received")).toEqual(["inbox.created", "message.received"]);
    const { body, status } = await client.get<Failure>("/v1/events?events=mail.read", { key });
    expect([status, body.error.code]).toEqual([400, "invalid_request"]);
  });

  test("mailboxes that are created together, each once", async () => {
    const { agentKey: key } = await service.newOrganization();
    const made = await Promise.all(Array.from({ length: 20 }, () => client.createInbox(key)));
    const log = await logOf(key);
    expect(log.map(({ inbox }) => inbox).sort()).toEqual(made.map(({ address }) => address).sort());
  });

  test("mail that waits for a member", async () => {
    const organization = await service.newOrganization();
    const { agentKey: key } = organization;
    const { trpc } = await newOwner(service, organization.organizationId);
    const { address } = await client.createInbox(key);
    await trpc.reviews.setPolicy.mutate({ review: "all" });
    const { id } = (await send(key, address, "ann@else.example")).body;
    expect((await logOf(key)).at(-1)).toMatchObject({ event: "message.held", inbox: address, message: { id } });
  });
});

test("a key without mailbox:read registers webhooks of received mail alone", async () => {
  const { enrollmentKeyId } = await service.newOrganization();
  const { key } = await service.newAgentKey(enrollmentKeyId, { scopes: ["webhook:write"] });
  const register = (events: string[]) =>
    client.post<{ id: string; error: { code: string } }>(
      "/v1/webhooks",
      { url: "https://agent.example/x", events },
      { key },
    );
  const { id } = (await register(["message.received"])).body;
  expect((await register(["suppression.added"])).body.error.code).toBe("insufficient_scope");
  const changed = await client.patch<{ error: { code: string } }>(
    `/v1/webhooks/${id}`,
    { events: ["message.received", "message.sent"] },
    { key },
  );
  expect([changed.status, changed.body.error.code]).toEqual([403, "insufficient_scope"]);
});
