// W8: one service with an embedded PostgreSQL, as `npm start` starts it: seconds until it is ready, its memory at rest and after mail, and what a
// mail takes of the disk and of PostgreSQL's log. It has 1,000 mailboxes, which get five mails each: a day of agents. Alone, or in turn with
// another commit.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "#db/client.ts";
import { findEmbedded } from "#db/embedded/open.ts";
import { PRELOAD } from "#test/support/process.ts";
import { answersAt, type Child, freePort, type Helper, startHelper, startServer } from "./support/children.ts";
import { cpuOfTrees, parentOf, pssMb, rssMb } from "./support/machine.ts";
import type { Options } from "./support/options.ts";
import { median } from "./support/rounds.ts";
import { ALLOCATOR, type Checkout, checkoutsOf, DOMAIN, type Site } from "./support/site.ts";
import type { SmtpAnswer, SmtpOrder } from "./support/smtp-load.ts";
import type { Comparison } from "./support/table.ts";

const ROUNDS = 3;
const REST_MS = 5_000;
/** V8 collects what a burst left after about eight seconds without work. */
const LATER_MS = 15_000;
const MAILS = 5_000;
const MAILS_PER_SECOND = 400;
const SECONDS_AT_ONCE = 5;
const SESSIONS = 16;
const BOXES = 1_000;
const LOOK_EVERY_MS = 200;
const GOALS = { readySeconds: 2.5, restMb: 180, mailMb: 300, diskKb: 8, logKb: 9 };
const UNLIMITED = "10000000";

/** `root`: its checkout. Two that are compared have no pages, so that they start as each other. */
type Measured = Checkout & { pages: boolean; dataDir: string };
type Alone = { child: Child; port: number; smtpPort: number; seconds: number };
type Stored = { disk: number; log: number };
type Started = { ready: number; rest: number };
type Mailed = { after: number; later: number; disk: number; log: number; cpu: number; whole: number };

/** The seconds end when it says that it is ready to answer. */
async function start({ root, pages, dataDir }: Measured): Promise<Alone> {
  const [port, smtpPort] = [await freePort(), await freePort()];
  const env = {
    ...ALLOCATOR,
    DATA_DIR: dataDir,
    DATABASE_URL: "",
    HOST: "127.0.0.1",
    PORT: `${port}`,
    SMTP_PORT: `${smtpPort}`,
    DEFAULT_DOMAIN: DOMAIN,
    DNS_SERVERS: "127.0.0.1:9", // an unused port
    STORAGE_QUOTA_PER_INBOX: "0",
    RATE_LIMIT_PER_SECOND: UNLIMITED,
    RATE_LIMIT_BURST: UNLIMITED,
  };
  const started = performance.now();
  const main = [join(root, "server/main.ts"), ...(pages ? [] : ["--no-pages"])];
  const command: [string, ...string[]] = [process.execPath, ...PRELOAD, ...main];
  const isReady = () => answersAt(`http://127.0.0.1:${port}/health/ready`);
  const child = await startServer(command, { cwd: root, env }, isReady);
  return { child, port, smtpPort, seconds: (performance.now() - started) / 1000 };
}

