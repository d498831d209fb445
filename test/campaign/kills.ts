// The kinds of kill: what each does to a running system, and undoes when it would last.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceProcess } from "#test/support/process.ts";
import { incompressible, OUTSIDE, request, SENDER } from "./load.ts";
import type { Random } from "./random.ts";
import { endWithin, type Sql, type System } from "./system.ts";

const DOWN_MAX_MS = 1_000;
const FREEZES_MS = [2_000, 4_000, 8_000];
/** Longer than a request may wait for the database. */
const LONG_FREEZE_MS = 40_000;
const LONG_FREEZES = 0.25;
const CUT_MAX_MS = 4_000;
const FULL_MIN_MS = 4_000;
const FULL_MAX_MS = 8_000;
/** Of a send that needs new space: 72 KB. */
const WRITE_LINES = 1_000;
const READY_MS = 5_000;
const REFILL_EVERY_MS = 200;
const ASK_EVERY_MS = 200;
/** The service promises 10 s; the machine may be busy. */
const STOP_MS = 15_000;
const KILLED_WITHIN_MS = 10_000;
const SERVICE = "mailberth%";

/** `broken`: the promise that the service did not keep, if any. */
type Killed = { did: string; broken?: string | undefined };
export type Kill = {
  name: string;
  /** Why it cannot happen here; undefined when it can. */
  impossible?(system: System): string | undefined;
  run(system: System, random: Random): Promise<Killed>;
};

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it has ended since
  }
}

/** The pids of the server's processes, without the one that answers this. */
async function backends(sql: Sql, application: string): Promise<number[]> {
  const rows = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name like ${application} and pid <> pg_backend_pid() order by pid`;
  return rows.map(({ pid }) => pid);
}

function at(system: System, index: number): ServiceProcess {
  const found = system.processes[index];
  if (!found) throw new Error(`there is no process ${index}`);
  return found;
}

function victims(system: System, random: Random): number[] {
  return system.processes.length === 1 ? [0] : random.pick([[0], [1], [0, 1]]);
}

async function freeze(system: System, random: Random): Promise<Killed> {
  const ms = random.next() < LONG_FREEZES ? LONG_FREEZE_MS : random.pick(FREEZES_MS);
  const postmaster = system.postmaster();
  const pids = await system.read(async (sql) => {
    await sql`select 1`; // connects while the postmaster still starts processes
    signal(postmaster, "SIGSTOP");
    const children = await backends(sql, "%");
    for (const pid of children) signal(pid, "SIGSTOP");
    return [postmaster, ...children];
  });
  await sleep(ms);
  for (const pid of pids) signal(pid, "SIGCONT");
  return { did: `${pids.length} processes of PostgreSQL for ${ms / 1_000} s` };
}

async function drop(system: System, random: Random): Promise<Killed> {
  if (!system.proxy) {
    const dropped = await system.read(async (sql) => {
      const rows = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like ${SERVICE} and pid <> pg_backend_pid()`;
      return rows.length;
    });
    return { did: `${dropped} connections by pg_terminate_backend` };
  }
  const ms = random.between(0, CUT_MAX_MS);
  await system.proxy.cut();
  await sleep(ms);
  await system.proxy.mend();
  return { did: `all connections, none possible for ${ms} ms` };
}

/** Asks again and again until `until`. @returns the statuses; 0 is no answer */
async function askUntil(until: number, ask: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  while (performance.now() < until) {
    const status = await ask().then(
      (answer) => answer.status,
      () => 0,
    );
    statuses.push(status);
    await sleep(ASK_EVERY_MS);
  }
  return statuses;
}

/** Fills the disk repeatedly, because PostgreSQL frees space, and requests writes and readiness at the same time. */
async function fill(system: System, random: Random): Promise<Killed> {
  const ms = random.between(FULL_MIN_MS, FULL_MAX_MS);
  const process = at(system, 0);
  const until = performance.now() + ms;
  const send = () => {
    const message = { to: OUTSIDE, text: incompressible(WRITE_LINES), idempotency_key: randomUUID() };
    return request(process, system.key, "POST", `/v1/inboxes/${encodeURIComponent(SENDER)}/send`, message);
  };
  const ready = () => fetch(`${process.url}/health/ready`, { signal: AbortSignal.timeout(READY_MS) });
  system.disk?.fill();
  const refilling = setInterval(() => system.disk?.fill(), REFILL_EVERY_MS);
  const writing = askUntil(until, send);
  const statuses = await askUntil(until, ready);
  clearInterval(refilling);
  system.disk?.free();
  const writes = await writing;
  const failed = writes.filter((status) => status !== 202).length;
  const red = statuses.filter((status) => status !== 200).length;
  const did = `no space for ${ms} ms: ${failed} of ${writes.length} sends failed, /health/ready was red ${red} of ${statuses.length} times`;
  return { did, broken: failed === writes.length && red === 0 ? did : undefined };
}

export const KILLS: Kill[] = [
  {
    name: "kill-service",
    async run(system, random) {
      const indexes = victims(system, random);
      for (const index of indexes) await endWithin(at(system, index), "SIGKILL", KILLED_WITHIN_MS);
      await sleep(random.between(0, DOWN_MAX_MS));
      await Promise.all(indexes.map(system.start));
      return { did: `process ${indexes.join(" and ")}` };
    },
  },
  {
    name: "stop-service",
    async run(system, random) {
      const [index = 0] = victims(system, random);
      const started = performance.now();
      const code = await endWithin(at(system, index), "SIGTERM", STOP_MS);
      const seconds = ((performance.now() - started) / 1_000).toFixed(1);
      if (code === undefined) await at(system, index).end("SIGKILL");
      await system.start(index);
      const did = `process ${index} by SIGTERM: exit ${code ?? "none"} after ${seconds} s`;
      return { did, broken: code === 0 ? undefined : `SIGTERM under load: ${did}` };
    },
  },
  {
    name: "kill-postmaster",
    async run(system) {
      const pid = system.postmaster();
      signal(pid, "SIGKILL");
      return { did: `postmaster ${pid}` };
    },
  },
  {
    name: "kill-backend",
    async run(system, random) {
      const pids = await system.read((sql) => backends(sql, SERVICE));
      const pid = random.pick(pids);
      signal(pid, "SIGKILL");
      return { did: `backend ${pid}, one of ${pids.length}` };
    },
  },
  { name: "freeze-database", run: freeze },
  {
    name: "freeze-service",
    async run(system, random) {
      const [index = 0] = victims(system, random);
      const ms = random.pick(FREEZES_MS);
      at(system, index).child.kill("SIGSTOP");
      await sleep(ms);
      at(system, index).child.kill("SIGCONT");
      return { did: `process ${index} for ${ms / 1_000} s` };
    },
  },
  { name: "drop-connections", run: drop },
  {
    name: "full-disk",
    impossible: ({ disk }) =>
      disk ? undefined : "no small disk can be mounted for the data folder (root on Linux can)",
    run: fill,
  },
];
