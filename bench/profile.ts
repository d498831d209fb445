// What a mail takes: CPU of each thread by source file, and each statement of PostgreSQL, while mail comes in. Alone, or for another commit too.
import { once } from "node:events";
import { connect } from "#db/client.ts";
import { freePort } from "./support/children.ts";
import { BOXES, startIntake } from "./support/intake.ts";
import { cpuOfTrees } from "./support/machine.ts";
import { addMailboxes } from "./support/mail-server.ts";
import type { Options } from "./support/options.ts";
import { type Checkout, checkoutsOf, type Mailberth, type Site, startMailberth } from "./support/site.ts";
import { serverOf } from "./w2-servers.ts";

const SESSIONS = 16;
const SECONDS = 4;
const WARM_UP_RUNS = 4;
/** Rows of each table. */
const FILES = 14;
const STATEMENTS = 12;
const STATEMENT_CHARS = 70;
const SAMPLE_MICROS = 500;

type Frame = { id: number; callFrame: { functionName: string; url: string }; children?: number[] };
type Profile = { nodes: Frame[]; samples: number[]; timeDeltas: number[] };
type Thread = { name: string; profile: Profile };

/** What PostgreSQL must be told before it starts. */
export const PROFILED = ["alter system set shared_preload_libraries = 'pg_stat_statements'"];

/** A client of the inspector of a process and of its threads (Chrome DevTools Protocol, domains `Profiler` and `NodeWorker`). */
async function openInspector(port: number) {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? "");
  await once(socket, "open");
  const waiting = new Map<string, PromiseWithResolvers<unknown>>();
  const threads: { sessionId: string; workerInfo: { url: string } }[] = [];
  let last = 0;
  const hear = (text: string, session: string) => {
    const { id, result, method, params } = JSON.parse(text);
    if (method === "NodeWorker.attachedToWorker") threads.push(params);
    if (method === "NodeWorker.receivedMessageFromWorker") hear(params.message, params.sessionId);
    if (id !== undefined) waiting.get(`${session} ${id}`)?.resolve(result);
  };
  socket.addEventListener("message", ({ data }) => hear(String(data), ""));
  const send = (method: string, params: object, sessionId = "") => {
    last += 1;
    const own = JSON.stringify({ id: last, method, params });
    const answer = Promise.withResolvers<unknown>();
    waiting.set(`${sessionId} ${last}`, answer);
    if (sessionId === "") socket.send(own);
    else void send("NodeWorker.sendMessageToWorker", { sessionId, message: own });
    return answer.promise;
  };
  await send("NodeWorker.enable", { waitForDebuggerOnStart: false });
  return {
    /** The main thread, and those that run now. */
    threads: () => [
      { name: "main", session: "" },
      ...threads.map(({ sessionId, workerInfo: { url } }) => ({
        name: (url.split("/").at(-1) ?? url).replace(/\.ts$/, ""),
        session: sessionId,
      })),
    ],
    send,
    close: () => socket.close(),
  };
}

type Inspector = Awaited<ReturnType<typeof openInspector>>;

async function startProfiles({ threads, send }: Inspector): Promise<void> {
  for (const { session } of threads()) {
    await send("Profiler.enable", {}, session);
    await send("Profiler.setSamplingInterval", { interval: SAMPLE_MICROS }, session);
    await send("Profiler.start", {}, session);
  }
}

async function stopProfiles({ threads, send }: Inspector): Promise<Thread[]> {
  const stopped: Thread[] = [];
  for (const { name, session } of threads()) {
    const { profile } = (await send("Profiler.stop", {}, session)) as { profile: Profile };
    stopped.push({ name, profile });
  }
  return stopped;
}

const PACKAGE = /node_modules\/((?:@[^/]+\/)?[^/]+)/;

/** `(program)`, garbage collection, a package, a part of Node, or a file of this project. */
function placeOf({ functionName, url }: Frame["callFrame"], root: string): string {
  if (url === "") return functionName || "(native)";
  return PACKAGE.exec(url)?.[1] ?? url.replace("file://", "").replace(`${root.replace(/\/$/, "")}/`, "");
}

