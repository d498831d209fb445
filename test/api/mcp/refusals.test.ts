// What the MCP door refuses: as a whole, with the status of REST, and as results of tools.
import { connect as connectSocket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { ACCEPT, callOf, connect } from "./rig.ts";

const clock = adjustableClock();
clock.set("2026-11-20T09:31:00Z");
const service = await startTestService({}, { now: clock.now });
const client = api(service);
afterAll(() => client.close().then(service.stop));
const organization = await service.newOrganization();
const { agentKey: key } = organization;
const { address: addr } = await client.createInbox(key);

type RpcError = { code: number | string; message: string; fix?: string };
type Rpc = {
  result?: { isError?: boolean; structuredContent: Record<string, unknown> };
  error?: RpcError;
};
type Sent = {
  key?: string | undefined;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  json?: unknown;
};

async function post({ key: given, method = "POST", headers = {}, body, json }: Sent) {
  const answer = await client.exchange(method, "/mcp", {
    key: given,
    headers: { accept: ACCEPT, "content-type": "application/json", ...headers },
    body: method === "GET" ? undefined : (body ?? JSON.stringify(json ?? callOf("get_account"))),
  });
  return { ...answer, rpc: (answer.text === "" ? {} : JSON.parse(answer.text)) as Rpc };
}

const KIB = 1_024;
const WAIT_SECONDS = 2;
const SLICED_MS = 60_000;
const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const LEGACY = { jsonrpc: "2.0", id: 1, method: "initialize" };
const started = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };

describe("a request that is refused as a whole", () => {
  const cases: [string, number, Sent, string?][] = [
    ["GET", 405, { key, method: "GET" }, "method_not_allowed"],
    ["DELETE", 405, { key, method: "DELETE" }, "method_not_allowed"],
    ["OPTIONS", 405, { method: "OPTIONS" }, "method_not_allowed"],
    ["a key that does not exist", 401, { key: "mb_agent_none" }, "unauthorized"],
    ["an enrollment key", 401, { key: organization.enrollmentKey }, "unauthorized"],
    ["another scheme of authorization", 401, { headers: { authorization: "Basic eA==" } }, "unauthorized"],
    ["the Origin of another page", 403, { key, headers: { origin: "https://evil.example" } }, "cross_origin"],
    ["the Origin null", 403, { key, headers: { origin: "null" } }, "cross_origin"],
    ["the Origin of another port", 403, { key, headers: { origin: "http://mailberth.example:81" } }, "cross_origin"],
    ["the Host of a rebound name", 403, { key, headers: { host: "evil.example" } }, "cross_origin"],
    ["a Host that is none", 403, { key, headers: { host: "a b" } }, "cross_origin"],
    ["a body that is not JSON", 400, { key, body: "{" }, "invalid_json"],
    ["no body", 400, { key, body: "" }],
    ["a batch", 400, { key, json: [list, list] }, "invalid_request"],
    ["a body that is no object", 400, { key, body: "1" }, "invalid_request"],
    ["no JSON-RPC", 400, { key, json: { hello: 1 } }],
    ["deep JSON", 400, { key, body: `{"a":${"[".repeat(100)}${"]".repeat(100)}}` }, "invalid_request"],
    ["JSON of many values", 400, { key, json: { a: Array(30_000).fill(1) } }, "invalid_request"],
    ["text that is not JSON", 415, { key, headers: { "content-type": "text/plain" } }, "unsupported_media_type"],
    ["more than 1 MiB", 413, { key, json: callOf("get_account", { x: "x".repeat(KIB * KIB) }) }, "payload_too_large"],
    [
      "more than 16 KiB without a key",
      413,
      { json: callOf("get_account", { x: "x".repeat(16 * KIB) }) },
      "payload_too_large",
    ],
    ["an unknown version of the protocol", 400, { key, json: list, headers: { "mcp-protocol-version": "1999-01-01" } }],
  ];

  test.each(cases)("%s: %i", async (_, status, sent, code) => {
    const { rpc, headers, ...answer } = await post(sent);
    expect([answer.status, answer.text]).toEqual([status, answer.text]);
    expect(headers["x-request-id"]).toMatch(/^req_/);
    expect(headers["mcp-session-id"]).toBeUndefined();
    expect(rpc.error?.message).toBeTruthy();
    if (code) expect(rpc.error?.code).toBe(code);
    if (code) expect(rpc.error?.fix).toBeTruthy();
    if (status === 405) expect(headers.allow).toBe("POST");
    if (status === 401) expect(headers["www-authenticate"]).toMatch(/^Bearer resource_metadata="http/);
  });

  test("HTTP/1.0 without a Host: 403", async () => {
    const socket = connectSocket(Number(new URL(service.url).port), "127.0.0.1");
    socket.write("POST /mcp HTTP/1.0\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}");
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 [\s\S]*cross_origin/);
  });

  test("PUBLIC_URL, its origin and the address of the connection are no foreign names", async () => {
    const json = { ...LEGACY, params: started };
    for (const host of ["mailberth.example", "localhost", "127.0.0.1:1"]) {
      expect((await post({ json, headers: { host } })).status, host).toBe(200);
    }
    expect((await post({ json, headers: { origin: "http://mailberth.example" } })).status).toBe(200);
  });
});

