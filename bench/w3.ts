// W3: sending. Messages accepted over REST, against the same SQL statements sent by pgbench; and messages handed over to a
// receiving server until their outcomes are written, against nodemailer's own pool, which has no database. Or both against
// another commit.
import { join } from "node:path";
import { type Helper, startHelper } from "./support/children.ts";
import { floorContender } from "./support/floor.ts";
import type { HttpAnswer, HttpOrder } from "./support/http-load.ts";
import type { Options } from "./support/options.ts";
import { findProgram } from "./support/peers.ts";
import type { PoolAnswer, PoolOrder } from "./support/pool-peer.ts";
import { openQueue } from "./support/queued-rows.ts";
import { type Contender, race, warmUp } from "./support/rounds.ts";
import { type Checkout, DOMAIN, type Mailberth, post, type Site, startMailberth, startPair } from "./support/site.ts";
import type { SmtpSinkAnswer, SmtpSinkOrder } from "./support/smtp-sink.ts";
import type { Comparison } from "./support/table.ts";
import { writeSendScript } from "./w3-floor.ts";

const BOXES = 64;
const SECONDS = 1.5;
const CONNECTIONS = 16;
const MAILS = 1_000;
const WARM_UP_MAILS = 2_000;
const SENT_WITHIN_MS = 60_000;
/** Those of the product's own pool. */
const POOL_CONNECTIONS = 16;
const GOALS = { accept: 0.6, handOver: 3, handedOverPerSecond: 1_000, commit: 0.97 };
const TEXT = "Dear Ann,\r\n\r\nyour order is on its way. It arrives on Monday.\r\n".repeat(8);
const LIMITS = { SEND_CAP_RAMP: "100000000" };
/** No message is handed over. */
export const ACCEPTING = { ...LIMITS, OUTBOUND: "smtp", OUTBOUND_SMTP_URL: "smtp://127.0.0.1:9" };
const ACCEPT = `accept, ${CONNECTIONS} connections`;
const HAND_OVER = `hand over, ${MAILS} queued messages`;
const NO_PGBENCH = "no floor: pgbench is missing (Debian and Ubuntu: apt-get install postgresql, which brings it)";

export type Sink = Helper<SmtpSinkOrder, SmtpSinkAnswer>;

const BODY = JSON.stringify({ to: ["ann@sink.example"], subject: "bench", text: TEXT });

/** @param path of a mailbox */
export const sendRequest = (path: string, key: string) =>
  `POST ${path}/send HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

const pathOf = (box: number) => `/v1/inboxes/${encodeURIComponent(`box-${box}@${DOMAIN}`)}`;

async function addBoxes(mailberth: Mailberth, count: number): Promise<string> {
  const key = await mailberth.agentKey();
  for (let n = 0; n < count; n += 1) await post(mailberth, key, "/v1/inboxes", { username: `box-${n}` });
  return key;
}

function accepting(site: Site, mailberth: Mailberth & { name?: string }, key: string): Contender {
  const load: Helper<HttpOrder, HttpAnswer> = startHelper(new URL("./support/http-load.ts", import.meta.url));
  const requests = Array.from({ length: BOXES }, (_, n) => sendRequest(pathOf(n), key));
  const pids = mailberth.processes.map(({ pid }) => pid);
  const order = { port: mailberth.port, connections: CONNECTIONS, requests, status: 202, seconds: SECONDS };
  return {
    name: mailberth.name ?? "Mailberth",
    servers: () => [...pids, site.postmasterPid],
    memoryOf: () => pids,
    run: () => load.ask(order),
  };
}

/** A process that only accepts, as pgbench does. */
async function raceAccept(site: Site, pgbench: string, pairs: number): Promise<Comparison[]> {
  const mailberth = await startMailberth(site, "w3_accept", ["web"], ACCEPTING);
  try {
    const ours = accepting(site, mailberth, await addBoxes(mailberth, BOXES));
    const script = join(site.folder, "send.sql");
    await writeSendScript(mailberth.databaseUrl, script, { boxes: BOXES, environment: ACCEPTING, text: TEXT });
    const variables = { boxes: BOXES };
    const floor = floorContender(site, pgbench, mailberth.databaseUrl, { script, seconds: SECONDS, variables });
    for (const each of [ours, floor]) await warmUp(each);
    const title = { workload: "W3", case: ACCEPT, pairs };
    return await race(title, ours, [{ contender: floor, goal: GOALS.accept }], [process.pid, site.postmasterPid]);
  } finally {
    await mailberth.stop();
  }
}

async function raceAcceptPair(site: Site, against: Checkout, pairs: number): Promise<Comparison[]> {
  const both = await startPair(site, "w3_accept", against, { roles: "web", settings: ACCEPTING });
  try {
    const contenders: Contender[] = [];
    for (const each of both) contenders.push(accepting(site, each, await addBoxes(each, BOXES)));
    for (const each of contenders) await warmUp(each);
    const [ours, before] = contenders as [Contender, Contender];
    const title = { workload: "W3", case: ACCEPT, pairs };
    const others = [{ contender: before, goal: GOALS.commit }];
    return await race(title, ours, others, [process.pid, site.postmasterPid]);
  } finally {
    for (const each of both) await each.stop();
  }
}

type Queue = ReturnType<typeof openQueue>;

/** From queued rows to every outcome written. */
export function sending(site: Site, mailberth: Mailberth & { name?: string }, queue: Queue, sink: Sink): Contender {
  const pids = mailberth.processes.map(({ pid }) => pid);
  return {
    name: mailberth.name ?? "Mailberth",
    servers: () => [...pids, site.postmasterPid],
    memoryOf: () => pids,
    async run() {
      await sink.ask({ kind: "expect" });
      // The rows become visible together, and the worker finds them when it is woken.
      await queue.add(MAILS);
      const started = performance.now();
      await queue.wake();
      await queue.settled(SENT_WITHIN_MS);
      const seconds = (performance.now() - started) / 1000;
      await sink.ask({ kind: "collect", mails: MAILS, withinMs: SENT_WITHIN_MS });
      return { operations: MAILS, seconds };
    },
  };
}

async function pooling(port: number): Promise<Contender> {
  const peer: Helper<PoolOrder, PoolAnswer> = startHelper(new URL("./support/pool-peer.ts", import.meta.url));
  const order = { port, mails: MAILS, connections: POOL_CONNECTIONS, from: `box-0@${DOMAIN}`, text: TEXT };
  const { pid } = await peer.ask({ ...order, mails: 1 });
  return {
    name: "nodemailer's pool, no database",
    servers: () => [pid],
    memoryOf: () => [pid],
    async run() {
      const { seconds } = await peer.ask(order);
      return { operations: MAILS, seconds };
    },
  };
}

export async function startSink() {
  const sink: Sink = startHelper(new URL("./support/smtp-sink.ts", import.meta.url));
  const { port = 0 } = await sink.ask({ kind: "listen" });
  const settings = { ...LIMITS, OUTBOUND: "smtp", OUTBOUND_SMTP_URL: `smtp://127.0.0.1:${port}?ignoreTLS=true` };
  return { sink, port, settings };
}

