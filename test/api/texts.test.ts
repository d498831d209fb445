// Numbers, booleans and lists that are written as text, as models write them, at every door.
import { afterAll, describe, expect, test } from "vitest";
import { connect } from "#test/api/mcp/rig.ts";
import { api, type Failure, type Inbox, inboxPath, type Page } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService();
const client = api(service);
const { agentKey: key } = await service.newOrganization();
const { address } = await client.createInbox(key);
const agent = await connect(service, key);
afterAll(() => Promise.all([client.close(), agent.close()]).then(service.stop));

const SEND = inboxPath(address, "/send");
type Sent = { id: string; to: string[]; cc: string[]; labels: string[]; subject: string; text: string };

/** What a send stores. */
async function sent(json: object): Promise<Sent> {
  const answer = await client.post<{ id: string }>(SEND, { to: "a@else.example", text: "x", ...json }, { key });
  expect(answer.status).toBe(202);
  return (await client.get<Sent>(`/v1/messages/${answer.body.id}`, { key })).body;
}

/** The code of a refusal, with the first issue. */
async function refused(path: string, json: object) {
  const { status, body } = await client.post<Failure>(path, json, { key });
  return [status, body.error.code, body.error.issues?.[0]?.path];
}

describe("the text of a number", () => {
  const page = { limit: "1" };
  const url = (input: object) => `${service.url}/trpc/inboxes.list?input=${encodeURIComponent(JSON.stringify(input))}`;

  test("is the number in a query, a body, tRPC and MCP", async () => {
    await client.createInbox(key);
    expect((await client.get<Page<Inbox>>("/v1/inboxes?limit=1", { key })).body.data).toHaveLength(1);
    const wait = { timeout_seconds: "0", from: "nobody.example" };
    expect((await client.post(inboxPath(address, "/wait"), wait, { key })).body).toMatchObject({ timed_out: true });
    const answer = await fetch(url(page), { headers: { authorization: `Bearer ${key}` } });
    expect(await answer.json()).toMatchObject({ result: { data: { data: [{ status: "live" }] } } });
    expect((await agent.done<Page<Inbox>>("list_inboxes", page)).data).toHaveLength(1);
  });

  test.each(["", "1e9", "0x10", "ten", " 1", "1".repeat(16), "1.5"])("%j is no whole number", async (limit) => {
    const { status } = await client.get(`/v1/inboxes?limit=${encodeURIComponent(limit)}`, { key });
    expect(status).toBe(400);
  });
});

describe("the text of a boolean", () => {
  test("is the boolean in a query and a body", async () => {
    const { id } = await sent({});
    await client.patch(`/v1/messages/${id}`, { read: "False" }, { key });
    const unread = await client.get<Page<Sent>>("/v1/messages?unread=true&direction=outbound", { key });
    expect(unread.body.data.map((each) => each.id)).toEqual([id]);
    await client.patch(`/v1/messages/${id}`, { read: "true" }, { key });
    expect((await client.get<Page<Sent>>("/v1/messages?unread=True", { key })).body.data).toEqual([]);
  });

  test.each(["yes", "1", ""])("%j is none", async (read) => {
    const { id } = await sent({});
    expect((await client.patch(`/v1/messages/${id}`, { read }, { key })).status).toBe(400);
  });
});

describe("the text of a list", () => {
  test("has its items between commas, or is JSON", async () => {
    expect(await sent({ to: "a@else.example, b@else.example" })).toMatchObject({
      to: ["a@else.example", "b@else.example"],
    });
    expect(await sent({ to: '["a@else.example","b@else.example"]', labels: '["a, b","c"]' })).toMatchObject({
      to: ["a@else.example", "b@else.example"],
      labels: ["a, b", "c"],
    });
    const { id, labels } = await sent({ labels: "invoices, 2026" });
    expect(labels).toEqual(["invoices", "2026"]);
    const { body } = await client.patch("/v1/messages", { ids: id, read: true }, { key });
    expect(body).toEqual({ updated: [id], missing: [] });
  });

  test("is nothing when it is empty, unless that clears a field", async () => {
    expect(await sent({ cc: "", bcc: "", attachments: "", labels: "" })).toMatchObject({ cc: [], labels: [] });
    expect(await refused(SEND, { to: "", text: "x" })).toEqual([400, "invalid_request", "to"]);
    const draft = { inbox: address, to: "a@else.example", cc: "b@else.example" };
    const { body } = await client.post<{ id: string }>("/v1/drafts", draft, { key });
    const cleared = await client.patch(`/v1/drafts/${body.id}`, { revision: "1", cc: "" }, { key });
    expect(cleared.body).toMatchObject({ to: ["a@else.example"], cc: [] });
  });

  test.each(['["a"', '["a",', `["a"${" ".repeat(30_000)}]`])(
    "%# is refused when it is broken or long",
    async (labels) => {
      expect(await refused(SEND, { to: "a@else.example", text: "x", labels })).toContain(400);
    },
  );

  test("has objects where they are meant, up to a length", async () => {
    const file = { filename: "a.txt", content_type: "text/plain", content_base64: "YQ==" };
    const attachments = JSON.stringify([file]);
    expect(await sent({ attachments })).toMatchObject({ attachments: [{ filename: "a.txt", size: 1 }] });
    const long = JSON.stringify([{ ...file, content_base64: "YWFh".repeat(6_000) }]);
    expect(await refused(SEND, { to: "a@else.example", text: "x", attachments: long })).toContain(400);
    expect(await refused(SEND, { to: "a@else.example", text: "x", attachments: "[{]" })).toContain(400);
  });
});

test("text stays text", async () => {
  expect(await sent({ subject: "10", text: "true" })).toMatchObject({ subject: "10", text: "true" });
  expect(await sent({ text: '["a"]' })).toMatchObject({ text: '["a"]' });
  const metadata = { a: "1", b: "true", c: "x, y" };
  const { body } = await client.post<Inbox>("/v1/inboxes", { metadata, client_id: "1042" }, { key });
  expect(body.metadata).toEqual(metadata);
});

test("a field under both of its names is refused", async () => {
  const both = await agent.call("delete_inbox", { inbox: address, addr: address });
  expect(both.body).toMatchObject({ code: "unknown_field", issues: [{ message: "unknown field; it is given twice" }] });
  const wait = { after: "2020-01-01T00:00:00Z", cursor: "2020-01-01T00:00:00Z", timeout_seconds: 0 };
  expect(await refused(inboxPath(address, "/wait"), wait)).toEqual([400, "unknown_field", "cursor"]);
});

test("an address of a suppression is not called `inbox`", async () => {
  expect(await refused("/v1/suppressions", { inbox: "a@else.example" })).toEqual([400, "unknown_field", "inbox"]);
});
