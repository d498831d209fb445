// The list of mutants stays true: each still has one place in the source, and a test that is there.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MUTANTS } from "./list.ts";

const ROOT = join(import.meta.dirname, "../..");

test("each mutant finds its text once and changes it, and names a test file", () => {
  const wrong = MUTANTS.filter(({ file, find, replace, test: name }) => {
    const source = existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), "utf8") : "";
    const places = source.split(find).length - 1;
    return places !== 1 || find === replace || !existsSync(join(ROOT, name));
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});
