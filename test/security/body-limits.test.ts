// Bodies: refused by size before they are read, by shape before they are parsed, and bounded together.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startProcess } from "#test/support/process.ts";
import { openRequest } from "#test/support/raw-http.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const KIB = 1_024;
const MIB = 1_048_576;
const OPEN_MAX_BYTES = 16 * KIB;
/** What the kernel and the service take of a body that is refused. */
const TAKEN_MAX_BYTES = 16 * MIB;
const JSON_TYPE = "Content-Type: application/json";
const OPEN_PATHS = [
  "/v1/enroll",
  "/x402/v1/enroll",
  "/trpc/enroll.redeem",
  "/trpc/team.link",
  "/trpc/team.join",
  "/auth/sign-in/email",
];
const KEYED_PATHS = ["/v1/inboxes", "/v1/inboxes/a@mail.example/send", "/trpc/messages.send", "/trpc/team.invite"];

/** JSON of exactly that many bytes. */
const jsonOf = (bytes: number) => `{${" ".repeat(bytes - 2)}}`;
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

describe("a caller without a key", () => {
  test.each(OPEN_PATHS)("is refused by Content-Length alone: %s", async (path) => {
    const request = await openRequest(service, `POST ${path}`, [JSON_TYPE, `Content-Length: ${40 * MIB}`]);
    await eventually(() => expect(request.status()).toBe(413));
    expect(request.text()).toContain("payload_too_large");
    await request.closed;
  });

  test.each(OPEN_PATHS)("is read no further than the limit when no length is given: %s", async (path) => {
    const request = await openRequest(service, `POST ${path}`, [JSON_TYPE, "Transfer-Encoding: chunked"]);
    await request.sendText(`${(40 * MIB).toString(16)}\r\n`);
    await request.send(40 * MIB);
    expect(request.bytesSent()).toBeLessThan(TAKEN_MAX_BYTES);
    await request.closed;
  });

  test.each(OPEN_PATHS)("may send as much as the limit, and no byte more: %s", async (path) => {
    const send = (bytes: number) =>
      client.exchange("POST", path, { body: jsonOf(bytes), headers: { "content-type": "application/json" } });
    expect((await send(OPEN_MAX_BYTES)).status).not.toBe(413);
    expect((await send(OPEN_MAX_BYTES + 1)).status).toBe(413);
  });

  test.each(KEYED_PATHS)("is not read at all where a key is needed: %s", async (path) => {
    for (const key of [[], ["Authorization: Bearer mb_agent_wrong"]]) {
      const request = await openRequest(service, `POST ${path}`, [JSON_TYPE, `Content-Length: ${25 * MIB}`, ...key]);
      await eventually(() => expect(request.status()).toBe(401));
      await request.send(25 * MIB);
      expect(request.bytesSent()).toBeLessThan(TAKEN_MAX_BYTES);
      await request.closed;
    }
  });

  test.each(["GET /health/live", "GET /trpc/auth.me", "POST /nowhere", "POST /trpc/no.such", "POST /v1/nowhere"])(
    "cannot make the service read a body that nothing takes: %s",
    async (line) => {
      const request = await openRequest(service, line, [JSON_TYPE, `Content-Length: ${100 * MIB}`]);
      await request.send(100 * MIB);
      expect(request.status()).toBeGreaterThan(0);
      expect(request.bytesSent()).toBeLessThan(TAKEN_MAX_BYTES);
      await request.closed;
    },
  );

  test("reads its answer when it closes the connection itself, and goes on sending", async () => {
    const { ENCRYPTION_KEY, DEFAULT_DOMAIN, DATA_DIR } = service.settings;
    // Another process: within one, the answer is always read before the next octets are sent.
    const other = await startProcess({
      DATABASE_URL: service.database.url,
      ENCRYPTION_KEY: ENCRYPTION_KEY?.toString("base64") ?? "",
      DEFAULT_DOMAIN,
      DATA_DIR,
    });
    const body = jsonOf(MIB);
    const head = [JSON_TYPE, `Content-Length: ${body.length}`, "Connection: close"];
    const statuses = new Set<number>();
    for (let n = 0; n < 300; n += 1) {
      const request = await openRequest(other, "POST /v1/inboxes", head);
      await request.sendText(body);
      await request.closed;
      statuses.add(request.status());
    }
    await other.end("SIGTERM");
    // 429: so many calls without a key.
    expect([...statuses].filter((status) => status !== 401 && status !== 429)).toEqual([]);
  });

  test("keeps its connection after a small body that was not read", async () => {
    const request = await openRequest(service, "POST /v1/inboxes", [JSON_TYPE, "Content-Length: 2"]);
    await request.sendText("{}GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    await eventually(() => expect(request.text()).toMatch(/401.*HTTP\/1\.1 200/s));
    request.close();
  });
});

describe("a caller with a key", () => {
  const json = { "content-type": "application/json" };

  test("may send 1 MiB, and more only where attachments are allowed", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const statusOf = async (path: string, body: string) =>
      (await client.exchange("POST", path, { key, body, headers: json })).status;
    expect(await statusOf("/v1/inboxes", jsonOf(MIB))).toBe(201);
    expect(await statusOf("/v1/inboxes", jsonOf(MIB + 1))).toBe(413);
    expect(await statusOf("/trpc/inboxes.create", jsonOf(MIB))).toBe(200);
    expect(await statusOf("/trpc/inboxes.create", jsonOf(MIB + 1))).toBe(413);
    expect(await statusOf(inboxPath(address, "/send"), jsonOf(2 * MIB))).toBe(400);
    expect(await statusOf("/trpc/messages.send", jsonOf(2 * MIB))).toBe(400);
  });

  test("is answered on with a client that keeps its connections, after a body that was too large", async () => {
    const { agentKey: key } = await service.newOrganization();
    const tooLarge = { key, body: Buffer.alloc(41 * MIB, " "), headers: json };
    for (const path of ["/v1/inboxes", "/trpc/inboxes.create", "/v1/nowhere"]) {
      const refusal = await client.exchange("POST", path, tooLarge);
      expect([path, refusal.status]).toEqual([path, path === "/v1/nowhere" ? 404 : 413]);
      expect((await client.exchange("GET", "/v1/auth/me", { key })).status).toBe(200);
    }
  });

  test("keeps its connection after a large body that was read", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const read = { key, body: jsonOf(6 * MIB), headers: json };
    const { status, headers } = await client.exchange("POST", inboxPath(address, "/send"), read);
    expect(status).toBe(400);
    expect(headers.connection).not.toBe("close");
  });

  test("may send as much in a batch as for its largest call", async () => {
    const { agentKey: key } = await service.newOrganization();
    const statusOf = async (paths: string, body: string) =>
      (await client.exchange("POST", `/trpc/${paths}?batch=1`, { key, body, headers: json })).status;
    const creates = Array.from({ length: 20 }, () => "inboxes.create").join();
    expect(await statusOf(creates, jsonOf(MIB + 1))).toBe(413);
    expect(await statusOf("inboxes.create,messages.send", jsonOf(MIB + 1))).toBe(400);
    expect(await statusOf("team.link,team.join", jsonOf(OPEN_MAX_BYTES + 1))).toBe(413);
    const refusal = await client.exchange("POST", `/trpc/${creates}?batch=1`, {
      key,
      body: jsonOf(MIB + 1),
      headers: json,
    });
    expect(JSON.parse(refusal.text)).toMatchObject([{ error: { data: { error: { code: "payload_too_large" } } } }]);
  });

  test("sends JSON of at most 64 levels and 20,000 members and elements", async () => {
    const { agentKey: key } = await service.newOrganization();
    const metadata = (value: string) => `{"metadata":{"value":${value}}}`;
    const tooDeep = metadata(nested(200_000));
    const tooMany = metadata(`[${"0,".repeat(400_000)}0]`);
    for (const body of [tooDeep, tooMany, metadata(nested(63)), metadata(`[${"[],".repeat(10_001)}0]`)]) {
      const rest = await client.post("/v1/inboxes", undefined, { key, body, headers: json });
      expect([rest.status, rest.body.error.code]).toEqual([400, "invalid_request"]);
      const trpc = await client.exchange("POST", "/trpc/inboxes.create", { key, body, headers: json });
      expect([trpc.status, JSON.parse(trpc.text).error.data.error.code]).toEqual([400, "invalid_request"]);
    }
    const query = await client.exchange("GET", `/trpc/inboxes.list?input=${"[".repeat(20_000)}`, { key });
    expect([query.status, JSON.parse(query.text).error.data.error.code]).toEqual([400, "invalid_request"]);
    // Brackets in strings are text.
    const text = `${"[{,".repeat(20)}\\"\\\\`;
    const body = JSON.stringify({ client_id: text, display_name: text });
    expect(await client.post("/v1/inboxes", undefined, { key, body, headers: json })).toMatchObject({ status: 201 });
  });

  test("gets at most a hundred field problems", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const { status, body } = await client.post(
      inboxPath(address, "/send"),
      { to: Array(15_000).fill(1), text: "x" },
      { key },
    );
    expect(status).toBe(400);
    expect(body.error.issues?.length).toBeLessThanOrEqual(100);
  });
});

