// npm run bench: runs the workloads against their peers and floors, prints one table, keeps the last run as JSON.
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { siege } from "./siege.ts";
import { payDebts } from "./support/children.ts";
import { loadText } from "./support/machine.ts";
import { installPeers } from "./support/peers.ts";
import type { Comparison } from "./support/rounds.ts";
import { openSite, type Site } from "./support/site.ts";
import { tableOf } from "./support/table.ts";
import { w1 } from "./w1.ts";
import { w2 } from "./w2.ts";
import { w4 } from "./w4.ts";
import { w5 } from "./w5.ts";
import { w6 } from "./w6.ts";
import { w7 } from "./w7.ts";
import { w9 } from "./w9.ts";

const RESULTS = fileURLToPath(new URL("results/", import.meta.url));

const SIEGE_SECONDS = "60";

type Workload = (
  site: Site,
  note: (text: string) => void,
  options: { seconds: number; only: string },
) => Promise<Comparison[]>;
const WORKLOADS: Record<string, Workload> = { W1: w1, W2: w2, W4: w4, W5: w5, W6: w6, W7: w7, W9: w9, SIEGE: siege };
/** Runs only when it is named, and against nothing but itself. */
const WITHOUT_PEERS = "SIEGE";

async function main(): Promise<void> {
  if (process.platform !== "linux") throw new Error("The bench reads /proc, so it runs on Linux alone.");
  const { values, positionals } = parseArgs({
    options: { seconds: { type: "string", default: SIEGE_SECONDS }, only: { type: "string", default: "" } },
    allowPositionals: true,
  });
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new Error("--seconds takes the length of the siege.");
  const wanted = positionals.map((name) => name.toUpperCase());
  const unknown = wanted.find((name) => !WORKLOADS[name]);
  if (unknown) throw new Error(`There is no workload ${unknown}: ${Object.keys(WORKLOADS).join(", ")}`);
  if (wanted.length === 0 || wanted.some((name) => name !== WITHOUT_PEERS)) await installPeers();
  const startedAt = new Date();
  const machine = { before: loadText(), after: "" };
  const notes: string[] = [];
  const rows: Comparison[] = [];
  for (const [name, workload] of Object.entries(WORKLOADS)) {
    if (wanted.length > 0 ? !wanted.includes(name) : name === WITHOUT_PEERS) continue;
    process.stderr.write(`${name} …\n`);
    const site = await openSite();
    try {
      rows.push(...(await workload(site, (text) => notes.push(`${name}: ${text}`), { seconds, only: values.only })));
    } finally {
      await site.close();
    }
  }
  machine.after = loadText();
  const minutes = ((Date.now() - startedAt.getTime()) / 60_000).toFixed(1);
  const explained = [
    "CPU µs/op and RSS are ours : theirs. CPU is of the servers and PostgreSQL, not of what makes the load or receives webhooks;",
    "RSS leaves PostgreSQL out. A pair in which something else took over 10 % of the machine is dropped.",
  ];
  const text = [
    ...(rows.length > 0 ? [tableOf(rows), ""] : []),
    `${startedAt.toISOString().slice(0, 16)}Z, ${minutes} min; before: ${machine.before}; after: ${machine.after}.`,
    ...(rows.length > 0 ? explained : []),
    ...notes,
  ];
  process.stdout.write(`${text.join("\n")}\n`);
  await mkdir(RESULTS, { recursive: true });
  const kept = { started_at: startedAt.toISOString(), machine, notes, rows };
  await writeFile(`${RESULTS}last.json`, `${JSON.stringify(kept, null, 2)}\n`);
}

async function end(code: number): Promise<void> {
  await payDebts();
  process.exit(code);
}
process.once("SIGINT", () => void end(130));
process.once("SIGTERM", () => void end(143));

try {
  await main();
  await end(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  await end(1);
}
