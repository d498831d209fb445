// The settings that a connection pooler's sessions get: defaults of the role, for every session. PostgreSQL itself stands for a
// pooler here, which gives each client its own session; `npm run test:operators` has PgBouncer.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { connect } from "#db/client.ts";
import { migrate } from "#db/migrate.ts";
import { createEmptyDatabase } from "#test/support/database.ts";
import type { TestDatabase } from "#test/support/database-server.ts";

/** A start waits three times as long for sessions that are busy. */
const TIMEOUT_MS = 300;
const LONG_TIMEOUT_MS = 30_000;
const BEFORE = { schema: "public", scan: "on", plans: "auto", timeout: "0" };
const PREPARED = { schema: "mail", scan: "off", plans: "force_generic_plan", timeout: `${TIMEOUT_MS}ms` };

let database: TestDatabase;
let admin: ReturnType<typeof connect>;
let role: string;
let url: string;

beforeEach(async () => {
  database = await createEmptyDatabase();
  admin = connect(database.url, { max: 1, onnotice: () => {} });
  role = `pooled_${randomBytes(4).toString("hex")}`;
  await admin.unsafe(`create role ${role} login password 'limited'; create schema mail authorization ${role}`);
  const limited = new URL(database.url);
  [limited.username, limited.password] = [role, "limited"];
  url = limited.href;
});
afterEach(async () => {
  await admin.unsafe(`drop owned by ${role} cascade; drop role ${role}`);
  await admin.end();
  await database.drop();
});

const start = (timeoutMs = TIMEOUT_MS) => migrate({ url, schema: "mail", pooler: { url, timeoutMs } });
const open = (connection: Record<string, string> = {}) =>
  connect(url, { max: 1, connection, backoff: false, onnotice: () => {} });
const settingsOf = async (client: ReturnType<typeof connect>) => {
  const [row] = await client`
    select current_schema() as schema, current_setting('enable_seqscan') as scan,
      current_setting('plan_cache_mode') as plans, current_setting('statement_timeout') as timeout`;
  return row;
};
const defaultsOfRole = async () => {
  const [row] = await admin<{ all: string[] }[]>`
    select setconfig as all from pg_db_role_setting where setrole = ${role}::regrole`;
  return row?.all ?? [];
};
const isOpen = async (pid: number | undefined) =>
  (await admin`select from pg_stat_activity where pid = ${pid ?? 0}`).count > 0;

it("sessions that were idle at the first start are ended, and new ones have the settings of the service", async () => {
  const clients = [open(), open()];
  expect(await Promise.all(clients.map(settingsOf))).toEqual([BEFORE, BEFORE]);
  await start();
  const again = async (client: ReturnType<typeof connect>) => settingsOf(client).catch(() => settingsOf(client));
  expect(await Promise.all(clients.map(again))).toEqual([PREPARED, PREPARED]);
  await Promise.all(clients.map((client) => client.end()));
});

it("a second start with the same settings ends no session", async () => {
  await start();
  const client = open();
  const [own] = await client<{ pid: number }[]>`select pg_backend_pid() as pid`;
  await start();
  expect(await isOpen(own?.pid)).toBe(true);
  await client.end();
});

it("a session in a transaction makes starts fail, which name it, and a later start ends it", async () => {
  const client = open();
  const held = await client.reserve();
  await held`begin`;
  const [own] = await held<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const refused = `sessions of the role began before it got its settings, and are still busy: ${own?.pid} (mailberth, idle in transaction). Wait until they have ended, or end each with: select pg_terminate_backend(<number>). Then start again.`;
  // The first one has made the settings defaults of the role already.
  await expect(start()).rejects.toThrow(refused);
  await expect(start()).rejects.toThrow(refused);
  await held`commit`;
  expect(await isOpen(own?.pid)).toBe(true);
  await start();
  expect(await isOpen(own?.pid)).toBe(false);
  await client.end({ timeout: 0 });
});

it("a session that becomes idle while the start waits is ended, and the start goes on", async () => {
  const client = open();
  const held = await client.reserve();
  await held`begin`;
  const [own] = await held<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const started = start(LONG_TIMEOUT_MS);
  await expect.poll(defaultsOfRole).toContain(`statement_timeout=${LONG_TIMEOUT_MS}ms`);
  await held`commit`;
  await started;
  expect(await isOpen(own?.pid)).toBe(false);
  expect(await defaultsOfRole()).toContain(`statement_timeout=${LONG_TIMEOUT_MS}`);
  await client.end({ timeout: 0 });
});

it("the guide's statements show the planner's own settings, and remove those of the service", async () => {
  await start();
  const guide = readFileSync(new URL("../../docs/guides/postgresql.md", import.meta.url), "utf8");
  const [, options = ""] = /PGOPTIONS='([^']+)'/.exec(guide) ?? [];
  const parameters = [...options.matchAll(/-c (\w+)=(\w+)/g)].map(([, name = "", value = ""]) => [name, value]);
  const asOperator = open(Object.fromEntries(parameters));
  expect(await settingsOf(asOperator)).toEqual({ ...BEFORE, schema: "mail" });
  await asOperator.end();
  const [statement = ""] = /alter role .* reset all/.exec(guide) ?? [];
  const name = new URL(url).pathname.slice(1);
  await admin.unsafe(statement.replace("mailberth", role).replace("database name", `database ${name}`));
  const afterwards = open();
  expect(await settingsOf(afterwards)).toEqual(BEFORE);
  await afterwards.end();
});