/** Microseconds a mail of each place, the largest first, without idle time. */
function placesOf({ nodes, samples, timeDeltas }: Profile, root: string, mails: number): [string, number][] {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame, root)]));
  const micros = new Map<string, number>();
  for (const [n, id] of samples.entries()) {
    const place = places.get(id) ?? "";
    if (place !== "(idle)") micros.set(place, (micros.get(place) ?? 0) + (timeDeltas[n] ?? 0));
  }
  return [...micros].map(([place, all]): [string, number] => [place, all / mails]).toSorted((a, b) => b[1] - a[1]);
}

function threadNotes({ name, profile }: Thread, root: string, mails: number): string[] {
  const places = placesOf(profile, root, mails);
  const sum = places.reduce((total, [, micros]) => total + micros, 0);
  const rows = places.slice(0, FILES).map(([place, micros]) => `  ${micros.toFixed(0).padStart(6)}  ${place}`);
  return [`thread ${name}: ${sum.toFixed(0)} µs a mail`, ...rows];
}

async function statementNotes(databaseUrl: string, mails: number): Promise<string[]> {
  const sql = connect(databaseUrl, { max: 1, fetch_types: false });
  try {
    const rows = await sql<{ query: string; calls: number; micros: number; log: number }[]>`
      select query, calls::int, total_exec_time * 1000 / ${mails}::int as micros, wal_bytes::float / ${mails}::int as log
      from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
      order by total_exec_time desc limit ${STATEMENTS}`;
    return rows.map(({ query, calls, micros, log }) => {
      const start = query.replace(/\s+/g, " ").slice(0, STATEMENT_CHARS);
      return `  ${micros.toFixed(0).padStart(6)} µs ${log.toFixed(0).padStart(6)} octets of log, ${calls} calls: ${start}`;
    });
  } finally {
    await sql.end();
  }
}

async function forgetStatements(databaseUrl: string): Promise<void> {
  const sql = connect(databaseUrl, { max: 1, fetch_types: false });
  try {
    await sql`create extension if not exists pg_stat_statements`;
    await sql`select pg_stat_statements_reset()`;
  } finally {
    await sql.end();
  }
}

async function profileOne(site: Site, note: (text: string) => void, checkout: Checkout, n: number): Promise<void> {
  const port = await freePort();
  const settings = { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` };
  const variant = { root: checkout.root, pages: false };
  const mailberth: Mailberth = await startMailberth(site, `profile_${n}`, ["web,smtp,worker"], settings, variant);
  const intake = await startIntake();
  const server = serverOf(site, mailberth, checkout.name, await addMailboxes(mailberth, intake.hookUrl, BOXES));
  const order = { mode: "kept" as const, sessions: SESSIONS, seconds: SECONDS };
  try {
    for (let run = 0; run < WARM_UP_RUNS; run += 1) await intake.send(server, order);
    await server.settle();
    const pid = mailberth.processes[0]?.pid ?? 0;
    await forgetStatements(mailberth.databaseUrl);
    const before = cpuOfTrees([pid, site.postmasterPid]);
    const unprofiled = await intake.send(server, order);
    await server.settle();
    const after = cpuOfTrees([pid, site.postmasterPid]);
    const statements = await statementNotes(mailberth.databaseUrl, unprofiled.mails);
    const inspector = await openInspector(port);
    await startProfiles(inspector);
    const { mails } = await intake.send(server, order);
    await server.settle();
    const threads = await stopProfiles(inspector);
    inspector.close();
    const [service, database] = after.map((cpu, i) => ((cpu - (before[i] ?? 0)) / unprofiled.mails) * 1e6);
    note(
      [
        `${checkout.name}: ${service?.toFixed(0)} µs of the service and ${database?.toFixed(0)} µs of PostgreSQL a mail (${unprofiled.mails} mails)`,
        ...threads.flatMap((thread) => threadNotes(thread, checkout.root, mails)),
        `statements (time that passed, ${unprofiled.mails} mails):`,
        ...statements,
      ].join("\n"),
    );
  } finally {
    await server.stop();
  }
}

/** @returns no rows: it is a list of parts, and the profiler itself takes about a tenth */
export async function profile(site: Site, note: (text: string) => void, { against }: Options): Promise<[]> {
  for (const [n, checkout] of checkoutsOf(against).entries()) await profileOne(site, note, checkout, n);
  return [];
}
