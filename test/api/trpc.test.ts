// The tRPC door: the same verbs, refusals, statuses and headers as REST.
import { createTRPCClient, httpBatchLink, TRPCClientError } from "@trpc/client";
import { afterAll, describe, expect, test } from "vitest";
import type { AppRouter } from "#server/api/router.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web", SEND_CAP_RAMP: "1" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const MIB = 1_048_576;
const json = { "content-type": "application/json" };
const typed = (key: string) =>
  createTRPCClient<AppRouter>({
    links: [httpBatchLink({ url: `${service.url}/trpc`, headers: { authorization: `Bearer ${key}` } })],
  });

async function raw(method: string, path: string, request: Parameters<typeof client.exchange>[2] = {}) {
  const { status, headers, text } = await client.exchange(method, `/trpc/${path}`, request);
  expect(headers["x-request-id"]).toMatch(/^req_/);
  expect(text).not.toMatch(/stack|node_modules|\bselect\b/i);
  const { error, result } = JSON.parse(text);
  return { status, headers, error: error?.data?.error, data: result?.data };
}
const query = (path: string, input: object) => `${path}?input=${encodeURIComponent(JSON.stringify(input))}`;

describe("200", () => {
  test("create, get, list, send and delete with the typed client, batched", async () => {
    const { agentKey } = await service.newOrganization();
    const trpc = typed(agentKey);
    const [a, b] = await Promise.all([trpc.inboxes.create.mutate({ client_id: "a" }), trpc.inboxes.create.mutate({})]);
    const [got, page] = await Promise.all([
      trpc.inboxes.get.query({ addr: a.address }),
      trpc.inboxes.list.query({ limit: 1 }),
    ]);
    expect(got).toEqual(a);
    expect(page.data[0]?.id).toBe(b.id);
    expect(page.next_cursor).toEqual(expect.any(String));
    const sent = await trpc.messages.send.mutate({ addr: a.address, to: "x@else.example", text: "x" });
    expect(sent.status).toBe("queued");
    expect(await trpc.inboxes.remove.mutate({ addr: b.id })).toEqual({ id: b.id, deleted: true });
    expect((await client.get<object>(inboxPath(a.address), { key: agentKey })).body).toEqual(a);
  });

  test("Idempotency-Key and Idempotent-Replayed, and the RateLimit headers", async () => {
    const { agentKey: key } = await service.newOrganization();
    const first = await raw("POST", "inboxes.create", { key, json: { client_id: "same" } });
    const again = await raw("POST", "inboxes.create", { key, json: { client_id: "same" } });
    expect([first.status, again.status, again.data.id]).toEqual([200, 200, first.data.id]);
    expect([first.headers["idempotent-replayed"], again.headers["idempotent-replayed"]]).toEqual([undefined, "true"]);
    expect(again.headers["ratelimit-limit"]).toBe("1000000");
    const message = { addr: first.data.id, to: "x@else.example", text: "x" };
    const headers = { "idempotency-key": "k" };
    const sends = [
      await raw("POST", "messages.send", { key, json: message, headers }),
      await raw("POST", "messages.send", { key, json: message, headers }),
    ];
    expect(sends[0]?.data.id).toBe(sends[1]?.data.id);
  });
});

