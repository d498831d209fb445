// What an operation takes: CPU of each thread by source file, and each statement of PostgreSQL, while mail comes in, a mailbox is got or created,
// or mail is accepted or handed over. Alone, or for another commit too.
import { once } from "node:events";
import { connect } from "#db/client.ts";
import { freePort, startHelper } from "./support/children.ts";
import type { HttpAnswer, HttpOrder } from "./support/http-load.ts";
import { BOXES, startIntake } from "./support/intake.ts";
import { cpuOfTrees } from "./support/machine.ts";
import { addMailboxes } from "./support/mail-server.ts";
import type { Options } from "./support/options.ts";
import { openQueue } from "./support/queued-rows.ts";
import { type Checkout, checkoutsOf, DOMAIN, type Mailberth, post, type Site, startMailberth } from "./support/site.ts";
import { createRequest } from "./w1.ts";
import { serverOf } from "./w2-servers.ts";
import { ACCEPTING, type Sink, sending, sendOne, sendRequest, startSink } from "./w3.ts";

const SESSIONS = 16;
const CONNECTIONS = 32;
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

/** For PostgreSQL, before it starts. */
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
    /** The main thread, and all others that run now. */
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

/** Microseconds of each place for an operation, the largest first, without idle time. */
function placesOf({ nodes, samples, timeDeltas }: Profile, root: string, operations: number): [string, number][] {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame, root)]));
  const micros = new Map<string, number>();
  for (const [n, id] of samples.entries()) {
    const place = places.get(id) ?? "";
    if (place !== "(idle)") micros.set(place, (micros.get(place) ?? 0) + (timeDeltas[n] ?? 0));
  }
  return [...micros].map(([place, all]): [string, number] => [place, all / operations]).toSorted((a, b) => b[1] - a[1]);
}

function threadNotes({ name, profile }: Thread, root: string, operations: number): string[] {
  const places = placesOf(profile, root, operations);
  const sum = places.reduce((total, [, micros]) => total + micros, 0);
  const rows = places.slice(0, FILES).map(([place, micros]) => `  ${micros.toFixed(0).padStart(6)}  ${place}`);
  return [`thread ${name}: ${sum.toFixed(0)} µs`, ...rows];
}

