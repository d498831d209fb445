// The log of API calls: what rows have, over each door, whose they are, and its limits.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeId, encodeId, newId } from "#server/base/ids.ts";
import { KEPT_DAYS, pruneCalls, ROWS_OF_KEY_MAX } from "#server/calls/record.ts";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { eventually } from "#test/support/events.ts";
import { mailer } from "#test/support/inbound.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const DAY_MS = 86_400_000;

const database = await createTestDatabase();
const service = await startTestService({ ROLES: "web,smtp", SUBMISSION_PORT: "0" }, { database });
const client = api(service);
afterAll(async () => {
  await client.close();
  await service.stop();
  await database.drop();
});

type Person = Awaited<ReturnType<typeof newOwner>>;

let key = "";
let keyId = "";
let enrollmentKeyId = "";
let address = "";
let member: Person;
let stranger: Person;

beforeAll(async () => {
  const organization = await service.newOrganization();
  ({ agentKey: key, enrollmentKeyId } = organization);
  const owner = await newOwner(service, organization.organizationId);
  member = await newMember(service, owner, "member");
  stranger = await newOwner(service, (await service.newOrganization()).organizationId);
  ({ address } = await client.createInbox(key));
});

const listed = async (filters: object = {}, by = member) => (await by.trpc.calls.list.query(filters)).data;

/** The row of a call, once it is written. */
async function rowOf(requestId: string | null) {
  expect(requestId).toBeTruthy();
  return eventually(async () => {
    const [row] = await listed({ request_id: requestId ?? "" });
    expect(row).toBeDefined();
    return row;
  });
}

