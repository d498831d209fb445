// /metrics: what a caller writes never becomes a label.
import { afterAll, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { openRequest } from "#test/support/raw-http.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web", PUBLIC_URL: "http://127.0.0.1" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const HTTP_SERIES = /^mailberth_http_request_seconds_count\{.*$/gm;

async function series(): Promise<string[]> {
  const { text } = await client.exchange("GET", "/metrics", {});
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
