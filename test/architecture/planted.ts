// Source files that break a rule, and others that only look as if they did.
import * as data from "./data.ts";
import * as layers from "./layers.ts";
import * as plain from "./plain-sql.ts";
import * as shape from "./shape.ts";
import type { Sources } from "./source.ts";

/** `[what, its rule, the files]` */
type Case = [string, (sources: Sources) => string[], Record<string, string>];

export const PLANTED: Case[] = [
  ["a noun that imports api", layers.layers, { "server/inboxes/x.ts": `import { a } from "../api/auth.ts";` }],
  [
    "a noun that imports an adapter",
    layers.layers,
    { "server/messages/x.ts": `import { a } from "../adapters/y.ts";` },
  ],
  ["a router that imports api", layers.layers, { "server/inboxes/router.ts": `import { a } from "../api/rest.ts";` }],
  ["a base file that imports a verb", layers.layers, { "server/base/x.ts": `import { a } from "../inboxes/y.ts";` }],
  [
    "a base file that imports a verb's type",
    layers.layers,
    { "server/base/x.ts": `import type { A } from "../inboxes/y.ts";` },
  ],
  [
    "a base file that names a verb's type in an expression",
    layers.layers,
    { "server/base/x.ts": `export type A = import("../inboxes/y.ts").B;` },
  ],
  ["a port that imports the base", layers.layers, { "server/base/ports/x.ts": `import { a } from "../ids.ts";` }],
  [
    "procedures that import a noun",
    layers.layers,
    { "server/procedures/x.ts": `import { a } from "../organizations/audit.ts";` },
  ],
  ["an adapter with a database", layers.layers, { "server/adapters/x.ts": `import { a } from "#db/client.ts";` }],
  ["a listener with a database", layers.layers, { "server/smtp/x.ts": `import { a } from "#db/schema/mail.ts";` }],
  ["a new file at server/ with an adapter", layers.layers, { "server/x.ts": `import { a } from "./adapters/y.ts";` }],
  [
    "an adapter chosen outside assemble.ts",
    layers.layers,
    { "server/boot/x.ts": `import { a } from "../adapters/y.ts";` },
  ],
  ["tRPC in a verb", layers.fences, { "server/inboxes/x.ts": `import { TRPCError } from "@trpc/server";` }],
  ["a page with server code", layers.fences, { "app/x.tsx": `import { ERRORS } from "#server/base/errors.ts";` }],
  [
    "a shared part with the session",
    layers.fences,
    { "app/dashboard/parts/x.tsx": `import { useMe } from "../session/member.tsx";` },
  ],
  ["a page with a database", layers.fences, { "app/x.tsx": `import type { a } from "#db/schema/mail.ts";` }],
  ["a client with server code", layers.fences, { "client/x.ts": `import { a } from "#server/base/ids.ts";` }],
  [
    "a circle of files through a type",
    layers.fileCircles,
    {
      "server/inboxes/x.ts": `import { a } from "./y.ts";`,
      "server/inboxes/y.ts": `import type { B } from "./x.ts";`,
    },
  ],
  [
    "a circle of test files",
    layers.fileCircles,
    { "test/a/x.ts": `export { a } from "./y.ts";`, "test/a/y.ts": `import { type B, c } from "./x.ts";` },
  ],
  [
    "a circle of files through a port",
    layers.fileCircles,
    {
      "server/base/ports/x.ts": `export type A = import("../../payments/y.ts").B;`,
      "server/payments/y.ts": `import type { A } from "../base/ports/x.ts";`,
    },
  ],
  [
    "a circle of nouns",
    layers.folderCircles,
    {
      "server/inboxes/x.ts": `import { a } from "../messages/y.ts";`,
      "server/messages/y.ts": `import { b } from "../webhooks/z.ts";`,
      "server/webhooks/z.ts": `import type { C } from "../inboxes/w.ts";`,
      "server/inboxes/w.ts": "",
    },
  ],
  [
    "a circle of messages and messages/files",
    layers.folderCircles,
    {
      "server/messages/x.ts": `import { a } from "./files/y.ts";`,
      "server/messages/files/y.ts": `import type { B } from "../z.ts";`,
    },
  ],
  [
    "a circle of two nouns, none of their folders apart",
    layers.folderCircles,
    {
      "server/messages/threads/x.ts": `import { a } from "../../webhooks/delivery/y.ts";`,
      "server/webhooks/z.ts": `import { b } from "../messages/w.ts";`,
    },
  ],
  [
    "a circle through ports",
    layers.folderCircles,
    {
      "server/base/ports/x.ts": `import type { A } from "../../payments/y.ts";`,
      "server/payments/z.ts": `import type { B } from "../base/ports/x.ts";`,
    },
  ],
  ["a foreign table written in SQL", data.tableWriters, { "server/messages/x.ts": "tx`update inboxes set a = 1`" }],
  ["… with `only`", data.tableWriters, { "server/messages/x.ts": "tx`update only inboxes set a = 1`" }],
  ["… with its schema", data.tableWriters, { "server/messages/x.ts": `tx\`update "public"."inboxes" set a = 1\`` }],
  ["… behind a comment", data.tableWriters, { "server/messages/x.ts": "tx`update /* no */ inboxes set a = 1`" }],
  ["a foreign table emptied", data.tableWriters, { "server/messages/x.ts": "sql`truncate table inboxes`" }],
  ["a foreign table merged into", data.tableWriters, { "server/messages/x.ts": "sql`merge into inboxes using a`" }],
  [
    "a table named by an expression",
    data.tableWriters,
    { "server/messages/x.ts": `tx\`update \${tx('inboxes')} set a = 1\`` },
  ],
  [
    "a table named by a variable",
    data.tableWriters,
    { "server/inboxes/x.ts": `sql\`insert into \${name} \${sql(rows)}\`` },
  ],
  ["a foreign table in a string", data.tableWriters, { "server/messages/x.ts": `sql.unsafe("delete from inboxes")` }],
  [
    "a foreign table written by drizzle",
    data.tableWriters,
    { "server/inboxes/x.ts": "db.insert(agentKeys).values({})" },
  ],
  ["… of a namespace", data.tableWriters, { "server/inboxes/x.ts": "db.delete(tables.agentKeys)" }],
  [
    "… under another name",
    data.tableWriters,
    { "server/inboxes/x.ts": `import { agentKeys as k } from "#db/schema/keys.ts";\ndb.update(k).set({});` },
  ],
  [
    "a foreign table in a declaration of a worker job",
    data.tableWriters,
    { "server/inboxes/x.ts": "export const a = deleteOld({ key: agentKeys.id, table: agentKeys });" },
  ],
  ["a table written by the api", data.tableWriters, { "server/api/x.ts": "sql`delete  from deliveries`" }],
  ["plain SQL in another file", plain.plainSql, { "server/inboxes/x.ts": "await ctx.sql`select 1`" }],
  ["… with the type of its rows", plain.plainSql, { "server/inboxes/x.ts": "await tx<Row[]>`select 1`" }],
  ["… of a transaction of drizzle", plain.plainSql, { "server/inboxes/x.ts": "await plainOf(tx)`select 1`" }],
  ["… in a string", plain.plainSql, { "server/inboxes/x.ts": `await sql.unsafe("select 1")` }],
  [
    "… beside drizzle",
    plain.plainSql,
    { "server/inboxes/x.ts": `import { sql } from "drizzle-orm";\nconst a = ({ sql }) => sql\`select 1\`;` },
  ],
  [
    "… by a parameter beside drizzle",
    plain.plainSql,
    { "server/inboxes/x.ts": `import { sql } from "drizzle-orm";\nconst a = (sql) => sql\`select 1\`;` },
  ],
  ["a listed file without plain SQL", plain.plainSql, { "server/inboxes/insert.ts": "export const a = 1;" }],
  [
    "a table that no folder owns",
    data.ownedTables,
    { "db/schema/x.ts": `export const zebras = pgTable("zebras", {});` },
  ],
  [
    "the network inside a transaction",
    data.transactions,
    { "server/inboxes/x.ts": "async function a(sql) { await sql.begin(async (tx) => { await fetch(url); }); }" },
  ],
  [
    "a port called inside a transaction of drizzle",
    data.transactions,
    { "server/inboxes/x.ts": "const a = (ctx) => ctx.db.transaction(() => ctx.outbound.send(mail));" },
  ],
  [
    "the network behind two functions",
    data.transactions,
    {
      "server/inboxes/x.ts": `import { b } from "./y.ts";\nexport const a = (sql) => sql.begin((tx) => b(tx));`,
      "server/inboxes/y.ts": `import * as z from "./z.ts";\nexport function b(tx) { return tx.rows.map(z.c); }`,
      "server/inboxes/z.ts": "export async function c({ payments }) { await payments.facilitator.settle(1); }",
    },
  ],
  ["the environment read in a verb", shape.discipline, { "server/inboxes/x.ts": "const a = process.env.A;" }],
  ["the clock read in a verb", shape.discipline, { "server/inboxes/x.ts": "const a = new Date();" }],
  ["SQL in a router", shape.discipline, { "server/inboxes/router.ts": "ctx.sql`select 1`" }],
  ["try in a router", shape.discipline, { "server/inboxes/router.ts": "try { a() } catch (e) {}" }],
  ["a class", shape.discipline, { "server/inboxes/x.ts": "export class A {}" }],
  ["a module with a variable", shape.moduleState, { "server/inboxes/x.ts": "export let a = 1;" }],
  ["a module with a memory", shape.moduleState, { "server/inboxes/x.ts": "const a = new WeakMap();" }],
  [
    "a module with a collection",
    shape.moduleState,
    { "server/inboxes/x.ts": "export const a = new Map<string, B>();" },
  ],
  ["a thread with a variable", shape.moduleState, { "server/inboxes/x-worker.ts": "let a = 1;" }],
  ["a name that says nothing", shape.headed, { "server/inboxes/utils.ts": "// A file.\n" }],
  ["a file without a heading", shape.headed, { "server/inboxes/x.ts": "export const a = 1;\n" }],
  ["a folder too deep", shape.headed, { "server/inboxes/a/b/x.ts": "// A file.\n" }],
  ["a test folder named after nothing", shape.mirror, { "test/postboxes/x.test.ts": "", "server/inboxes/x.ts": "" }],
  ["a comment that names a file that is gone", shape.named, { "server/inboxes/x.ts": "// Called by inboxes/y.ts.\n" }],
];

