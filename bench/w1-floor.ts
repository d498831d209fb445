// The floor of W1: records the SQL that server/inboxes/create.ts sends for one mailbox and writes it down as a pgbench script,
// so that the floor is always that of the very statements.
import { writeFile } from "node:fs/promises";
import type { Sql } from "postgres";
import { connect } from "#db/client.ts";
import { type Agent, SCOPES } from "#server/base/context.ts";
import { readSettings } from "#server/base/env.ts";
import { newId } from "#server/base/ids.ts";
import { assemble } from "#server/boot/assemble.ts";
import { createInbox, createInboxCreates } from "#server/inboxes/create.ts";
import { DOMAIN, log } from "./support/site.ts";

/** Quota rows of the floor's own: their ids can be computed by the script. */
const KEY_PREFIX = "00000000-0000-7000-8000-";
const KEY_ID = (key: number) => `${KEY_PREFIX}${key.toString(16).padStart(12, "0")}`;
const MAILBOXES = 10_000_000;

/** `n`: of this create, rising over all clients, as the ids of the service do. `key`: one of the quota rows. */
const VARIABLES = [
  "\\set i :i + 1",
  "\\set n :base * 1000000000 + :i * 1000 + :client_id",
  "\\set key random(1, :keys)",
].join("\n");
const ID = `('01900000-0000-7000-8000-' || lpad(to_hex(:n::bigint), 12, '0'))`;
const LOCAL_PART = "substr(md5(:n::bigint::text), 1, 16)";
const KEY = `('${KEY_PREFIX}' || lpad(to_hex(:key::bigint), 12, '0'))`;

type Statement = { text: string; parameters: unknown[] };

async function prepareKeys(sql: Sql, keys: number): Promise<string> {
  const [organization] = await sql<{ id: string }[]>`select id from organizations limit 1`;
  const organizationId = organization?.id ?? "";
  const ids = Array.from({ length: keys }, (_, i) => KEY_ID(i + 1));
  await sql`
    insert into enrollment_keys (id, organization_id, name, secret_hash, allowed_domains, scopes, max_mailboxes, created_at)
    select id, ${organizationId}, 'floor', '', ${[DOMAIN]}, '{}', ${MAILBOXES}, now() from unnest(${ids}::uuid[]) as k(id)`;
  return organizationId;
}

/** Creates one mailbox with the service's own verb, over a client that writes down what it sends. */
async function record(databaseUrl: string, organizationId: string) {
  const statements: Statement[] = [];
  const sql = connect(databaseUrl, {
    max: 1,
    debug: (_connection, text, parameters) => statements.push({ text, parameters }),
  });
  const { system, close } = await assemble(readSettings({ DEFAULT_DOMAIN: DOMAIN }), log, databaseUrl);
  const actor: Agent = {
    kind: "agent",
    organizationId,
    enrollmentKeyId: KEY_ID(1),
    agentId: newId(),
    keyId: newId(),
    scopes: SCOPES,
    allowedDomains: [DOMAIN],
    inboxIds: null,
    budgetKeyIds: [],
  };
  try {
    const inboxCreates = createInboxCreates({ ...system, sql });
    const { inbox } = await createInbox({ ...system, inboxCreates, actor }, {});
    // Not `begin` and `commit`, and not what postgres.js asks about types when it connects.
    const own = ({ text }: Statement) =>
      /^\s*(select|insert|update|with)\b/i.test(text) && !text.includes("pg_catalog");
    return { inbox, statements: statements.filter(own) };
  } finally {
    await close();
    await sql.end();
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map((each) => JSON.stringify(String(each))).join(",")}}`;
  return value instanceof Date ? value.toISOString() : String(value);
}

/** An SQL expression for a parameter of the recorded create: the same, with id, address and key of this one. */
function expressionOf(value: unknown, type: string, inbox: { id: string; address: string }): string {
  if (value === null || value === undefined) return `null::${type}`;
  const localPart = inbox.address.slice(0, inbox.address.indexOf("@"));
  const quoted = textOf(value).replaceAll("'", "''");
  const pieces = quoted
    // pgbench takes a colon before a letter or digit for a variable, in quotes too.
    .replace(/:(?=\w)/g, ":' || '")
    .replaceAll(inbox.id, `' || ${ID} || '`)
    .replaceAll(localPart, `' || ${LOCAL_PART} || '`)
    .replaceAll(KEY_ID(1), `' || ${KEY} || '`);
  return `('${pieces}')::${type}`;
}

async function typesOf(sql: Sql, text: string): Promise<string[]> {
  const { types } = await sql.unsafe(text).describe();
  const rows = await sql<{ name: string }[]>`
    select format_type(oid, null) as name from unnest(${types}::int[]) with ordinality as t(oid, n) order by n`;
  return rows.map(({ name }) => name);
}

/**
 * Writes a pgbench script of one create: wants the variables `keys` (quota rows to choose from), `base` (a number no other
 * run has) and `i` (0).
 * @param keys quota rows to make
 */
export async function writeCreateScript(databaseUrl: string, keys: number, path: string): Promise<void> {
  const sql = connect(databaseUrl, { max: 1 });
  try {
    const { inbox, statements } = await record(databaseUrl, await prepareKeys(sql, keys));
    const lines: string[] = [];
    for (const { text, parameters } of statements) {
      const types = await typesOf(sql, text);
      const filled = text.replace(/\$(\d+)/g, (_, n) =>
        expressionOf(parameters[Number(n) - 1], types[Number(n) - 1] ?? "text", inbox),
      );
      lines.push(`${filled.replace(/\s+/g, " ").trim()};`);
    }
    await writeFile(path, [VARIABLES, "begin;", ...lines, "commit;", ""].join("\n"));
  } finally {
    await sql.end();
  }
}
