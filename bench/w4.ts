// W4: waits. The memory of 1,000 and 10,000 blocked waits compared with a bare node:http server that holds as many
// requests, the time until an answer is sent, and the cost of a waiter compared with mail without one.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "#db/client.ts";
import { type Child, freePort, type Helper, startHelper, startServer } from "./support/children.ts";
import type { HttpAnswer, HttpOrder } from "./support/http-load.ts";
import { cpuOfTrees, rssMb } from "./support/machine.ts";
import type { Options } from "./support/options.ts";
import { PEERS } from "./support/peers.ts";
import { type Contender, median, race, warmUp } from "./support/rounds.ts";
import {
  type Checkout,
  checkoutsOf,
  DOMAIN,
  type Mailberth,
  post,
  type Site,
  startMailberth,
  type Variant,
} from "./support/site.ts";
import type { Comparison } from "./support/table.ts";
import type { WaitAnswer, WaitOrder } from "./support/wait-load.ts";

const FEW = 1_000;
const MANY = 10_000;
/** MAX_WAITS_PER_KEY as it is by default. */
const WAITS_PER_KEY = 200;
const WAIT_SECONDS = 120;
const OPEN_FILES = MANY + 1_000;
const ROUNDS = 3;
const LATENCY_MAILS = 200;
/** No divisor of the number of mailboxes: neighbours are not woken one after the other. */
const STRIDE = 7_919;
const WAVE_SESSIONS = 16;
const WARM_UP = { connections: 32, seconds: 3 };
const SETTLE_MS = 2_000;
const IDLE_SECONDS = 10;
const GOALS = { kibEach: 15, p99Ms: 20 };

type Load = { wait: Helper<WaitOrder, WaitAnswer>; http: Helper<HttpOrder, HttpAnswer> };
type Bench = { load: Load; site: Site; note: (text: string) => void };
type Held = { few: number; many: number };

const boxes = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);
const ONE_BY_ONE = boxes(0, LATENCY_MAILS).map((n) => (n * STRIDE) % MANY);

