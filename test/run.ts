// `npm test`: runs Vitest, then Playwright, and closes with what their own reports count.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const REPORTS = join(ROOT, "test-results");

type Count = { passed: number; failed: number; skipped: number };

/** What a runner's report says; undefined when the runner wrote none, or only half of one. */
function readReport(file: string): unknown {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    console.error(`${file} is not a whole report: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

/** Runs one runner to its end. A missing report, or a bad end that no test accounts for, counts as one failure. */
function run(command: string[], report: string, read: (json: never) => Count): { ok: boolean; count: Count } {
  const file = join(REPORTS, report);
  rmSync(file, { force: true });
  const { status } = spawnSync(process.execPath, command, { cwd: ROOT, stdio: "inherit" });
  const json = readReport(file);
  if (json === undefined) console.error(`${command[0]} ended with ${status} and left no report`);
  const count = json === undefined ? { passed: 0, failed: 1, skipped: 0 } : read(json as never);
  const unexplained = status !== 0 && count.failed === 0;
  if (unexplained) console.error(`${command[0]} ended with ${status} although no test failed`);
  return { ok: status === 0 && count.failed === 0, count: unexplained ? { ...count, failed: 1 } : count };
}

type VitestFile = { status: string; assertionResults: { status: string }[] };
type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: VitestFile[];
};
type PlaywrightReport = {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  errors: unknown[];
};

/** A file that failed without a failed test: at import, or in a hook. */
function failedAsAWhole({ status, assertionResults }: VitestFile): boolean {
  return status === "failed" && assertionResults.every((test) => test.status !== "failed");
}

const module = (name: string) => join(ROOT, "node_modules", name);
const units = run(
  [module("vitest/vitest.mjs"), "run", "--config", "test/vitest.config.ts"],
  "vitest.json",
  (report: VitestReport) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.testResults.filter(failedAsAWhole).length,
    skipped: report.numPendingTests + report.numTodoTests,
  }),
);
const browser = run(
  [module("@playwright/test/cli.js"), "test", "--config", "e2e/playwright.config.ts"],
  "playwright.json",
  ({ stats, errors }: PlaywrightReport) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: stats.skipped,
  }),
);

const sum = (what: keyof Count) => units.count[what] + browser.count[what];
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
process.exitCode = units.ok && browser.ok ? 0 : 1;
