// docs/dependencies.md has a row for each dependency, with the version that is installed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const CELLS = 6;
const rows = read("docs/dependencies.md")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.slice(2, -2).split(" | "));

test("each dependency has one row, with the installed version", () => {
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
  const named = rows.map(([library = "", version]) => [library.replaceAll("`", ""), version]);
  // When it fails: read the reports and release notes of that library, change its row, then the version in it.
  expect(named.toSorted()).toEqual(Object.entries(dependencies).toSorted());
});

test("each row says what is used, what is known, what is done, and when it was read", () => {
  expect(rows.filter((cells) => cells.length !== CELLS || cells.some((cell) => cell.trim() === ""))).toEqual([]);
  expect(rows.filter((cells) => !/^\d{4}-\d\d-\d\d$/.test(cells.at(-1) ?? ""))).toEqual([]);
});