describe("an Accept header of any kind is answered with JSON", () => {
  const all = [
    undefined,
    "*/*",
    "application/*",
    "text/html",
    "application/json;q=0.9",
    "text/event-stream",
    "",
    ACCEPT,
  ];
  const messages = [list, callOf("get_account"), { ...LEGACY, params: started }];

  test.each(all)("Accept: %s", async (accept) => {
    for (const json of messages) {
      const headers: Record<string, string> = accept === undefined ? {} : { accept };
      const answer = await client.exchange("POST", "/mcp", { key, json, headers });
      expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/json"]);
      expect(JSON.parse(answer.text).result).toBeTruthy();
    }
  });

  test(
    "a wait too, in each protocol",
    async () => {
      const wait = callOf("wait_for_email", { addr, timeout_seconds: WAIT_SECONDS });
      const modern = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": started.clientInfo,
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const asked: { meta: object; headers: Record<string, string> }[] = [
        { meta: {}, headers: {} },
        {
          meta: modern,
          headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "wait_for_email" },
        },
      ];
      const answers = asked.map(({ meta, headers }) => {
        const json = { ...wait, params: { ...wait.params, _meta: { progressToken: 1, ...meta } } };
        return client.exchange("POST", "/mcp", { key, json, headers: { accept: "*/*", ...headers } });
      });
      for (const answer of await Promise.all(answers)) {
        expect(answer.headers["content-type"]).toBe("application/json");
        expect(JSON.parse(answer.text).result?.structuredContent).toMatchObject({ timed_out: true });
      }
    },
    SLICED_MS,
  );
});

describe("a method that is not there", () => {
  test.each(["resources/list", "prompts/list", "sampling/createMessage", "logging/setLevel", "x"])(
    "%s",
    async (method) => {
      const { rpc } = await post({ key, json: { jsonrpc: "2.0", id: 1, method, params: {} } });
      expect(rpc.error?.code).toBe(-32_601);
    },
  );

  test("subscriptions/listen opens no stream", async () => {
    const { client: modern, close } = await connect(service, key);
    await expect(modern.listen({ toolsListChanged: true })).rejects.toThrow();
    await close();
  });
});

