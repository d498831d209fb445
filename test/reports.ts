// What the reports of Vitest and Playwright say: the counts of tests, and why each failed test failed.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { TESTS_MIN } from "./minimum.ts";

export const ROOT = join(import.meta.dirname, "..");
export const REPORTS = join(ROOT, "test-results");

/** `failures`: the failed tests, each as "file: name: what it said". `secondTries`: the tests that passed at the second try. */
export type Count = { passed: number; failed: number; skipped: number; failures: string[]; secondTries: string[] };
type VitestTest = { status: string; fullName: string; failureMessages: string[] | null };
type VitestFile = { name: string; status: string; message: string; assertionResults: VitestTest[] };
export type VitestReport = { testResults: VitestFile[] };
type PlaywrightSpec = {
  ok: boolean;
  file: string;
  title: string;
  tests: {
    status: "expected" | "unexpected" | "flaky" | "skipped";
    results: { error?: { message?: string }; duration: number }[];
  }[];
};
type PlaywrightSuite = { specs: PlaywrightSpec[]; suites?: PlaywrightSuite[] };
export type PlaywrightReport = {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  errors: { message?: string }[];
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

/** The files that failed, relative to the project's folder. */
export const failedFiles = ({ testResults }: VitestReport): string[] =>
  testResults.filter(({ status }) => status === "failed").map(({ name }) => relative(ROOT, name));

/** A report in which the files of a second one stand in place of their first result. */
export function withSecondTry({ testResults }: VitestReport, second: VitestReport): VitestReport {
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  return { testResults: testResults.map((file) => again.get(file.name) ?? file) };
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

export function countVitest({ testResults }: VitestReport): Count {
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failures = testResults.flatMap(failuresIn);
  const passed = results.filter(({ status }) => status === "passed").length;
  const failed = results.filter(({ status }) => status === "failed").length;
  return { passed, failed: failures.length, skipped: results.length - passed - failed, failures, secondTries: [] };
}

function failuresIn(file: VitestFile): string[] {
  const path = relative(ROOT, file.name);
  if (failedAsAWhole(file)) return [`${path}: the file: ${firstLine(file.message)}`];
  return file.assertionResults.flatMap(({ status, fullName, failureMessages }) =>
    status === "failed" ? [`${path}: ${fullName}: ${firstLine(failureMessages?.[0])}`] : [],
  );
}

/** @param secondTryMax so many tests may pass at their second try; more are a failure */
export function readPlaywright({ stats, errors, suites }: PlaywrightReport, secondTryMax: number): Count {
  const specs = suites.flatMap(specsIn);
  const flaky = specs.filter(({ tests }) => tests.some(({ status }) => status === "flaky"));
  const isTooMany = flaky.length > secondTryMax;
  const failed = specs.filter((spec) => !spec.ok || (isTooMany && flaky.includes(spec)));
  const failures = [...failed.map(failureOf), ...errors.map(({ message }) => `Playwright: ${firstLine(message)}`)];
  return {
    passed: stats.expected + (isTooMany ? 0 : stats.flaky),
    failed: failures.length,
    skipped: stats.skipped,
    failures,
    secondTries: isTooMany ? [] : flaky.map(failureOf),
  };
}

const specsIn = ({ specs, suites = [] }: PlaywrightSuite): PlaywrightSpec[] => [...specs, ...suites.flatMap(specsIn)];

const failureOf = (spec: PlaywrightSpec) => `e2e/${spec.file}: ${spec.title}: ${firstLine(saidBy(spec))}`;

/** How long each test file took, by its path. */
export type Seconds = Record<string, number>;

export function secondsOfPlaywright({ suites = [] }: Partial<PlaywrightReport>): Seconds {
  const seconds: Seconds = {};
  for (const { file, tests } of suites.flatMap(specsIn)) {
    const taken = tests.flatMap(({ results }) => results).reduce((sum, { duration }) => sum + duration / 1_000, 0);
    seconds[`e2e/${file}`] = (seconds[`e2e/${file}`] ?? 0) + taken;
  }
  return seconds;
}

/** The files that took longest, one line each. */
export function slowest(files: [file: string, seconds: number][], count: number): string[] {
  const longest = files.toSorted(([, a], [, b]) => b - a).slice(0, count);
  return longest.map(([file, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
}
