// PATCH /v1/inboxes/{addr}.
import { afterAll, describe, expect, test } from "vitest";
import { api, type Inbox, inboxPath } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

async function newInbox() {
  const { agentKey: key } = await service.newOrganization();
  const inbox = await client.createInbox(key, { display_name: "Before" });
  const change = (json?: unknown) => client.patch<Inbox>(inboxPath(inbox.address), json, { key });
  const refused = async (json: unknown) => {
    const { status, body } = await client.patch(inboxPath(inbox.address), json, { key });
    return [status, body.error?.code];
  };
  const read = async () => (await client.get<Inbox>(inboxPath(inbox.address), { key })).body;
  return { key, inbox, change, refused, read };
}

const keys = (from: number, to: number) =>
  Object.fromEntries(Array.from({ length: to - from }, (_, i) => [`k${from + i}`, i]));

describe("200", () => {
  test("the display name, alone, or emptied", async () => {
    const { inbox, change, read } = await newInbox();
    const { status, body } = await change({ display_name: "Ärzte & Söhne" });
    expect([status, body]).toEqual([200, { ...inbox, display_name: "Ärzte & Söhne" }]);
    expect((await change({ display_name: "" })).body.display_name).toBe("");
    expect((await read()).display_name).toBe("");
  });

  test("metadata is merged, null deletes", async () => {
    const { change, read } = await newInbox();
    const first = { customer: "42", n: -1.5e3, ok: false, "key with ü ": "", zero: 0 };
    expect((await change({ metadata: first })).body.metadata).toEqual(first);
    const { body } = await change({ metadata: { customer: null, n: 7, unknown: null, more: "x".repeat(1000) } });
    expect(body.metadata).toEqual({ n: 7, ok: false, "key with ü ": "", zero: 0, more: "x".repeat(1000) });
    expect((await read()).metadata).toEqual(body.metadata);
  });

  test("an empty body, no body, and null fields change nothing", async () => {
    const { inbox, change } = await newInbox();
    for (const json of [undefined, {}, { metadata: {} }, { metadata: null, display_name: null }]) {
      expect((await change(json)).body).toEqual(inbox);
    }
  });

  test("up to 50 keys; concurrent merges all hold", async () => {
    const { change, read } = await newInbox();
    await Promise.all(Array.from({ length: 50 }, (_, i) => change({ metadata: { [`k${i}`]: i } })));
    expect(Object.keys((await read()).metadata)).toHaveLength(50);
    expect((await change({ metadata: { k0: null, k50: 1 } })).status).toBe(200);
  });

  test("names that JavaScript gives a meaning are names", async () => {
    const { key, inbox, read } = await newInbox();
    const body = '{"metadata":{"constructor":"a","toString":1,"hasOwnProperty":true,"toJSON":"x"}}';
    const headers = { "content-type": "application/json" };
    expect((await client.call("PATCH", inboxPath(inbox.address), { key, body, headers })).status).toBe(200);
    expect(Object.entries((await read()).metadata)).toHaveLength(4);
  });
});

describe("400", () => {
  test("a 51st metadata key refuses the whole change", async () => {
    const { change, refused, read } = await newInbox();
    expect((await change({ metadata: keys(0, 50) })).status).toBe(200);
    expect(await refused({ metadata: { k50: 1 }, display_name: "After" })).toEqual([400, "invalid_request"]);
    expect(await refused({ metadata: keys(0, 60) })).toEqual([400, "invalid_request"]);
    expect((await read()).display_name).toBe("Before");
  });

  test("fields of another type, and values that metadata cannot hold", async () => {
    const { refused, read } = await newInbox();
    for (const display_name of [5, [], {}, true, "x".repeat(101), "a\nb", "a\0"]) {
      expect([display_name, ...(await refused({ display_name }))]).toEqual([display_name, 400, "invalid_request"]);
    }
    for (const metadata of [5, [], "x", true, [1]]) {
      expect([metadata, ...(await refused({ metadata }))]).toEqual([metadata, 400, "invalid_request"]);
    }
    for (const value of [{}, [], [1], { a: 1 }, "x".repeat(1001), "a\0b", "\ud800"]) {
      expect([value, ...(await refused({ metadata: { value } }))]).toEqual([value, 400, "invalid_request"]);
    }
    for (const name of ["", "x".repeat(101), "a\0", "a\n", "\udfff"]) {
      expect([name, ...(await refused({ metadata: { [name]: 1 } }))]).toEqual([name, 400, "invalid_request"]);
    }
    expect((await read()).metadata).toEqual({});
  });

  test("a number that JSON cannot hold exactly as infinity", async () => {
    const { key, inbox } = await newInbox();
    const headers = { "content-type": "application/json" };
    const body = '{"metadata":{"n":1e400}}';
    expect((await client.call("PATCH", inboxPath(inbox.address), { key, body, headers })).status).toBe(400);
  });
});

describe("404", () => {
  test("unknown, deleted, another's", async () => {
    const { key, inbox } = await newInbox();
    const stranger = await newInbox();
    await client.delete(inboxPath(inbox.address), { key });
    for (const name of [inbox.address, inbox.id, stranger.inbox.address, stranger.inbox.id, "nobody@mail.example"]) {
      const { status, body } = await client.patch(inboxPath(name), { display_name: "x" }, { key });
      expect([name, status, body.error.code]).toEqual([name, 404, "inbox_not_found"]);
    }
    expect((await stranger.read()).display_name).toBe("Before");
  });
});
