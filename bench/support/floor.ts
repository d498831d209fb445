// A floor of a workload: records the SQL that a verb of the service sends for one operation, writes it down as a pgbench script,
// and runs that, so that the floor is always that of the very statements.
import { writeFile } from "node:fs/promises";
import type { Sql } from "postgres";
import { connect, openDatabase } from "#db/client.ts";
import type { Ctx, System } from "#server/base/context.ts";
import type { readSettings } from "#server/base/env.ts";
import { assemble } from "#server/boot/assemble.ts";
import { runOnce } from "./peers.ts";
import type { Contender, Ran } from "./rounds.ts";
import { log, type Site } from "./site.ts";

export const FLOOR_CLIENTS = 16;
/** A number that no other operation has, rising over all clients, as the ids of the service do. */
const NUMBER = ["\\set i :i + 1", "\\set n :base * 1000000000 + :i * 1000 + :client_id"];
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

type Statement = { text: string; parameters: unknown[] };
/** What stands in a parameter of the recorded operation, and the SQL that stands for it in each of the script. */
export type Replacement = [literal: string, sql: string];

/** SQL for an id that differs for each operation; `kind` tells several of them apart. */
export function freshId(kind = 0): string {
  return `('01900000-000${kind.toString(16)}-7000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))`;
}

/** SQL for a text that differs for each operation. */
export const FRESH_TEXT = "substr(md5(:n::bigint::text), 1, 16)";

/** Runs an operation of the service over a client that writes down what it sends. */
export async function record<Result>(
  databaseUrl: string,
  settings: ReturnType<typeof readSettings>,
  operate: (system: Ctx<System>) => Promise<Result>,
): Promise<{ result: Result; statements: Statement[] }> {
  const statements: Statement[] = [];
  const { sql, db, close: closeDatabase } = openDatabase({ url: databaseUrl, poolSize: 1 });
  const { system, close } = await assemble(settings, log, databaseUrl);
  try {
    // The first query asks PostgreSQL about its types.
    await sql`select 1`;
    Object.assign(sql.options, {
      debug: (_connection: number, text: string, parameters: unknown[]) => statements.push({ text, parameters }),
    });
    const result = await operate({ ...system, sql, db });
    const own = ({ text }: Statement) =>
      /^\s*(select|insert|update|with)\b/i.test(text) && !text.includes("pg_catalog");
    return { result, statements: statements.filter(own) };
  } finally {
    await close();
    await closeDatabase();
  }
}

/** The ids in the parameters, except the given ones. */
export function idsIn(statements: Statement[], except: string[]): string[] {
  const texts = statements.flatMap(({ parameters }) => parameters.map(textOf));
  const ids = new Set(texts.flatMap((text) => text.match(UUID) ?? []));
  return [...ids].filter((id) => !except.includes(id));
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map((each) => JSON.stringify(String(each))).join(",")}}`;
  return value instanceof Date ? value.toISOString() : String(value);
}

function expressionOf(value: unknown, type: string, replacements: Replacement[]): string {
  if (value === null || value === undefined) return `null::${type}`;
  // pgbench takes a colon before a letter or digit for a variable, in quotes too.
  const quoted = textOf(value)
    .replaceAll("'", "''")
    .replace(/:(?=\w)/g, ":' || '");
  const filled = replacements.reduce((text, [literal, sql]) => text.replaceAll(literal, `' || ${sql} || '`), quoted);
  // A script has a statement on each line.
  return `('${filled.replace(/\r?\n/g, "' || chr(10) || '")}')::${type}`;
}

async function typesOf(sql: Sql, text: string): Promise<string[]> {
  const { types } = await sql.unsafe(text).describe();
  const rows = await sql<{ name: string }[]>`
    select format_type(oid, null) as name from unnest(${types}::int[]) with ordinality as t(oid, n) order by n`;
  return rows.map(({ name }) => name);
}

/**
 * Writes a pgbench script of one operation: wants the variables `base` (a number no other run has) and `i` (0).
 * @param input.set more variables, as lines of the script
 */
export async function writeScript(
  databaseUrl: string,
  path: string,
  input: { statements: Statement[]; replacements: Replacement[]; set: string[] },
): Promise<void> {
  const sql = connect(databaseUrl, { max: 1 });
  try {
    const lines: string[] = [];
    for (const { text, parameters } of input.statements) {
      const types = await typesOf(sql, text);
      const filled = text.replace(/\$(\d+)/g, (_, n) =>
        expressionOf(parameters[Number(n) - 1], types[Number(n) - 1] ?? "text", input.replacements),
      );
      lines.push(`${filled.replace(/\s+/g, " ").trim()};`);
    }
    await writeFile(path, [...NUMBER, ...input.set, "begin;", ...lines, "commit;", ""].join("\n"));
  } finally {
    await sql.end();
  }
}

function environmentOf(databaseUrl: string): Record<string, string> {
  const url = new URL(databaseUrl);
  const host = decodeURIComponent(url.searchParams.get("host") ?? url.hostname);
  return {
    PGHOST: host,
    PGPORT: url.searchParams.get("port") ?? (url.port || "5432"),
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: url.pathname.slice(1),
  };
}

let bases = 0;

/** pgbench with a script; each run has other numbers. */
export function floorContender(
  site: Site,
  pgbench: string,
  databaseUrl: string,
  { script, seconds, variables }: { script: string; seconds: number; variables: Record<string, number> },
): Contender {
  const clients = `${FLOOR_CLIENTS}`;
  return {
    name: `pgbench, ${FLOOR_CLIENTS} clients`,
    servers: () => [site.postmasterPid],
    memoryOf: () => [],
    async run(): Promise<Ran> {
      bases += 1;
      const all = Object.entries({ ...variables, base: bases, i: 0 }).flatMap(([name, n]) => ["-D", `${name}=${n}`]);
      const time = ["-T", `${Math.ceil(seconds)}`];
      const output = await runOnce(
        [pgbench, "-n", "-M", "prepared", "-c", clients, "-j", "2", ...time, "-f", script, ...all],
        { env: environmentOf(databaseUrl) },
      );
      const operations = Number(/transactions actually processed: (\d+)/.exec(output)?.[1]);
      const perSecond = Number(/tps = ([\d.]+)/.exec(output)?.[1]);
      if (!/failed transactions: 0 /.test(output) || !operations) throw new Error(`pgbench failed:\n${output}`);
      return { operations, seconds: operations / perSecond };
    },
  };
}