function request(box: number, key: string, seconds = WAIT_SECONDS): string {
  const body = JSON.stringify({ timeout_seconds: seconds });
  return (
    `POST /v1/inboxes/${encodeURIComponent(`box-${box}@${DOMAIN}`)}/wait HTTP/1.1\r\nHost: bench\r\n` +
    `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

function hasFilesEnough(): boolean {
  const [, most] = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return most === "unlimited" || Number(most) >= OPEN_FILES;
}

type Ours = Mailberth & { keys: string[] };

/** A separate process on a database with MANY mailboxes, `box-0` and on, and a key for every 200. */
async function startOurs(site: Site, name: string, variant?: Variant): Promise<Ours> {
  const mailberth = await startMailberth(site, name, ["web,smtp,worker"], {}, variant);
  const keys: string[] = [];
  while (keys.length < MANY / WAITS_PER_KEY) keys.push(await mailberth.agentKey());
  await post(mailberth, keys[0] ?? "", "/v1/inboxes", { username: "pattern" });
  const sql = connect(mailberth.databaseUrl, { max: 1, fetch_types: false });
  await sql`
    insert into inboxes (id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, metadata, status,
      identity_status, created_at)
    select gen_random_uuid(), organization_id, enrollment_key_id, agent_id, 'box-' || n || '@' || domain, domain, '', '{}',
      status, identity_status, created_at
    from (select * from inboxes limit 1) i cross join generate_series(0, ${MANY - 1}::int) n`;
  await sql`analyze inboxes`;
  await sql.end();
  return { ...mailberth, keys };
}

const keyOf = (keys: string[], box: number) => keys[Math.floor(box / WAITS_PER_KEY) % keys.length] ?? "";

/** Opens a wait on each of the boxes, and comes back when the server is done with all of them. */
async function openWaits(load: Load, port: number, keys: string[], which: number[]): Promise<void> {
  const requests = which.map((box) => request(box, keyOf(keys, box)));
  await load.wait.ask({ kind: "open", port, boxes: which, requests });
  await delay(SETTLE_MS);
}

/** Memory that FEW and then MANY waits take, in KiB each, beyond what the warm server had. */
async function hold(load: Load, port: number, keys: string[], pid: number): Promise<Held> {
  const { connections, seconds } = WARM_UP;
  const requests = boxes(0, FEW).map((box) => request(box, keyOf(keys, box), 0));
  await load.http.ask({ port, connections, requests, status: 200, seconds });
  await delay(SETTLE_MS);
  const before = rssMb([pid]);
  const each = (waits: number) => ((rssMb([pid]) - before) * 1024) / waits;
  await openWaits(load, port, keys, boxes(0, FEW));
  const few = each(FEW);
  await openWaits(load, port, keys, boxes(FEW, MANY));
  return { few, many: each(MANY) };
}

async function startPeer(): Promise<Peer> {
  const port = await freePort();
  const command: [string, ...string[]] = [process.execPath, join(PEERS, "waiting.mts")];
  const child = await startServer(command, { env: { PORT: `${port}` } }, (output) => output.includes("ready"));
  return { ...child, port };
}

function mailTo(load: Load, ours: Ours, which: number[], oneByOne: boolean): Promise<WaitAnswer> {
  const sessions = oneByOne ? 1 : WAVE_SESSIONS;
  return load.wait.ask({ kind: "mail", smtpPort: ours.smtpPort, domain: DOMAIN, boxes: which, sessions, oneByOne });
}

type Peer = Pick<Child, "pid" | "stop"> & { port: number };
/** `reopened`: waits that were answered with 503 or timed out before their mail was sent or read. */
type Round = { ours: Held; peer: Held; latencies: number[]; wave: WaitAnswer; reopened: number };

/** In processes of their own, for memory that a process once had it keeps. */
async function measure(load: Load, ours: Ours, peer: Peer): Promise<Round> {
  const pid = ours.processes[0]?.pid ?? 0;
  const held = await hold(load, ours.port, ours.keys, pid);
  const { latenciesMs, reopened } = await mailTo(load, ours, ONE_BY_ONE, true);
  const rest = boxes(0, MANY).filter((box) => !ONE_BY_ONE.includes(box));
  const wave = await mailTo(load, ours, rest, false);
  const others = await hold(load, peer.port, ours.keys, peer.pid);
  await load.wait.ask({ kind: "close" });
  const latencies = latenciesMs.toSorted((a, b) => a - b);
  return { ours: held, peer: others, latencies, wave, reopened: reopened + wave.reopened };
}

const at = (sorted: number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
const all = (numbers: number[], digits = 1) => numbers.map((each) => each.toFixed(digits)).join(", ");
const mark = (isMet: boolean) => (isMet ? "✓" : "✗");

function tell(rounds: Round[], note: (text: string) => void): void {
  for (const [size, count] of [["few", FEW] as const, ["many", MANY] as const]) {
    const own = rounds.map(({ ours }) => ours[size]);
    const bare = rounds.map(({ peer }) => peer[size]);
    const ratio = median(own.map((each, i) => each / (bare[i] ?? Number.NaN)));
    const goal = size === "many" ? ` ${mark(median(own) <= GOALS.kibEach)} ${GOALS.kibEach}` : "";
    note(
      `${count} waiting: ${all(own)} KiB each${goal}; bare node:http ${all(bare)} KiB; ${ratio.toFixed(2)} times as much`,
    );
  }
  const p99 = rounds.map(({ latencies }) => at(latencies, 0.99));
  const p50 = rounds.map(({ latencies }) => at(latencies, 0.5));
  note(
    `${MANY} waiting, one mail at a time: 250 to answer p50 ${all(p50)} ms, p99 ${all(p99)} ms ${mark(median(p99) <= GOALS.p99Ms)} ${GOALS.p99Ms}`,
  );
  const seconds = rounds.map(({ wave }) => wave.seconds);
  const rate = median(rounds.map(({ wave }) => wave.latenciesMs.length / wave.seconds));
  const late = rounds.map(({ wave }) =>
    at(
      wave.latenciesMs.toSorted((a, b) => a - b),
      0.99,
    ),
  );
  note(
    `a mail to each of ${MANY - LATENCY_MAILS}, as fast as they are taken: all answered in ${all(seconds)} s, ${rate.toFixed(0)}/s, 250 to answer p99 ${all(late, 0)} ms`,
  );
  const reopened = rounds.map((round) => round.reopened);
  note(`waits of ${MANY} that were answered with 503 or timed out, and were opened again: ${all(reopened, 0)}`);
}

/** CPU seconds and transactions of IDLE_SECONDS; postgres counts what its sessions tell it, once a second. */
async function idle(site: Site, ours: Ours): Promise<{ cpu: number; transactions: number }> {
  const sql = connect(ours.databaseUrl, { max: 1, fetch_types: false });
  const roots = [...ours.processes.map(({ pid }) => pid), site.postmasterPid];
  const count = async () => {
    const [row] = await sql<{ n: number }[]>`
      select xact_commit::int as n from pg_stat_database where datname = current_database()`;
    return { transactions: row?.n ?? 0, cpu: cpuOfTrees(roots).reduce((sum, each) => sum + each, 0) };
  };
  const before = await count();
  await delay(IDLE_SECONDS * 1_000);
  const after = await count();
  await sql.end();
  return { cpu: after.cpu - before.cpu, transactions: after.transactions - before.transactions };
}

async function tellIdle(load: Load, site: Site, ours: Ours, note: (text: string) => void): Promise<void> {
  await delay(SETTLE_MS);
  const alone = await idle(site, ours);
  await openWaits(load, ours.port, ours.keys, boxes(0, FEW));
  const waiting = await idle(site, ours);
  await load.wait.ask({ kind: "close" });
  const text = ({ cpu, transactions }: typeof alone) => `${cpu.toFixed(2)} s of CPU, ${transactions} transactions`;
  note(`${IDLE_SECONDS} s with ${FEW} waiting and no mail: ${text(waiting)}; without waiters: ${text(alone)}`);
}

/** Sends FEW mails, each to a different mailbox; with `waits` each ends a wait that was opened before. */
function contender({ load, site, note }: Bench, ours: Ours, name: string, waits: boolean): Contender {
  const pids = ours.processes.map(({ pid }) => pid);
  const sql = connect(ours.databaseUrl, { max: 1, fetch_types: false, idle_timeout: 1 });
  return {
    name,
    servers: () => [...pids, site.postmasterPid],
    memoryOf: () => pids,
    async run() {
      const which = boxes(0, FEW);
      if (waits) await openWaits(load, ours.port, ours.keys, which);
      const { seconds, reopened } = await mailTo(load, ours, which, false);
      if (reopened > 0) note(`${reopened} of ${FEW} waits were answered with 503 or timed out, and were opened again`);
      return { operations: FEW, seconds };
    },
    // Bodies are read after the mail was accepted.
    async settle() {
      while ((await sql`select from messages where status = 'received' limit 1`).length > 0) await delay(100);
    },
  };
}

async function wake(bench: Bench, ours: Ours): Promise<Comparison[]> {
  const { site } = bench;
  const woken = contender(bench, ours, "Mailberth", true);
  const unread = contender(bench, ours, "mail without a waiter", false);
  for (const each of [woken, unread]) await warmUp(each);
  const title = { workload: "W4", case: `${FEW} waits opened, a mail to each` };
  return race(title, woken, [{ contender: unread }], [process.pid, site.postmasterPid]);
}

/** Rounds of this checkout alone, or of it and another one in turn. */
async function measureRounds(site: Site, load: Load, checkouts: Checkout[], pages: boolean): Promise<Round[][]> {
  const rounds: Round[][] = checkouts.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [n, { root }] of checkouts.entries()) {
      const ours = await startOurs(site, `w4_${round}_${n}`, { root, pages });
      const peer = await startPeer();
      try {
        rounds[n]?.push(await measure(load, ours, peer));
      } finally {
        await Promise.all([ours.stop(), peer.stop()]);
      }
    }
  }
  return rounds;
}

export async function w4(site: Site, note: (text: string) => void, { against }: Options): Promise<Comparison[]> {
  if (!hasFilesEnough()) {
    note(`left out: it needs ${OPEN_FILES} open files in a process (ulimit -n)`);
    return [];
  }
  const load: Load = {
    wait: startHelper(new URL("./support/wait-load.ts", import.meta.url)),
    http: startHelper(new URL("./support/http-load.ts", import.meta.url)),
  };
  const checkouts = checkoutsOf(against);
  const rounds = await measureRounds(site, load, checkouts, !against);
  for (const [n, { name }] of checkouts.entries()) {
    tell(rounds[n] ?? [], against ? (text) => note(`${name}: ${text}`) : note);
  }
  if (against) return [];
  const ours = await startOurs(site, "w4_wake");
  try {
    await tellIdle(load, site, ours, note);
    return await wake({ load, site, note }, ours);
  } finally {
    await ours.stop();
  }
}
