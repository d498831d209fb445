// `npm run mutants`: breaks a copy of the source in one place after the other, and shows which break no test notices.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startTestServer } from "../support/database-server.ts";
import { openRunFolder } from "../support/run-folder.ts";
import { MUTANTS, type Mutant } from "./list.ts";

const ROOT = join(import.meta.dirname, "../..");
const COPIED = [
  ".changeset",
  "app",
  "bench",
  "client",
  "db",
  "docs",
  "examples",
  "server",
  "test",
  "package.json",
  "tsconfig.json",
];
const CAUGHT_SHARE_MIN = 0.98;
/** Test files that run at the same time: most of them wait longer than they compute. */
const CONCURRENT = 2;
/** A mutant that makes a test run for longer is caught. */
const TEST_MAX_MS = 180_000;

type Report = { numFailedTests: number; testResults: { status: string }[] };

const { values: options } = parseArgs({ options: { only: { type: "string" } } });
const chosen = MUTANTS.filter(({ name, file, test }) => [name, file, test].join(" ").includes(options.only ?? ""));

const run = await openRunFolder();
const { server, stop } = await startTestServer();

/** A copy of the source in a separate folder, in which one mutant at a time is made. */
function openCopy() {
  const root = mkdtempSync(join(tmpdir(), "mailberth-mutants-"));
  for (const path of COPIED) cpSync(join(ROOT, path), join(root, path), { recursive: true });
  mkdirSync(join(root, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    const [from, to] = [join(ROOT, "node_modules", name), join(root, "node_modules", name)];
    // The driver has mutants too, in what our patch changed.
    if (name === "postgres") cpSync(from, to, { recursive: true });
    else symlinkSync(from, to);
  }
  return { root, close: () => rmSync(root, { recursive: true, force: true }) };
}

/** Whether a test file fails in a copy; a report is needed, so that a runner that does not start is no success. */
async function fails(root: string, test: string): Promise<boolean> {
  const report = join(root, "report.json");
  rmSync(report, { force: true });
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  // Transforming the files that are as they were takes half of the time of most tests.
  const reporting = ["--bail=1", "--experimental.fsModuleCache", "--reporter=json", `--outputFile.json=${report}`];
  const child = spawn(process.execPath, [vitest, "run", "--config", "test/vitest.config.ts", ...reporting, test], {
    cwd: root,
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

async function isCaught(root: string, { file, find, replace, test }: Mutant): Promise<boolean> {
  const path = join(root, file);
  const source = readFileSync(path, "utf8");
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  try {
    return await fails(root, test);
  } finally {
    writeFileSync(path, source);
  }
}

let caught = 0;
const groups = Object.entries(Object.groupBy(chosen, (mutant) => mutant.test)).values();

/** Takes one test file after the other, with its mutants, until none is left. */
async function work(): Promise<void> {
  const copy = openCopy();
  try {
    for (const [test, mutants] of groups) {
      if (await fails(copy.root, test)) {
        console.log(`NOT CAUGHT ${mutants?.length} mutants of ${test}, which fails without any`);
        continue;
      }
      for (const mutant of mutants ?? []) {
        const seen = await isCaught(copy.root, mutant);
        if (seen) caught += 1;
        console.log(`${seen ? "caught    " : "NOT CAUGHT"} ${mutant.name}  (${mutant.file}, ${test})`);
      }
    }
  } finally {
    copy.close();
  }
}

try {
  await Promise.all(Array.from({ length: CONCURRENT }, work));
} finally {
  await stop();
  await run.close();
}
const share = chosen.length === 0 ? 0 : caught / chosen.length;
console.log(`\n${caught} of ${chosen.length} mutants caught (${(100 * share).toFixed(1)} %)`);
process.exitCode = share >= CAUGHT_SHARE_MIN ? 0 : 1;
