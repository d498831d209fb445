// Headers of every answer: nosniff always, Strict-Transport-Security where PUBLIC_URL is https.
import { afterAll, describe, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { openRequest } from "#test/support/raw-http.ts";
import { METRICS_TOKEN, startTestService } from "#test/support/service.ts";

const plain = await startTestService({ ROLES: "web" });
const secure = await startTestService(
  { ROLES: "web", PUBLIC_URL: "https://mailberth.example" },
  { database: plain.database },
);
const clients = { plain: api(plain), secure: api(secure) };
afterAll(async () => {
  await Promise.all([clients.plain.close(), clients.secure.close()]);
  await secure.stop();
  await plain.stop();
});

const { agentKey } = await plain.newOrganization();
const ANSWERS: [string, string, number, { key?: string; json?: object }][] = [
  ["GET", "/v1/auth/me", 200, { key: agentKey }],
  ["GET", "/v1/auth/me", 401, {}],
  ["GET", "/v1/openapi.json", 200, {}],
  ["POST", "/v1/enroll", 400, { json: {} }],
  ["GET", "/v1/nowhere", 404, {}],
  ["DELETE", "/v1/enroll", 405, {}],
  ["GET", "/trpc/auth.me", 200, { key: agentKey }],
  ["GET", "/trpc/auth.me", 401, {}],
  ["POST", "/trpc/team.link", 413, { json: { token: "x".repeat(20_000) } }],
  ["POST", "/auth/sign-in/email", 401, { json: { email: "nobody@people.example", password: "a long password" } }],
  ["GET", "/auth/nowhere", 404, {}],
  ["GET", "/mail-html/msg_1", 401, {}],
  ["GET", "/health/live", 200, {}],
  ["GET", "/metrics", 200, { key: METRICS_TOKEN }],
  ["GET", "/metrics", 401, {}],
  ["GET", "/nowhere", 404, {}],
];
const MALFORMED = ["NONSENSE", `GET /${"x".repeat(40_000)}`];

describe.each([
  ["http", "plain", undefined],
  ["https", "secure", "max-age=31536000"],
] as const)("PUBLIC_URL is %s", (_, which, transport) => {
  test.each(ANSWERS)("%s %s → %i", async (method, path, expected, request) => {
    const { status, headers } = await clients[which].exchange(method, path, {
      ...request,
      headers: { origin: which === "plain" ? plain.url : "https://mailberth.example" },
    });
    expect(status).toBe(expected);
    expect([headers["x-content-type-options"], headers["strict-transport-security"]]).toEqual(["nosniff", transport]);
  });

  test.each(MALFORMED)("what is not HTTP: %.10s", async (line) => {
    const request = await openRequest({ plain, secure }[which], line);
    await request.closed;
    expect(request.status()).toBeGreaterThanOrEqual(400);
    expect(request.text()).toMatch(/x-content-type-options: nosniff/i);
    expect(request.text().includes("Strict-Transport-Security: max-age=31536000")).toBe(transport !== undefined);
  });
});
