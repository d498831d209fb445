// Two workers that are killed again and again, beside receivers that fail in turns: every event arrives, again only under its id.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeId } from "#server/base/ids.ts";
import { size } from "#test/sizes.ts";
import { type ServiceProcess, startProcess } from "#test/support/process.ts";
import { ENGINE_KEY, openEngine, type TestEngine } from "./engine.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

const RECEIVERS = 10;
const FAILING = 3;
const EVENTS = size("KILLED_WORKERS_EVENTS");
const KILLS = size("WORKER_KILLS");
const ACCEPTED_BEFORE_KILL = 10;
const TURN_MS = 200;

let engine: TestEngine;
let dataDir: string;
let workers: ServiceProcess[] = [];
const receivers: Receiver[] = [];
const accepted = new Map<string, Set<string>>();

const start = () =>
  startProcess({
    DATABASE_URL: engine.databaseUrl,
    DATA_DIR: dataDir,
    ENCRYPTION_KEY: ENGINE_KEY.toString("base64"),
    ROLES: "worker",
    LOG_LEVEL: "warn",
  });

beforeAll(async () => {
  engine = await openEngine();
  dataDir = await mkdtemp(join(tmpdir(), "mailberth-workers-"));
  for (let n = 0; n < RECEIVERS; n += 1) {
    const receiver = await startReceiver((response, _, { headers }) => {
      const turn = Math.floor(performance.now() / TURN_MS);
      if ((n + turn) % RECEIVERS < FAILING) return void response.writeHead(500).end();
      const [delivery, event] = [String(headers["x-service-delivery"]), String(headers["x-service-event-id"])];
      accepted.set(event, (accepted.get(event) ?? new Set()).add(delivery));
      response.writeHead(200).end();
    });
    receivers.push(receiver);
  }
});

afterAll(async () => {
  for (const worker of workers) await worker.end("SIGTERM");
  for (const receiver of receivers) await receiver.close();
  await engine.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** What the dead held is free when its leases end, and what failed comes due again: the test waits for neither. */
async function makeAllDue(): Promise<void> {
  await engine.sql`
    update deliveries set next_attempt_at = ${engine.now()} where id = any(array(
      select id from deliveries where status = 'pending' and next_attempt_at > ${engine.now()} for update skip locked))`;
}

test(`${EVENTS} events, two workers killed ${KILLS / 2} times each`, { timeout: 240_000 }, async () => {
  const webhooks = await Promise.all(receivers.map(({ url }) => engine.webhook(url)));
  const owed: string[] = [];
  workers = await Promise.all([start(), start()]);
  for (let kill = 0; kill < KILLS; kill += 1) {
    for (const webhook of webhooks) {
      const due = await engine.deliveries(webhook, EVENTS / RECEIVERS / KILLS, "due");
      owed.push(...due.map(({ event_id }) => encodeId("evt", event_id)));
    }
    await makeAllDue();
    engine.signals.raise("deliveries");
    const before = accepted.size;
    await expect.poll(() => accepted.size - before).toBeGreaterThanOrEqual(ACCEPTED_BEFORE_KILL);
    expect(await workers[kill % 2]?.end("SIGKILL")).toBe("SIGKILL");
    workers[kill % 2] = await start();
  }
  const left = async () => {
    await makeAllDue();
    return (await engine.sql`select 1 from deliveries where status = 'pending' limit 1`).length;
  };
  await expect.poll(left, { timeout: 120_000, interval: 1_000 }).toBe(0);
  const [{ failed } = { failed: -1 }] = await engine.sql<{ failed: number }[]>`
    select count(*)::int as failed from deliveries where status <> 'succeeded'`;
  expect(failed).toBe(0);
  expect(owed.filter((event) => !accepted.has(event))).toEqual([]);
  expect([owed.length, accepted.size]).toEqual([EVENTS, EVENTS]);
  expect([...accepted.values()].filter((deliveries) => deliveries.size > 1)).toEqual([]);
});
