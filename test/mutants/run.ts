// `npm run mutants`: breaks a copy of the source in one place after the other, and shows which break no test notices.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startTestServer } from "../support/database-server.ts";
import { openRunFolder } from "../support/run-folder.ts";
import { MUTANTS, type Mutant } from "./list.ts";

const ROOT = join(import.meta.dirname, "../..");
const COPIED = ["app", "bench", "client", "db", "docs", "examples", "server", "test", "package.json", "tsconfig.json"];
const CAUGHT_SHARE_MIN = 0.98;
/** A mutant that makes a test run for longer is caught. */
const TEST_MAX_MS = 180_000;

type Report = { numFailedTests: number; testResults: { status: string }[] };

const { values: options } = parseArgs({ options: { only: { type: "string" } } });
const chosen = MUTANTS.filter(({ name, file, test }) => [name, file, test].join(" ").includes(options.only ?? ""));

const run = await openRunFolder();
const copy = mkdtempSync(join(tmpdir(), "mailberth-mutants-"));
for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
const { server, stop } = await startTestServer();

/** Whether a test file fails in the copy; a report is needed, so that a runner that does not start is no success. */
async function fails(test: string): Promise<boolean> {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const reporting = ["--reporter=json", `--outputFile.json=${report}`];
  const child = spawn(process.execPath, [vitest, "run", "--config", "test/vitest.config.ts", ...reporting, test], {
    cwd: copy,
    env: { ...process.env, DATABASE_URL: server.adminUrl },
    stdio: "ignore",
    detached: true,
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    // The whole group: its workers and what they started.
    if (child.pid) process.kill(-child.pid, "SIGKILL");
  }, TEST_MAX_MS);
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  if (late) return true;
  const { numFailedTests, testResults }: Report = JSON.parse(readFileSync(report, "utf8"));
  if (testResults.length === 0) throw new Error(`${test} has no tests`);
  return code !== 0 && (numFailedTests > 0 || testResults.some(({ status }) => status === "failed"));
}

async function isCaught({ file, find, replace, test }: Mutant): Promise<boolean> {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  try {
    return await fails(test);
  } finally {
    writeFileSync(path, source);
  }
}

let caught = 0;
try {
  for (const [test, mutants] of Object.entries(Object.groupBy(chosen, (mutant) => mutant.test))) {
    if (await fails(test)) throw new Error(`${test} fails without any mutant`);
    for (const mutant of mutants ?? []) {
      const seen = await isCaught(mutant);
      if (seen) caught += 1;
      console.log(`${seen ? "caught    " : "NOT CAUGHT"} ${mutant.name}  (${mutant.file}, ${test})`);
    }
  }
} finally {
  await stop();
  await run.close();
  rmSync(copy, { recursive: true, force: true });
}
const share = chosen.length === 0 ? 0 : caught / chosen.length;
console.log(`\n${caught} of ${chosen.length} mutants caught (${(100 * share).toFixed(1)} %)`);
process.exitCode = share >= CAUGHT_SHARE_MIN ? 0 : 1;
