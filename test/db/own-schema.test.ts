// A schema of the service's own in a database that another application uses, as a user who owns nothing else.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect, openDatabase } from "#db/client.ts";
import { migrate } from "#db/migrate.ts";
import { dropPartitions, makePartitions } from "#db/partitions.ts";
import { createEmptyDatabase } from "#test/support/database.ts";
import type { TestDatabase } from "#test/support/database-server.ts";
import { TOLD, tellStory } from "#test/support/postgresql/story.ts";
import { PRELOAD } from "#test/support/process.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Tables of another application, two of which have names that the service uses. */
const FOREIGN = `
  create table public.users (name text);
  create table public.messages (body text);
  create schema drizzle;
  create table drizzle.__drizzle_migrations (id serial primary key, hash text, created_at bigint);
  insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 1700000000000);
  insert into public.users values ('theirs')`;

/** The statements of the guide for operators, with the role of the test. */
function statementsOfGuide(): string {
  const guide = readFileSync(join(ROOT, "docs/guides/postgresql.md"), "utf8");
  const [, statements = ""] = /```sql\n([\s\S]+?)```/.exec(guide) ?? [];
  return statements.replaceAll("mailberth", role).replace("change-me", "limited");
}

let database: TestDatabase;
let admin: ReturnType<typeof connect>;
let role: string;
let url: string;

beforeEach(async () => {
  database = await createEmptyDatabase();
  admin = connect(database.url, { max: 1, onnotice: () => {} });
  role = `mail_${randomBytes(4).toString("hex")}`;
  await admin.unsafe(FOREIGN);
  // The role, and the schema `mail`.
  await admin.unsafe(statementsOfGuide());
  const limited = new URL(database.url);
  [limited.username, limited.password] = [role, "limited"];
  url = limited.href;
});
afterEach(async () => {
  await admin.unsafe(`drop owned by ${role} cascade; drop role ${role}`);
  await admin.end();
  await database.drop();
});

/** The tables outside PostgreSQL's own schemas, with their owners. */
async function relations() {
  const rows = await admin<{ schema: string; owner: string; count: number }[]>`
    select relnamespace::regnamespace::text as schema, pg_get_userbyid(relowner) as owner, count(*)::int as count
    from pg_class where relnamespace::regnamespace::text !~ '^(pg_|information_schema)' and relkind = 'r'
    group by 1, 2 order by 1, 2`;
  return rows.map(({ schema, owner, count }) => `${schema} ${owner === role ? "ours" : "theirs"} ${count}`);
}

const THEIRS = ["drizzle theirs 1", "public theirs 2"];