/** What no rule may catch. */
export const ALLOWED: Case[] = [
  ["a row locked for update", data.tableWriters, { "server/messages/x.ts": "sql`select 1 from inboxes for update`" }],
  [
    "a conflict that updates",
    data.tableWriters,
    { "server/inboxes/x.ts": "sql`insert into inboxes (a) values (1) on conflict (a) do update set a = 2`" },
  ],
  ["a read of a foreign table", data.tableWriters, { "server/messages/x.ts": "sql`select a from inboxes`" }],
  [
    "SQL of drizzle, also with the type of a value",
    plain.plainSql,
    { "server/inboxes/x.ts": `import { sql } from "drizzle-orm";\nconst a = sql<string[]>\`array\${b}\`;` },
  ],
  ["plain SQL in a listed file", plain.plainSql, { "server/inboxes/insert.ts": "await tx`select 1`" }],
  ["a Map's delete", data.tableWriters, { "server/messages/x.ts": "map.delete(key)" }],
  [
    "the network after a transaction",
    data.transactions,
    {
      "server/inboxes/x.ts":
        "async function a(ctx) { await ctx.sql.begin((tx) => tx`select 1`); await ctx.outbound.send(1); }",
    },
  ],
  ["a table of constants", shape.moduleState, { "server/inboxes/x.ts": "const A = new Map([[1, 2]]);" }],
];
