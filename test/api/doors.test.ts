// The two doors of the API, the front door of `npm start` and Next's own server, answer alike: the same requests, octet for octet, to
// both, on one database. What each leaves out, Next would change: odd paths, headers of a proxy, bodies, streams, the length.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { startNextServer } from "#test/support/next-server.ts";
import { openRequest } from "#test/support/raw-http.ts";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const KIB = 1_024;
const MIB = 1_048_576;
/** What the kernel and the service take of a body that is refused. */
const TAKEN_MAX_BYTES = 16 * MIB;
const EVERY_MS = 20;

const direct = await startTestService({ ROLES: "web,smtp", TRUST_PROXY: "127.0.0.1" });
const next = await startNextServer({ ...direct.environment, DATABASE_URL: direct.database.url });
afterAll(() => next.stop().then(direct.stop));
const DOORS = { "npm start": direct.url, "next start": next.url };

const organization = await direct.newOrganization();
const owner = await newOwner(direct, organization.organizationId);
const KEY = `Authorization: Bearer ${organization.agentKey}`;
const JSON_TYPE = "Content-Type: application/json";
const reader = (await direct.newAgentKey(organization.enrollmentKeyId, { scopes: ["mailbox:read"] })).key;

async function inboxOf(): Promise<{ id: string; address: string }> {
  const answer = await fetch(`${direct.url}/v1/inboxes`, {
    method: "POST",
    headers: { authorization: `Bearer ${organization.agentKey}`, "content-type": "application/json" },
    body: "{}",
  });
  return (await answer.json()) as { id: string; address: string };
}
const inbox = await inboxOf();
for (const text of ["Welcome", "Your code is 482913"])
  await direct.mail({ from: "shop@else.example", to: inbox.address, text });
const events = await fetch(`${direct.url}/v1/events`, {
  headers: { authorization: `Bearer ${organization.agentKey}` },
});
const [event] = ((await events.json()) as { data: { id: string }[] }).data;

type Told = { status: string; headers: string[]; body: string };

/** Differ between any two answers. */
const CHANGING = /^(?:date|x-request-id|ratelimit-remaining|ratelimit-reset|keep-alive|connection):/;

/** The content of a body in chunks (RFC 9112 §7.1). */
function readChunks(body: string): string {
  let content = "";
  for (let at = 0; ; ) {
    const line = body.indexOf("\r\n", at);
    const length = Number.parseInt(body.slice(at, line), 16);
    if (line < 0 || !(length > 0)) return content;
    content += body.slice(line + 2, line + 2 + length);
    at = line + 2 + length + 2;
  }
}

/** What an answer says, without what is new in each: ids, secrets, times, and the port of the door. */
function told(text: string, url: string): Told {
  const start = text.startsWith("HTTP/1.1 100") ? text.indexOf("\r\n\r\n") + 4 : 0;
  const end = text.indexOf("\r\n\r\n", start);
  const [status = "", ...headers] = text.slice(start, end).split("\r\n");
  const plain = (part: string) =>
    part
      .replaceAll(new URL(url).host, "HOST")
      .replaceAll(/req_[0-9a-f-]{36}/g, "req_")
      .replaceAll(/\b([a-z]{2,6})_[0-9a-hjkmnp-tv-z]{26}\b/g, "$1_")
      .replaceAll(/[a-z]+-[a-z]+-\d{4,}@/g, "NAME@")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      .replaceAll(/\b[0-9a-f]{32}\b/g, "MARKER")
      .replaceAll(/"(smtp_port|milliseconds)":\d+/g, '"$1":0')
      .replaceAll(/W\/"[\w-]+"/g, "TAG");
  const whole = `Content-Length: ${text.length - end - 4}`;
  const named = headers.map((line) =>
    line === whole ? "content-length: of the body" : plain(line.replace(/^[^:]+/, (name) => name.toLowerCase())),
  );
  const body = text.slice(end + 4);
  const content = named.includes("transfer-encoding: chunked") ? readChunks(body) : body;
  return { status, headers: named.filter((line) => !CHANGING.test(line)).sort(), body: plain(content) };
}

/** `body`: the octets after the head. `until`: what an answer that goes on must have; otherwise it ends. */
type Raw = { line: string; headers?: string[]; body?: string; until?: RegExp };

async function ask(url: string, { line, headers = [], body = "", until }: Raw): Promise<Told> {
  const length = body === "" || headers.some((header) => /^(content-length|transfer-encoding):/i.test(header));
  const own = [...headers, ...(length ? [] : [`Content-Length: ${Buffer.byteLength(body)}`])];
  const request = await openRequest({ url }, line, until ? own : [...own, "Connection: close"]);
  try {
    if (body) await request.sendText(body);
    if (until) while (!until.test(request.text())) await sleep(EVERY_MS);
    else await request.closed;
    return told(request.text(), url);
  } finally {
    request.close();
  }
}

