// Pages of other origins: those in CORS_ORIGINS may call /v1 with a key, all others may not, and none with cookies.
import { afterAll, describe, expect, test } from "vitest";
import { readSettings } from "#server/base/env.ts";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const LISTED = "https://app.example.com";
const OTHER_LISTED = "http://localhost:8080";
const plain = await startTestService({ ROLES: "web" });
const open = await startTestService(
  { ROLES: "web", CORS_ORIGINS: `${LISTED}, ${OTHER_LISTED}` },
  { database: plain.database },
);
const clients = { plain: api(plain), open: api(open) };
afterAll(async () => {
  await Promise.all([clients.plain.close(), clients.open.close()]);
  await open.stop();
  await plain.stop();
});

const { agentKey: key } = await plain.newOrganization();
const PATHS = ["/v1/inboxes", "/v1/inboxes/a%40b.example/send", "/x402/v1/inboxes", "/v1/nowhere", "/v1/openapi.json"];
const NOT_LISTED = [
  "https://evil.example",
  "null",
  "*",
  "https://app.example.com.evil.example",
  "http://app.example.com",
  "https://app.example.com:444",
  "https://app.example.com/",
  "HTTPS://APP.EXAMPLE.COM",
  `${LISTED}, ${OTHER_LISTED}`,
  "",
];

const preflight = (which: keyof typeof clients, path: string, origin: string) =>
  clients[which].exchange("OPTIONS", path, {
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    },
  });
const corsOf = (headers: Record<string, string>) =>
  Object.keys(headers).filter((name) => name.startsWith("access-control-"));

describe("204: a preflight", () => {
  test.each(PATHS)("%s for a listed origin", async (path) => {
    for (const origin of [LISTED, OTHER_LISTED]) {
      const { status, text, headers } = await preflight("open", path, origin);
      expect([status, text, headers.vary]).toEqual([204, "", "Origin"]);
      expect(headers["access-control-allow-origin"]).toBe(origin);
      expect(headers["access-control-allow-methods"]?.split(", ")).toEqual(["GET", "HEAD", "POST", "PATCH", "DELETE"]);
      expect(headers["access-control-allow-headers"]).toMatch(/Authorization.*Content-Type.*Idempotency-Key/);
      expect(headers["access-control-max-age"]).toBe("7200");
      expect(headers["access-control-allow-credentials"]).toBeUndefined();
    }
  });

  test.each(NOT_LISTED)("for the origin %j permits nothing", async (origin) => {
    const { status, headers } = await preflight("open", "/v1/inboxes", origin);
    expect([status, corsOf(headers), headers.vary]).toEqual([204, [], "Origin"]);
  });

  test("without the setting permits nothing", async () => {
    for (const origin of [LISTED, plain.url, "*"]) {
      const { status, headers } = await preflight("plain", "/v1/inboxes", origin);
      expect([status, corsOf(headers)]).toEqual([204, []]);
    }
  });
});

describe("a call", () => {
  test("of a listed origin can read answers and errors", async () => {
    for (const [path, request, expected] of [
      ["/v1/auth/me", { key }, 200],
      ["/v1/auth/me", {}, 401],
      ["/v1/nowhere", { key }, 404],
      ["/v1/openapi.json", {}, 200],
    ] as const) {
      const answer = await clients.open.exchange("GET", path, { ...request, headers: { origin: LISTED } });
      expect([path, answer.status]).toEqual([path, expected]);
      expect(answer.headers["access-control-allow-origin"]).toBe(LISTED);
      expect(answer.headers["access-control-expose-headers"]).toMatch(/RateLimit-Limit.*Retry-After.*X-Request-Id/);
      expect(answer.headers.vary).toMatch(/\bOrigin$/);
      expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
    }
  });

  test("of another origin, or of none, gets no permission to read", async () => {
    for (const headers of [{}, ...NOT_LISTED.map((origin) => ({ origin }))]) {
      const answer = await clients.open.exchange("GET", "/v1/auth/me", { key, headers });
      expect([answer.status, corsOf(answer.headers)]).toEqual([200, []]);
    }
    const answer = await clients.plain.exchange("GET", "/v1/auth/me", { key, headers: { origin: LISTED } });
    expect([answer.status, corsOf(answer.headers), answer.headers.vary]).toEqual([200, [], undefined]);
  });

  test("of a listed origin outside /v1 gets no permission", async () => {
    for (const path of ["/trpc/auth.me", "/auth/get-session", "/mcp", "/health/live", "/v1x", "/mail-html/msg_1"]) {
      const answer = await clients.open.exchange("GET", path, { key, headers: { origin: LISTED } });
      expect([path, corsOf(answer.headers)]).toEqual([path, []]);
    }
  });
});

describe("405", () => {
  test("OPTIONS that is no preflight", async () => {
    const some: Record<string, string>[] = [{}, { origin: LISTED }, { "access-control-request-method": "POST" }];
    for (const headers of some) {
      const { status, headers: got } = await clients.open.exchange("OPTIONS", "/v1/inboxes", { headers });
      expect([status, got.allow]).toEqual([405, "POST, GET, HEAD"]);
    }
  });
});

describe("the setting", () => {
  test.each(["*", "null", "app.example.com", "https://app.example.com/", "https://App.example.com", "ftp://a.example"])(
    "%s is refused at start",
    (CORS_ORIGINS) => expect(() => readSettings({ CORS_ORIGINS })).toThrow(/CORS_ORIGINS: origins such as/),
  );

  test("is a list, and empty without a value", () => {
    expect(readSettings({}).CORS_ORIGINS).toEqual([]);
    expect(readSettings({ CORS_ORIGINS: "https://a.example, http://[::1]:8080" }).CORS_ORIGINS).toHaveLength(2);
  });
});
