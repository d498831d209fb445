// npm run campaign: the kill campaign. Prints the seed, a line for each kill and a summary as JSON; exits 1 on a broken promise.
import { parseArgs } from "node:util";
import { runCampaign } from "./campaign.ts";
import { KILLS } from "./kills.ts";
import type { SystemName } from "./system.ts";

const SYSTEMS: SystemName[] = ["embedded", "two-processes"];
const USAGE = `npm run campaign -- [--seed 7] [--kills 120] [--on ${SYSTEMS.join("|")}] [--kinds ${KILLS.map(({ name }) => name).join(",")}]`;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: `${Math.floor(Math.random() * 1_000_000)}` },
    kills: { type: "string", default: "120" },
    on: { type: "string", default: "embedded" },
    kinds: { type: "string" },
  },
});
const [seed, kills] = [Number(values.seed), Number(values.kills)];
const on = SYSTEMS.find((name) => name === values.on);
const kinds = values.kinds?.split(",");
const unknown = kinds?.find((kind) => !KILLS.some(({ name }) => name === kind));
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(kills) || kills < 1 || !on || unknown) {
  process.stderr.write(`usage: ${USAGE}\n`);
  process.exit(2);
}
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopping.abort());
process.stdout.write(`seed ${seed}, ${kills} kills on ${on}\n`);
const summary = await runCampaign({
  seed,
  kills,
  on,
  ...(kinds && { kinds }),
  stopping: stopping.signal,
  report: (line) => void process.stdout.write(`${line}\n`),
});
process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
process.exit(summary.violations.length > 0 ? 1 : 0);
