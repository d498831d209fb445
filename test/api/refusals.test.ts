// Refusals of an input name every problem at once, in words, and the next call; an unknown path names the nearest one.
import { afterAll, expect, test } from "vitest";
import { api, type Failure, inboxPath } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));
const { agentKey: key } = await service.newOrganization();
const { address } = await client.createInbox(key);
const SEND = inboxPath(address, "/send");
const refusal = async (path: string, json: unknown) =>
  (await client.call<Failure>("POST", path, { key, json })).body.error;

test("unknown, missing and wrong fields are named together", async () => {
  const error = await refusal(SEND, { recipients: "a@b.example", subject: 7, attachments: "none" });
  expect(error.code).toBe("unknown_field");
  expect(error.issues).toEqual([
    { path: "recipients", message: "unknown field; did you mean `to`?" },
    { path: "to", message: "is missing; it takes text or a list" },
    { path: "subject", message: "must be text, and is a number" },
    { path: "attachments", message: "must be a list, and is text" },
  ]);
});

test.each([
  [SEND, {}, { path: "to", message: "is missing; it takes text or a list" }],
  [SEND, { to: 5, text: "x" }, { path: "to", message: "must be text or a list" }],
  [SEND, { to: "", text: "x" }, { path: "to", message: "must not be empty" }],
  ["/v1/webhooks", {}, { path: "url", message: "is missing; it takes text" }],
  ["/v1/inboxes", { client_id: "" }, { path: "client_id", message: "must not be empty" }],
  ["/v1/inboxes", { client_id: "x".repeat(300) }, { path: "client_id", message: "must have at most 200 characters" }],
] as const)("%s %j: %j", async (path, json, issue) => {
  const { code, issues } = await refusal(path, json);
  expect([code, issues?.[0]]).toEqual(["invalid_request", issue]);
});

test("no refusal speaks of the library that reads the input", async () => {
  const inputs = [
    {},
    { to: null },
    { to: {} },
    { to: [1], text: {} },
    { to: "a@b.example", text: [], html: 1, send_at: 5 },
  ];
  for (const json of inputs) {
    expect(JSON.stringify(await refusal(SEND, json))).not.toMatch(/Invalid input|undefined|expected \w+, received/);
  }
});

test.each([
  ["GET", "/v1/inbox", "Did you mean GET, POST /v1/inboxes?"],
  ["POST", `/v1/inboxes/${encodeURIComponent(address)}/sends`, "Did you mean POST /v1/inboxes/{addr}/send?"],
  ["GET", "/v1/messages/msg_1/attachment/att_1", "Did you mean GET /v1/messages/{id}/attachments/{attachment_id}?"],
  ["POST", "/v1/webhook/", "Did you mean GET, POST /v1/webhooks?"],
  ["POST", "/v1/send", "Did you mean POST /v1/inboxes/{addr}/send?"],
  ["POST", "/v1/inboxes/bot/messages/wait", "Did you mean POST /v1/inboxes/{addr}/wait?"],
])("%s %s names the nearest path", async (method, path, near) => {
  const { status, body } = await client.call<Failure>(method, path, { key, ...(method === "POST" && { json: {} }) });
  expect([status, body.error.code]).toEqual([404, "not_found"]);
  expect(body.error.fix).toContain(near);
});

test("a method that a path does not take is answered with those it takes", async () => {
  const { status, body, headers } = await client.call<Failure>("PUT", "/v1/webhooks", { key, json: {} });
  expect([status, headers.allow, body.error.fix]).toEqual([
    405,
    "POST, GET, HEAD",
    "Use a method listed in the `Allow` header: POST, GET, HEAD.",
  ]);
});

test("an unknown field of an attachment is answered with the fields of attachments", async () => {
  const attachments = [{ filename: "a.txt", content_base64: "YQ==", inline_id: "logo" }];
  const { message, fix } = await refusal(SEND, { to: "a@b.example", text: "x", attachments });
  expect(message).toBe("attachments.0.inline_id: unknown field; did you mean `content_id`?");
  expect(fix).toContain("It takes filename, content_type, content_base64, upload_id, url,");
});

test("a list of objects may be written in JSON, and a text in place of an attachment is explained", async () => {
  const json = { to: "a@b.example", text: "x", attachments: '[{"filename": "a.txt", "content_base64": "YQ=="}]' };
  expect((await client.post(SEND, json, { key })).status).toBe(202);
  const { message } = await refusal(SEND, { ...json, attachments: ["https://b.example/a.pdf"] });
  expect(message).toMatch(/^attachments.0: must be an object with one of `content_base64`/);
});

test("a path like no other, and a long one, get an answer without a guess", async () => {
  for (const path of ["/v1/qqqqqqqqqqqqqqqqqqq", "/v1/folders/msg_1/uploads", `/v1/${"inboxes/".repeat(500)}x`]) {
    const { text, body } = await client.call<Failure>("GET", path, { key });
    expect(body.error.fix).not.toContain("Did you mean");
    expect(text.length).toBeLessThan(1_000);
  }
});

test("a wrong `after` of a wait is answered with how to miss no mail", async () => {
  for (const [after, code] of [
    ["yesterday", "invalid_request"],
    ["cur_1", "invalid_request"],
    ["2026-99-99", "invalid_request"],
    [`msg_${"0".repeat(26)}`, "invalid_cursor"],
    ["A".repeat(43), "invalid_cursor"],
  ] as const) {
    const error = await refusal(inboxPath(address, "/wait"), { after, timeout_seconds: 0 });
    expect([after, error.code]).toEqual([after, code]);
    expect(error.message).toMatch(/\bafter\b/);
    if (after === "yesterday") expect(JSON.stringify(error)).not.toMatch(/cursor/i);
    expect(error.fix).toContain("Repeat with the time before you caused the mail");
  }
});

test("the body of an error names its request, at every door", async () => {
  const rpc = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "list_threads", arguments: { inbox: "none" } },
  };
  const doors: [string, string, Parameters<typeof client.exchange>[2]][] = [
    ["GET", "/v1/inboxes/none", { key }],
    ["GET", "/v1/inboxes/none", { key: "mb_agent_none" }],
    ["GET", "/v1/none", { key }],
    ["PUT", "/v1/inboxes", { key, json: {} }],
    ["GET", "/health/none", {}],
    ["POST", SEND, { key, body: "to=a", headers: { "content-type": "text/plain" } }],
    ["POST", "/v1/webhooks", { key, json: { url: "x".repeat(1_100_000) } }],
    ["POST", SEND, { key, body: "{", headers: { "content-type": "application/json" } }],
    ["GET", "/trpc/inboxes.get?input=%7B%22addr%22%3A%22none%22%7D", { key }],
    ["POST", "/trpc/none", { key, json: {} }],
    ["POST", "/mcp", { key, json: rpc, headers: { accept: "application/json, text/event-stream" } }],
    ["POST", "/mcp", { key: "mb_agent_none", json: rpc, headers: { accept: "application/json, text/event-stream" } }],
  ];
  for (const [method, path, request] of doors) {
    const { headers, text } = await client.exchange(method, path, request);
    const id = headers["x-request-id"] ?? "";
    expect([method, path, text]).toEqual([method, path, expect.stringContaining(`"request_id":"${id}"`)]);
    expect(id).toMatch(/^req_/);
  }
});
