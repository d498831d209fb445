// Waits over MCP: how long they last, many waits together, callers that leave, keys that end, the rate limit.
import { Server } from "@modelcontextprotocol/server";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { ACCEPT, callOf, connect, PROTOCOLS } from "./rig.ts";

const MANY = 200;
/** After so long, the official client ends a call. */
const CLIENT_MS = 60_000;
const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Waited = { timed_out: boolean; message: { subject: string } | null; cursor: string };
const open = () => service.system.openAnswers.used;
const untilOpen = (waits: number) => eventually(() => expect(open()).toBe(waits));

async function withInbox() {
  const organization = await service.newOrganization();
  const { address: addr } = await client.createInbox(organization.agentKey);
  const mail = (subject: string) => service.mail({ from: "a@else.example", to: addr, subject });
  return { ...organization, key: organization.agentKey, addr, mail };
}

describe("wait_for_email", () => {
  test(
    "answers before clients give up, however long it is to wait",
    async () => {
      const { key, addr } = await withInbox();
      const { done, close } = await connect(service, key);
      const started = performance.now();
      const options = { timeout: CLIENT_MS };
      const waits = [50, 120, "600"].map((timeout_seconds) =>
        done<Waited>("wait_for_email", { inbox: addr, timeout_seconds }, options),
      );
      const code = done<{ lease?: string; wait_url: string }>("create_verification").then(({ wait_url }) =>
        done<Waited>("wait_for_code", { lease: wait_url }, options),
      );
      for (const answer of await Promise.all([...waits, code])) expect(answer.timed_out).toBe(true);
      expect(performance.now() - started).toBeLessThan(CLIENT_MS);
      await close();
    },
    2 * CLIENT_MS,
  );

  test("answers timed_out with a cursor from which the next wait misses nothing", async () => {
    const { key, addr, mail } = await withInbox();
    const { done, close } = await connect(service, key);
    const first = await done<Waited>("wait_for_email", { addr, timeout_seconds: 0 });
    expect(first).toMatchObject({ timed_out: true, message: null });
    await mail("between");
    const next = await done<Waited>("wait_for_email", { addr, after: first.cursor });
    expect(next.message?.subject).toBe("between");
    await close();
  });

  test(`${MANY} at a time have the mail, and one more is refused`, async () => {
    const { key, addr, mail } = await withInbox();
    const { call, done, close } = await connect(service, key);
    const waits = Array.from({ length: MANY }, () => done<Waited>("wait_for_email", { addr, timeout_seconds: 60 }));
    await untilOpen(MANY);
    const { isError, body } = await call("wait_for_email", { addr });
    expect([isError, body.code, body.retry_after_seconds]).toEqual([true, "rate_limited", 1]);
    await mail("for all");
    const subjects = (await Promise.all(waits)).map(({ message }) => message?.subject);
    expect(new Set(subjects)).toEqual(new Set(["for all"]));
    await untilOpen(0);
    await close();
  });

  test.each(PROTOCOLS)("ends when the caller disconnects: %s", async (version) => {
    const { key, addr } = await withInbox();
    const { call, close } = await connect(service, key, version);
    const gone = new AbortController();
    const waiting = call("wait_for_email", { addr, timeout_seconds: 600 }, { signal: gone.signal });
    await untilOpen(1);
    gone.abort();
    await expect(waiting).rejects.toThrow();
    // In the earlier protocol a client cancels with a message, and its connection ends with it.
    await close();
    await untilOpen(0);
  });

  test("with a key that is revoked during the wait returns no mail", async () => {
    const { addr, mail, enrollmentKeyId, key } = await withInbox();
    const other = await service.newAgentKey(enrollmentKeyId);
    const { call, close } = await connect(service, other.key);
    const waiting = call("wait_for_email", { addr, timeout_seconds: 60 });
    await untilOpen(1);
    await revokeAgentKey(service.system, other.id);
    await eventually(async () => expect((await client.get("/v1/auth/me", { key: other.key })).status).toBe(401));
    await mail("secret");
    const { isError, body } = await waiting;
    expect([isError, body.code]).toEqual([true, "unauthorized"]);
    expect(JSON.stringify(body)).not.toContain("secret");
    await expect(connect(service, other.key)).rejects.toThrow();
    await close();
    expect((await client.get("/v1/auth/me", { key })).status).toBe(200);
  });
});

