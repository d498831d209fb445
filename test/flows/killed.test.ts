// A service that is killed in the middle of its work has, once it runs again, everything that it acknowledged.

import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "#db/client.ts";
import { createTestDatabase } from "../support/database.ts";
import { type ServiceProcess, startProcess } from "../support/process.ts";

const ROUNDS = 3;
const LOAD_MS = 1_200;
const WORKERS = 4;

type Acknowledged = { created: Set<string>; queued: Set<string>; accepted: Set<string> };

describe("killed in the middle of its work", () => {
  const acknowledged: Acknowledged = { created: new Set(), queued: new Set(), accepted: new Set() };
  const announced = new Map<string, Set<string>>();
  const receiver = createServer((req, res) => {
    let body = "";
    req.on("data", (chunk) => {
      body += chunk;
    });
    req.on("end", () => {
      const { message } = JSON.parse(body) as { message: { id: string } };
      const deliveries = announced.get(message.id) ?? new Set();
      announced.set(message.id, deliveries.add(String(req.headers["x-service-delivery"])));
      res.end();
    });
  });
  let environment: Record<string, string>;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let service: ServiceProcess;
  let key: string;

  async function call<T>(method: string, path: string, body?: object): Promise<{ status: number; json: T }> {
    const answer = await fetch(service.url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
    });
    return { status: answer.status, json: (await answer.json()) as T };
  }

  beforeAll(async () => {
    database = await createTestDatabase();
    environment = {
      DATABASE_URL: database.url,
      DATA_DIR: await mkdtemp(join(tmpdir(), "mailberth-killed-")),
      LOG_LEVEL: "warn",
      SEND_CAP_RAMP: "100000",
      RATE_LIMIT_PER_SECOND: "100000",
      RATE_LIMIT_BURST: "100000",
    };
    service = await startProcess(environment);
    const token = /mb_enroll_\w+/.exec(service.output())?.[0];
    const enrolled = await call<{ agent_key: string }>("POST", "/v1/enroll", { token, agent_handle: "a" });
    key = enrolled.json.agent_key;
    receiver.listen(0, "127.0.0.1");
    await new Promise((resolve) => receiver.once("listening", resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    for (const username of ["from", "to"]) await call("POST", "/v1/inboxes", { username });
    await call("POST", "/v1/webhooks", { url, events: ["message.received"] });
  });

  afterAll(async () => {
    await service.end("SIGTERM");
    receiver.close();
    receiver.closeAllConnections();
    await database.drop();
    await rm(environment.DATA_DIR as string, { recursive: true, force: true });
  });

  /** Creates, sends and mails without a pause until the service is gone; what was answered is noted. */
  async function work(until: { over: boolean }): Promise<void> {
    const transport = createTransport({
      host: "127.0.0.1",
      port: service.smtpPort,
      pool: true,
      maxConnections: 1,
      ignoreTLS: true,
    });
    while (!until.over) {
      try {
        const created = await call<{ address: string }>("POST", "/v1/inboxes", {});
        if (created.status === 201) acknowledged.created.add(created.json.address);
        const message = { to: "to@mail.localhost", subject: "inside", text: "hello" };
        const sent = await call<{ id: string }>("POST", "/v1/inboxes/from%40mail.localhost/send", message);
        if (sent.status === 202) acknowledged.queued.add(sent.json.id);
        const mail = { from: "out@example.org", to: "to@mail.localhost", subject: "outside", text: "hello" };
        const { response } = await transport.sendMail(mail);
        const id = /msg_\w+/.exec(response)?.[0];
        if (response.startsWith("250") && id) acknowledged.accepted.add(id);
      } catch {
        // Killed under way: nothing was acknowledged.
        await sleep(20);
      }
    }
    transport.close();
  }

  it(`keeps it all, ${ROUNDS} times over`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const until = { over: false };
      const workers = Array.from({ length: WORKERS }, () => work(until));
      await sleep(LOAD_MS);
      expect(await service.end("SIGKILL")).toBe("SIGKILL");
      until.over = true;
      await Promise.all(workers);
      service = await startProcess(environment);
    }
    expect(acknowledged.created.size).toBeGreaterThan(0);
    expect(acknowledged.queued.size).toBeGreaterThan(0);
    expect(acknowledged.accepted.size).toBeGreaterThan(0);

    const { sql, close } = openDatabase({ url: database.url, poolSize: 2 });
    try {
      // What the dead held is free when its leases end; the test does not wait for that.
      await sql`update messages set next_attempt_at = now() where status = 'sending'`;
      await sql`update deliveries set next_attempt_at = now() where status = 'pending'`;
      await expect
        .poll(
          async () => {
            const [left] = await sql`
            select (select count(*) from messages where status in ('queued', 'sending')) as sends,
              (select count(*) from deliveries where status = 'pending') as deliveries`;
            return left;
          },
          { timeout: 20_000 },
        )
        .toEqual({ sends: 0, deliveries: 0 });
      const [quota] = await sql`
        select used_count, (select count(*) from inboxes where enrollment_key_id = k.id) as inboxes from enrollment_keys k`;
      expect(quota?.used_count).toBe(quota?.inboxes);
      const [doubled] = await sql`
        select count(*) as n from (select 1 from events group by message_id having count(*) > 1) as d`;
      expect(doubled?.n).toBe(0);
    } finally {
      await close();
    }
  }, 120_000);

  it("finds every mailbox that was created", async () => {
    const statuses = await Promise.all(
      [...acknowledged.created].map(async (address) => {
        return (await call("GET", `/v1/inboxes/${encodeURIComponent(address)}`)).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it("has sent every message that was queued", async () => {
    const statuses = await Promise.all(
      [...acknowledged.queued].map(
        async (id) => (await call<{ status: string }>("GET", `/v1/messages/${id}`)).json.status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set(["sent"]));
  });

  it("has announced every mail that was accepted, again only with the same delivery id", () => {
    expect([...acknowledged.accepted].filter((id) => !announced.has(id))).toEqual([]);
    expect([...announced].filter(([, deliveries]) => deliveries.size > 1)).toEqual([]);
  });

  it("stops by itself on SIGTERM under load, and then has it all too", async () => {
    const until = { over: false };
    const workers = Array.from({ length: WORKERS }, () => work(until));
    await sleep(LOAD_MS);
    expect(await service.end("SIGTERM")).toBe(0);
    until.over = true;
    await Promise.all(workers);
    service = await startProcess(environment);
    await expect
      .poll(() => [...acknowledged.accepted].filter((id) => !announced.has(id)), { timeout: 20_000 })
      .toEqual([]);
  }, 60_000);
});
