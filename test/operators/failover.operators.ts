// Seven processes on Debian's PostgreSQL 15 with a synchronous standby: the primary loses its power, and the standby is promoted.
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "#db/client.ts";
import { eventually } from "#test/support/events.ts";
import { cutPower, debianFolders, startDebian, startStandby } from "#test/support/postgresql/debian.ts";
import { type OwnServer, whyNoDebian } from "#test/support/postgresql/server.ts";
import type { ServiceProcess } from "#test/support/process.ts";
import { type Receiver, startReceiver } from "#test/webhooks/delivery/receiver.ts";
import { type Acknowledged, call, type Machines, newAgent, startLoad, startMachines } from "./machines.ts";

const TIMEOUT_MS = 600_000;
/** The machine may be busy: the figure that counts is printed. */
const PATIENCE = { timeout: 120_000, interval: 100 };
/** Acknowledged by each process and for each kind, before the loss and again after the promotion. */
const EACH = 10;
const CONNECTIONS = { max_connections: "200" };
const USERNAME = "busy";

const why = whyNoDebian();
if (why) console.log(`skipped: ${why}`);

async function ask<Row extends object>(url: string, text: string): Promise<Row[]> {
  const sql = connect(url, { max: 1, onnotice: () => {} });
  return sql.unsafe<Row[]>(text).finally(() => sql.end());
}

/** Every commit waits until the standby has it on its disk. */
async function replicateSynchronously(primary: OwnServer): Promise<void> {
  await ask(primary.url, "alter system set synchronous_standby_names = '*'");
  await ask(primary.url, "select pg_reload_conf()");
  const states = () => ask<{ sync_state: string }>(primary.url, "select sync_state from pg_stat_replication");
  await eventually(async () => expect([...(await states())]).toEqual([{ sync_state: "sync" }]));
}

/** Waits until each list has so many entries that are newer than `since`. */
async function untilAcknowledged(lists: Acknowledged[], since: number): Promise<void> {
  const fewest = () => Math.min(...lists.map((list) => list.filter(({ at }) => at > since).length));
  await expect.poll(fewest, PATIENCE).toBeGreaterThanOrEqual(EACH);
}

const idsOf = (lists: Acknowledged[]) => lists.flat().map(({ id }) => id);

describe.skipIf(why)("several machines", () => {
  let primary: OwnServer;
  let standby: OwnServer;
  let machines: Machines;
  let hook: Receiver;
  let key: string;

  beforeAll(async () => {
    primary = await startDebian({ settings: CONNECTIONS });
    await ask(primary.url, "create database mail");
    standby = await startStandby(primary, CONNECTIONS);
    await replicateSynchronously(primary);
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
    const DATABASE_URL = primary.url.replace(/@.*/, `@${hosts}/mail`);
    machines = await startMachines({ web: 3, smtp: 2, worker: 2 }, { DATABASE_URL });
    key = await newAgent(machines, USERNAME);
    hook = await startReceiver();
    const [web] = machines.processes.web;
    const registered = await call(web as ServiceProcess, key, "/v1/webhooks", {
      url: hook.url,
      events: ["message.received"],
    });
    expect(registered.status).toBe(201);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await machines?.stop();
    await hook?.close();
    await Promise.all([primary?.stop(), standby?.stop()]);
    for (const folder of debianFolders()) await rm(folder, { recursive: true, force: true });
  }, TIMEOUT_MS);

  /** Those of the ids that no process with the role web knows. */
  async function missing(path: string, ids: string[]): Promise<string[]> {
    const { web } = machines.processes;
    const lost: string[] = [];
    for (const [index, id] of ids.entries()) {
      const { status } = await call(web[index % web.length] as ServiceProcess, key, `${path}/${id}`);
      if (status !== 200) lost.push(id);
    }
    return lost;
  }

  it("keep all that they acknowledged when the primary is lost, and continue", { timeout: TIMEOUT_MS }, async () => {
    const load = startLoad(machines, key, USERNAME);
    const lists = [...load.mails, ...load.creates, ...load.sends];
    await untilAcknowledged(lists, 0);
    const acknowledged = idsOf(lists).length;
    const lostAt = performance.now();
    await cutPower(primary);
    await ask(standby.url, "select pg_promote(true, 60)");
    const promotedAt = performance.now();
    await untilAcknowledged(lists, promotedAt);
    await load.end();
    const back = lists.map((list) => (list.find(({ at }) => at > promotedAt)?.at ?? Number.NaN) - promotedAt);
    const [first, last] = [Math.min(...back), Math.max(...back)].map((ms) => (ms / 1_000).toFixed(1));
    console.log(
      `failover: ${acknowledged} acknowledged before the loss, ${idsOf(lists).length} in all; promoted after ${((promotedAt - lostAt) / 1_000).toFixed(1)} s; the first of seven processes answered ${first} s after the promotion, the last ${last} s`,
    );
    const [mails, sends, creates] = [idsOf(load.mails), idsOf(load.sends), idsOf(load.creates)];
    expect(await missing("/v1/messages", [...mails, ...sends])).toEqual([]);
    expect(await missing("/v1/inboxes", creates)).toEqual([]);
    // The workers finish what was queued before the loss and after it.
    const statuses = async () => {
      const rows = await ask<{ status: string }>(
        standby.url.replace(/postgres$/, "mail"),
        "select distinct status from messages",
      );
      return rows.map(({ status }) => status).toSorted();
    };
    await expect.poll(statuses, PATIENCE).toEqual(["parsed", "sent"]);
    const delivered = () => new Set(hook.received.map(({ body }) => JSON.parse(body).message?.id));
    await expect.poll(() => mails.filter((id) => !delivered().has(id)), PATIENCE).toEqual([]);
  });
});
