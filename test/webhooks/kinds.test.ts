// Webhooks that subscribe to kinds of events beside message.received.
import { afterAll, describe, expect, test } from "vitest";
import type { WebhookEvent } from "#client/verify-webhook.ts";
import { decodeId, encodeId, newId } from "#server/base/ids.ts";
import type { NewEvent } from "#server/events/record.ts";
import type { Page } from "#test/support/api.ts";
import { eventually, reportedOf } from "#test/support/events.ts";
import { type Delivery, type StoredWebhook, startRig } from "./rig.ts";

const rig = await startRig();
const { client, service } = rig;
afterAll(rig.close);

type Caller = { organizationId: string; agentKey: string };

async function register(key: string, events: string[], address?: string) {
  const receiver = await rig.endpoint();
  const body = { url: receiver.url, events, ...(address && { address }) };
  const answer = await client.post<{ id: string; secret: string }>("/v1/webhooks", body, { key });
  expect(answer.status).toBe(201);
  return { ...answer.body, receiver };
}

/** Records an event as the service does when its cause is written. */
async function record({ organizationId }: Caller, change: Pick<NewEvent, "kind" | "inbox_id"> & { body: object }) {
  const { sql, eventLog, now } = service.system;
  const organization_id = decodeId("org", organizationId) ?? organizationId;
  const body = JSON.stringify({ event: change.kind, ...change.body });
  const event = { id: newId(), organization_id, message_id: null, ...change, body };
  eventLog.announce(await sql.begin((tx) => eventLog.record(tx, [event], now())));
  return body;
}

const BOUNCED = {
  id: encodeId("msg", newId()),
  thread_id: encodeId("thr", newId()),
  recipient: "ann@else.example",
  status: "bounced",
  smtp_code: 550,
  enhanced_code: "5.1.1",
  reason: "550 5.1.1 User unknown",
};
const changed = (status: string) => ({ id: encodeId("dom", newId()), domain: "shop.example", status, reason: null });

const kindsOf = (received: { headers: NodeJS.Dict<string | string[]> }[]) =>
  received.map(({ headers }) => headers["x-service-event"]);

describe("200", () => {
  test("each webhook receives the kinds that it names, of its mailbox", async () => {
    const caller = await service.newOrganization();
    const { agentKey: key } = caller;
    const [mine, other] = [await client.createInbox(key), await client.createInbox(key)];
    const all = await register(key, ["message.received", "message.bounced", "domain.verified"]);
    const ofMine = await register(key, ["message.bounced", "domain.verified"], mine.address);
    const ofOther = await register(key, ["message.bounced"], other.address);
    const received = await register(key, ["message.received"]);
    const stranger = await register((await service.newOrganization()).agentKey, ["message.bounced", "domain.verified"]);

    const inbox_id = decodeId("inb", mine.id) ?? "";
    const message = BOUNCED;
    const bounced = await record(caller, { kind: "message.bounced", inbox_id, body: { inbox: mine.address, message } });
    const domain = changed("verified");
    await record(caller, { kind: "domain.verified", inbox_id: null, body: { inbox: null, domain } });
    await service.mail({ from: "a@else.example", to: mine.address, subject: "hi" });

    await eventually(() => expect(all.receiver.received).toHaveLength(3));
    await eventually(() => expect(received.receiver.received).toHaveLength(1));
    await eventually(() => expect(ofMine.receiver.received).toHaveLength(1));
    expect(kindsOf(all.receiver.received).sort()).toEqual(["domain.verified", "message.bounced", "message.received"]);
    expect(kindsOf(received.receiver.received)).toEqual(["message.received"]);
    expect(ofMine.receiver.received.map(({ body }) => String(body))).toEqual([bounced]);
    expect([ofOther.receiver.received, stranger.receiver.received]).toEqual([[], []]);

    const { data } = (await client.get<Page<WebhookEvent>>("/v1/events", { key })).body;
    expect(reportedOf(data).map(({ event }) => event)).toEqual([
      "message.bounced",
      "domain.verified",
      "message.received",
    ]);
    const log = (await client.get<Page<Delivery & { event: string }>>(`/v1/webhooks/${all.id}/deliveries`, { key }))
      .body;
    expect(log.data.map(({ event }) => event)).toEqual(["message.received", "domain.verified", "message.bounced"]);
  });

  test("PATCH changes the kinds; a replay sends events of the kinds that are named now", async () => {
    const caller = await service.newOrganization();
    const { agentKey: key } = caller;
    const inbox = await client.createInbox(key);
    const { id, receiver } = await register(key, ["message.received"]);
    const domain = changed("lost");
    await record(caller, { kind: "domain.lost", inbox_id: null, body: { inbox: null, domain } });
    await service.mail({ from: "a@else.example", to: inbox.address, subject: "hi" });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const answer = await client.patch<StoredWebhook>(
      `/v1/webhooks/${id}`,
      { events: ["domain.lost", "domain.lost"] },
      { key },
    );
    expect([answer.status, answer.body.events]).toEqual([200, ["domain.lost"]]);
    const since = new Date(Date.now() - 60_000).toISOString();
    const { body } = await client.post<{ replayed: number }>(`/v1/webhooks/${id}/replay`, { since }, { key });
    expect(body.replayed).toBe(1);
    await eventually(() => expect(kindsOf(receiver.received)).toEqual(["message.received", "domain.lost"]));
    await service.mail({ from: "a@else.example", to: inbox.address, subject: "not sent" });
    await record(caller, { kind: "domain.lost", inbox_id: null, body: { inbox: null, domain } });
    await eventually(() => expect(receiver.received).toHaveLength(3));
    expect(kindsOf(receiver.received)).toEqual(["message.received", "domain.lost", "domain.lost"]);
  });

  test("a wait ignores other kinds", async () => {
    const caller = await service.newOrganization();
    const inbox = await client.createInbox(caller.agentKey);
    const path = `/v1/inboxes/${encodeURIComponent(inbox.address)}/wait`;
    const waiting = client.post<{ message: { subject: string } | null }>(
      path,
      { timeout_seconds: 30, after: new Date(Date.now() - 60_000).toISOString() },
      { key: caller.agentKey },
    );
    const message = BOUNCED;
    const inbox_id = decodeId("inb", inbox.id) ?? "";
    await record(caller, { kind: "message.bounced", inbox_id, body: { inbox: inbox.address, message } });
    await service.mail({ from: "a@else.example", to: inbox.address, subject: "this one" });
    expect((await waiting).body.message?.subject).toBe("this one");
  });
});

test("400: kinds that do not exist, or that webhooks do not receive", async () => {
  const { agentKey: key } = await service.newOrganization();
  const { id } = await register(key, ["message.received"]);
  for (const events of [["message.opened"], ["webhook.disabled"], [], ["message.received", "*"]]) {
    const answers = [
      await client.post("/v1/webhooks", { url: "https://agent.example/hooks", events }, { key }),
      await client.patch(`/v1/webhooks/${id}`, { events }, { key }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
  }
});