describe("the rate limit", () => {
  const BURST = 5;
  const MORE_THAN_REFILLS = 60;

  test("counts each request once: calls, lists and unknown tools", async () => {
    const slow = await startTestService({ ROLES: "web", RATE_LIMIT_PER_SECOND: "1", RATE_LIMIT_BURST: String(BURST) });
    const bare = api(slow);
    const headers = { accept: ACCEPT };
    const post = (key: string, json: object) => bare.exchange("POST", "/mcp", { key, json, headers });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const unknown = { jsonrpc: "2.0", id: 1, method: "x" };
    for (const json of [callOf("get_account"), list, callOf("nothing"), unknown]) {
      const { agentKey: key } = await slow.newOrganization();
      const first = await post(key, json);
      expect(first.headers).toMatchObject({ "ratelimit-limit": "5", "ratelimit-remaining": "4" });
      const answers = await Promise.all(Array.from({ length: MORE_THAN_REFILLS }, () => post(key, json)));
      const refused = answers.filter(({ text }) => text.includes("rate_limited"));
      expect(refused.length).toBeGreaterThan(0);
      for (const { status, headers: got, text } of refused) {
        expect(got["ratelimit-remaining"]).toBe("0");
        if (status === 429) expect(Number(got["retry-after"])).toBeGreaterThanOrEqual(1);
        else expect(JSON.parse(text).result.structuredContent.retry_after_seconds).toBeGreaterThanOrEqual(1);
      }
    }
    await bare.close();
    await slow.stop();
  });

  test("is asked before an answer is made", async () => {
    const settings = { ROLES: "web", RATE_LIMIT_ANONYMOUS_PER_SECOND: "1", RATE_LIMIT_ANONYMOUS_BURST: String(BURST) };
    const slow = await startTestService(settings);
    const bare = api(slow);
    const connected = vi.spyOn(Server.prototype, "connect");
    onTestFinished(() => connected.mockRestore());
    for (const method of ["tools/list", "initialize"]) {
      const json = { jsonrpc: "2.0", id: 1, method, params: {} };
      connected.mockClear();
      const answers = Array.from({ length: MORE_THAN_REFILLS }, () =>
        bare.exchange("POST", "/mcp", { json, headers: { accept: ACCEPT } }),
      );
      const refused = (await Promise.all(answers)).filter(({ status }) => status === 429).length;
      expect(refused).toBeGreaterThan(0);
      expect(connected.mock.calls.length).toBe(MORE_THAN_REFILLS - refused);
    }
    await bare.close();
    await slow.stop();
  });

  test("without a key, each request counts for the client address", async () => {
    const settings = { ROLES: "web", RATE_LIMIT_ANONYMOUS_PER_SECOND: "1", RATE_LIMIT_ANONYMOUS_BURST: String(BURST) };
    const slow = await startTestService(settings);
    const bare = api(slow);
    const headers = { accept: ACCEPT };
    const json = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const answers = Array.from({ length: MORE_THAN_REFILLS }, () => bare.exchange("POST", "/mcp", { json, headers }));
    expect((await Promise.all(answers)).filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    const wrong = Array.from({ length: BURST }, () =>
      bare.exchange("POST", "/mcp", { key: "mb_agent_x", json, headers }),
    );
    expect((await Promise.all(wrong)).some(({ status }) => status === 429)).toBe(true);
    await bare.close();
    await slow.stop();
  });
});
