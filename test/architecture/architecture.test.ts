// The source keeps the rules of ARCHITECTURE.md, and each rule catches a violation planted for it.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as rules from "./rules.ts";

const CODE = /^(app|server|db|e2e|test|client|bench)\/.*\.tsx?$/;

function trackedFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" });
  const deleted = execFileSync("git", ["ls-files", "--deleted"], { encoding: "utf8" }).split("\n");
  return listed.split("\n").filter((path) => path && !deleted.includes(path));
}

const files = trackedFiles();
const sources: rules.Sources = new Map(
  files.filter((path) => CODE.test(path)).map((path) => [path, readFileSync(path, "utf8")]),
);

describe("the source", () => {
  const checks = {
    "imports go the way of the layers": rules.layers,
    "tRPC, the pages and the client are fenced": rules.fences,
    "domains have no cycles": rules.domainCycles,
    "each table is written by its folder": rules.tableWriters,
    "environment, clock, SQL and classes are where they belong": rules.discipline,
    "files are named, headed and sized for a reader": rules.shape,
  };
  for (const [name, check] of Object.entries(checks)) {
    it(name, () => expect(check(sources)).toEqual([]));
  }

  it("has a root that is seen at a glance", () => {
    expect(rules.rootEntries([...new Set(files.map((path) => path.split("/")[0] as string))])).toEqual([]);
  });
});

describe("a planted violation is caught", () => {
  const planted: [string, (sources: rules.Sources) => string[], Record<string, string>][] = [
    ["a domain that imports api", rules.layers, { "server/inboxes/x.ts": `import { a } from "../api/auth.ts";` }],
    [
      "a domain that imports an adapter",
      rules.layers,
      { "server/messages/x.ts": `import { a } from "../adapters/y.ts";` },
    ],
    [
      "a router that imports another api file",
      rules.layers,
      { "server/inboxes/router.ts": `import { a } from "../api/rest.ts";` },
    ],
    [
      "a base file that imports a verb",
      rules.layers,
      { "server/base/ids.ts": `import { a } from "../inboxes/create.ts";` },
    ],
    ["an adapter with a database", rules.layers, { "server/adapters/x.ts": `import { a } from "#db/client.ts";` }],
    [
      "the listener reaching for the database",
      rules.layers,
      { "server/smtp/x.ts": `import { a } from "#db/schema/mail.ts";` },
    ],
    ["tRPC in a verb", rules.fences, { "server/inboxes/x.ts": `import { TRPCError } from "@trpc/server";` }],
    ["a page with server code", rules.fences, { "app/x.tsx": `import { ERRORS } from "#server/base/errors.ts";` }],
    ["a page with a database", rules.fences, { "app/x.tsx": `import type { a } from "#db/schema/mail.ts";` }],
    ["a client with server code", rules.fences, { "client/x.ts": `import { a } from "#server/base/ids.ts";` }],
    [
      "a cycle of domains",
      rules.domainCycles,
      {
        "server/inboxes/x.ts": `import { a } from "../messages/y.ts";`,
        "server/messages/y.ts": `import { b } from "../webhooks/z.ts";`,
        "server/webhooks/z.ts": `import type { c } from "../inboxes/x.ts";`,
      },
    ],
    ["a foreign table written in SQL", rules.tableWriters, { "server/messages/x.ts": "tx`update inboxes set a = 1`" }],
    [
      "a foreign table written by drizzle",
      rules.tableWriters,
      { "server/inboxes/x.ts": "db.insert(agentKeys).values({})" },
    ],
    ["a table written by the api", rules.tableWriters, { "server/api/x.ts": "sql`delete  from deliveries`" }],
    ["the environment read in a verb", rules.discipline, { "server/inboxes/x.ts": "const a = process.env.A;" }],
    ["the clock read in a verb", rules.discipline, { "server/inboxes/x.ts": "const a = new Date();" }],
    ["SQL in a router", rules.discipline, { "server/inboxes/router.ts": "ctx.sql`select 1`" }],
    ["try in a router", rules.discipline, { "server/inboxes/router.ts": "try { a() } catch (e) {}" }],
    ["a class", rules.discipline, { "server/inboxes/x.ts": "export class A {}" }],
    ["a name that says nothing", rules.shape, { "server/inboxes/utils.ts": "// A file.\n" }],
    ["a file that is too long", rules.shape, { "server/inboxes/x.ts": `// A file.\n${"a();\n".repeat(300)}` }],
    ["a file without a heading", rules.shape, { "server/inboxes/x.ts": "export const a = 1;\n" }],
    ["a folder too deep", rules.shape, { "server/inboxes/a/b/x.ts": "// A file.\n" }],
  ];
  for (const [name, check, plant] of planted) {
    it(name, () => expect(check(new Map(Object.entries(plant)))).not.toEqual([]));
  }

  it("a crowded root", () => {
    expect(rules.rootEntries(Array.from({ length: 25 }, (_, i) => `entry-${i}`))).not.toEqual([]);
  });
});
