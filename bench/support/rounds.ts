// Interleaved rounds: each contender in turn, again and again; ratios are taken within a round, and rounds that something
// else on the machine disturbed do not count.
import { CORES, cpuOfTrees, machineCpuSeconds, rssMb } from "./machine.ts";
import { type Comparison, type Latency, rowOf } from "./table.ts";

export const PAIRS = 5;
/** Rounds that are run in the hope of as many undisturbed pairs as wanted. */
const EXTRA_ROUNDS = 2;
/** Later than this after the start of the bench there are no further rounds: a whole run stays within twelve minutes. */
const EXTRA_ROUNDS_WITHIN_MS = 420_000;
const OTHERS_MAX = 0.1;
const PAUSE_MS = 150;
/** A Node server that is cold does half of what it does when warm. */
const WARM_UP_OPERATIONS = 2_500;
const WARM_UP_RUNS_MAX = 20;

/** `latenciesMs` of each operation, where the workload measures them. */
export type Ran = { operations: number; seconds: number; latenciesMs?: number[] };

export type Contender = {
  name: string;
  /** Roots of the process trees that do the work, including the database's, without the load generators. */
  servers: () => number[];
  /** Of these, the ones whose memory is reported: all except the database's. */
  memoryOf: () => number[];
  run(): Promise<Ran>;
  /** Waits for what the run leaves to be done; its CPU counts, its time does not. */
  settle?(): Promise<void>;
};

type Sample = { perSecond: number; cpuMicros: number; rssMb: number; others: number; latency: Latency | undefined };

async function runOnce(contender: Contender): Promise<Ran> {
  try {
    return await contender.run();
  } catch (error) {
    throw new Error(`${contender.name}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Runs a contender until it has done so many operations. */
export async function warmUp(contender: Contender, most = WARM_UP_OPERATIONS): Promise<void> {
  let operations = 0;
  for (let run = 0; run < WARM_UP_RUNS_MAX && operations < most; run += 1) {
    operations += (await runOnce(contender)).operations;
    await contender.settle?.();
  }
}

/** @param everything roots of all trees that belong to the bench, load included; the rest of the machine is "others" */
async function sample(contender: Contender, everything: number[]): Promise<Sample> {
  const roots = contender.servers();
  const before = { at: performance.now(), machine: machineCpuSeconds(), trees: cpuOfTrees([...roots, ...everything]) };
  const ran = await runOnce(contender);
  const rss = rssMb(contender.memoryOf());
  await contender.settle?.();
  const trees = cpuOfTrees([...roots, ...everything]).map((cpu, i) => cpu - (before.trees[i] ?? 0));
  const wall = (performance.now() - before.at) / 1000;
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
  const others = machineCpuSeconds() - before.machine - sum(trees.slice(roots.length));
  return {
    perSecond: ran.operations / ran.seconds,
    cpuMicros: (sum(trees.slice(0, roots.length)) / ran.operations) * 1e6,
    rssMb: rss,
    others: others / (wall * CORES),
    latency: ran.latenciesMs && latencyOf(ran.latenciesMs),
  };
}

function latencyOf(latenciesMs: number[]): Latency {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

export function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

type Pair = { a: Sample; b: Sample };

const spread = (ratios: number[]) => ({
  median: median(ratios),
  min: Math.min(...ratios),
  max: Math.max(...ratios),
});

function compareLatency(pairs: Pair[]): Pick<Comparison, "latency"> {
  const both = pairs.flatMap(({ a, b }) => (a.latency && b.latency ? { a: a.latency, b: b.latency } : []));
  if (both.length === 0) return {};
  const of = (pick: (pair: { a: Latency; b: Latency }) => number) => median(both.map(pick));
  return {
    latency: {
      ours: { p50: of(({ a }) => a.p50), p99: of(({ a }) => a.p99) },
      other: { p50: of(({ b }) => b.p50), p99: of(({ b }) => b.p99) },
      ratio: spread(both.map(({ a, b }) => a.p99 / b.p99)),
    },
  };
}

function compare(ours: Sample[], others: Sample[]) {
  const all = ours.map((a, i) => ({ a, b: others[i] as Sample }));
  const quiet = all.filter(({ a, b }) => a.others <= OTHERS_MAX && b.others <= OTHERS_MAX);
  const disturbed = quiet.length < 3;
  const pairs = disturbed ? all : quiet;
  const ratios = pairs.map(({ a, b }) => a.perSecond / b.perSecond);
  const of = (pick: (pair: Pair) => number) => median(pairs.map(pick));
  return {
    oursPerSecond: of(({ a }) => a.perSecond),
    otherPerSecond: of(({ b }) => b.perSecond),
    ratio: spread(ratios),
    oursCpuMicros: of(({ a }) => a.cpuMicros),
    otherCpuMicros: of(({ b }) => b.cpuMicros),
    oursRssMb: of(({ a }) => a.rssMb),
    otherRssMb: of(({ b }) => b.rssMb),
    pairs: pairs.length,
    dropped: all.length - quiet.length,
    disturbed,
    ...compareLatency(pairs),
  };
}

function undisturbed(samples: Map<Contender, Sample[]>): number {
  const rounds = [...samples.values()];
  return (rounds[0] ?? []).filter((_, i) => rounds.every((each) => (each[i]?.others ?? 1) <= OTHERS_MAX)).length;
}

/**
 * Runs Mailberth and the peers in turn until there are five undisturbed rounds, or seven rounds in total (five, late in
 * a run), and prints each comparison.
 * @param title `pairs`: another number than five
 * @param everything see `sample`
 * @returns a comparison of Mailberth with each of the peers
 */
export async function race(
  { pairs = PAIRS, ...title }: { workload: string; case: string; pairs?: number },
  ours: Contender,
  others: { contender: Contender; goal?: number | undefined }[],
  everything: number[],
): Promise<Comparison[]> {
  const all = [ours, ...others.map(({ contender }) => contender)];
  const samples = new Map<Contender, Sample[]>(all.map((each) => [each, []]));
  const roundsMax = performance.now() < EXTRA_ROUNDS_WITHIN_MS ? pairs + EXTRA_ROUNDS : pairs;
  for (let round = 0; round < roundsMax && undisturbed(samples) < pairs; round += 1) {
    for (const contender of all) {
      samples.get(contender)?.push(await sample(contender, everything));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
  const rows = others.map(({ contender, goal }) => ({
    ...title,
    ours: ours.name,
    other: contender.name,
    ...compare(samples.get(ours) ?? [], samples.get(contender) ?? []),
    ...(goal !== undefined && { goal }),
  }));
  for (const row of rows) process.stderr.write(`${rowOf(row)}\n`);
  return rows;
}
