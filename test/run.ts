// `npm test`: runs Vitest, with Playwright beside it, and closes with what their own reports count. `--nightly`: in full size.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { constants } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  type Count,
  countVitest,
  failedFiles,
  type PlaywrightReport,
  REPORTS,
  ROOT,
  readPlaywright,
  readReport,
  readVitest,
  type Seconds,
  secondsOfPlaywright,
  slowest,
  type VitestReport,
  withSecondTry,
} from "./reports.ts";
import { NIGHTLY_ONLY } from "./sizes.ts";
import { clearKilledRuns } from "./support/run-folder.ts";

const module = (name: string) => join(ROOT, "node_modules", name);
const VITEST = [module("vitest/vitest.mjs"), "run", "--config"];
const CONFIG = "test/vitest.config.ts";
const VITEST_REPORT = "vitest.json";
const PLAYWRIGHT = module("@playwright/test/cli.js");

/** More failed files, or browser tests, than this are a defect and get no second try (docs/decisions/056-second-try.md). */
const SECOND_TRY_MAX = 3;
/** So many of the slowest test files are named at the end. */
const SLOWEST_NAMED = 20;
/** What ends a run before its time: Ctrl-C, a stop from outside, a terminal that closes. */
const STOPS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type Ended = { status: number | null; output: string };

const { values } = parseArgs({ options: { nightly: { type: "boolean", default: false } } });
const running = new Set<ChildProcess>();

/** Ends the programs that run, and what they leave behind: Vitest and Playwright do not stop their services and databases. */
async function stop(signal: (typeof STOPS)[number]): Promise<never> {
  // The end of one can start the next.
  while (running.size > 0) {
    const ended = [...running].map((child) => once(child, "close"));
    for (const child of running) child.kill("SIGTERM");
    await Promise.all(ended);
  }
  await clearKilledRuns();
  process.exit(128 + constants.signals[signal]);
}

/** Runs a program to its end. `isQuiet`: what it prints is kept, because another one prints now. */
async function execute(command: string[], { isQuiet = false } = {}): Promise<Ended> {
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    env: {
      ...process.env,
      ...(values.nightly && { TEST_NIGHTLY: "1" }),
      // The tests start the service and the commands some hundred times. Coverage needs code that was not compiled before.
      ...(!process.env.NODE_V8_COVERAGE && { NODE_COMPILE_CACHE: getCompileCacheDir() }),
    },
    stdio: ["ignore", isQuiet ? "pipe" : "inherit", isQuiet ? "pipe" : "inherit"],
  });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [status] = await once(child, "close");
  running.delete(child);
  return { status, output };
}

/**
 * Runs the failed files of a run of Vitest once more, if they are few, and puts their second results into its report.
 * @param first how that run ended
 * @returns how the second one ended, with the failures that it is about; the first one if there is nothing to try again
 */
async function trySecond(first: Ended): Promise<Ended & { failures: string[] }> {
  const path = join(REPORTS, VITEST_REPORT);
  const results = readReport(path) as VitestReport | undefined;
  const files = results ? failedFiles(results) : [];
  if (!results || files.length === 0 || files.length > SECOND_TRY_MAX) return { ...first, failures: [] };
  const { failures } = countVitest(results);
  console.log(`\nsecond try of ${files.join(", ")}`);
  rmSync(path);
  const second = await execute([...VITEST, CONFIG, ...files]);
  const again = readReport(path) as VitestReport | undefined;
  if (again) writeFileSync(path, JSON.stringify(withSecondTry(results, again)));
  return { ...second, failures };
}

/** A missing or unreadable report, or a bad end that no test accounts for, counts as one failure. */
function judge(name: string, { status }: Ended, report: string, read: (json: never) => Count): Count {
  let count: Count = { passed: 0, failed: 1, skipped: 0, failures: [`${name}: no whole report`], secondTries: [] };
  const json = readReport(join(REPORTS, report));
  try {
    if (json === undefined) console.error(`${name} ended with ${status} and left no report`);
    else count = read(json as never);
  } catch (error) {
    console.error(`${report} is not a report of ${name}: ${error}`);
  }
  if (status === 0 || count.failed > 0) return count;
  console.error(`${name} ended with ${status} although no test failed`);
  return { ...count, failed: 1, failures: [`${name}: ended with ${status}`] };
}

for (const signal of STOPS) process.once(signal, stop);
for (const runner of ["vitest", "playwright"]) {
  for (const report of [`${runner}.json`, `${runner}-seconds.json`]) rmSync(join(REPORTS, report), { force: true });
}
const browsing = execute([PLAYWRIGHT, "test", "--config", "e2e/playwright.config.ts"], { isQuiet: true });
const units = await execute([...VITEST, CONFIG]);
const browser = await browsing;
console.log(browser.output);
// Before the second try, which writes the seconds of its files alone.
const seconds = Object.entries((readReport(join(REPORTS, "vitest-seconds.json")) ?? {}) as Seconds);
const unitsAgain = await trySecond(units);
const counts = [
  judge("Vitest", unitsAgain, VITEST_REPORT, readVitest),
  judge("Playwright", browser, "playwright.json", (report) => readPlaywright(report, SECOND_TRY_MAX)),
];
const browserReport = readReport(join(REPORTS, "playwright.json")) as PlaywrightReport | undefined;
if (browserReport) seconds.push(...Object.entries(secondsOfPlaywright(browserReport)));
const sum = (what: "passed" | "failed" | "skipped") => counts.reduce((total, count) => total + count[what], 0);
console.log(`\nthe ${SLOWEST_NAMED} slowest files:\n${slowest(seconds, SLOWEST_NAMED).join("\n")}`);
if (!values.nightly) console.log(`\nnightly only: ${NIGHTLY_ONLY}`);
const secondTries = counts.flatMap(({ secondTries }) => secondTries);
for (const failure of [...unitsAgain.failures, ...secondTries]) console.log(`second try: ${failure}`);
for (const failure of counts.flatMap(({ failures }) => failures)) console.log(`failed: ${failure}`);
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
process.exitCode = sum("failed") === 0 ? 0 : 1;
