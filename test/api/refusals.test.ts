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
  ["POST", "/v1/webhook/", "Did you mean POST, GET /v1/webhooks?"],
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

type Row = [method: string, path: string, json: unknown, issue: string, says: RegExp | string];
const MESSAGE = "/v1/messages/msg_01jd3m9v5sf0b8j3mgz7qk2x4c";
const LIST = inboxPath(address, "/messages");
const AHEAD = new Date(Date.now() + 3_600_000).toISOString();
const MEANT: Row[] = [
  // Times.
  [
    "POST",
    SEND,
    { to: "a@b.example", text: "x", send_at: "next monday" },
    "send_at",
    /no? .*ISO 8601 time; write 2026-11-20T09:30:00Z, with `Z`/,
  ],
  ["POST", SEND, { to: "a@b.example", text: "x", send_at: "2027-03-04T17:05" }, "send_at", /has no time zone; write/],
  ["POST", SEND, { to: "a@b.example", text: "x", reply_by: "2027-03-04 17:05:00" }, "reply_by", /has no time zone/],
  ["PATCH", MESSAGE, { send_at: "04.03.2027" }, "send_at", /not an ISO 8601 time/],
  ["PATCH", MESSAGE, { send_at: null }, "send_at", /must be a time; POST .v1.messages.\{id\}.cancel cancels/],
  ["GET", `${LIST}?before=2026-03-04T05:06:07`, undefined, "before", /has no time zone; .* or the id of a message$/],
  ["GET", `${LIST}?after=4%20March`, undefined, "after", /not an ISO 8601 time/],
  ["POST", "/v1/keys", { scopes: ["mailbox:read"], expires_at: "2027-03-04T05:06:07" }, "expires_at", /no time zone/],
  ["POST", inboxPath(address, "/wait"), { after: "2026-03-04 05:06", timeout_seconds: 0 }, "after", /no time zone/],
  [
    "POST",
    inboxPath(address, "/wait"),
    { after: AHEAD, timeout_seconds: 0 },
    "after",
    /is in the future; it is 2\d{3}-/,
  ],
  // Labels of Gmail.
  ["PATCH", "/v1/messages", { ids: ["msg_1"], add_labels: ["later", "SPAM"] }, "add_labels.1", /DELETE/],
  ["PATCH", "/v1/messages", { ids: ["msg_1"], remove_labels: ["SPAM"] }, "remove_labels.0", /not-spam/],
  ["PATCH", MESSAGE, { labels: ["TRASH"] }, "labels.0", /DELETE .v1.messages.\{id\} moves to the trash/],
  ["PATCH", MESSAGE, { remove_labels: ["UNREAD"] }, "remove_labels.0", /`read: true`/],
  ["PATCH", MESSAGE, { remove_labels: ["INBOX"] }, "remove_labels.0", /label of your own/],
  // Fields in another form.
  ["POST", SEND, { email: { subject: "x", to: "a@b.example" } }, "email", /write its fields without it/],
  ["POST", "/v1/webhooks", { webhook: { url: "https://h.example/" } }, "webhook", /write its fields without it/],
  ["POST", SEND, { to: [{ address: "a@b.example" }], text: "x" }, "to.0", /such as `Name <a@b.example>`/],
  [
    "POST",
    SEND,
    { to: "a@b.example", cc: { email: "c@b.example" }, text: "x" },
    "cc",
    /text such as `Name <a@b.example>` or a list/,
  ],
  [
    "POST",
    SEND,
    { to: "a@b.example", text: "x", attachments: [{ id: "att_1" }] },
    "attachments.0.id",
    /`upload_id`, or `attachment_id`/,
  ],
  ["POST", SEND, { to: "a@b.example", text: "x", "o:tag": "y" }, "o:tag", "unknown field; did you mean `labels`?"],
  [
    "POST",
    SEND,
    { to: "a@b.example", text: "x", "h:Reply-To": "y" },
    "h:Reply-To",
    "unknown field; did you mean `reply_to`?",
  ],
  ["PATCH", MESSAGE, { flags: ["\\Flagged"] }, "flags", "unknown field; did you mean `read`?"],
  ["PATCH", "/v1/messages", { ids: ["msg_1"], is_trashed: true }, "is_trashed", /DELETE .v1.messages.\{id\}/],
  ["PATCH", MESSAGE, { archive: true }, "archive", /label of your own with `add_labels`/],
  ["GET", "/v1/messages?status=read", undefined, "status", "is no status; use `unread=false`"],
  ["GET", "/v1/messages?status=trash", undefined, "status", /GET .v1.trash/],
  ["GET", "/v1/messages?status=constructor", undefined, "status", /^must be one of received, /],
  ["GET", "/v1/messages?status=Delivered", undefined, "status", /did you mean `delivered`/],
  ["GET", "/v1/messages?label=SPAM", undefined, "label", "is no label here; use `quarantined=true`"],
  ["GET", "/v1/messages?direction=incoming", undefined, "direction", /inbound, outbound; did you mean `inbound`\?$/],
  ["GET", "/v1/messages?kind=marketing", undefined, "kind", /did you mean `list`/],
  ["GET", "/v1/messages?limit=1000", undefined, "limit", "must be at most 100"],
  ["POST", "/v1/keys", { scopes: ["Mail.Read"] }, "scopes.0", /did you mean `mailbox:read`/],
  [
    "POST",
    "/v1/keys",
    { scopes: "mailbox:read,webhooks:write" },
    "scopes.1",
    /key:issue; did you mean `webhook:write`\?$/,
  ],
  [
    "POST",
    "/v1/keys",
    { scopes: ["mailbox:read"], inbox_access: "all" },
    "inbox_access",
    /did you mean `organization`/,
  ],
  [
    "POST",
    "/v1/webhooks",
    { url: "https://a.example", events: ["email.complained"] },
    "events.0",
    /`message.complained`/,
  ],
  [
    "POST",
    SEND,
    { to: "a@b.example", text: "x", attachments: [{ path: "invoices/a.pdf" }] },
    "attachments.0.path",
    /POST .v1.uploads/,
  ],
];