describe("large bodies that are on their way", () => {
  test("of one organization hold a quarter of the memory for them; others go on", async () => {
    const [a, b] = [await service.newOrganization(), await service.newOrganization()];
    const { address } = await client.createInbox(b.agentKey);
    const open = (key: string) =>
      openRequest(service, "POST /trpc/messages.send", [
        JSON_TYPE,
        `Content-Length: ${25 * MIB}`,
        `Authorization: Bearer ${key}`,
      ]);
    const requests = await Promise.all([1, 2, 3].map(() => open(a.agentKey)));
    // None is complete, so nothing but the limit can answer.
    await Promise.all(requests.map((request) => request.send(24 * MIB)));
    await eventually(() => expect(requests.map((request) => request.status()).sort()).toEqual([0, 0, 503]));
    const refused = requests.find((request) => request.status() === 503);
    expect(refused?.text()).toMatch(/retry-after: \d+/i);
    const message = { to: "x@else.example", text: "x".repeat(MIB) };
    expect((await client.post(inboxPath(address, "/send"), message, { key: b.agentKey })).status).toBe(202);
    for (const request of requests) request.close();
    // What was held is given back.
    const { address: own } = await client.createInbox(a.agentKey);
    await eventually(async () => {
      expect((await client.post(inboxPath(own, "/send"), message, { key: a.agentKey })).status).toBe(202);
    });
  });
});
