// Show 2 of the webhooks: what a thousand endpoints that hang, trickle, reset or answer with a gigabyte cost the good ones.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { encodeId, newId } from "#server/base/ids.ts";
import { type Helper, startHelper } from "./support/children.ts";
import { nowMs } from "./support/clock.ts";
import { type Hook, openRows, type Rows } from "./support/hook-rows.ts";
import type { SinkAnswer, SinkOrder } from "./support/hook-sink.ts";
import { loadText } from "./support/machine.ts";
import { median } from "./support/rounds.ts";
import { type Site, startMailberth } from "./support/site.ts";

export type Sink = Helper<SinkOrder, SinkAnswer>;

const GOOD = 20;
const BAD_PATHS = ["hang", "trickle", "reset", "huge"];
const BAD = 1_000;
/** So many of the bad belong to one organization; every other has its own. */
const BAD_TOGETHER = 500;
const TICK_MS = 20;
const GOOD_PER_TICK = 4;
const BAD_PER_TICK = 2;
const BAD_AT_FIRST = 3;
const PHASE_MS = 5_000;
const SETTLE_MS = 3_000;
const ROUNDS = 3;
const COLLECT_WITHIN_MS = 20_000;
const GOAL = 2;

/** Deliveries at a steady pace; how long each took from before its row was written until it arrived, sorted. */
async function latencies(rows: Rows, sink: Sink, good: Hook[], bad: Hook[]): Promise<number[]> {
  await sink.ask({ kind: "expect" });
  const sent = new Map<string, number>();
  const end = nowMs() + PHASE_MS;
  for (let tick = 0; nowMs() < end; tick += 1) {
    const next = nowMs() + TICK_MS;
    const some = Array.from(
      { length: GOOD_PER_TICK },
      (_, n) => good[(tick * GOOD_PER_TICK + n) % good.length] as Hook,
    );
    const worse =
      bad.length === 0
        ? []
        : Array.from({ length: BAD_PER_TICK }, (_, n) => bad[(tick * BAD_PER_TICK + n) % bad.length] as Hook);
    const at = nowMs();
    for (const { id } of (await rows.due([...worse, ...some])).slice(worse.length)) sent.set(encodeId("dlv", id), at);
    await rows.wake();
    await delay(Math.max(0, next - nowMs()));
  }
  const { arrivals = [] } = await sink.ask({ kind: "collect", requests: sent.size, withinMs: COLLECT_WITHIN_MS });
  return arrivals.map(([id, at]) => at - (sent.get(id) ?? at)).toSorted((a, b) => a - b);
}

const percentile = (sorted: number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;

/** Alone and beside the bad in turn, after a round alone that does not count. The bad have a process of their own. */
export async function mix(site: Site, sink: Sink, port: number): Promise<string> {
  const badSink: Sink = startHelper(new URL("./support/hook-sink.ts", import.meta.url));
  const { port: badPort } = await badSink.ask({ kind: "listen" });
  const mailberth = await startMailberth(site, "w5_mix", ["worker"]);
  const rows = openRows(mailberth.databaseUrl, join(site.folder, "w5_mix"));
  try {
    await rows.prepare();
    const good = await rows.hooks(Array(GOOD).fill(`http://127.0.0.1:${port}/fast`), () => newId());
    const together = newId();
    const urls = Array.from(
      { length: BAD },
      (_, n) => `http://127.0.0.1:${badPort}/${BAD_PATHS[n % BAD_PATHS.length]}`,
    );
    const bad = await rows.hooks(urls, (n) => (n < BAD_TOGETHER ? together : newId()));
    const alone: number[] = [];
    const beside: number[] = [];
    await latencies(rows, sink, good, []);
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push(percentile(await latencies(rows, sink, good, []), 0.99));
      for (let each = 0; each < BAD_AT_FIRST; each += 1) await rows.due(bad);
      await rows.wake();
      await delay(SETTLE_MS);
      beside.push(percentile(await latencies(rows, sink, good, bad), 0.99));
      await rows.sql`
        delete from deliveries where id = any(array(select id from deliveries where status = 'pending' for update skip locked))`;
      await delay(SETTLE_MS);
    }
    const ratio = median(beside.map((p99, round) => p99 / (alone[round] ?? Number.NaN)));
    const text = (all: number[]) => all.map((each) => each.toFixed(1)).join(", ");
    return (
      `${GOOD} good endpoints, ${(GOOD_PER_TICK * 1000) / TICK_MS} deliveries/s: p99 alone ${text(alone)} ms, next to ${BAD} bad ` +
      `ones ${text(beside)} ms: × ${ratio.toFixed(2)}, goal under ${GOAL} ${ratio < GOAL ? "✓" : "✗"} (${loadText()})`
    );
  } finally {
    await rows.close();
    await mailberth.stop();
  }
}
