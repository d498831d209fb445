// /metrics: what a caller writes never becomes a label, and strangers do not read it.
import { afterAll, describe, expect, test } from "vitest";
import { api, type Failure } from "#test/support/api.ts";
import { openRequest } from "#test/support/raw-http.ts";
import { METRICS_TOKEN, startTestService, type TestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const HTTP_SERIES = /^mailberth_http_request_seconds_count\{.*$/gm;

async function series(): Promise<string[]> {
  const { text } = await client.exchange("GET", "/metrics", { key: METRICS_TOKEN });
  return (text.match(HTTP_SERIES) ?? []).map((line) => line.replace(/ \d+$/, ""));
}

test("the labels of requests come from a closed set", async () => {
  const marker = "chosenByCaller";
  const paths = Array.from({ length: 40 }, (_, n) => [
    `/trpc/${marker}.${n}`,
    `/trpc/auth.me,${marker}${n}?batch=1`,
    `/trpc/${Array(n + 2)
      .fill("auth.me")
      .join()}?batch=1`,
    `/v1/${marker}${n}`,
    `/v1/inboxes/${marker}${n}`,
    `/auth/${marker}${n}`,
    `/mail-html/${marker}${n}`,
    `/health/${marker}${n}`,
    `/${marker}${n}`,
  ]).flat();
  await Promise.all(paths.map((path) => client.exchange("GET", path, {})));
  for (const method of ["PROPFIND", "M-SEARCH", "REPORT", "UNLOCK", "PURGE"]) {
    const request = await openRequest(service, `${method} /v1/${marker}`, ["Connection: close"]);
    await request.closed;
  }
  const lines = await series();
  expect(lines.join("\n")).not.toMatch(new RegExp(`${marker}|PROPFIND|M-SEARCH`, "i"));
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThan(30);
  expect(lines.join("\n")).toMatch(/route="batch"/);
  expect(lines.join("\n")).toMatch(/method="other"/);
});

test("a known procedure keeps its name", async () => {
  await client.exchange("GET", "/trpc/auth.me", {});
  expect((await series()).join("\n")).toMatch(/route="auth\.me"/);
});

describe("/metrics of a service that others can reach", () => {
  const statusOf = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}/metrics`, { headers });
    return [answer.status, answer.ok ? "" : ((await answer.json()) as Failure).error.code];
  };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const started: TestService[] = [];
  afterAll(() => Promise.all(started.map((one) => one.stop())));
  async function start(settings: Parameters<typeof startTestService>[0]) {
    const one = await startTestService({ ROLES: "web", ...settings }, { database: service.database });
    started.push(one);
    return one;
  }

  test("needs the token", async () => {
    for (const headers of [
      {},
      bearer(""),
      bearer(`${METRICS_TOKEN}x`),
      bearer("x"),
      { authorization: METRICS_TOKEN },
    ]) {
      expect(await statusOf(service.url, headers as Record<string, string>)).toEqual([401, "metrics_protected"]);
    }
    expect(await statusOf(service.url, bearer(METRICS_TOKEN))).toEqual([200, ""]);
  });

  test("is refused when neither token nor port is set", async () => {
    const { url } = await start({ METRICS_TOKEN: "" });
    expect(await statusOf(url)).toEqual([401, "metrics_protected"]);
    expect(await statusOf(url, bearer("undefined"))).toEqual([401, "metrics_protected"]);
  });

  test("is at METRICS_PORT alone, which is on loopback", async () => {
    const { url, metricsPort } = await start({ METRICS_TOKEN: "", METRICS_PORT: "0" });
    expect(await statusOf(url)).toEqual([404, "not_found"]);
    const own = `http://127.0.0.1:${metricsPort}`;
    expect(await statusOf(own)).toEqual([200, ""]);
    expect((await fetch(`${own}/v1/openapi.json`)).status).toBe(404);
  });

  test("is open where HOST and PUBLIC_URL are loopback, and not through a proxy", async () => {
    const { url } = await start({ METRICS_TOKEN: "", PUBLIC_URL: "http://localhost:3000" });
    expect(await statusOf(url)).toEqual([200, ""]);
    expect(await statusOf(url, { "x-forwarded-for": "203.0.113.7" })).toEqual([401, "metrics_protected"]);
  });
});