const post = (path: string, body: string, ...headers: string[]): Raw => ({
  line: `POST ${path}`,
  headers: [JSON_TYPE, ...headers],
  body,
});
const get = (path: string, ...headers: string[]): Raw => ({ line: `GET ${path}`, headers });
const create = (body: object, ...more: string[]) => post("/v1/inboxes", JSON.stringify(body), KEY, ...more);
const chunked = "Transfer-Encoding: chunked";
const input = (value: object) => encodeURIComponent(JSON.stringify(value));
const at = encodeURIComponent(inbox.address);

const PATHS: [string, Raw][] = [
  ["a percent sign alone", get("/v1/%", KEY)],
  ["a path that ends with a slash", get("/v1/inboxes/", KEY)],
  ["two slashes", get("/v1//inboxes", KEY)],
  ["a NUL in a name", get("/v1/inboxes/%00", KEY)],
  ["dots in a path", get("/v1/inboxes/../inboxes", KEY)],
  ["the root of the API", get("/v1", KEY)],
  ["no such route", get("/v1/nowhere", KEY)],
  ["no such procedure", get("/trpc/no.such", KEY)],
  ["an encoded address", get(`/v1/inboxes/${at}`, KEY)],
  ["an address as it is", get(`/v1/inboxes/${inbox.address}`, KEY)],
  ["a query that is not understood", get("/v1/inboxes?limit=x&limit=2&%", KEY)],
  ["an absolute URL", get("http://127.0.0.1/v1/inboxes", KEY)],
  ["a path of 8 KiB", get(`/v1/inboxes/${"a".repeat(8 * KIB)}`, KEY)],
  ["the description", get("/v1/openapi.json")],
  ["the text for language models", get("/llms.txt")],
  ["health", get("/health/ready")],
  ["metrics without a token", get("/metrics")],
  ["an unsubscribe link that is none", get("/unsubscribe/x")],
  ["a link to a held message that is none", get("/review/x")],
  ["a link to notices that is none", get("/notices/x")],
  ["what apps ask before they sign in", get("/.well-known/oauth-protected-resource/mcp")],
  ["who issues tokens", get("/.well-known/oauth-authorization-server")],
  ["a policy for mail servers that is none", get("/.well-known/mta-sts.txt")],
  ["what is not known of this site", get("/.well-known/nowhere")],
  ["MCP with a sign-in", post("/mcp/sign-in", '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')],
  ["mail that does not exist", get("/mail-html/msg_01jd3m9v5sf0b8j3mgz7qk2x4c")],
  ["sign-in that does not exist", get("/auth/nowhere")],
];
const METHODS: [string, Raw][] = [
  ["HEAD", { line: "HEAD /v1/inboxes", headers: [KEY] }],
  ["OPTIONS from a page", { line: "OPTIONS /v1/inboxes", headers: ["Origin: https://else.example"] }],
  ["PUT", { line: "PUT /v1/inboxes", headers: [KEY] }],
  ["a method that HTTP does not have", { line: "BREW /v1/inboxes", headers: [KEY] }],
  ["a wrong method of tRPC", get("/trpc/inboxes.create", KEY)],
  ["DELETE of what is not there", { line: "DELETE /v1/inboxes/nobody@mail.example", headers: [KEY] }],
  ["GET with a body", { ...get("/v1/inboxes", KEY, JSON_TYPE), body: "{}" }],
];
const HEADERS: [string, Raw][] = [
  ["no key", get("/v1/inboxes")],
  ["a key that is none", get("/v1/inboxes", "Authorization: Bearer mb_agent_x")],
  ["a key without the scope", post("/v1/inboxes", "{}", `Authorization: Bearer ${reader}`)],
  ["two keys", get("/v1/inboxes", KEY, "Authorization: Bearer x")],
  ["a compressed answer is asked for", get("/llms.txt", "Accept-Encoding: gzip, br")],
  ["what was answered before", get("/llms.txt", 'If-None-Match: "x"')],
  ["a page of another origin", { ...post("/trpc/team.invite", "{}"), headers: [JSON_TYPE, `Cookie: ${owner.cookie}`] }],
  ["a session", get("/trpc/team.me", `Cookie: ${owner.cookie}`)],
  ["headers of 20 KiB", get("/v1/inboxes", KEY, `X-Long: ${"a".repeat(20 * KIB)}`)],
  ["an address that a proxy names", get("/v1/auth/me", KEY, "X-Forwarded-For: 203.0.113.7")],
  ["an address that no proxy can name", get("/v1/auth/me", KEY, "X-Forwarded-For: nobody")],
];
const BODIES: [string, Raw][] = [
  ["none where there may be none", { line: "POST /v1/inboxes", headers: [KEY, JSON_TYPE, "Content-Length: 0"] }],
  ["JSON", create({ display_name: "Grüße" })],
  ["fields that are wrong", create({ username: 5, domain: "x.example" })],
  ["a field that is not known", create({ user: "x" })],
  ["broken JSON", post("/v1/inboxes", "{", KEY)],
  ["an array", post("/v1/inboxes", "[1]", KEY)],
  ["JSON that is too deep", post("/v1/inboxes", `{"metadata":${"[".repeat(200)}${"]".repeat(200)}}`, KEY)],
  ["no type", { line: "POST /v1/inboxes", headers: [KEY], body: "{}" }],
  ["another type", { line: "POST /v1/inboxes", headers: [KEY, "Content-Type: text/plain"], body: "{}" }],
  ["another charset", { line: "POST /v1/inboxes", headers: [KEY, `${JSON_TYPE}; charset=latin1`], body: "{}" }],
  ["in chunks", { ...create({}), headers: [KEY, JSON_TYPE, chunked], body: "2\r\n{}\r\n0\r\n\r\n" }],
  ["chunks that are none", { ...create({}), headers: [KEY, JSON_TYPE, chunked], body: "zz\r\n" }],
  ["of exactly 1 MiB", post("/v1/inboxes", `{${" ".repeat(MIB - 2)}}`, KEY)],
  ["of 1 MiB and an octet", post("/v1/inboxes", `{${" ".repeat(MIB - 1)}}`, KEY)],
  ["a batch of tRPC", post("/trpc/inboxes.create,inboxes.create?batch=1", "{}", KEY)],
  ["a query of tRPC", get(`/trpc/inboxes.get?input=${input({ addr: inbox.address })}`, KEY)],
  ["the same client id again", create({ client_id: "twice" })],
  ["a tool of MCP", post("/mcp", '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', KEY, "Accept: */*")],
  ["a wait that ends", post(`/v1/inboxes/${at}/wait`, '{"timeout_seconds":0,"after":"2020-01-01T00:00:00Z"}', KEY)],
  ["one that is expected", post("/v1/inboxes", "{}", KEY, "Expect: 100-continue")],
];
const STREAMS: [string, Raw][] = [
  ["of events", { ...get(`/v1/events/stream?after=${event?.id}`, KEY), until: /message\.received[\s\S]*\n\n/ }],
  ["of events that may not be read", get("/v1/events/stream?inbox=nobody@mail.example", KEY)],
];

