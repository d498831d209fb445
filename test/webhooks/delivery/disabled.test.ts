// A webhook that is disabled by what its endpoint answers says so everywhere: on itself, in the event log, to its owners.
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { decodeId, newId } from "#server/base/ids.ts";
import { setOwners } from "#server/organizations/organizations.ts";
import { api, inboxPath, type Page, type Webhook } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { type Receiver, startReceiver, status } from "./receiver.ts";

const DAY_MS = 86_400_000;
const POLL = { interval: 30 };
const GONE = "The endpoint answered 410 Gone.";

type Message = { id: string; from: string; subject: string; text: string; headers?: object[] };
type Event = { id: string; event: string; inbox: string | null; webhook?: { id: string; url: string; reason: string } };

const service = await startTestService();
const client = api(service);
const receivers: Receiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});
afterAll(() => client.close().then(service.stop));

/** An organization with an owner who has a mailbox here, and a webhook. */
async function setUp(answer: Receiver["answer"], scoped: boolean) {
  const { organizationId, agentKey: key } = await service.newOrganization();
  const [inbox, owner] = [await client.createInbox(key), await client.createInbox(key)];
  await setOwners(service.system, organizationId, [owner.address, "someone@elsewhere.example"]);
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  const json = { url: receiver.url, events: ["message.received"], ...(scoped && { address: inbox.address }) };
  const { body: webhook } = await client.post<Webhook>("/v1/webhooks", json, { key });
  const mail = () => service.mail({ from: "a@example.org", to: inbox.address, subject: "Hello" });
  const row = async () => (await client.get<Record<string, unknown>>(`/v1/webhooks/${webhook.id}`, { key })).body;
  const events = async () => {
    const { body } = await client.get<Page<Event>>("/v1/events", { key });
    return body.data.filter(({ event }) => event === "webhook.disabled");
  };
  const emails = async () => {
    const { body } = await client.get<Page<Message>>(inboxPath(owner.address, "/messages"), { key });
    return body.data.filter(({ from }) => from === "no-reply@mail.example");
  };
  return {
    key,
    organizationId: decodeId("org", organizationId) ?? "",
    inbox,
    owner,
    receiver,
    webhook,
    mail,
    row,
    events,
    emails,
  };
}

describe("a webhook that answers 410", () => {
  test.each([true, false])(
    "is disabled immediately, and its owners are notified (scoped to a mailbox: %s)",
    async (scoped) => {
      const { key, inbox, webhook, receiver, mail, row, events, emails } = await setUp(status(410), scoped);
      const stream = new AbortController();
      const streamed = fetch(`${service.url}/v1/events/stream`, {
        headers: { Authorization: `Bearer ${key}` },
        signal: stream.signal,
      }).then(async (response) => {
        let text = "";
        for await (const chunk of response.body ?? []) {
          text += Buffer.from(chunk).toString();
          if (text.includes("event: webhook.disabled")) return text;
        }
        return text;
      });
      await mail();
      await expect.poll(async () => (await row()).active, POLL).toBe(false);
      expect(await row()).toMatchObject({ disabled_reason: GONE, disabled_at: expect.stringMatching(/Z$/) });
      await expect.poll(events, POLL).toEqual([
        expect.objectContaining({
          id: expect.stringMatching(/^evt_/),
          inbox: scoped ? inbox.address : null,
          webhook: { id: webhook.id, url: webhook.url, reason: GONE },
        }),
      ]);
      expect(await streamed).toContain(webhook.id);
      stream.abort();
      await expect.poll(async () => (await emails()).length, POLL).toBe(1);
      const [email] = await emails();
      const { body: message } = await client.get<Message>(`/v1/messages/${email?.id}`, { key });
      expect(message.subject).toBe("A webhook was disabled");
      expect(message.headers).toContainEqual({ name: "Auto-Submitted", value: "auto-generated" });
      const shown = (text: string) =>
        text
          .replace("://", "[:]//")
          .replace("@", "[at]")
          .replace("mail.example", "mail[.]example")
          .replace("127.0.0", "127[.]0[.]0");
      const [url, from] = [webhook.url, scoped ? inbox.address : "all mailboxes"].map(shown);
      for (const part of [webhook.id, url, GONE, from]) {
        expect(message.text).toContain(part);
      }
      await mail();
      await expect
        .poll(
          async () =>
            (await client.get<Page<Message>>(inboxPath(inbox.address, "/messages"), { key })).body.data.length,
        )
        .toBe(2);
      expect(receiver.received).toHaveLength(1);
    },
  );

  test("is disabled once, whatever answers come at the same time", async () => {
    const { mail, row, events, emails } = await setUp(status(410), false);
    await Promise.all([mail(), mail(), mail(), mail(), mail()]);
    await expect.poll(async () => (await row()).active, POLL).toBe(false);
    await expect.poll(async () => (await emails()).length, POLL).toBe(1);
    expect(await events()).toHaveLength(1);
  });
});

test("a late 410 of the URL that a webhook had leaves it active at its new one, where the delivery goes then", async () => {
  const { key, receiver, webhook, mail, row, events } = await setUp(() => undefined, true);
  const next = await startReceiver();
  receivers.push(next);
  const asked = new Promise<ServerResponse>((resolve) => {
    receiver.answer = resolve;
  });
  await mail();
  const response = await asked;
  await client.patch(`/v1/webhooks/${webhook.id}`, { url: next.url }, { key });
  response.writeHead(410).end();
  type Delivery = { status: string };
  const deliveries = async () =>
    (await client.get<Page<Delivery>>(`/v1/webhooks/${webhook.id}/deliveries`, { key })).body.data;
  await expect.poll(async () => (await deliveries())[0]?.status, POLL).toBe("succeeded");
  expect(next.received).toHaveLength(1);
  expect(await row()).toMatchObject({ active: true, url: next.url, failing_since: null });
  expect(await events()).toEqual([]);
});

test("a webhook without a success for five days is disabled with its tenth failure, and its owners hear of it", async () => {
  const { organizationId, webhook, mail, row, events, emails } = await setUp(status(500), false);
  const { sql, now } = service.system;
  const [{ id } = { id: "" }] = await sql<{ id: string }[]>`
    update webhooks set failing_since = ${new Date(now().getTime() - 5 * DAY_MS - 60_000)}
    where organization_id = ${organizationId} returning id`;
  await sql`
    insert into deliveries (id, organization_id, webhook_id, event_id, status, attempts, created_at, completed_at)
    values (${newId()}, ${organizationId}, ${id}, ${newId()}, 'failed', 9, ${now()}, ${now()})`;
  await mail();
  await expect.poll(async () => (await row()).active, POLL).toBe(false);
  expect(await row()).toMatchObject({ disabled_reason: expect.stringMatching(/5 days/) });
  await expect.poll(async () => (await events()).map((event) => event.webhook?.id), POLL).toEqual([webhook.id]);
  await expect.poll(async () => (await emails()).length, POLL).toBe(1);
});

test("a notice to the outside is captured, like all such mail here, and counts as sent", async () => {
  const { organizationId, mail } = await setUp(status(410), false);
  await mail();
  const sent = () => service.system.sql`
    select to_address, attempts, error from notices where organization_id = ${organizationId} and sent_at is not null`;
  await expect.poll(async () => [...(await sent())].length, POLL).toBe(2);
  expect([...(await sent())]).toContainEqual({ to_address: "someone@elsewhere.example", attempts: 1, error: null });
});