/** The mailboxes of one agent, by the key that the first start prints. */
async function addBoxes({ child, port }: Alone): Promise<void> {
  const ask = async <T>(path: string, body: object, key = ""): Promise<T> => {
    const headers = { "Content-Type": "application/json", ...(key && { Authorization: `Bearer ${key}` }) };
    const url = `http://127.0.0.1:${port}${path}`;
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  let token: string | undefined;
  while (!token) {
    await delay(LOOK_EVERY_MS);
    token = /\bmb_enroll_\w+/.exec(child.output())?.[0];
  }
  const { agent_key } = await ask<{ agent_key: string }>("/v1/enroll", { token, agent_handle: "bench" });
  for (let n = 0; n < BOXES; n += 1) await ask("/v1/inboxes", { username: `box-${n}` }, agent_key);
}

async function openOwn(dataDir: string) {
  const url = await findEmbedded(dataDir);
  if (!url) throw new Error("the service has no embedded PostgreSQL");
  const sql = connect(url, { max: 1, fetch_types: false });
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const postmaster = parentOf(backend?.pid ?? 0);
  return {
    sql,
    /** Of the service and PostgreSQL: processes in one tree or two. */
    costOf: (pid: number) => {
      const roots = parentOf(postmaster) === pid ? [pid] : [pid, postmaster];
      return { cpu: cpuOfTrees(roots).reduce((sum, each) => sum + each), whole: pssMb(roots) };
    },
    /** Without PostgreSQL, which may be its child. */
    memoryOf: (pid: number) => rssMb([pid]) - (parentOf(postmaster) === pid ? rssMb([postmaster]) : 0),
    async stored(): Promise<Stored> {
      await sql`checkpoint`;
      const [row] = await sql<[Stored]>`
        select pg_database_size(current_database())::float8 as disk,
          pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as log`;
      return row;
    },
    async read(): Promise<void> {
      while ((await sql`select 1 from messages where status = 'received' limit 1`).length > 0)
        await delay(LOOK_EVERY_MS);
    },
  };
}

async function mail(load: Helper<SmtpOrder, SmtpAnswer>, port: number): Promise<number> {
  let mails = 0;
  while (mails < MAILS) {
    const order = { port, sessions: SESSIONS, mode: "kept" as const, perSecond: MAILS_PER_SECOND, domain: DOMAIN };
    const tag = `w8.${mails}`;
    mails += (await load.ask({ ...order, seconds: SECONDS_AT_ONCE, tag, boxes: BOXES })).givenMs.length;
  }
  return mails;
}

type Own = Awaited<ReturnType<typeof openOwn>>;

async function measureMail(alone: Alone, own: Own): Promise<Mailed> {
  const load: Helper<SmtpOrder, SmtpAnswer> = startHelper(new URL("./support/smtp-load.ts", import.meta.url));
  const before = await own.stored();
  const began = own.costOf(alone.child.pid);
  const mails = await mail(load, alone.smtpPort);
  await own.read();
  const after = own.memoryOf(alone.child.pid);
  await delay(LATER_MS);
  const later = own.memoryOf(alone.child.pid);
  const { cpu, whole } = own.costOf(alone.child.pid);
  const stored = await own.stored();
  const each = (kind: keyof Stored) => (stored[kind] - before[kind]) / mails / 1000;
  return { after, later, disk: each("disk"), log: each("log"), cpu: cpu - began.cpu, whole };
}

type Results = { starts: Started[]; mailed: Mailed | undefined };

async function measureOnce(measured: Measured, results: Results, withMail: boolean): Promise<void> {
  const alone = await start(measured);
  const own = await openOwn(measured.dataDir);
  try {
    await delay(REST_MS);
    results.starts.push({ ready: alone.seconds, rest: own.memoryOf(alone.child.pid) });
    if (withMail) results.mailed = await measureMail(alone, own);
  } finally {
    await own.sql.end();
    await alone.child.stop();
  }
}

type Unit = { unit: string; goal: number; digits: number };

function tell({ starts, mailed }: Results, note: (text: string) => void): void {
  const say = (what: string, all: number[], { unit, goal, digits }: Unit) => {
    const met = median(all) <= goal ? "✓" : "✗";
    note(`${what}: ${all.map((each) => each.toFixed(digits)).join(", ")} ${unit}, goal ${goal} ${met}`);
  };
  const of = (pick: keyof Started) => starts.map((each) => each[pick]);
  const size = (pick: keyof Mailed) => (mailed ? [mailed[pick]] : []);
  const kb = (goal: number): Unit => ({ unit: "kB", goal, digits: 1 });
  const mb = (goal: number): Unit => ({ unit: "MB", goal, digits: 0 });
  say("ready after a start on its own PostgreSQL", of("ready"), { unit: "s", goal: GOALS.readySeconds, digits: 1 });
  say(`memory ${REST_MS / 1000} s after the start, without PostgreSQL`, of("rest"), mb(GOALS.restMb));
  say(`memory after ${MAILS} mails of 4 KiB, without PostgreSQL`, size("after"), mb(GOALS.mailMb));
  say(`the same ${LATER_MS / 1000} s later`, size("later"), mb(GOALS.mailMb));
  say("disk for a mail of 4 KiB", size("disk"), kb(GOALS.diskKb));
  say("PostgreSQL's log for a mail of 4 KiB", size("log"), kb(GOALS.logKb));
  const [cpu = 0] = size("cpu");
  const [whole = 0] = size("whole");
  note(
    `${BOXES} mailboxes that got ${MAILS} mails: ${whole.toFixed(0)} MB with PostgreSQL, ${cpu.toFixed(0)} s of CPU`,
  );
}

/** Makes the database; builds pages that are missing. */
async function prepare(measured: Measured, note: (text: string) => void): Promise<void> {
  await mkdir(measured.dataDir);
  const first = await start(measured);
  try {
    const own = await openOwn(measured.dataDir);
    const before = await own.stored();
    await addBoxes(first);
    const { disk } = await own.stored();
    await own.sql.end();
    note(`disk for a mailbox: ${((disk - before.disk) / BOXES / 1000).toFixed(1)} kB`);
  } finally {
    await first.child.stop();
  }
  const pages = measured.pages ? ", and pages that are built or not" : "";
  note(`first start, with a new database${pages}: ${first.seconds.toFixed(1)} s`);
}

/** Several starts of each; the last one of each also gets mail. */
export async function w8(site: Site, note: (text: string) => void, { against }: Options): Promise<Comparison[]> {
  const runs = checkoutsOf(against).map((checkout, n) => {
    const measured = { ...checkout, pages: !against, dataDir: join(site.folder, `w8-${n}`) };
    const results: Results = { starts: [], mailed: undefined };
    return { measured, results, note: (text: string) => note(against ? `${checkout.name}: ${text}` : text) };
  });
  for (const each of runs) await prepare(each.measured, each.note);
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const { measured, results } of runs) await measureOnce(measured, results, round === ROUNDS);
  }
  for (const each of runs) tell(each.results, each.note);
  return [];
}