test.each(MEANT)("%s %s %j is answered at %s with what is meant", async (method, path, json, issue, says) => {
  const { status, body } = await client.call<Failure>(method, path, { key, json });
  expect([status, body.error.issues?.map((each) => each.path)]).toEqual([400, expect.arrayContaining([issue])]);
  expect(body.error.issues?.find((each) => each.path === issue)?.message).toMatch(says);
});

test.each([
  ["GET", `${LIST}/msg_1`, "Did you mean GET, PATCH, DELETE /v1/messages/{id}?"],
  ["PATCH", `${LIST}/msg_1`, "Did you mean PATCH, GET, DELETE /v1/messages/{id}?"],
  ["GET", inboxPath(address, "/threads/thr_1"), "Did you mean GET, DELETE /v1/threads/{id}?"],
  ["POST", inboxPath(address, "/drafts"), "Did you mean POST, GET /v1/drafts?"],
  ["POST", inboxPath(address, "/drafts/drf_1/submit"), "Did you mean POST /v1/drafts/{id}/send?"],
  ["POST", `${LIST}/msg_1/reply_all`, "Did you mean POST /v1/messages/{id}/reply with `reply_all`?"],
  ["POST", "/v1/messages/msg_1/replyAll", "Did you mean POST /v1/messages/{id}/reply with `reply_all`?"],
  ["POST", "/v1/messages/msg_1/undelete", "Did you mean POST /v1/messages/{id}/restore?"],
  ["POST", `${LIST}/msg_1/trash`, "Did you mean DELETE /v1/messages/{id}?"],
  ["POST", "/v1/messages/msg_1/archive", "Did you mean PATCH /v1/messages/{id}?"],
  ["GET", `${LIST}/msg_1/attachments`, "Did you mean GET /v1/messages/{id}?"],
  ["GET", `${LIST}/msg_1/attachments/att_1`, "Did you mean GET /v1/messages/{id}/attachments/{attachment_id}?"],
  ["GET", "/v0/mailboxes", "Did you mean GET, POST /v1/inboxes?"],
  ["POST", "/v3/mail/send", "Did you mean POST /v1/inboxes/{addr}/send?"],
  ["POST", "/v1/emails", "Did you mean POST /v1/inboxes/{addr}/send?"],
  ["GET", "/v1/emails/msg_1", "Did you mean GET, PATCH, DELETE /v1/messages/{id}?"],
  ["POST", "/v1/send_email", "Did you mean POST /v1/inboxes/{addr}/send?"],
  ["GET", "/v1/conversations/thr_1", "Did you mean GET, DELETE /v1/threads/{id}?"],
  ["GET", "/gmail/v1/users/me/messages/msg_1", "Did you mean GET, PATCH, DELETE /v1/messages/{id}?"],
  ["POST", "/v1.0/me/sendMail", "Did you mean POST /v1/inboxes/{addr}/send?"],
  ["POST", "/v1.0/users/me/messages/msg_1/forward", "Did you mean POST /v1/messages/{id}/forward?"],
  ["GET", "/v3/grants/grant_1/threads/thr_1", "Did you mean GET, DELETE /v1/threads/{id}?"],
  ["GET", "/api/v2/emails", "Did you mean GET, PATCH /v1/messages?"],
  ["GET", inboxPath(address, "/otp"), "Did you mean POST /v1/inboxes/{addr}/wait?"],
  ["GET", "/v1/messages/msg_1/mime", "Did you mean GET /v1/messages/{id}/raw?"],
  ["GET", "/v1/quota", "Did you mean GET /v1/auth/me?"],
  ["POST", "/v1/files", "Did you mean POST /v1/uploads?"],
])("%s %s is answered with the call that is meant", async (method, path, near) => {
  const { status, body } = await client.call<Failure>(method, path, { key, ...(method === "POST" && { json: {} }) });
  expect([status, body.error.code, body.error.fix]).toEqual([404, "not_found", expect.stringContaining(near)]);
});

