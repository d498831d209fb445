// `npm test`: runs Vitest, then Playwright, and closes with what their own reports count.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const REPORTS = join(ROOT, "test-results");

type Count = { passed: number; failed: number; skipped: number };

/** Runs one runner to its end; a report that it did not write counts as one failure. */
function run(command: string[], report: string, read: (json: never) => Count): { ok: boolean; count: Count } {
  const file = join(REPORTS, report);
  rmSync(file, { force: true });
  const { status } = spawnSync(process.execPath, command, { cwd: ROOT, stdio: "inherit" });
  const count = existsSync(file) ? read(JSON.parse(readFileSync(file, "utf8")) as never) : undefined;
  if (!count) console.error(`${command[0]} ended with ${status} and wrote no report`);
  return { ok: status === 0 && count !== undefined, count: count ?? { passed: 0, failed: 1, skipped: 0 } };
}

type VitestReport = { numPassedTests: number; numFailedTests: number; numPendingTests: number; numTodoTests: number };
type PlaywrightReport = { stats: { expected: number; unexpected: number; flaky: number; skipped: number } };

const module = (name: string) => join(ROOT, "node_modules", name);
const units = run(
  [module("vitest/vitest.mjs"), "run", "--config", "test/vitest.config.ts"],
  "vitest.json",
  (report: VitestReport) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  }),
);
const browser = run(
  [module("@playwright/test/cli.js"), "test", "--config", "e2e/playwright.config.ts"],
  "playwright.json",
  ({ stats }: PlaywrightReport) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
  }),
);

const sum = (what: keyof Count) => units.count[what] + browser.count[what];
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
process.exitCode = units.ok && browser.ok ? 0 : 1;
