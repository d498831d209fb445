// `npm test`: runs Vitest, with Playwright beside it, and closes with what their own reports count. `--nightly`: in full size.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Count, countVitest, REPORTS, ROOT, readPlaywright, readReport, readVitest } from "./reports.ts";
import { NIGHTLY_ONLY } from "./sizes.ts";

type Ended = { status: number | null; output: string };

/** Runs a program to its end. `isQuiet`: what it prints is kept, because another one prints now. */
async function execute(command: string[], isQuiet: boolean, nightly: boolean): Promise<Ended> {
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    env: { ...process.env, ...(nightly && { TEST_NIGHTLY: "1" }) },
    stdio: ["ignore", isQuiet ? "pipe" : "inherit", isQuiet ? "pipe" : "inherit"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [status] = await once(child, "close");
  return { status, output };
}

/** A missing or unreadable report, or a bad end that no test accounts for, counts as one failure. */
function judge(name: string, { status }: Ended, report: string, read: (json: never) => Count): Count {
  let count: Count = { passed: 0, failed: 1, skipped: 0, failures: [`${name}: no whole report`] };
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

const { values } = parseArgs({ options: { nightly: { type: "boolean", default: false } } });
for (const report of ["vitest.json", "vitest-next.json", "playwright.json"])
  rmSync(join(REPORTS, report), { force: true });
const module = (name: string) => join(ROOT, "node_modules", name);
const vitest = [module("vitest/vitest.mjs"), "run", "--config", "test/vitest.config.ts"];
const playwright = [module("@playwright/test/cli.js"), "test", "--config", "e2e/playwright.config.ts"];
const vitestInNext = [module("vitest/vitest.mjs"), "run", "--config", "test/vitest.next.config.ts"];
const browserRun = execute(playwright, true, values.nightly);
const units = await execute(vitest, false, values.nightly);
// Again for some files, against `next start`, with the pages that Playwright's service has built.
const inNext = await execute(vitestInNext, false, values.nightly);
const browser = await browserRun;
console.log(browser.output);
const counts = [
  judge("Vitest", units, "vitest.json", readVitest),
  judge("Vitest against next start", inNext, "vitest-next.json", countVitest),
  judge("Playwright", browser, "playwright.json", readPlaywright),
];
const sum = (what: "passed" | "failed" | "skipped") => counts.reduce((total, count) => total + count[what], 0);
if (!values.nightly) console.log(`\nnightly only: ${NIGHTLY_ONLY}`);
for (const failure of counts.flatMap(({ failures }) => failures)) console.log(`failed: ${failure}`);
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
process.exitCode = sum("failed") === 0 ? 0 : 1;
