// npm run bench: runs the workloads against their peers, floors or another commit, prints one table, keeps each run as JSON.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PROFILED, profile } from "./profile.ts";
import { siege } from "./siege.ts";
import { openCheckout, ownCommit } from "./support/checkout.ts";
import { payDebts } from "./support/children.ts";
import { loadText } from "./support/machine.ts";
import type { Options } from "./support/options.ts";
import { installPeers } from "./support/peers.ts";
import { PAIRS } from "./support/rounds.ts";
import { openSite, type Site } from "./support/site.ts";
import { type Comparison, tableOf } from "./support/table.ts";
import { w1 } from "./w1.ts";
import { w2 } from "./w2.ts";
import { w2b } from "./w2b.ts";
import { w3 } from "./w3.ts";
import { w4 } from "./w4.ts";
import { w5 } from "./w5.ts";
import { w6 } from "./w6.ts";
import { w6b } from "./w6b.ts";
import { w7 } from "./w7.ts";
import { w8 } from "./w8.ts";
import { w9 } from "./w9.ts";
import { w10 } from "./w10.ts";
import { w11 } from "./w11.ts";
import { w12 } from "./w12.ts";

const RESULTS = fileURLToPath(new URL("results/", import.meta.url));

const SIEGE_SECONDS = "60";

type Workload = (site: Site, note: (text: string) => void, options: Options) => Promise<Comparison[]>;
const WORKLOADS: Record<string, Workload> = {
  W1: w1,
  W2: w2,
  W2B: w2b,
  W3: w3,
  W4: w4,
  W5: w5,
  W6: w6,
  W6B: w6b,
  W7: w7,
  W8: w8,
  W9: w9,
  W10: w10,
  W11: w11,
  W12: w12,
  SIEGE: siege,
  PROFILE: profile,
};
/** Run only when they are named, because they take long, and against nothing but themselves. */
const WITHOUT_PEERS = ["W11", "W12", "SIEGE", "PROFILE"];
/** Can be measured beside another commit. */
const PAIRED = ["W1", "W2", "W2B", "W3", "W4", "W5", "W7", "W8", "W9"];
/** Statements for PostgreSQL before the workload, after which it starts again. */
const SETTINGS_OF: Record<string, string[]> = {
  W2B: ["alter system set track_commit_timestamp = on"],
  PROFILE: PROFILED,
};

function readArguments() {
  const { values, positionals } = parseArgs({
    options: {
      seconds: { type: "string", default: SIEGE_SECONDS },
      only: { type: "string", default: "" },
      pairs: { type: "string", default: `${PAIRS}` },
      against: { type: "string" },
    },
    allowPositionals: true,
  });
  const [seconds, pairs] = [Number(values.seconds), Number(values.pairs)];
  if (!(seconds > 0)) throw new Error("--seconds takes the length of the siege.");
  if (!(Number.isInteger(pairs) && pairs > 0)) throw new Error("--pairs takes the number of pairs of each comparison.");
  const named = positionals.map((name) => name.toUpperCase());
  const unknown = named.find((name) => !WORKLOADS[name]);
  if (unknown) throw new Error(`There is no workload ${unknown}: ${Object.keys(WORKLOADS).join(", ")}`);
  const { only, against } = values;
  const unpaired = against !== undefined && named.find((name) => ![...PAIRED, "PROFILE"].includes(name));
  if (unpaired) throw new Error(`${unpaired} cannot be measured against a commit. These can: ${PAIRED.join(", ")}.`);
  const all = Object.keys(WORKLOADS).filter((name) => !WITHOUT_PEERS.includes(name));
  const wanted = named.length > 0 ? named : against === undefined ? all : PAIRED;
  return { wanted, seconds, only, pairs, against };
}

const EXPLAINED = [
  "CPU µs/op and RSS are ours : theirs. CPU is of the servers and PostgreSQL, not of what makes the load or receives webhooks;",
  "RSS leaves PostgreSQL out. A pair in which something else took over 10 % of the machine is dropped.",
];

type Report = Record<"started_at" | "commit" | "before" | "after", string> & { notes: string[]; rows: Comparison[] };

/** Written after each workload, so that a run that is ended keeps what it has. */
async function keep(report: Report): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  const name = `${report.started_at.slice(0, 19).replaceAll(":", "")}-${report.commit}.json`;
  await writeFile(`${RESULTS}${name}`, `${JSON.stringify(report, null, 2)}\n`);
}

async function measure(wanted: string[], options: Options, report: Report): Promise<void> {
  for (const name of wanted) {
    process.stderr.write(`${name} …\n`);
    const site = await openSite(SETTINGS_OF[name] ?? []);
    try {
      const note = (text: string) => {
        report.notes.push(`${name}: ${text}`);
        process.stderr.write(`${name}: ${text}\n`);
      };
      report.rows.push(...((await WORKLOADS[name]?.(site, note, options)) ?? []));
    } finally {
      await site.close();
    }
    await keep(report);
  }
}

async function main(): Promise<void> {
  if (process.platform !== "linux") throw new Error("The bench reads /proc, so it runs on Linux alone.");
  const { wanted, against: commit, ...options } = readArguments();
  if (commit === undefined && wanted.some((name) => !WITHOUT_PEERS.includes(name))) await installPeers();
  const started = new Date();
  const before = loadText();
  const report: Report = {
    started_at: started.toISOString(),
    commit: await ownCommit(),
    before,
    after: "",
    notes: [],
    rows: [],
  };
  const folder = await mkdtemp(join(tmpdir(), "mailberth-checkout-"));
  const against = commit === undefined ? undefined : await openCheckout(folder, commit);
  try {
    await measure(wanted, { ...options, against }, report);
  } finally {
    await against?.close();
    await rm(folder, { recursive: true, force: true });
  }
  report.after = loadText();
  await keep(report);
  const { rows, notes, after } = report;
  const minutes = ((Date.now() - started.getTime()) / 60_000).toFixed(1);
  const text = [
    ...(rows.length > 0 ? [tableOf(rows), ""] : []),
    `${report.started_at.slice(0, 16)}Z, commit ${report.commit}, ${minutes} min; before: ${before}; after: ${after}.`,
    ...(rows.length > 0 ? EXPLAINED : []),
    ...notes,
  ];
  process.stdout.write(`${text.join("\n")}\n`);
}

async function end(code: number): Promise<void> {
  await payDebts();
  process.exit(code);
}
// npm passes on a signal that the terminal has sent too: the second one must not end the process before its debts are paid.
process.on("SIGINT", () => void end(130));
process.on("SIGTERM", () => void end(143));

try {
  await main();
  await end(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  await end(1);
}
