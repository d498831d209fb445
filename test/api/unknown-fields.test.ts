// Fields that a request does not have: refused by name, in bodies and queries, over REST and tRPC; and null in optional fields.
import { afterAll, describe, expect, test } from "vitest";
import { api, type Failure, type Inbox, inboxPath, type Page } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

const { agentKey: key, enrollmentKey } = await service.newOrganization();
const { address } = await client.createInbox(key);
const SEND = inboxPath(address, "/send");

/** The refusal of a body: its code and its issues. */
async function refusal(path: string, json: object) {
  const { status, body } = await client.post<Failure>(path, json, { key });
  return { status, code: body.error.code, issues: body.error.issues, message: body.error.message };
}

async function hint(path: string, json: object): Promise<string | undefined> {
  const { code, issues } = await refusal(path, json);
  expect(code).toBe("unknown_field");
  return issues?.[0]?.message;
}

describe("400 unknown_field in a body", () => {
  test("names every unknown field with its path, and changes nothing", async () => {
    const before = (await client.get<Page<Inbox>>("/v1/inboxes", { key })).body.data.length;
    const { status, code, issues, message } = await refusal("/v1/inboxes", {
      username: "unknown-fields",
      displayName: "x",
      zzz: { deep: [1] },
    });
    expect([status, code]).toEqual([400, "unknown_field"]);
    expect(issues).toEqual([
      { path: "displayName", message: "unknown field; did you mean `display_name`?" },
      { path: "zzz", message: "unknown field" },
    ]);
    expect(message).toBe("displayName: unknown field; did you mean `display_name`?");
    expect((await client.get<Page<Inbox>>("/v1/inboxes", { key })).body.data).toHaveLength(before);
  });

  test("inside attachments", async () => {
    const file = { filename: "a.txt", content_type: "text/plain", content: "aGk=" };
    const { issues } = await refusal(SEND, { to: "a@else.example", text: "x", attachments: [file] });
    expect(issues).toEqual([
      { path: "attachments.0.content", message: "unknown field; did you mean `content_base64`?" },
      { path: "attachments.0", message: expect.stringContaining("must have exactly one of `content_base64`") },
    ]);
  });

  test.each([
    ["/v1/inboxes", "user_name", "; did you mean `username`?"],
    ["/v1/inboxes", "username1", "; did you mean `username`?"],
    ["/v1/inboxes", "local_part", "; did you mean `username`?"],
    ["/v1/inboxes", "clientId", "; did you mean `client_id`?"],
    ["/v1/inboxes", "webhook_url", "; did you mean `inbound_webhook_url`?"],
    [SEND, "recipients", "; did you mean `to`?"],
    [SEND, "replyTo", "; did you mean `reply_to`?"],
    [SEND, "html_body", "; did you mean `html`?"],
    [SEND, "from", "; the sender is the mailbox in the path, with its `display_name`"],
    [SEND, "tto", "; did you mean `to`?"],
    [SEND, "__proto__x", ""],
    [SEND, "constructor", ""],
    [SEND, "x".repeat(5_000), ""],
    ["/v1/webhooks", "event_types", "; did you mean `events`?"],
    [inboxPath(address, "/wait"), "timeout", "; did you mean `timeout_seconds`?"],
  ])("%s %s%s", async (path, name, expected) => {
    expect(await hint(path, { [name]: "x" })).toBe(`unknown field${expected}`);
  });

  test("also `__proto__`, and the fields of the path", async () => {
    const { body } = await client.call<Failure>("POST", SEND, {
      key,
      body: '{"to":"a@else.example","text":"x","__proto__":{"x":1}}',
      headers: { "content-type": "application/json" },
    });
    expect(body.error).toMatchObject({ code: "unknown_field", issues: [{ path: "__proto__" }] });
    const other = await client.createInbox(key);
    expect(await refusal(SEND, { to: "a@else.example", text: "x", addr: other.address })).toMatchObject({
      code: "unknown_field",
      issues: [{ path: "addr" }],
    });
  });

  test("at most 100 of them, each shortened", async () => {
    const names = Array.from({ length: 500 }, (_, i) => [`${"n".repeat(200)}${i}`, i]);
    const { issues } = await refusal(SEND, Object.fromEntries(names));
    expect(issues).toHaveLength(100);
    expect(issues?.every(({ path }) => path.length === 100)).toBe(true);
  });

  test("after the key and before the values", async () => {
    const { body } = await client.post<Failure>("/v1/inboxes", { nope: 1 });
    expect(body.error.code).toBe("unauthorized");
    expect((await refusal("/v1/inboxes", { username: 7, nope: 1 })).code).toBe("unknown_field");
    const { key: narrow } = await service.newAgentKey((await service.newOrganization()).enrollmentKeyId, {
      scopes: ["mailbox:read"],
    });
    const scoped = await client.post<Failure>("/v1/inboxes", { nope: 1 }, { key: narrow });
    expect(scoped.body.error.code).toBe("insufficient_scope");
  });
});