async function runAdmin(args: string[], environment: Record<string, string>) {
  const dataDir = await mkdtemp(join(tmpdir(), "mailberth-own-schema-"));
  const env = { ...process.env, DATA_DIR: dataDir, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") };
  const child = spawn(process.execPath, [...PRELOAD, "server/admin.ts", ...args], {
    cwd: ROOT,
    env: { ...env, ...environment },
  });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  await rm(dataDir, { recursive: true, force: true });
  return { code, errors };
}

describe("a schema that the user owns", () => {
  it("holds everything, and the other application's tables stay as they were", async () => {
    expect(await tellStory({ DATABASE_URL: url, DATABASE_SCHEMA: "mail" })).toEqual(TOLD);
    const [mine, ...others] = await relations();
    expect([mine, others.length]).toEqual(["drizzle theirs 1", 2]);
    expect(await relations()).toEqual(expect.arrayContaining(THEIRS));
    expect(others[0]).toMatch(/^mail ours \d{2}$/);
    expect([...(await admin`select * from public.users`)]).toEqual([{ name: "theirs" }]);
    const [row] = await admin`select count(*)::int from mail.__drizzle_migrations`;
    expect(row?.count).toBeGreaterThan(0);
  });

  it("gets partitions, and loses old ones, by the user who owns it", async () => {
    await migrate({ url, schema: "mail" });
    const { sql, close } = openDatabase({ url, schema: "mail", poolSize: 1 });
    const now = new Date();
    const { made, blocked } = await makePartitions(sql, "delivery_attempts", { now, width: 1, ahead: 4 });
    expect([made.length, blocked]).toEqual([3, []]);
    const dropped = await dropPartitions(sql, "delivery_attempts", new Date(now.getTime() + 3 * 86_400_000));
    expect(dropped.sort()).toEqual([made[0], "delivery_attempts_before"]);
    expect(await relations()).toEqual(expect.arrayContaining(THEIRS));
    await close();
  });

  it("is backed up, and restored into another schema", async () => {
    await admin.unsafe(`create schema restored authorization ${role}`);
    await migrate({ url, schema: "mail" });
    await admin`insert into mail.organizations (id, name, created_at) values (gen_random_uuid(), 'Acme', now())`;
    const folder = await mkdtemp(join(tmpdir(), "mailberth-own-schema-"));
    const file = join(folder, "mail.backup");
    const saved = await runAdmin(["backup", file], { DATABASE_URL: url, DATABASE_SCHEMA: "mail" });
    expect(saved.code).toBe(0);
    expect(saved.errors).not.toContain("__drizzle_migrations");
    const restored = await runAdmin(["restore", file], { DATABASE_URL: url, DATABASE_SCHEMA: "restored" });
    expect(restored).toMatchObject({ code: 0 });
    expect([...(await admin`select name from restored.organizations`)]).toEqual([{ name: "Acme" }]);
    await rm(folder, { recursive: true, force: true });
  });
});

describe("a schema that does not exist", () => {
  it("is created by a user who may create schemas", async () => {
    await admin.unsafe(`grant create on database ${new URL(url).pathname.slice(1)} to ${role}`);
    await Promise.all([migrate({ url, schema: "order" }), migrate({ url, schema: "order" })]);
    expect(await relations()).toEqual(expect.arrayContaining(THEIRS));
    expect((await relations()).some((line) => line.startsWith('"order" ours '))).toBe(true);
  });

  it("is refused to a user who may not, with PostgreSQL's words and the statement that helps", async () => {
    await expect(migrate({ url, schema: "other" })).rejects.toThrow(
      new RegExp(
        `^DATABASE_URL: PostgreSQL at .* answered: permission denied for database .*\\. ${role} needs a schema that it owns: create schema other authorization ${role}\\.$`,
      ),
    );
    expect(await relations()).toEqual(THEIRS);
  });
});

describe("the schema public of another application", () => {
  it("is refused because of its table of migrations", async () => {
    await expect(migrate(database)).rejects.toThrow(
      "The table drizzle.__drizzle_migrations belongs to another application. Set DATABASE_SCHEMA to a schema that is only for this service.",
    );
    expect(await relations()).toEqual(THEIRS);
  });

  it("is refused because of its tables, names the migration, and changes nothing", async () => {
    await admin.unsafe("drop schema drizzle cascade");
    await expect(migrate(database)).rejects.toThrow(
      /^The migration 0000_initial failed, and nothing was changed\. PostgreSQL answered: relation "messages" already exists\. Another application uses the schema public\. Set DATABASE_SCHEMA to a schema that is only for this service\.$/,
    );
    expect(await relations()).toEqual(["public theirs 2"]);
  });
});

describe("DATABASE_SCHEMA", () => {
  it.each(["Mail", "pg_mail", "drizzle", 'a"b', "a-b", "1mail", "information_schema"])(
    "%s is refused",
    async (name) => {
      const { code, errors } = await runAdmin(["organizations", "list"], { DATABASE_URL: url, DATABASE_SCHEMA: name });
      expect([code, errors]).toEqual([1, expect.stringContaining("DATABASE_SCHEMA: a name of lower-case letters")]);
    },
  );
});
