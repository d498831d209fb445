// A database that stops answering without closing a connection: every caller gets an answer in time, and no restart is needed.
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { openDatabase } from "#db/client.ts";
import { createLog } from "#server/base/log.ts";
import { createSignals } from "#server/base/signals.ts";
import { size } from "#test/sizes.ts";
import { type Answer, api, type Failure } from "#test/support/api.ts";
import { makeCluster } from "#test/support/cluster.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { cleanUp, serverPid, signalServer } from "#test/support/embedded-fixture.ts";
import { startProcess } from "#test/support/process.ts";
import { startProxy } from "#test/support/proxy.ts";
import { METRICS_TOKEN, startTestService } from "#test/support/service.ts";

/** With a timeout of 2 s for statements, a query fails after 4 s; a busy machine gets more. */
const DATABASE_TIMEOUT_SECONDS = "2";
const ANSWER_MAX_MS = 12_000;
const RECOVERY_MAX_MS = 25_000;
const CALLERS = size("FROZEN_CALLERS");

const database = await createTestDatabase();
const proxy = await startProxy(database.url);
const service = await startTestService(
  { DATABASE_TIMEOUT_SECONDS, DATABASE_POOL_SIZE: "3" },
  { database: { ...database, url: proxy.url } },
);
const client = api(service);
const { agentKey: key, enrollmentKey: token } = await service.newOrganization({ maxMailboxes: 1000 });
const { address } = await client.createInbox(key);

afterAll(async () => {
  await client.close();
  await service.stop();
  await proxy.cut();
  await database.drop();
});

async function timed<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const started = performance.now();
  return { result: await work, ms: performance.now() - started };
}

function expectUnavailable({ status, body, headers }: Answer<Failure>): void {
  expect([status, body.error.code]).toEqual([503, "unavailable"]);
  expect(headers["retry-after"]).toMatch(/^\d+$/);
}

/** As many connections as there are callers, which the other client does not open. */
async function ask(method: string, path: string, json?: object) {
  const headers = {
    Authorization: `Bearer ${path === "/metrics" ? METRICS_TOKEN : key}`,
    "Content-Type": "application/json",
    Origin: service.url,
  };
  const answer = await fetch(service.url + path, { method, headers, body: json && JSON.stringify(json) });
  await answer.text();
  return answer;
}

/** Each kind of call has its own connections: lists, look-ups of a mailbox, changes. */
const works = async () => {
  const calls = await Promise.all([
    client.get("/v1/inboxes", { key }),
    client.get(`/v1/inboxes/${address}`, { key }),
    client.post("/v1/inboxes", {}, { key }),
  ]);
  return calls.map(({ status }) => status);
};

/** The SMTP answer to a mail. */
const mail = () =>
  service.mail({ from: "a@else.example", to: address, subject: "after the frost" }).then(
    () => 250,
    (error: { responseCode?: number }) => error.responseCode,
  );

const isUp = async () => {
  const { text } = await client.exchange("GET", "/metrics", { key: METRICS_TOKEN });
  return /^mailberth_database_up (\d)$/m.exec(text)?.[1];
};

describe("a database that is frozen", () => {
  test("costs every caller an answer in time", async () => {
    const waiting = ask("POST", `/v1/inboxes/${address}/wait`, { timeout_seconds: 50 });
    await expect.poll(isUp).toBe("1");
    proxy.freeze();
    try {
      const calls = Array.from({ length: CALLERS }, (_, n) => {
        if (n % 3 === 0) return ask("POST", "/v1/enroll", { token, agent_handle: `bot${n}` });
        return n % 3 === 1 ? ask("GET", "/v1/inboxes") : ask("POST", "/v1/inboxes", {});
      });
      const atSmtp = timed(mail());
      const atTrpc = ask("GET", "/trpc/auth.me");
      const signIn = ask("POST", "/auth/sign-in/email", { email: "a@else.example", password: "not this one" });
      // Asked after all of these, and answered before any of them: they do not wait for the database.
      const first = Promise.race(calls).then(() => "after a request that needs the database");
      for (const path of ["/health/live", "/metrics"]) {
        const prompt = ask("GET", path).then(({ status }) => status);
        expect([path, await Promise.race([prompt, first])]).toEqual([path, 200]);
      }
      const { result: answers, ms } = await timed(Promise.all(calls));
      for (const { status, headers } of answers) {
        expect(status).toBe(503);
        expect(headers.get("retry-after")).toMatch(/^\d+$/);
      }
      expect(ms).toBeLessThan(ANSWER_MAX_MS);
      expect([(await atTrpc).status, (await signIn).status]).toEqual([503, 503]);
      expect([421, 451]).toContain((await atSmtp).result);
      expect((await atSmtp).ms).toBeLessThan(ANSWER_MAX_MS);
      await expect.poll(isUp, { timeout: RECOVERY_MAX_MS }).toBe("0");
    } finally {
      proxy.thaw();
    }
    await expect.poll(works, { timeout: RECOVERY_MAX_MS }).toEqual([200, 200, 201]);
    await expect.poll(mail, { timeout: RECOVERY_MAX_MS }).toBe(250);
    const signInAgain = ask("POST", "/auth/sign-in/email", { email: "a@else.example", password: "not this one" });
    expect((await signInAgain).status).toBe(401);
    // A wait goes on, or ends with 503 when it asked the database at that time.
    expect([200, 503]).toContain((await waiting).status);
    await expect.poll(isUp, { timeout: RECOVERY_MAX_MS }).toBe("1");
  });
});

