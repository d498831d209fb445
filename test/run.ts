// `npm test`: runs Vitest, with Playwright beside it, and closes with what their own reports count. `--nightly`: in full size.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { TESTS_MIN } from "./minimum.ts";
import { NIGHTLY_ONLY } from "./sizes.ts";

const ROOT = join(import.meta.dirname, "..");
const REPORTS = join(ROOT, "test-results");

/** `failures`: the failed tests, each as "file: name: what it said". */
type Count = { passed: number; failed: number; skipped: number; failures: string[] };
type VitestTest = { status: string; fullName: string; failureMessages: string[] | null };
type VitestFile = { name: string; status: string; message: string; assertionResults: VitestTest[] };
type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: VitestFile[];
};
type PlaywrightSpec = {
  ok: boolean;
  file: string;
  title: string;
  tests: { results: { error?: { message?: string } }[] }[];
};
type PlaywrightSuite = { specs: PlaywrightSpec[]; suites?: PlaywrightSuite[] };
type PlaywrightReport = {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  errors: unknown[];
  suites: PlaywrightSuite[];
};

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

/** A file that failed without a failed test: at import, or in a hook. */
function failedAsAWhole({ status, assertionResults }: VitestFile): boolean {
  return status === "failed" && assertionResults.every((test) => test.status !== "failed");
}

/** Test files that no report names, and folders with fewer tests than they had: tests do not vanish unseen. */
function missing({ testResults }: VitestReport): string[] {
  const ran = new Map(testResults.map(({ name, assertionResults }) => [relative(ROOT, name), assertionResults.length]));
  const files = globSync("test/**/*.test.ts", { cwd: ROOT, exclude: ["**/node_modules/**"] }).filter(
    (file) => !ran.has(file),
  );
  const folders = Object.entries(TESTS_MIN).flatMap(([folder, least]) => {
    const inside = [...ran].filter(([file]) => file.startsWith(`test/${folder}/`));
    const count = inside.reduce((sum, [, tests]) => sum + tests, 0);
    return count < least ? [`test/${folder}: ${count} tests, at least ${least} expected (test/minimum.ts)`] : [];
  });
  const unnamed = new Set(files.concat([...ran.keys()]).map((file) => file.split("/")[1] ?? ""));
  for (const folder of Object.keys(TESTS_MIN)) unnamed.delete(folder);
  return [
    ...files.map((file) => `${file}: no test of it ran`),
    ...folders,
    ...[...unnamed].map((folder) => `test/${folder}: test/minimum.ts does not name it`),
  ];
}

function readVitest(report: VitestReport): Count {
  const gone = missing(report);
  const { failed, failures, ...count } = countVitest(report);
  return { ...count, failed: failed + gone.length, failures: [...failures, ...gone] };
}

/** The first line of an error, without the colours of a terminal. */
const firstLine = (text = "") => stripVTControlCharacters(text).trim().split("\n")[0] ?? "";

const saidBy = ({ tests }: PlaywrightSpec) =>
  tests.flatMap(({ results }) => results.flatMap(({ error }) => error?.message ?? []))[0];

function countVitest(report: VitestReport): Count {
  const failures = report.testResults.flatMap((file) => {
    const path = relative(ROOT, file.name);
    if (failedAsAWhole(file)) return [`${path}: the file: ${firstLine(file.message)}`];
    return file.assertionResults.flatMap(({ status, fullName, failureMessages }) =>
      status === "failed" ? [`${path}: ${fullName}: ${firstLine(failureMessages?.[0])}`] : [],
    );
  });
  return {
    passed: report.numPassedTests,
    failed: failures.length,
    skipped: report.numPendingTests + report.numTodoTests,
    failures,
  };
}

function readPlaywright({ stats, errors, suites }: PlaywrightReport): Count {
  const specs = suites.flatMap(function all(suite): PlaywrightSuite["specs"] {
    return [...suite.specs, ...(suite.suites ?? []).flatMap(all)];
  });
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: stats.skipped,
    failures: [
      ...specs.filter(({ ok }) => !ok).map((spec) => `e2e/${spec.file}: ${spec.title}: ${firstLine(saidBy(spec))}`),
      ...errors.map((error) => `Playwright: ${JSON.stringify(error)}`),
    ],
  };
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
