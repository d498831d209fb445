// `npm run check:prose`: counts hard-to-read idioms per 1,000 words of prose in each folder, and fails above the limit.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { proseOf, words } from "./prose.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAX_PER_1000_WORDS = 1.0;
const IDIOMS =
  /\b(whoever|somebody|nobody|those who|those that|all the same|for ever|comes to|a moment|meanwhile|of its own|of ours|told|at once|let go|by itself|what came)\b/gi;

type Figure = { folder: string; words: number; found: string[] };

/** `server/base`, `app/dashboard`, `.` for the root: at most two levels, so that each has enough words for a figure. */
function folderOf(path: string): string {
  const folders = path.split("/").slice(0, -1);
  return folders.length === 0 ? "." : folders.slice(0, 2).join("/");
}

function measure(paths: string[]): Figure[] {
  const figures = new Map<string, Figure>();
  for (const path of paths) {
    const folder = folderOf(path);
    const figure = figures.get(folder) ?? { folder, words: 0, found: [] };
    figures.set(folder, figure);
    for (const { line, text } of proseOf(path, readFileSync(join(ROOT, path), "utf8"))) {
      figure.words += words(text).length;
      for (const [idiom] of text.matchAll(IDIOMS)) figure.found.push(`${path}:${line} "${idiom}"`);
    }
  }
  return [...figures.values()].sort((a, b) => a.folder.localeCompare(b.folder));
}

const rate = ({ words, found }: Figure) => (found.length * 1000) / words;

const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
const deleted = execFileSync("git", ["ls-files", "--deleted"], { cwd: ROOT }).toString().split("\n");
const paths = listed
  .toString()
  .split("\n")
  .filter((path) => /\.(tsx?|cjs|mjs|md)$/.test(path) && !deleted.includes(path) && !path.startsWith("test/prose/"));

const figures = measure(paths).filter((figure) => figure.words > 0);
for (const figure of figures) {
  console.log(
    `${figure.folder.padEnd(24)} ${String(figure.words).padStart(6)} words ${rate(figure).toFixed(1).padStart(6)}`,
  );
}
const failed = figures.filter((figure) => rate(figure) > MAX_PER_1000_WORDS);
for (const { folder, found } of failed) {
  console.error(`\n${folder} has more than ${MAX_PER_1000_WORDS} per 1,000 words:\n  ${found.join("\n  ")}`);
}
if (failed.length > 0) process.exitCode = 1;