describe.each([
  ["a path", PATHS],
  ["a method", METHODS],
  ["a header", HEADERS],
  ["a body", BODIES],
  ["a stream", STREAMS],
] as const)("%s", (_, requests) => {
  test.each(requests)("%s is answered alike at both doors", async (_name, raw) => {
    // One after the other: the second finds what the first has made, in both.
    await ask(direct.url, raw);
    const [ours, theirs] = [await ask(direct.url, raw), await ask(next.url, raw)];
    expect(ours.status).toMatch(/^HTTP\/1\.1 \d{3}/);
    expect(theirs).toEqual(ours);
  });
});

describe.each(Object.entries(DOORS))("%s", (_, url) => {
  test.each(["/v1/enroll", "/trpc/enroll.redeem", "/auth/sign-in/email", "/v1/nowhere"])(
    "reads no more than it takes of a body without a length: %s",
    async (path) => {
      const request = await openRequest({ url }, `POST ${path}`, [JSON_TYPE, chunked]);
      await request.sendText(`${(40 * MIB).toString(16)}\r\n`);
      await request.send(40 * MIB);
      expect(request.bytesSent()).toBeLessThan(TAKEN_MAX_BYTES);
      await request.closed;
    },
  );

  test("refuses a body by its length alone", async () => {
    const request = await openRequest({ url }, "POST /v1/enroll", [JSON_TYPE, `Content-Length: ${40 * MIB}`]);
    await request.closed;
    expect(request.status()).toBe(413);
  });

  test("keeps a connection after a small body that was not read", async () => {
    const request = await openRequest({ url }, "POST /v1/inboxes", [JSON_TYPE, "Content-Length: 2"]);
    await request.sendText("{}GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    await request.closed;
    expect(request.text()).toMatch(/401.*HTTP\/1\.1 200/s);
  });

  test("records the address that a trusted proxy names", async () => {
    const email = owner.email;
    const headers = { "content-type": "application/json", origin: url, "x-forwarded-for": "198.51.100.1, 203.0.113.7" };
    const body = JSON.stringify({ email, password: "correct horse battery" });
    const answer = await fetch(`${url}/auth/sign-in/email`, { method: "POST", headers, body });
    const { token } = (await answer.json()) as { token: string };
    const [row] = await direct.system.sql`select ip_address from sessions where token = ${token}`;
    expect(row).toEqual({ ip_address: "203.0.113.7" });
  });

  test("takes mail by SMTP and answers a wait that is open", async () => {
    const from = `at-${new URL(url).port}@else.example`;
    // Whether the mail comes before the wait is open or after it.
    const after = new Date().toISOString();
    const waiting = fetch(`${url}/v1/inboxes/${at}/wait`, {
      method: "POST",
      headers: { authorization: `Bearer ${organization.agentKey}`, "content-type": "application/json" },
      body: JSON.stringify({ from, after, timeout_seconds: 60 }),
    });
    const delivering = direct.mail({ from, to: inbox.address });
    const [answer] = await Promise.all([waiting, delivering]);
    expect(await answer.json()).toMatchObject({ timed_out: false, message: { from } });
  });
});