describe("refusals, as at the REST door", () => {
  test("400, 401, 403, 404, 409, 429 with their codes and headers", async () => {
    const { agentKey: key, enrollmentKeyId } = await service.newOrganization({ maxMailboxes: 1 });
    const reader = (await service.newAgentKey(enrollmentKeyId, { scopes: ["mailbox:read"] })).key;
    const { address } = await client.createInbox(key);
    const message = { addr: address, to: "x@else.example", text: "x" };
    await client.post(inboxPath(address, "/send"), { to: message.to, text: message.text }, { key });
    const cases = [
      [400, "invalid_request", await raw("POST", "inboxes.create", { key, json: { username: 5 } })],
      [400, "invalid_request", await raw("GET", query("inboxes.list", { limit: 0 }), { key })],
      [400, "invalid_cursor", await raw("GET", query("inboxes.list", { cursor: "x" }), { key })],
      [401, "unauthorized", await raw("POST", "inboxes.create", { json: {} })],
      [401, "unauthorized", await raw("POST", "inboxes.create", { key: "x", json: {} })],
      [403, "insufficient_scope", await raw("POST", "inboxes.create", { key: reader, json: {} })],
      [403, "domain_not_allowed", await raw("POST", "inboxes.create", { key, json: { domain: "x.example" } })],
      [404, "inbox_not_found", await raw("GET", query("inboxes.get", { addr: "x" }), { key })],
      [404, "not_found", await raw("GET", "no.such", { key })],
      [409, "enrollment_token_exhausted", await raw("POST", "inboxes.create", { key, json: {} })],
      [429, "daily_send_cap_exceeded", await raw("POST", "messages.send", { key, json: message })],
    ] as const;
    for (const [status, code, got] of cases) {
      expect([got.status, got.error?.code]).toEqual([status, code]);
      expect(got.error.fix).toEqual(expect.any(String));
      if (status === 401) expect(got.headers["www-authenticate"]).toBe("Bearer");
      if (status === 429) expect(got.headers["retry-after"]).toMatch(/^\d+$/);
      if (status !== 401 && code !== "not_found") expect(got.headers["ratelimit-limit"]).toBeDefined();
    }
  });

  test("400, 405, 413, 415 for the request as such", async () => {
    const { agentKey: key } = await service.newOrganization();
    const broken = await raw("POST", "inboxes.create", { key, body: "{", headers: json });
    expect([broken.status, broken.error.code]).toEqual([400, "invalid_json"]);
    const brokenInput = await raw("GET", "inboxes.list?input=%7B", { key });
    expect([brokenInput.status, brokenInput.error.code]).toEqual([400, "invalid_json"]);
    for (const input of ["[1]", '"x"', "null", "5"]) {
      const { status, error } = await raw("POST", "inboxes.create", { key, body: input, headers: json });
      expect([input, status, error?.code]).toEqual([input, 400, "invalid_request"]);
    }
    const wrongMethod = await raw("GET", "inboxes.create", { key });
    expect([wrongMethod.status, wrongMethod.error.code]).toEqual([405, "method_not_allowed"]);
    const type = await raw("POST", "inboxes.create", { key, body: "{}", headers: { "content-type": "text/plain" } });
    expect([type.status, type.error.code]).toEqual([415, "unsupported_media_type"]);
    const large = await raw("POST", "inboxes.create", { key, body: Buffer.alloc(41 * MIB, "x"), headers: json });
    expect([large.status, large.error.code]).toEqual([413, "payload_too_large"]);
  });

  test("too long a batch", async () => {
    const { agentKey: key } = await service.newOrganization();
    const paths = Array.from({ length: 100 }, () => "auth.me").join();
    const batch = await client.exchange("GET", `/trpc/${paths}?batch=1&input=%7B%7D`, { key });
    expect(batch.status).toBeGreaterThanOrEqual(400);
    expect(batch.status).toBeLessThan(500);
  });

  test("the client sees the code in `data.error`", async () => {
    const { agentKey } = await service.newOrganization();
    const error = await typed(agentKey)
      .inboxes.get.query({ addr: "x" })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TRPCClientError);
    expect((error as TRPCClientError<AppRouter>).data?.error.code).toBe("inbox_not_found");
  });

  test("paths that are no procedure", async () => {
    for (const path of ["", "inboxes", "inboxes.", ".", "__proto__", "constructor.name", "inboxes.create.x", "%00"]) {
      const { status, error } = await raw("GET", path);
      expect([path, status, error?.code]).toEqual([path, 404, "not_found"]);
    }
  });
});
