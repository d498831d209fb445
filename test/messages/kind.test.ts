// `kind` of messages: what it is read from, and the filter of lists, waits and webhooks.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { api, inboxPath, type Page, type Webhook } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Message = { id: string; subject: string; kind?: string | null };
type Waited = { message: Message | null; earlier: { count: number } | null };

let key = "";
let address = "";
let made = 0;
const PAST = "2020-01-01T00:00:00Z";

beforeAll(async () => {
  key = (await service.newOrganization()).agentKey;
  ({ address } = await client.createInbox(key));
});

type More = { from?: string; body?: string; envelope?: string };

/** Receives a mail with these header lines, and returns its message. */
async function received(lines: string[], more: More = {}) {
  const { from = "ann@else.example", body = "Hello\r\n" } = more;
  const envelope = more.envelope ?? from;
  made += 1;
  const subject = `kind ${made}`;
  const raw = [`From: ${from}`, `To: ${address}`, `Subject: ${subject}`, ...lines, "", body].join("\r\n");
  await service.mail({ from: envelope, to: address, raw });
  const query = `/v1/messages?subject=${encodeURIComponent(subject)}`;
  const [found] = (await client.get<Page<Message>>(query, { key })).body.data;
  const whole = (await client.get<Message>(`/v1/messages/${found?.id}`, { key })).body;
  expect(whole.kind).toBe(found?.kind);
  return { subject, kind: found?.kind };
}

const report = "Content-Type: multipart/report; report-type=delivery-status; boundary=b";
const invitation =
  'This is text.\r\n--b\r\nContent-Type: text/calendar; method=REQUEST; charset="utf-8"\r\n\r\nBEGIN:VCALENDAR\r\n--b--\r\n';

describe.each<[string, string, string[], More]>([
  ["person", "a mail without marks", [], {}],
  ["person", "a person with a Reply-To and a thread", ["Reply-To: x@y.example", "In-Reply-To: <a@b.example>"], {}],
  ["person", "a person who writes about calendars", [], { body: "I write Content-Type: text/calendar here.\r\n" }],
  ["automatic", "Auto-Submitted", ["Auto-Submitted: auto-generated"], {}],
  ["automatic", "Precedence: bulk", ["Precedence: bulk"], {}],
  ["automatic", "an unsubscribe link without a list", ["List-Unsubscribe: <https://a.example/u>"], {}],
  ["automatic", "a sender that takes no answers", [], { from: "no-reply@shop.example" }],
  ["automatic", "a vacation notice with an empty envelope sender", ["Auto-Submitted: auto-replied"], { envelope: "" }],
  ["automatic", "a read receipt", ["Content-Type: multipart/report; report-type=disposition-notification"], {}],
  ["list", "List-Id", ["List-Id: <dev.lists.example>", "Precedence: list"], {}],
  ["list", "a list that a program writes to", ["List-Id: <dev.lists.example>", "Auto-Submitted: auto-generated"], {}],
  ["bounce", "a delivery report", [report], { from: "MAILER-DAEMON@relay.example", envelope: "" }],
  ["bounce", "X-Failed-Recipients", ["X-Failed-Recipients: a@b.example"], { envelope: "" }],
  ["bounce", "a mail system without a report", [], { from: "mailer-daemon@relay.example", envelope: "" }],
  ["calendar", "text/calendar alone", ["Content-Type: text/calendar; method=REPLY"], {}],
  ["calendar", "a part", ["Content-Type: multipart/alternative; boundary=b"], { body: invitation }],
  [
    "calendar",
    "a part of a list",
    ["Content-Type: multipart/mixed; boundary=b", "List-Id: <a.b>"],
    { body: invitation },
  ],
])("%s", (kind, what, lines, more) => {
  test(what, async () => {
    expect((await received(lines, more)).kind).toBe(kind);
  });
});

test("outbound messages have none", async () => {
  const { id } = (
    await client.post<{ id: string }>(inboxPath(address, "/send"), { to: "a@b.example", text: "x" }, { key })
  ).body;
  expect((await client.get<Message>(`/v1/messages/${id}`, { key })).body.kind).toBeUndefined();
});

describe("the filter", () => {
  test("is the same in lists, waits and webhooks, with their replays", async () => {
    key = (await service.newOrganization()).agentKey;
    ({ address } = await client.createInbox(key));
    const hook = async (kind?: string) => {
      const json = { url: "http://127.0.0.1:9/x", events: ["message.received"], ...(kind && { filter: { kind } }) };
      return (await client.post<Webhook>("/v1/webhooks", json, { key })).body.id;
    };
    const [persons, every] = [await hook("person"), await hook()];
    const person = await received([]);
    await received(["List-Id: <a.b>"]);
    const count = async (id: string) =>
      (await client.get<Page<object>>(`/v1/webhooks/${id}/deliveries`, { key })).body.data.length;
    expect([await count(persons), await count(every)]).toEqual([1, 2]);
    const lists = await hook("list");
    const since = new Date(Date.now() - 600_000).toISOString();
    const replay = async (id: string) =>
      (await client.post<{ replayed: number }>(`/v1/webhooks/${id}/replay`, { since }, { key })).body.replayed;
    expect(await replay(lists)).toBe(1);
    const changed = await client.patch<Webhook & { filter: object | null }>(
      `/v1/webhooks/${lists}`,
      { filter: {} },
      { key },
    );
    expect(changed.body.filter).toBeNull();
    const { data } = (await client.get<Page<Message>>("/v1/messages?kind=person", { key })).body;
    expect(data.map(({ subject }) => subject)).toEqual([person.subject]);
    const wait = async (kind: string, after = PAST) => {
      const json = { kind, after, timeout_seconds: 0 };
      return (await client.post<Waited>(inboxPath(address, "/wait"), json, { key })).body;
    };
    expect((await wait("person")).message?.subject).toBe(person.subject);
    expect((await wait("bounce")).message).toBeNull();
    const later = new Date(Date.now() + 1_000).toISOString();
    expect((await wait("person", later)).earlier?.count).toBe(1);
    expect((await client.get("/v1/messages?kind=spam", { key })).status).toBe(400);
  });
});
