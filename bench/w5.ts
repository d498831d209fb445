// W5: the webhook engine alone, from due rows to their outcomes and the log, against a naive loop with fetch and against undici
// without a database; claims from a long backlog; and good endpoints next to a thousand bad ones. Or the engine against that of an
// earlier commit.
import { join } from "node:path";
import { migrate } from "#db/migrate.ts";
import { newId } from "#server/base/ids.ts";
import { type Helper, startHelper } from "./support/children.ts";
import type { PeerAnswer, PeerOrder } from "./support/hook-peers.ts";
import { openRows, type Rows } from "./support/hook-rows.ts";
import type { Options } from "./support/options.ts";
import { type Contender, race, warmUp } from "./support/rounds.ts";
import { type Checkout, log, type Mailberth, type Site, startMailberth, startPair } from "./support/site.ts";
import type { Comparison } from "./support/table.ts";
import { backlog } from "./w5-backlog.ts";
import { mix, type Sink } from "./w5-mix.ts";

const FINISHED_WITHIN_MS = 60_000;
const DELIVERIES = { ours: 10_000, naive: 1_500, dispatch: 20_000 };
const GOAL_PER_SECOND = 5_000;
const CASES = [
  { path: "fast", inFlight: 64, says: "keep-alive receiver" },
  { path: "slow", inFlight: 512, says: "50 ms endpoint" },
  { path: "fast", inFlight: 64, says: "keep-alive receiver, 300,000 wait for hours", waiting: 300_000 },
];

type Bench = { site: Site; sink: Sink; port: number };

function engine(name: string, { site, sink }: Bench, mailberth: Mailberth, rows: Rows, url: string): Contender {
  const hook = rows.hooks([url], () => newId()).then(([made]) => made);
  const pids = mailberth.processes.map(({ pid }) => pid);
  return {
    name,
    servers: () => [...pids, site.postmasterPid],
    memoryOf: () => pids,
    async run() {
      const made = await hook;
      if (!made) throw new Error("no webhook");
      await sink.ask({ kind: "expect" });
      await rows.due(Array(DELIVERIES.ours).fill(made));
      const started = performance.now();
      await rows.wake();
      await rows.finished(FINISHED_WITHIN_MS);
      const seconds = (performance.now() - started) / 1000;
      await sink.ask({ kind: "collect", requests: DELIVERIES.ours, withinMs: 1_000 });
      return { operations: DELIVERIES.ours, seconds };
    },
  };
}

/** After the statements were planned, as when an endpoint goes down in service. */
async function addWaiting(rows: Rows, url: string, count: number): Promise<void> {
  const [hook] = await rows.hooks([url], () => newId());
  if (!hook) throw new Error("no webhook");
  await rows.waiting(hook, count);
}

/** @param rows of the naive peer's own database */
async function peer(site: Site, name: PeerOrder["peer"], order: Omit<PeerOrder, "peer" | "deliveries">, rows: Rows) {
  const helper: Helper<PeerOrder, PeerAnswer> = startHelper(new URL("./support/hook-peers.ts", import.meta.url));
  const { pid } = await helper.ask({ peer: name, deliveries: 0, ...order });
  const [hook] = name === "naive" ? await rows.hooks([order.url], () => newId()) : [];
  const deliveries = DELIVERIES[name];
  const contender: Contender = {
    name: name === "naive" ? "naive fetch loop" : "undici dispatch, no database",
    servers: () => (name === "naive" ? [pid, site.postmasterPid] : [pid]),
    memoryOf: () => [pid],
    async run() {
      if (hook) await rows.due(Array(deliveries).fill(hook));
      const { seconds } = await helper.ask({ peer: name, deliveries, ...order });
      return { operations: deliveries, seconds };
    },
  };
  return contender;
}

async function naiveRows(site: Site): Promise<{ rows: Rows; databaseUrl: string }> {
  const databaseUrl = await site.databaseUrl("w5_naive");
  await migrate({ url: databaseUrl, log });
  const rows = openRows(databaseUrl, join(site.folder, "w5"));
  await rows.prepare();
  return { rows, databaseUrl };
}

async function againstPeers(bench: Bench, note: (text: string) => void, pairs: number): Promise<Comparison[]> {
  const { site, sink, port } = bench;
  const mailberth = await startMailberth(site, "w5", ["worker"]);
  const rows = openRows(mailberth.databaseUrl, join(site.folder, "w5"));
  const naive = await naiveRows(site);
  try {
    await rows.prepare();
    const compared: Comparison[] = [];
    for (const { path, inFlight, says, waiting } of CASES) {
      const url = `http://127.0.0.1:${port}/${path}`;
      const order = { databaseUrl: naive.databaseUrl, url, inFlight };
      if (waiting) await rows.vacuum();
      const first = engine("Mailberth", bench, mailberth, rows, url);
      const others = [
        { contender: await peer(site, "naive", order, naive.rows) },
        { contender: await peer(site, "dispatch", order, naive.rows) },
      ];
      for (const each of [first, ...others.map(({ contender }) => contender)]) await warmUp(each);
      if (waiting) await addWaiting(rows, url, waiting);
      const title = { workload: "W5", case: says, pairs };
      const raced = await race(title, first, others, [process.pid, site.postmasterPid]);
      const reached = raced[0]?.oursPerSecond ?? 0;
      note(
        `${says}: ${reached.toFixed(0)}/s with the log written, goal ${GOAL_PER_SECOND} ${reached >= GOAL_PER_SECOND ? "✓" : "✗"}`,
      );
      compared.push(...raced);
    }
    note(await mix(site, sink, port));
    compared.push(...(await backlog(site)));
    return compared;
  } finally {
    await Promise.all([rows.close(), naive.rows.close()]);
    await mailberth.stop();
  }
}

async function againstCommit(bench: Bench, against: Checkout, pairs: number): Promise<Comparison[]> {
  const { site, port } = bench;
  const both = await startPair(site, "w5", against, { roles: "worker" });
  const rows = both.map(({ databaseUrl }, n) => openRows(databaseUrl, join(site.folder, `w5_${n}`)));
  try {
    for (const each of rows) await each.prepare();
    const compared: Comparison[] = [];
    for (const { path, says, waiting } of CASES) {
      const url = `http://127.0.0.1:${port}/${path}`;
      if (waiting) for (const each of rows) await each.vacuum();
      const engines = both.map((each, n) => engine(each.name, bench, each, rows[n] as Rows, url));
      for (const each of engines) await warmUp(each);
      if (waiting) for (const each of rows) await addWaiting(each, url, waiting);
      const [first, before] = engines as [Contender, Contender];
      const title = { workload: "W5", case: says, pairs };
      compared.push(...(await race(title, first, [{ contender: before }], [process.pid, site.postmasterPid])));
    }
    return compared;
  } finally {
    for (const each of rows) await each.close();
    for (const each of both) await each.stop();
  }
}

export async function w5(site: Site, note: (text: string) => void, options: Options): Promise<Comparison[]> {
  const { against, pairs } = options;
  const sink: Sink = startHelper(new URL("./support/hook-sink.ts", import.meta.url));
  const { port = 0 } = await sink.ask({ kind: "listen" });
  const bench = { site, sink, port };
  return against ? againstCommit(bench, against, pairs) : againstPeers(bench, note, pairs);
}
