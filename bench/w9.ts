// W9: two processes on one PostgreSQL: waits on one that mail to the other ends, and requests to both against one alone, or against
// two of an earlier commit.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createTransport } from "nodemailer";
import { Agent } from "undici";
import { startHelper } from "./support/children.ts";
import { nowMs } from "./support/clock.ts";
import type { HttpAnswer, HttpOrder } from "./support/http-load.ts";
import type { Options } from "./support/options.ts";
import { type Contender, race, warmUp } from "./support/rounds.ts";
import { checkoutsOf, DOMAIN, type Mailberth, post, type Site, startMailberth, type Variant } from "./support/site.ts";
import type { Comparison } from "./support/table.ts";

const ROLES = ["web,smtp,worker", "web,worker"];
const WAITS = 1_000;
const SILENT_WAITS = 8;
const LANES = 4;
/** A wait is open before its mail is sent. */
const OPEN_MS = 30;
const WAIT_SECONDS = 30;
const GOAL_MS = 50;
/** An answer that the poll of the event feed gave. */
const POLLED_MS = 2_000;
/** To each process: calls that arrive together share queries, so that fewer of them cost more each. */
const CONNECTIONS = 16;
const SECONDS = 1.5;
const GOALS = { throughput: 1.6 };

type Lane = { address: string; after: string };
type Waited = { message: object | null; cursor: string };

function quantile(sorted: number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);
}

/** Milliseconds from each `250` of the first process to the answer of the second. */
async function waitAcross(mailberth: Mailberth, key: string, waits: number): Promise<number[]> {
  const agent = new Agent({ connections: LANES, headersTimeout: 0, bodyTimeout: 0 });
  const server = { host: "127.0.0.1", port: mailberth.smtpPort, ignoreTLS: true };
  const transport = createTransport({ ...server, pool: true, maxConnections: LANES });
  const wait = async ({ address, after }: Lane, timeout_seconds: number): Promise<Waited> => {
    const { statusCode, body } = await agent.request({
      origin: `http://127.0.0.1:${mailberth.ports[1]}`,
      method: "POST",
      path: `/v1/inboxes/${encodeURIComponent(address)}/wait`,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ timeout_seconds, ...(after && { after }) }),
    });
    if (statusCode !== 200) throw new Error(`POST …/wait: ${statusCode} ${await body.text()}`);
    return (await body.json()) as Waited;
  };
  const latencies: number[] = [];
  async function drive(n: number): Promise<void> {
    const { address } = await post<{ address: string }>(mailberth, key, "/v1/inboxes", {});
    const lane = { address, after: (await wait({ address, after: "" }, 0)).cursor };
    for (let at = n; at < waits; at += LANES) {
      const answered = wait(lane, WAIT_SECONDS).then((answer) => ({ answer, at: nowMs() }));
      answered.catch(() => undefined); // thrown below, unless the mail fails first
      await sleep(OPEN_MS);
      await transport.sendMail({ from: `out@sender-${n}.example`, to: address, subject: `${at}`, text: `Mail ${at}` });
      const accepted = nowMs();
      const { answer, at: ended } = await answered;
      if (!answer.message) throw new Error(`a wait missed its mail for ${WAIT_SECONDS} s`);
      lane.after = answer.cursor;
      latencies.push(Math.max(0, ended - accepted));
    }
  }
  await Promise.all(Array.from({ length: LANES }, (_, n) => drive(n)));
  transport.close();
  await agent.close();
  return latencies.sort((a, b) => a - b);
}