describe("connections whose other end is gone without a word", () => {
  test("are replaced", async () => {
    expect(await works()).toEqual([200, 200, 201]);
    proxy.abandon();
    await expect.poll(works, { timeout: RECOVERY_MAX_MS }).toEqual([200, 200, 201]);
    // The worker's jobs go on as well.
    const { body } = await client.post<{ id: string }>(
      `/v1/inboxes/${address}/send`,
      { to: "b@else.example", subject: "on", text: "and on" },
      { key },
    );
    const status = async () => (await client.get<{ status: string }>(`/v1/messages/${body.id}`, { key })).body.status;
    await expect.poll(status, { timeout: RECOVERY_MAX_MS }).toBe("captured");
  });

  test("are replaced when they only listen", async () => {
    const own = await startProxy(database.url);
    const { sql, close } = openDatabase({ url: own.url, poolSize: 2, timeoutMs: 1_000 });
    const log = createLog("fatal", false);
    const [listening, telling] = [
      createSignals(sql, log, { pulseEveryMs: 200 }),
      createSignals(service.system.sql, log),
    ];
    try {
      await listening.listen();
      own.abandon();
      let heard: string[] = [];
      listening.on("erasures", (keys) => {
        heard = keys ?? heard;
      });
      const told = () => {
        telling.tellOthers("erasures", ["one"]);
        return heard;
      };
      await expect.poll(told, { timeout: RECOVERY_MAX_MS }).toEqual(["one"]);
    } finally {
      await listening.close();
      await close();
      await own.cut();
    }
  });
});

describe("a connection whose server freezes while it opens", () => {
  test("fails its query, and the process goes on", async () => {
    const own = await startProxy(database.url);
    own.freezeWhenReady();
    const { sql, close } = openDatabase({ url: own.url, poolSize: 1, timeoutMs: 200 });
    try {
      // Vitest fails the run for a rejection that nothing handles, which ends the service.
      await expect(sql`select 1`).rejects.toMatchObject({ code: "QUERY_TIMEOUT" });
    } finally {
      await own.cut();
      await close();
    }
  });
});

describe("a lock that another transaction holds", () => {
  test("costs a request that needs it 503", async () => {
    const { sql, close } = openDatabase({ url: database.url, poolSize: 1 });
    try {
      await sql.begin(async (tx) => {
        await tx`lock table inboxes in access exclusive mode`;
        const { result, ms } = await timed(client.post<Failure>("/v1/inboxes", {}, { key }));
        expectUnavailable(result);
        expect(ms).toBeLessThan(ANSWER_MAX_MS);
      });
      await expect.poll(works, { timeout: RECOVERY_MAX_MS }).toEqual([200, 200, 201]);
    } finally {
      await close();
    }
  });
});

describe("an embedded PostgreSQL under SIGSTOP", () => {
  afterEach(cleanUp);

  test("answers again after SIGCONT", async () => {
    const dataDir = await makeCluster();
    const process = await startProcess({ DATA_DIR: dataDir, DATABASE_TIMEOUT_SECONDS });
    const enroll = async (agent_handle: string) => {
      const body = JSON.stringify({ token: /mb_enroll_\w+/.exec(process.output())?.[0], agent_handle });
      const headers = { "Content-Type": "application/json" };
      return (await fetch(`${process.url}/v1/enroll`, { method: "POST", headers, body })).status;
    };
    expect(await enroll("before")).toBe(201);
    const pid = await serverPid(join(dataDir, "postgres"));
    await signalServer(pid, "SIGSTOP");
    const { result, ms } = await timed(enroll("during"));
    expect(result).toBe(503);
    expect(ms).toBeLessThan(ANSWER_MAX_MS);
    await signalServer(pid, "SIGCONT");
    await expect.poll(() => enroll("after"), { timeout: RECOVERY_MAX_MS }).toBe(201);
    expect(await process.end("SIGTERM")).toBe(0);
  });
});
