// `npm run coverage`: which lines of the source no test executes, in the workers of Vitest and in all processes that they start.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(import.meta.dirname, "..");
const MEASURED = ["client", "db", "server"];
const CODE = /[A-Za-z0-9]/;
/** Comments, and what is only there for the types. */
const NO_CODE = /^\s*(?:\/\/|\/?\*|import type|export type|type )/;

/** As V8 writes it, with NODE_V8_COVERAGE: inner ranges come after the outer ones, and count for what is in them. */
type Script = { url: string; functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[] };

/** File → for each character, whether a process executed it. */
const executed = new Map<string, Uint8Array>();

function read(script: Script, file: string, length: number): void {
  const counts = new Uint8Array(length);
  for (const { ranges } of script.functions) {
    for (const { startOffset, endOffset, count } of ranges) counts.fill(Math.min(count, 1), startOffset, endOffset);
  }
  const all = executed.get(file) ?? new Uint8Array(length);
  for (const [at, count] of counts.entries()) if (count) all[at] = 1;
  executed.set(file, all);
}

/** The numbers of lines with code, and of executed lines. A line counts when each part of it was. */
function count(file: string): { lines: number; hit: number; missed: number[] } {
  const all = executed.get(file);
  const missed: number[] = [];
  let [lines, at] = [0, 0];
  for (const [index, line] of readFileSync(join(ROOT, file), "utf8").split("\n").entries()) {
    const start = at + line.search(/\S|$/);
    const end = at + line.trimEnd().length;
    at += line.length + 1;
    if (!CODE.test(line) || NO_CODE.test(line)) continue;
    lines += 1;
    if (!all?.subarray(start, end).every((one) => one === 1)) missed.push(index + 1);
  }
  return { lines, hit: lines - missed.length, missed };
}

const folder = mkdtempSync(join(tmpdir(), "mailberth-coverage-"));
const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
// Without Vite's module runner Node runs the source itself, types blanked, so that V8's offsets are those of the files.
const how = ["run", "--config", "test/vitest.config.ts", "--experimental.viteModuleRunner=false"];
const child = spawn(process.execPath, [vitest, ...how, ...process.argv.slice(2)], {
  cwd: ROOT,
  env: { ...process.env, NODE_V8_COVERAGE: folder },
  stdio: "inherit",
});
const [status] = await once(child, "close");

for (const report of globSync(join(folder, "*.json"))) {
  const { result }: { result: Script[] } = JSON.parse(readFileSync(report, "utf8"));
  for (const script of result.filter(({ url }) => url.startsWith("file:"))) {
    const file = relative(ROOT, fileURLToPath(script.url));
    if (MEASURED.includes(file.split("/")[0] ?? "")) {
      read(script, file, readFileSync(join(ROOT, file), "utf8").length);
    }
  }
}
rmSync(folder, { recursive: true, force: true });

const files = globSync(`{${MEASURED.join(",")}}/**/*.ts`, { cwd: ROOT }).sort();
const counts = files.map((file) => ({ file, ...count(file) }));
for (const [name, inside] of Object.entries(Object.groupBy(counts, ({ file }) => dirname(file)))) {
  const [lines, hit] = (inside ?? []).reduce(([all, done], one) => [all + one.lines, done + one.hit], [0, 0]);
  console.log(`${((100 * hit) / Math.max(1, lines)).toFixed(1).padStart(5)} %  ${name}`);
}
for (const { file, missed } of counts) if (missed.length > 0) console.log(`${file}: ${missed.join(" ")}`);
const [lines, hit] = counts.reduce(([all, done], one) => [all + one.lines, done + one.hit], [0, 0]);
console.log(`\n${((100 * hit) / lines).toFixed(1)} % of ${lines} lines executed`);
process.exitCode = status ?? 1;
