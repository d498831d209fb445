// Paths and methods that are not there, and the front door's other paths: /v1/openapi.json, /health, /metrics.
import { afterAll, describe, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { METRICS_TOKEN, startTestService } from "#test/support/service.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

describe("404 for unknown paths", () => {
  test("in the error envelope, with or without a key, whatever the method", async () => {
    const { agentKey } = await service.newOrganization();
    const paths = [
      "/v1",
      "/v1/",
      "/v1/nope",
      "/v1/inboxes/",
      "/v1//inboxes",
      "/v1/inboxes/a/b/c",
      "/v1/inboxes/a/send/",
    ];
    const cased = ["/v1/Inboxes", "/V1/inboxes", "/v1/inboxes/a%40mail.example/SEND", "/v1/auth/Me", "/v2/inboxes"];
    const odd = [
      "/v1/%69nboxes",
      "/v1/inboxes%2Fa",
      "/v1/../v1/inboxes",
      "/v1/./inboxes",
      "/v1/%",
      "/v1/%00",
      "/v1/inboxes;x",
    ];
    for (const path of [...paths, ...cased, ...odd, "/v1/message", "/v1/auth", "/v1/enroll/x"]) {
      for (const [method, key] of [
        ["GET", agentKey],
        ["POST", undefined],
        ["PUT", agentKey],
      ] as const) {
        const { status, body } = await client.call(method, path, { key, json: {} });
        expect([method, path, status, body.error.code]).toEqual([method, path, 404, "not_found"]);
      }
      expect((await client.call("HEAD", path)).status).toBe(404);
    }
  });

  test("beside /v1 too, when there are no pages", async () => {
    for (const path of [
      "/",
      "/favicon.ico",
      "/health/x",
      "/healthz",
      "/metrics/",
      "/trpcx",
      "/docs",
      `/${"x".repeat(8_000)}`,
    ]) {
      const { status, body } = await client.call("GET", path);
      expect([status, body.error.code]).toEqual([404, "not_found"]);
    }
  });
});

describe("/v1/openapi.json", () => {
  test("200: OpenAPI 3.1 with every path, without a key", async () => {
    const { status, body } = await client.get<{
      openapi: string;
      info: object;
      paths: object;
      servers: { url: string }[];
    }>("/v1/openapi.json?x=1");
    expect(status).toBe(200);
    expect(body.openapi).toMatch(/^3\.1\./);
    expect(body.servers.map(({ url }) => url)).toEqual(["http://mailberth.example", "http://mailberth.example/x402"]);
    expect(Object.keys(body.paths)).toContain("/v1/inboxes/{addr}/send");
    const head = await client.call("HEAD", "/v1/openapi.json");
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  test("405 for other methods", async () => {
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const { status, headers } = await client.call(method, "/v1/openapi.json");
      expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
    }
  });
});

describe("/health", () => {
  test("200: alive and ready", async () => {
    for (const path of ["/health", "/health/live", "/health/ready", "/health?x"]) {
      const { status, body } = await client.get<{ status: string; roles: string[] }>(path);
      expect([path, status, body.status, body.roles]).toEqual([path, 200, "ok", ["web", "smtp", "worker"]]);
    }
  });
});

describe("/metrics", () => {
  test("200: Prometheus text, with the requests by route and not by address", async () => {
    const { agentKey: key } = await service.newOrganization();
    await client.createInbox(key);
    await client.get("/v1/inboxes/somebody%40mail.example", { key });
    const { status, text, headers } = await client.exchange("GET", "/metrics", { key: METRICS_TOKEN });
    expect([status, headers["content-type"]]).toEqual([200, expect.stringContaining("text/plain")]);
    expect(text).toMatch(/^[a-z_]+_bucket\{.*route="\/v1\/inboxes\/\{addr\}".*status="404".*\} \d+$/m);
    expect(text).not.toContain("somebody");
    expect(text).not.toContain(key);
  });
});

describe("a role without the API", () => {
  test("answers /health and /metrics, and 404 for the rest", async () => {
    const worker = await startTestService({ ROLES: "worker" }, { database: service.database });
    const other = api(worker);
    expect((await other.exchange("GET", "/health", {})).status).toBe(200);
    expect((await other.exchange("GET", "/metrics", { key: METRICS_TOKEN })).status).toBe(200);
    for (const path of ["/v1/inboxes", "/v1/openapi.json", "/trpc/inboxes.list", "/"]) {
      const { status, text } = await other.exchange("GET", path, {});
      expect([path, status, JSON.parse(text).error.code]).toEqual([path, 404, "not_found"]);
    }
    await other.close();
    await worker.stop();
  });
});
