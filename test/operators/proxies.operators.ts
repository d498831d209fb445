// The real nginx and Caddy with the files of ops/ in front of a service: TLS, cookies, event streams and long waits.
import { Agent, fetch } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "#test/support/events.ts";
import { freePort } from "#test/support/process.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { newOwner, PASSWORD } from "#test/support/team.ts";
import { PROXIES, type RunningProxy, startProxy } from "./proxy.ts";

/** Longer than the 60 s after which proxies give up by default. */
const WAIT_SECONDS = 65;
const TEST_MS = 120_000;
const ATTACHMENT_BYTES = 3 * 1024 * 1024;
const trusting = new Agent({ connect: { rejectUnauthorized: false }, headersTimeout: TEST_MS, bodyTimeout: TEST_MS });
afterAll(() => trusting.close());

describe.each(Object.keys(PROXIES) as (keyof typeof PROXIES)[])("%s", { timeout: TEST_MS }, (kind) => {
  let service: TestService;
  let proxy: RunningProxy;
  let base = "";
  let httpPort = 0;
  let key = "";
  let address = "";

  const ask = (path: string, init: { method?: string; headers?: Record<string, string>; json?: object } = {}) => {
    const { method = init.json ? "POST" : "GET", headers = {}, json } = init;
    return fetch(base + path, {
      method,
      redirect: "manual",
      dispatcher: trusting,
      headers: { ...(json && { "Content-Type": "application/json" }), ...headers },
      ...(json && { body: JSON.stringify(json) }),
    });
  };
  const asAgent = () => ({ Authorization: `Bearer ${key}` });

  beforeAll(async () => {
    const [http, https, own] = [await freePort(), await freePort(), await freePort()];
    httpPort = http;
    base = `https://localhost:${https}`;
    service = await startTestService({
      PORT: String(own),
      PUBLIC_URL: base,
      TRUST_PROXY: "127.0.0.1",
      RATE_LIMIT_ANONYMOUS_PER_SECOND: "1000",
    });
    proxy = await startProxy(kind, { http, https, service: own });
    const { enrollmentKey } = await service.newOrganization();
    const enrolled = await ask("/v1/enroll", { json: { token: enrollmentKey, agent_handle: "proxied" } });
    expect(enrolled.status).toBe(201);
    key = ((await enrolled.json()) as { agent_key: string }).agent_key;
    const created = await ask("/v1/inboxes", { headers: asAgent(), json: {} });
    expect(created.status).toBe(201);
    address = ((await created.json()) as { address: string }).address;
  }, TEST_MS);
  afterAll(async () => {
    await proxy?.stop();
    await service?.stop();
  });

  test("a wait of more than a minute is answered by the service", async () => {
    const path = `/v1/inboxes/${encodeURIComponent(address)}/wait`;
    const answer = await ask(path, {
      headers: asAgent(),
      json: { timeout_seconds: WAIT_SECONDS, from: "none@else.example" },
    });
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ message: null })]);
  });

  test("an event arrives while the stream is open", async () => {
    const stream = await ask("/v1/events/stream", { headers: asAgent() });
    expect([stream.status, stream.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("text/event-stream"),
    ]);
    await service.mail({ from: "a@else.example", to: address, subject: "through the proxy" });
    const reader = (stream.body ?? new ReadableStream()).getReader();
    let text = "";
    while (!text.includes("through the proxy")) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the stream ended after ${text}`);
      text += new TextDecoder().decode(value as Uint8Array);
    }
    expect(text).toContain("event: message.received");
    await reader.cancel();
  });

  test("a member signs in, with a cookie that browsers send over TLS alone", async () => {
    const { organizationId } = await service.newEnrollment((await service.newOrganization()).organizationId);
    const { email } = await newOwner(service, organizationId);
    const signIn = () => ask("/auth/sign-in/email", { headers: { Origin: base }, json: { email, password: PASSWORD } });
    const answer = await eventually(async () => {
      const got = await signIn();
      expect(got.status).toBe(200);
      return got;
    });
    const cookies = answer.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatch(/; Secure/i);
    const cookie = cookies.map((each) => each.split(";", 1)[0]).join("; ");
    const me = await ask("/trpc/team.me", { headers: { Cookie: cookie, Origin: base } });
    expect([me.status, await me.text()]).toEqual([200, expect.stringContaining(email)]);
    const foreign = await ask("/trpc/team.me", { headers: { Cookie: cookie, Origin: "https://else.example" } });
    expect(foreign.status).toBe(403);
  });

  test("browsers are asked to use TLS alone", async () => {
    const answer = await ask("/v1/inboxes", { headers: asAgent() });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("strict-transport-security")).toContain("max-age=");
  });

  test("a mail of several megabytes is sent", async () => {
    const content_base64 = Buffer.alloc(ATTACHMENT_BYTES, "x").toString("base64");
    const attachments = [{ filename: "large.bin", content_type: "application/octet-stream", content_base64 }];
    const json = { to: "a@else.example", subject: "large", text: "x", attachments };
    const answer = await ask(`/v1/inboxes/${encodeURIComponent(address)}/send`, { headers: asAgent(), json });
    expect([answer.status, await answer.text()]).toEqual([202, expect.stringContaining("queued")]);
  });

  test("/metrics is closed, and http leads to https", async () => {
    expect((await ask("/metrics")).status).toBe(404);
    const plain = await fetch(`http://localhost:${httpPort}/v1/openapi.json`, { redirect: "manual" });
    expect(plain.status).toBe(308);
    expect(plain.headers.get("location")).toMatch(/^https:\/\/localhost/);
  });
});