test.each([
  ["POST", LIST, "POST /v1/inboxes/{addr}/send"],
  ["POST", "/v1/messages/batchDelete", "DELETE /v1/messages/{id}"],
  ["POST", "/v1/messages/batch", "PATCH /v1/messages"],
  ["DELETE", "/v1/messages", "DELETE /v1/messages/{id}"],
])("%s %s, a path without this method, is answered with the call that is meant", async (method, path, near) => {
  const { status, body, headers } = await client.call<Failure>(method, path, { key, json: {} });
  expect([status, body.error.fix]).toEqual([405, expect.stringContaining(`Did you mean ${near}?`)]);
  expect(headers.allow).toContain("GET");
});

test("An `in_reply_to` that is missing is not taken for the id of the draft.", async () => {
  const draft = await client.post<{ id: string }>("/v1/drafts", { inbox: address, subject: "s" }, { key });
  const json = { revision: 1, in_reply_to: "msg_01jd3m9v5sf0b8j3mgz7qk2x4c" };
  const { status, body } = await client.call<Failure>("PATCH", `/v1/drafts/${draft.body.id}`, { key, json });
  expect([status, body.error.message]).toEqual([404, "The message does not exist."]);
});

const ID = "01jd3m9v5sf0b8j3mgz7qk2x4c";
test.each([
  ["GET", `/v1/messages/drf_${ID}`, "`id` is the id of a draft", "GET /v1/drafts/{id}"],
  ["POST", `/v1/messages/inb_${ID}/cancel`, "`id` is the id of a mailbox", "GET /v1/inboxes/{addr}"],
  ["DELETE", `/v1/threads/msg_${ID}`, "`id` is the id of a message", "GET /v1/messages/{id}"],
  ["GET", `/v1/inboxes/thr_${ID}/messages`, "`addr` is the id of a thread", "GET /v1/threads/{id}"],
  ["GET", `/v1/messages?inbox=msg_${ID}`, "`inbox` is the id of a message", "GET /v1/messages/{id}"],
  ["GET", `/v1/drafts/msg_${ID}`, "`id` is the id of a message", "GET /v1/messages/{id}"],
  ["GET", `/v1/webhooks/dlv_${ID}`, "`id` is the id of a delivery", "GET /v1/webhooks/{id}/deliveries"],
  [
    "GET",
    `/v1/attachments/att_${ID}`,
    "`link` is the id of an attachment",
    "GET /v1/messages/{id}/attachments/{attachment_id}",
  ],
])("%s %s says what the id names", async (method, path, says, call) => {
  const { status, body } = await client.call<Failure>(method, path, { key });
  expect([status, body.error.message, body.error.fix]).toEqual([
    404,
    expect.stringContaining(says),
    expect.stringContaining(call),
  ]);
});

test("an id of the right kind, and one beside what is missing, are not explained", async () => {
  const gone = `/v1/messages/msg_${ID}/attachments/att_${ID}`;
  const { body } = await client.get<Failure>(gone, { key });
  expect(body.error.message).toBe("The message does not exist.");
  const wait = { thread_id: `thr_${ID}`, timeout_seconds: 0 };
  const { message } = await refusal(inboxPath("none@mail.example", "/wait"), wait);
  expect(message).toBe("The inbox does not exist.");
});

test("a draft that was sent names its message, and a message that is in its place is not in the trash", async () => {
  const draft = { inbox: address, to: "a@else.example", text: "x" };
  const { id, revision } = (await client.post<{ id: string; revision: string }>("/v1/drafts", draft, { key })).body;
  const sent = await client.post<{ id: string }>(`/v1/drafts/${id}/send`, { revision }, { key });
  for (const method of ["GET", "DELETE"]) {
    const { status, body } = await client.call<Failure>(method, `/v1/drafts/${id}`, { key });
    expect([status, body.error.code, body.error.message]).toEqual([
      404,
      "draft_not_found",
      `The draft was sent as ${sent.body.id}.`,
    ]);
  }
  const other = (await service.newOrganization()).agentKey;
  const hidden = await client.get<Failure>(`/v1/drafts/${id}`, { key: other });
  expect(hidden.body.error.message).toBe("The draft does not exist.");
  const restored = await client.post<Failure>(`/v1/messages/${sent.body.id}/restore`, {}, { key });
  expect([restored.status, restored.body.error.message]).toEqual([404, "The message is not in the trash."]);
});

test("a clock that is a little ahead may wait, and a label of any other name is one", async () => {
  const after = new Date(Date.now() + 20_000).toISOString();
  expect((await client.post(inboxPath(address, "/wait"), { after, timeout_seconds: 0 }, { key })).status).toBe(200);
  const sent = await client.post<{ id: string }>(SEND, { to: "a@else.example", text: "x" }, { key });
  const { body } = await client.patch<{ labels: string[] }>(
    `/v1/messages/${sent.body.id}`,
    { add_labels: ["Trash", "STARRED", "inbox"] },
    { key },
  );
  expect(body.labels).toEqual(["Trash", "STARRED", "inbox"]);
});