describe("400 unknown_field in a query", () => {
  test.each([
    ["/v1/inboxes?page_size=2", "page_size", "; did you mean `limit`?"],
    ["/v1/inboxes?limit=1&toString=1", "toString", ""],
    ["/v1/inboxes?limit=1&%FF", "\ufffd", ""],
    ["/v1/inboxes?a&=&&", "a", ""],
    [inboxPath(address, "/messages?search=x"), "search", "; did you mean `q`?"],
    [inboxPath(address, "/messages?unred=true"), "unred", "; did you mean `unread`?"],
    [inboxPath(address, `?addr=${address}`), "addr", "; the path of the request names it"],
    ["/v1/auth/me?verbose=1", "verbose", ""],
    ["/v1/inboxes?direction=forward", "direction", ""],
  ])("%s", async (path, name, expected) => {
    const { status, body } = await client.get<Failure>(path, { key });
    expect([status, body.error.code]).toEqual([400, "unknown_field"]);
    expect(body.error.issues?.[0]).toEqual({ path: name, message: `unknown field${expected}` });
  });

  test("beside a body", async () => {
    const { body } = await client.post<Failure>(`${SEND}?dry=1`, { to: "a@else.example", text: "x" }, { key });
    expect(body.error).toMatchObject({ code: "unknown_field", issues: [{ path: "dry" }] });
  });
});

test("POST /v1/enroll takes unknown fields, and null in optional ones", async () => {
  const json = { token: enrollmentKey, agent_handle: "lenient", agent_name: null, model: "x" };
  expect((await client.post("/v1/enroll?ref=x", json)).status).toBe(201);
});

test("tRPC refuses them too, but not the `direction` that its clients add to paged queries", async () => {
  const ask = async (procedure: string, input: object) => {
    const url = `${service.url}/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    return { status: answer.status, body: (await answer.json()) as { error?: { data: Failure } } };
  };
  const refused = await ask("inboxes.list", { limits: 2 });
  expect([refused.status, refused.body.error?.data.error]).toMatchObject([
    400,
    { code: "unknown_field", issues: [{ path: "limits", message: "unknown field; did you mean `limit`?" }] },
  ]);
  expect((await ask("inboxes.list", { limit: 2, direction: "forward", cursor: null })).status).toBe(200);
  expect((await ask("inboxes.get", { addr: address, direction: "forward" })).status).toBe(400);
});

describe("null", () => {
  test("in an optional field equals leaving it out", async () => {
    const names = ["username", "domain", "display_name", "client_id", "inbound_webhook_url"];
    const nothing = Object.fromEntries(names.map((name) => [name, null]));
    const { status, body } = await client.post<Inbox>("/v1/inboxes", nothing, { key });
    expect([status, body.display_name]).toEqual([201, ""]);
    const send = { to: "a@else.example", text: "x", subject: null, html: null, cc: null, attachments: null };
    expect((await client.post(SEND, send, { key })).status).toBe(202);
    const wait = { timeout_seconds: 0, from: null, after: null, claim: null };
    expect((await client.post(inboxPath(address, "/wait"), wait, { key })).status).toBe(200);
  });

  test("in a required field is refused by name", async () => {
    const { status, code, issues } = await refusal(SEND, { to: null, text: "x" });
    expect([status, code, issues?.[0]?.path]).toEqual([400, "invalid_request", "to"]);
  });

  test("keeps its meaning where it has one", async () => {
    const patch = (json: object) => client.patch<Inbox>(inboxPath(address), json, { key });
    await patch({ metadata: { a: 1, b: 2 } });
    expect((await patch({ metadata: { a: null }, display_name: null })).body.metadata).toEqual({ b: 2 });
  });
});