async function statementNotes(databaseUrl: string, operations: number): Promise<string[]> {
  const sql = connect(databaseUrl, { max: 1, fetch_types: false });
  try {
    const rows = await sql<{ query: string; calls: number; micros: number; log: number }[]>`
      select query, calls::int, total_exec_time * 1000 / ${operations}::int as micros, wal_bytes::float / ${operations}::int as log
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

type Call = { boxes: number; connections: number; status: number; request(path: string, key: string): string };
const GET: Call = {
  boxes: 1,
  connections: CONNECTIONS,
  status: 200,
  request: (path, key) => `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n\r\n`,
};
const CREATE: Call = {
  boxes: 1,
  connections: CONNECTIONS,
  status: 201,
  request: (_, key) => createRequest(key),
};
const ACCEPT: Call = { boxes: BOXES, connections: SESSIONS, status: 202, request: sendRequest };

type Work = { run(): Promise<number>; settle(): Promise<void>; stop(): Promise<void> };
type Case = {
  name: string;
  roles?: string;
  settings?: Record<string, string>;
  start(site: Site, mailberth: Mailberth, name: string): Promise<Work>;
};

async function startMail(site: Site, mailberth: Mailberth, name: string): Promise<Work> {
  const intake = await startIntake();
  const server = serverOf(site, mailberth, name, await addMailboxes(mailberth, intake.hookUrl, BOXES));
  return {
    run: async () => (await intake.send(server, { mode: "kept", sessions: SESSIONS, seconds: SECONDS })).mails,
    settle: server.settle,
    stop: server.stop,
  };
}

async function startCalls(mailberth: Mailberth, call: Call): Promise<Work> {
  const load = startHelper<HttpOrder, HttpAnswer>(new URL("./support/http-load.ts", import.meta.url));
  const key = await mailberth.agentKey();
  const requests: string[] = [];
  for (let n = 0; n < call.boxes; n += 1) {
    await post(mailberth, key, "/v1/inboxes", { username: `box-${n}` });
    requests.push(call.request(`/v1/inboxes/${encodeURIComponent(`box-${n}@${DOMAIN}`)}`, key));
  }
  const { status, connections } = call;
  const order = { port: mailberth.port, connections, requests, status, seconds: SECONDS };
  return {
    run: async () => (await load.ask(order)).operations,
    settle: () => Promise.resolve(),
    stop: () => mailberth.stop(),
  };
}

async function startSends(site: Site, mailberth: Mailberth, sink: Sink): Promise<Work> {
  const queue = openQueue(mailberth.databaseUrl);
  await sendOne(mailberth, queue);
  const { run } = sending(site, mailberth, queue, sink);
  return {
    run: async () => (await run()).operations,
    settle: () => Promise.resolve(),
    async stop() {
      await queue.close();
      await mailberth.stop();
    },
  };
}

async function casesOf(only: string): Promise<Case[]> {
  const cases: Case[] = [
    { name: "mail", start: startMail },
    { name: "get", start: (_, mailberth) => startCalls(mailberth, GET) },
    { name: "create", start: (_, mailberth) => startCalls(mailberth, CREATE) },
    { name: "accept", roles: "web", settings: ACCEPTING, start: (_, mailberth) => startCalls(mailberth, ACCEPT) },
  ];
  if ("send".includes(only)) {
    const { sink, settings } = await startSink();
    cases.push({ name: "send", settings, start: (site, mailberth) => startSends(site, mailberth, sink) });
  }
  return cases.filter(({ name }) => name.includes(only));
}

async function profileOne(site: Site, note: (text: string) => void, checkout: Checkout, each: Case): Promise<void> {
  const port = await freePort();
  const settings = { ...each.settings, NODE_OPTIONS: `--inspect=127.0.0.1:${port}` };
  const variant = { root: checkout.root, pages: false };
  const database = `profile_${each.name}_${port}`;
  const mailberth = await startMailberth(site, database, [each.roles ?? "web,smtp,worker"], settings, variant);
  const work = await each.start(site, mailberth, checkout.name);
  const pid = mailberth.processes[0]?.pid ?? 0;
  const cpu = () => cpuOfTrees([pid, site.postmasterPid]);
  try {
    for (let run = 0; run < WARM_UP_RUNS; run += 1) await work.run();
    await work.settle();
    await forgetStatements(mailberth.databaseUrl);
    const before = cpu();
    const counted = await work.run();
    await work.settle();
    const [service, postgres] = cpu().map((now, i) => (((now - (before[i] ?? 0)) / counted) * 1e6).toFixed(0));
    const statements = await statementNotes(mailberth.databaseUrl, counted);
    const inspector = await openInspector(port);
    await startProfiles(inspector);
    const profiled = await work.run();
    await work.settle();
    const threads = await stopProfiles(inspector);
    inspector.close();
    note(
      [
        `${each.name}, ${checkout.name}: ${service} µs of the service and ${postgres} µs of PostgreSQL (${counted} times)`,
        ...threads.flatMap((thread) => threadNotes(thread, checkout.root, profiled)),
        "statements, time that passed:",
        ...statements,
      ].join("\n"),
    );
  } finally {
    await work.stop();
  }
}

/**
 * The profiler itself takes about a tenth; the first line of each note is without it.
 * @returns no rows: notes have the parts
 */
export async function profile(site: Site, note: (text: string) => void, { against, only }: Options): Promise<[]> {
  for (const each of await casesOf(only)) {
    for (const checkout of checkoutsOf(against)) await profileOne(site, note, checkout, each);
  }
  return [];
}
