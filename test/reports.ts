// What the reports of Vitest and Playwright say: the counts of tests, and why each failed test failed.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { TESTS_MIN } from "./minimum.ts";

export const ROOT = join(import.meta.dirname, "..");
export const REPORTS = join(ROOT, "test-results");

/** `failures`: the failed tests, each as "file: name: what it said". */
export type Count = { passed: number; failed: number; skipped: number; failures: string[] };
type VitestTest = { status: string; fullName: string; failureMessages: string[] | null };
type VitestFile = { name: string; status: string; message: string; assertionResults: VitestTest[] };
export type VitestReport = {
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
export function readReport(file: string): unknown {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    console.error(`${file} is not a whole report: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
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

export function readVitest(report: VitestReport): Count {
  const gone = missing(report);
  const { failed, failures, ...count } = countVitest(report);
  return { ...count, failed: failed + gone.length, failures: [...failures, ...gone] };
}

/** The first line of an error, without the colours of a terminal. */
const firstLine = (text = "") => stripVTControlCharacters(text).trim().split("\n")[0] ?? "";

const saidBy = ({ tests }: PlaywrightSpec) =>
  tests.flatMap(({ results }) => results.flatMap(({ error }) => error?.message ?? []))[0];

export function countVitest(report: VitestReport): Count {
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

export function readPlaywright({ stats, errors, suites }: PlaywrightReport): Count {
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