async function call(method: string, path: string, body?: object, by = key) {
  const answer = await fetch(service.url + path, {
    method,
    headers: { Authorization: `Bearer ${by}`, "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { text, status: answer.status, requestId: answer.headers.get("x-request-id") };
}

describe("a row", () => {
  test("names the call, without its query and body", async () => {
    const { requestId } = await call("GET", `${inboxPath(address, "/messages")}?subject=private-words`);
    const row = await rowOf(requestId);
    keyId = row?.key ?? "";
    expect(row).toMatchObject({
      agent: "bot",
      door: "rest",
      method: "GET",
      route: "/v1/inboxes/{addr}/messages",
      path: inboxPath(address, "/messages"),
      status: 200,
      error: null,
      request_id: requestId,
      remote: "127.0.0.1",
    });
    expect(JSON.stringify(row)).not.toContain("private-words");
  });

  test("has the error code of a call that failed", async () => {
    const { requestId, text } = await call("POST", inboxPath(address, "/send"), { text: "x" });
    expect(text).toContain(requestId ?? "none");
    expect(await rowOf(requestId)).toMatchObject({ status: 400, error: "invalid_request", method: "POST" });
  });

  test("names the tool of MCP, with the status that REST has", async () => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call" };
    const params = { name: "get_message", arguments: { id: encodeId("msg", newId()) } };
    const { requestId, status } = await call("POST", "/mcp", { ...message, params });
    expect(status).toBe(200);
    expect(await rowOf(requestId)).toMatchObject({
      door: "mcp",
      route: "get_message",
      status: 404,
      error: "message_not_found",
    });
  });

  test("names the procedure of tRPC", async () => {
    const { requestId } = await call("GET", "/trpc/auth.me");
    expect(await rowOf(requestId)).toMatchObject({ door: "trpc", route: "auth.me", status: 200 });
  });

  test("names the mailbox that submitted a mail over SMTP", async () => {
    const { agentKey, organizationId } = await service.newOrganization();
    const sender = await client.createInbox(agentKey);
    const transport = mailer(service.submissionPort, { auth: { user: sender.address, pass: agentKey } });
    await transport.sendMail({ from: sender.address, to: "friend@else.example", text: "x" });
    const owner = await newOwner(service, organizationId);
    await eventually(async () => {
      const rows = await listed({}, owner);
      expect(rows.find(({ door }) => door === "smtp")).toMatchObject({
        path: sender.address,
        status: 202,
        error: null,
      });
    });
  });

  test("has no key and no token of a path", async () => {
    const token = randomBytes(40).toString("hex");
    const { body } = await client.post<{ wait_url: string }>("/v1/verifications", {}, { key });
    const waited = new URL(body.wait_url).pathname;
    const wait = await rowOf((await call("GET", `${waited}?timeout_seconds=0`)).requestId);
    expect(wait?.path).toBe(waited.replace(/ver_[^/]+/, "***"));
    const { requestId } = await call("GET", `/v1/messages/${token}/${key}/short`);
    const row = await rowOf(requestId);
    expect(row).toMatchObject({ route: "unmatched", path: "/v1/messages/***/***/short", error: "not_found" });
  });
});

describe("a key that is no longer valid", () => {
  test("has rows for what it still asks, over REST, tRPC and MCP", async () => {
    const ended = await service.newAgentKey(enrollmentKeyId, { handle: "ended-bot" });
    await revokeAgentKey(service.system, ended.id);
    const rest = await call("GET", "/v1/auth/me", undefined, ended.key);
    const trpc = await call("GET", "/trpc/auth.me", undefined, ended.key);
    const mcp = await call("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }, ended.key);
    for (const [door, { requestId, status }] of Object.entries({ rest, trpc, mcp })) {
      expect(status).toBe(401);
      expect(await rowOf(requestId)).toMatchObject({
        door,
        key: ended.id,
        agent: "ended-bot",
        status: 401,
        error: "unauthorized",
      });
    }
    expect(await listed({ key: ended.id }, stranger)).toEqual([]);
  });

  test("has rows when it has expired", async () => {
    const expiresAt = new Date(Date.now() - DAY_MS);
    const expired = await service.newAgentKey(enrollmentKeyId, { handle: "expired-bot", expiresAt });
    const { requestId } = await call("GET", "/v1/auth/me", undefined, expired.key);
    expect(await rowOf(requestId)).toMatchObject({ key: expired.id, status: 401 });
  });

  test("has no row for a caller who only knows its id", async () => {
    const ended = await service.newAgentKey(enrollmentKeyId, { handle: "guessed-bot" });
    await revokeAgentKey(service.system, ended.id);
    const secretStart = ended.key.lastIndexOf("_") + 1;
    const other = (await service.newAgentKey(enrollmentKeyId, { handle: "other-bot" })).key;
    const guessed = ended.key.slice(0, secretStart) + other.slice(secretStart);
    expect((await call("GET", "/v1/auth/me", undefined, guessed)).status).toBe(401);
    const after = await call("GET", "/v1/auth/me", undefined, ended.key);
    await rowOf(after.requestId);
    expect(await listed({ key: ended.id })).toHaveLength(1);
  });
});

describe("the list", () => {
  test("filters by key and result", async () => {
    const other = (await service.newAgentKey(enrollmentKeyId, { handle: "other-bot" })).key;
    const { requestId } = await call("GET", "/v1/auth/me", undefined, other);
    const row = await rowOf(requestId);
    expect((await listed({ key: row?.key })).map(({ request_id }) => request_id)).toEqual([requestId]);
    expect(new Set((await listed({ result: "refused" })).map(({ error }) => error))).toEqual(
      new Set(["invalid_request", "message_not_found", "not_found", "unauthorized"]),
    );
    expect((await listed({ result: "succeeded" })).every(({ error }) => error === null)).toBe(true);
    expect(await listed({ result: "failed" })).toEqual([]);
  });

  test("has a second page", async () => {
    const whole = await listed();
    const { data, next_cursor } = await member.trpc.calls.list.query({ limit: 2 });
    const next = await member.trpc.calls.list.query({ limit: 2, cursor: next_cursor ?? "" });
    expect([...data, ...next.data]).toEqual(whole.slice(0, 4));
  });

  test("has nothing for another organization, nor of a call without a key", async () => {
    const { requestId } = await call("GET", "/v1/auth/me");
    await rowOf(requestId);
    expect(await listed({ request_id: requestId }, stranger)).toEqual([]);
    expect(await listed({ key: keyId }, stranger)).toEqual([]);
    expect(await listed({}, stranger)).toEqual([]);
    const wrong = await call("GET", "/v1/auth/me", undefined, `${key.slice(0, -1)}?`);
    const after = await call("GET", "/v1/auth/me");
    await rowOf(after.requestId);
    expect(await listed({ request_id: wrong.requestId })).toEqual([]);
  });
});

describe("limits", () => {
  const count = async (of: string) => {
    const id = decodeId("akey", of) ?? "";
    const [row] = await service.system.sql<
      [{ rows: number }]
    >`select count(*)::int as rows from api_calls where key_id = ${id}`;
    return row.rows;
  };
  const fill = (of: string, rows: number, at: Date, error: string | null) => service.system.sql`
    insert into api_calls select (lpad(to_hex(${at.getTime()}::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n + ${error ? 100_000 : 0}::int), 12, '0'))::uuid,
      organization_id, id, 'rest', 'GET', '/v1', '/v1', 200, ${error}, 1, 'req_' || n, '127.0.0.1', ${at}
    from agent_keys, generate_series(1, ${rows}::int) n where id = ${decodeId("akey", of) ?? ""}`;

  test("no row is written for a key whose day is full; its failures still are", async () => {
    const full = await service.newAgentKey(enrollmentKeyId, { handle: "busy-bot" });
    await fill(full.id, ROWS_OF_KEY_MAX - 1, new Date(), null);
    await call("GET", "/v1/auth/me", undefined, full.key);
    await call("GET", "/v1/auth/me", undefined, full.key);
    const { requestId } = await call("GET", "/v1/nothing", undefined, full.key);
    await rowOf(requestId);
    expect(await count(full.id)).toBe(ROWS_OF_KEY_MAX + 1);
    const metrics = await service.system.metrics.registry.metrics();
    expect(metrics).toContain('mailberth_calls_not_logged_total{reason="day"} 1');
  });

  test("one key cannot take the place of all others while calls wait", async () => {
    const greedy = await service.newAgentKey(enrollmentKeyId, { handle: "greedy-bot" });
    const calls = Array.from({ length: 400 }, () => call("GET", "/v1/auth/me", undefined, greedy.key));
    const other = call("GET", "/v1/auth/me");
    await Promise.all(calls);
    await rowOf((await other).requestId);
  });

  test("calls are deleted after a week", async () => {
    const old = await service.newAgentKey(enrollmentKeyId, { handle: "old-bot" });
    await fill(old.id, 3, new Date(Date.now() - (KEPT_DAYS + 1) * DAY_MS), null);
    await fill(old.id, 2, new Date(Date.now() - (KEPT_DAYS - 1) * DAY_MS), "not_found");
    await pruneCalls(service.system);
    expect(await count(old.id)).toBe(2);
  });
});

test("a stop writes the calls that wait", async () => {
  const second = await startTestService({ ROLES: "web" }, { database });
  const answer = await fetch(`${second.url}/v1/auth/me`, { headers: { Authorization: `Bearer ${key}` } });
  await second.stop();
  expect(await listed({ request_id: answer.headers.get("x-request-id") ?? "" })).toHaveLength(1);
});