/** Sends the message of which the queued ones are copies. */
export async function sendOne(mailberth: Mailberth, queue: Queue): Promise<void> {
  const key = await addBoxes(mailberth, 1);
  await post(mailberth, key, `${pathOf(0)}/send`, { to: ["ann@sink.example"], subject: "bench", text: TEXT });
  await queue.settled(SENT_WITHIN_MS);
}

async function raceHandOverPair(site: Site, against: Checkout, pairs: number): Promise<Comparison[]> {
  const { sink, settings } = await startSink();
  const both = await startPair(site, "w3_hand_over", against, { settings });
  const queues = both.map((each) => openQueue(each.databaseUrl));
  try {
    const contenders: Contender[] = [];
    for (const [n, each] of both.entries()) {
      const queue = queues[n] as Queue;
      await sendOne(each, queue);
      contenders.push(sending(site, each, queue, sink));
    }
    for (const each of contenders) await warmUp(each, WARM_UP_MAILS);
    const [ours, before] = contenders as [Contender, Contender];
    const title = { workload: "W3", case: HAND_OVER, pairs };
    const others = [{ contender: before, goal: GOALS.commit }];
    return await race(title, ours, others, [process.pid, site.postmasterPid]);
  } finally {
    for (const each of queues) await each.close();
    for (const each of both) await each.stop();
  }
}

async function raceHandOver(site: Site, note: (text: string) => void, pairs: number): Promise<Comparison[]> {
  const { sink, port, settings } = await startSink();
  const mailberth = await startMailberth(site, "w3_hand_over", ["web,smtp,worker"], settings);
  const queue = openQueue(mailberth.databaseUrl);
  try {
    await sendOne(mailberth, queue);
    const ours = sending(site, mailberth, queue, sink);
    const pool = await pooling(port);
    for (const each of [ours, pool]) await warmUp(each, WARM_UP_MAILS);
    const title = { workload: "W3", case: HAND_OVER, pairs };
    const others = [{ contender: pool, goal: GOALS.handOver }];
    const rows = await race(title, ours, others, [process.pid, site.postmasterPid]);
    const reached = rows[0]?.oursPerSecond ?? 0;
    const met = reached >= GOALS.handedOverPerSecond ? "✓" : "✗";
    note(
      `${reached.toFixed(0)} messages a second handed over, with outcomes, goal ${GOALS.handedOverPerSecond} ${met}`,
    );
    return rows;
  } finally {
    await queue.close();
    await mailberth.stop();
  }
}

export async function w3(site: Site, note: (text: string) => void, options: Options): Promise<Comparison[]> {
  const { pairs, only, against } = options;
  const [accepts, handsOver] = [ACCEPT.includes(only), HAND_OVER.includes(only)];
  if (against) {
    const accepted = accepts ? await raceAcceptPair(site, against, pairs) : [];
    return [...accepted, ...(handsOver ? await raceHandOverPair(site, against, pairs) : [])];
  }
  const pgbench = findProgram("pgbench", ["/usr/lib/postgresql/15/bin"]);
  if (!pgbench) note(NO_PGBENCH);
  const accepted = pgbench && accepts ? await raceAccept(site, pgbench, pairs) : [];
  return [...accepted, ...(handsOver ? await raceHandOver(site, note, pairs) : [])];
}
