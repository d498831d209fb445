// `delivered_to` of messages, and the filter `to` of lists, waits and webhooks, which reads it in the same way.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { api, type Failure, inboxPath, type Page, type Webhook } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Message = { id: string; subject: string; to: string[]; delivered_to?: string | null };
type Waited = { timed_out: boolean; message: Message | null; earlier: { count: number } | null };
type Hook = Webhook & { filter: { to: string } | null };

let key = "";
let address = "";
const PAST = "2020-01-01T00:00:00Z";

beforeAll(async () => {
  key = (await service.newOrganization()).agentKey;
  ({ address } = await client.createInbox(key, { username: "desk" }));
  await service.mail({ from: "a@shop.example", to: "desk+shop@mail.example", subject: "tag" });
  // In no header, as with Bcc.
  const raw =
    "From: a@list.example\r\nTo: everybody@list.example\r\nCc: Other@List.example\r\nSubject: hidden\r\n\r\nx\r\n";
  await service.mail({ from: "a@list.example", to: "desk+secret@mail.example", raw });
  await service.mail({ from: "a@plain.example", to: address, subject: "plain" });
});

const subjects = (page: Page<Message>) => page.data.map(({ subject }) => subject).sort();
const listed = async (query: string) => (await client.get<Page<Message>>(`/v1/messages?${query}`, { key })).body;
const wait = async (to: string, more: object = {}) => {
  const json = { to, after: PAST, timeout_seconds: 0, ...more };
  return (await client.post<Waited & Failure>(inboxPath(address, "/wait"), json, { key })).body;
};
const newHook = (to?: string) =>
  client.post<Webhook & Failure>(
    "/v1/webhooks",
    { url: "http://127.0.0.1:9/x", events: ["message.received"], ...(to !== undefined && { filter: { to } }) },
    { key },
  );
const deliveries = async (id: string) =>
  (await client.get<Page<object>>(`/v1/webhooks/${id}/deliveries`, { key })).body.data.length;

test("messages and summaries have the recipient that was used, with its tag", async () => {
  const { data } = await listed("");
  const used = Object.fromEntries(data.map(({ subject, delivered_to }) => [subject, delivered_to]));
  expect(used).toEqual({ tag: "desk+shop@mail.example", hidden: "desk+secret@mail.example", plain: address });
  const hidden = data.find(({ subject }) => subject === "hidden");
  const whole = await client.get<Message>(`/v1/messages/${hidden?.id}`, { key });
  expect(whole.body).toMatchObject({ to: ["everybody@list.example"], delivered_to: "desk+secret@mail.example" });
  const sent = await client.post<{ id: string }>(
    inboxPath(address, "/send"),
    { to: "a@b.example", text: "x" },
    { key },
  );
  expect((await client.get<Message>(`/v1/messages/${sent.body.id}`, { key })).body.delivered_to).toBeUndefined();
});

describe.each([
  ["DESK+shop@mail.example", ["tag"]],
  ["desk+secret@mail.example", ["hidden"]],
  ["other@list.example", ["hidden"]],
  ["+s", ["hidden", "tag"]],
  ["desk@mail.example", ["plain"]],
  ["ther@list.example", []],
  ["nobody@mail.example", []],
])("to %s", (to, expected) => {
  test("is the same in lists, searches, waits and webhooks", async () => {
    expect(subjects(await listed(`direction=inbound&to=${encodeURIComponent(to)}`))).toEqual(expected);
    expect(subjects(await listed(`direction=inbound&q=${encodeURIComponent(`to:${to}`)}`))).toEqual(expected);
    const waited = await wait(to);
    expect(expected.length > 0 ? expected : [undefined]).toContain(waited.message?.subject);
    const late = await wait(to, { after: new Date(Date.now() + 1_000).toISOString() });
    expect(late.earlier?.count ?? 0).toBe(expected.length);
    const { id } = (await newHook(to)).body;
    const replayed = await client.post<{ replayed: number }>(
      `/v1/webhooks/${id}/replay`,
      { since: new Date(Date.now() - 600_000).toISOString() },
      { key },
    );
    expect(replayed.body.replayed).toBe(expected.length);
    await client.delete(`/v1/webhooks/${id}`, { key });
  });
});

test("a webhook with `to` gets new mail to it alone, until it is changed", async () => {
  const { agentKey } = await service.newOrganization();
  const before = key;
  key = agentKey;
  try {
    await client.createInbox(key, { username: "hooked" });
    const filtered = (await newHook("hooked+shop@")).body.id;
    const every = (await newHook()).body.id;
    const path = `/v1/webhooks/${filtered}`;
    expect((await client.get<Hook>(path, { key })).body.filter).toEqual({ to: "hooked+shop@" });
    expect((await client.get<Hook>(`/v1/webhooks/${every}`, { key })).body.filter).toBeNull();
    await service.mail({ from: "a@b.example", to: "hooked+shop@mail.example" });
    await service.mail({ from: "a@b.example", to: "hooked+other@mail.example" });
    expect([await deliveries(filtered), await deliveries(every)]).toEqual([1, 2]);
    expect((await client.patch<Hook>(path, { filter: { to: "+other" } }, { key })).body.filter).toEqual({
      to: "+other",
    });
    await service.mail({ from: "a@b.example", to: "hooked+other@mail.example" });
    expect((await client.patch<Hook>(path, { filter: {} }, { key })).body.filter).toBeNull();
    await service.mail({ from: "a@b.example", to: "hooked@mail.example" });
    expect([await deliveries(filtered), await deliveries(every)]).toEqual([3, 4]);
  } finally {
    key = before;
  }
});