describe("a call that is refused", () => {
  const cases: [string, string, object, string, string?][] = [
    ["no such argument", "delete_inbox", { addr, include: 1 }, "unknown_field", "include"],
    [
      "no such field in a list",
      "send_email",
      { addr, to: "a@b.example", attachments: [{ content: "x" }] },
      "unknown_field",
      "attachments.0.content",
    ],
    ["a name of Object.prototype", "delete_inbox", { addr, constructor: 1 }, "unknown_field", "constructor"],
    ["an argument of a tool that takes none", "get_account", { x: 1 }, "unknown_field", "x"],
    ["a missing argument", "delete_inbox", {}, "invalid_request", "inbox"],
    ["an argument of the wrong type", "delete_inbox", { addr: 1 }, "invalid_request", "inbox"],
    ["a number as text", "list_inboxes", { limit: {} }, "invalid_request", "limit"],
    ["a huge argument", "search_messages", { inbox: addr, q: "x".repeat(100_000) }, "invalid_request", "q"],
    [
      "a wait of less than nothing",
      "wait_for_email",
      { addr, timeout_seconds: -1 },
      "invalid_request",
      "timeout_seconds",
    ],
    ["a wait of no number", "wait_for_email", { addr, timeout_seconds: "soon" }, "invalid_request", "timeout_seconds"],
    ["as_base64 that is no boolean", "get_attachment", { id: "x", as_base64: 1 }, "invalid_request", "as_base64"],
    ["include_raw that is no boolean", "get_message", { id: "x", include_raw: 1 }, "invalid_request", "include_raw"],
    ["include_raw where no mail is", "delete_inbox", { addr, include_raw: true }, "unknown_field", "include_raw"],
    ["an unknown mailbox", "delete_inbox", { addr: "x@mail.example" }, "inbox_not_found"],
    ["an unknown message", "reply_to_email", { id: "msg_none", text: "x" }, "message_not_found"],
    ["a bad pattern", "wait_for_email", { addr, match: "(" }, "invalid_request", "match"],
  ];

  test.each(cases)("%s", async (_, name, args, code, path) => {
    const { client: official, call, close } = await connect(service, key);
    await official.listTools();
    const { isError, body } = await call(name, args);
    expect([isError, body.code]).toEqual([true, code]);
    expect(body).toMatchObject({ message: expect.any(String), fix: expect.any(String), retry_after_seconds: null });
    // An unknown field comes first, and then the fields that are missing.
    if (path) expect((body.issues as object[])[0]).toEqual({ path, message: expect.any(String) });
    await close();
  });

  test("a tool that does not exist is an error of the protocol", async () => {
    for (const name of ["nothing", "inboxes.create", "constructor", "x".repeat(1_000)]) {
      const { rpc } = await post({ key, json: callOf(name) });
      expect(rpc.error?.code).toBe(-32_602);
      expect(rpc.error?.message.length).toBeLessThan(200);
    }
  });

  test("arguments that are no object are an error of the protocol", async () => {
    const { rpc } = await post({
      key,
      json: { ...callOf("get_account"), params: { name: "get_account", arguments: [] } },
    });
    expect(rpc.error?.code).toBe(-32_602);
  });

  test("without a key, every tool but redeem_enrollment_key asks for one", async () => {
    const { rpc } = await post({ json: callOf("list_inboxes") });
    expect(rpc.result).toMatchObject({ isError: true, structuredContent: { code: "unauthorized" } });
    const redeem = callOf("redeem_enrollment_key", { token: "mb_enroll_none", agent_handle: "x" });
    expect((await post({ json: redeem })).rpc.result?.structuredContent.code).toBe("unauthorized");
  });

  test("a key without the scope gets its name", async () => {
    const reader = await service.newAgentKey(organization.enrollmentKeyId, { scopes: ["mailbox:read"] });
    const { rpc } = await post({
      key: reader.key,
      json: callOf("send_email", { addr, to: "a@else.example", text: "x" }),
    });
    expect(rpc.result).toMatchObject({ isError: true, structuredContent: { code: "insufficient_scope" } });
  });

  test("an attachment of more than 1 MiB is refused with the way to get it", async () => {
    const attachments = [{ filename: "a.bin", content: Buffer.alloc(KIB * KIB + 1, 1) }];
    await service.mail({ from: "a@else.example", to: addr, subject: "large", attachments });
    const { call, done, close } = await connect(service, key);
    const wait = { addr, subject: "large", after: "2020-01-01T00:00:00Z", timeout_seconds: 60 };
    const { message } = await done<{ message: { id: string; attachments: { id: string }[] } }>("wait_for_email", wait);
    const file = { id: message.id, attachment_id: message.attachments[0]?.id, as_base64: true };
    const { body } = await call("get_attachment", file);
    expect(body.code).toBe("payload_too_large");
    expect(body.fix).toContain("as_base64");
    await close();
  });
});

describe("a repeated request", () => {
  const mail = callOf("send_email", { addr, to: "b@else.example", text: "once" }, "call-1");
  const send = async (json: object) => (await post({ key, json })).rpc.result?.structuredContent.id;

  test("sends one mail within ten minutes, and another one with another id or key", async () => {
    const id = await send(mail);
    expect(id).toMatch(/^msg_/);
    expect(await send(mail)).toBe(id);
    expect(await send({ ...mail, id: "call-2" })).not.toBe(id);
    clock.advance(600_000);
    expect(await send(mail)).not.toBe(id);
  });

  test("is decided by the agent's own idempotency_key, if there is one", async () => {
    const own = (id: string) =>
      callOf("send_email", { addr, to: "b@else.example", text: "own", idempotency_key: "invoice-7" }, id);
    expect(await send(own("a"))).toBe(await send(own("b")));
  });
});
