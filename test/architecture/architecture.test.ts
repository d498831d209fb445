// The source keeps the rules of ARCHITECTURE.md, and each rule catches a violation planted for it.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as data from "./data.ts";
import * as layers from "./layers.ts";
import * as plain from "./plain-sql.ts";
import { ALLOWED, PLANTED } from "./planted.ts";
import * as shape from "./shape.ts";
import type { Sources } from "./source.ts";

const CODE = /^((app|server|db|e2e|test|client|bench|examples)\/.*|[a-z.]+)\.tsx?$/;

function trackedFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" });
  const deleted = execFileSync("git", ["ls-files", "--deleted"], { encoding: "utf8" }).split("\n");
  return listed.split("\n").filter((path) => path && !deleted.includes(path));
}

const files = trackedFiles();
const sources: Sources = new Map(
  files.filter((path) => CODE.test(path)).map((path) => [path, readFileSync(path, "utf8")]),
);
const architecture = readFileSync("ARCHITECTURE.md", "utf8");

describe("the source", () => {
  const checks = {
    "imports go the way of the layers": layers.layers,
    "tRPC, the pages and the client are fenced": layers.fences,
    "no file imports itself through others, types included": layers.fileCircles,
    "no folder of the server imports itself through others": layers.folderCircles,
    "each table is written by its folder": data.tableWriters,
    "each table has an owner": data.ownedTables,
    "statements use drizzle, except in named files": plain.plainSql,
    "no transaction waits for the network": data.transactions,
    "environment, clock, SQL and classes are where they belong": shape.discipline,
    "no module keeps state": shape.moduleState,
    "files are named and headed for a reader": shape.headed,
    "comments name files that exist": shape.named,
    "test folders are named after source folders": shape.mirror,
  };
  for (const [name, check] of Object.entries(checks)) {
    it(name, () => expect(check(sources)).toEqual([]));
  }

  it("names the files with plain SQL in ARCHITECTURE.md", () => {
    expect(plain.plainSqlDescribed(architecture).sort()).toEqual(plain.PLAIN_SQL.toSorted());
  });

  it("describes each folder of the server in ARCHITECTURE.md", () => {
    expect(shape.described(sources, architecture)).toEqual([]);
  });

  it("is described in the order of its imports", () => {
    expect(shape.ordered(sources, architecture)).toEqual([]);
  });
});

describe("a planted violation is caught", () => {
  for (const [name, check, plant] of PLANTED) {
    it(name, () => expect(check(new Map(Object.entries(plant)))).not.toEqual([]));
  }

  it("a folder that ARCHITECTURE.md does not describe", () => {
    expect(shape.described(new Map([["server/postboxes/x.ts", ""]]), architecture)).not.toEqual([]);
    expect(shape.described(new Map([["server/inboxes/colours/x.ts", ""]]), architecture)).not.toEqual([]);
  });

  it("an import from a folder whose row stands above", () => {
    const planted = { "server/inboxes/x.ts": `import { a } from "../sending/y.ts";`, "server/sending/y.ts": "" };
    expect(shape.ordered(new Map(Object.entries(planted)), architecture)).not.toEqual([]);
  });
});

describe("what is allowed is not caught", () => {
  for (const [name, check, files] of ALLOWED) {
    it(name, () => expect(check(new Map(Object.entries(files)))).toEqual([]));
  }
});