async function noteWaits(site: Site, note: (text: string) => void, options: Options): Promise<void> {
  const silent = createSocket("udp4");
  silent.bind(0, "127.0.0.1");
  await once(silent, "listening");
  const variants: { name: string; says: string; waits: number; settings: Record<string, string> }[] = [
    { name: "w9_refusing", says: "DNS refuses", waits: WAITS, settings: {} },
    {
      name: "w9_silent",
      says: "DNS never answers",
      waits: SILENT_WAITS,
      settings: { DNS_SERVERS: `127.0.0.1:${silent.address().port}` },
    },
  ];
  const checkouts = checkoutsOf(options.against);
  const cases = variants.flatMap((variant) => checkouts.map((checkout, n) => ({ ...variant, checkout, n })));
  for (const { name, says, waits, settings, checkout, n } of cases) {
    const variant = { root: checkout.root, pages: !options.against };
    const mailberth = await startMailberth(site, `${name}_${n}`, ROLES, settings, variant);
    try {
      const latencies = await waitAcross(mailberth, await mailberth.agentKey(), waits);
      const polled = latencies.filter((ms) => ms > POLLED_MS).length;
      const [p50, p99, most] = [quantile(latencies, 0.5), quantile(latencies, 0.99), quantile(latencies, 1)];
      note(
        `${checkout.name}, ${says}: ${waits} waits across processes: p50 ${p50} ms, p99 ${p99} (goal ${GOAL_MS}), most ${most}; ${polled} over ${POLLED_MS} ms`,
      );
    } finally {
      await mailberth.stop();
    }
  }
  silent.close();
}

type Load = ReturnType<typeof startHelper<HttpOrder, HttpAnswer>>;
type Reads = { site: Site; load: Load[]; key: string; mailberth: Mailberth };

async function startReads(site: Site, load: Load[], n: number, variant: Variant): Promise<Reads> {
  const mailberth = await startMailberth(site, `w9_reads_${n}`, ROLES, {}, variant);
  const key = await mailberth.agentKey();
  await post(mailberth, key, "/v1/inboxes", { username: "box-0" });
  return { site, load, key, mailberth };
}

/** @param ports of the processes that are asked, all at once */
function contender(name: string, { site, load, key, mailberth }: Reads, ports: number[]): Contender {
  const path = `/v1/inboxes/${encodeURIComponent(`box-0@${DOMAIN}`)}`;
  const request = `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const pids = mailberth.processes.map(({ pid }) => pid);
  return {
    name,
    servers: () => [...pids, site.postmasterPid],
    memoryOf: () => pids.slice(0, ports.length),
    async run() {
      const what = { connections: CONNECTIONS, requests: [request], status: 200, seconds: SECONDS };
      const orders = ports.map((port) => ({ port, ...what }));
      const ran = await Promise.all(orders.map((order, n) => load[n]?.ask(order) as Promise<HttpAnswer>));
      const operations = ran.reduce((sum, each) => sum + each.operations, 0);
      return { operations, seconds: Math.max(...ran.map(({ seconds }) => seconds)) };
    },
  };
}

async function raceReads(site: Site, options: Options): Promise<Comparison[]> {
  const { against, pairs } = options;
  const load = [0, 1].map(() => startHelper<HttpOrder, HttpAnswer>(new URL("./support/http-load.ts", import.meta.url)));
  const started: Reads[] = [];
  try {
    for (const [n, { root }] of checkoutsOf(against).entries())
      started.push(await startReads(site, load, n, { root, pages: !against }));
    const [ours, before] = started as [Reads, Reads?];
    const both = contender("Mailberth", ours, ours.mailberth.ports);
    const other =
      against && before
        ? { contender: contender(against.name, before, before.mailberth.ports) }
        : { contender: contender("one process", ours, ours.mailberth.ports.slice(0, 1)), goal: GOALS.throughput };
    for (const each of [both, other.contender]) await warmUp(each);
    const title = { workload: "W9", case: `GET inbox on two processes, ${CONNECTIONS} connections each`, pairs };
    return await race(title, both, [other], [process.pid, site.postmasterPid]);
  } finally {
    for (const { mailberth } of started) await mailberth.stop();
  }
}

export async function w9(site: Site, note: (text: string) => void, options: Options): Promise<Comparison[]> {
  await noteWaits(site, note, options);
  return raceReads(site, options);
}
