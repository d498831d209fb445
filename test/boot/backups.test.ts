// `backup` and `restore`: what one service has, another one has afterwards, and what is damaged or foreign is refused.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { connect } from "#db/client.ts";
import { migrate } from "#db/migrate.ts";
import journal from "#db/migrations/meta/_journal.json" with { type: "json" };
import { runCommand } from "#server/admin.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { createEmptyDatabase } from "#test/support/database.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const MAILS = 20;
const folder = await mkdtemp(join(tmpdir(), "mailberth-backups-"));
const service = await startTestService({ ROLES: "web,smtp,worker" });
const client = api(service);
const { agentKey: key } = await service.newOrganization();
const { address } = await client.createInbox(key);
const attachments = [{ filename: "bytes.bin", content: Buffer.from([0, 9, 10, 13, 92, 255]) }];
for (let n = 0; n < MAILS; n += 1) {
  await service.mail({
    from: "a@far.example",
    to: address,
    subject: `line\\.\ttab ${n}`,
    text: "Grüße\n\\N\n\\.\n",
    attachments,
  });
}
type Listed = { data: { id: string; status: string }[] };
const list = async (of = client) =>
  (await of.get<Listed>(inboxPath(address, "/messages?limit=100"), { key })).body.data;
await eventually(async () => expect((await list()).map(({ status }) => status)).toEqual(Array(MAILS).fill("parsed")));
const whole = join(folder, "whole.backup");
const priority = getPriority();
const taken = await run(["backup", whole, "--json"]);
const priorityAfterwards = getPriority();

afterAll(async () => {
  await client.close();
  await service.stop();
  await rm(folder, { recursive: true });
});

/** The command against a database; that of the service by default. */
async function run(args: string[], database = service.database.url, more: Record<string, string> = {}) {
  const { DATA_DIR, DEFAULT_DOMAIN, ENCRYPTION_KEY } = service.settings;
  const out: string[] = [];
  const err: string[] = [];
  const key64 = ENCRYPTION_KEY?.toString("base64") ?? "";
  const code = await runCommand(args, {
    environment: { NODE_ENV: "test", DATA_DIR, DEFAULT_DOMAIN, ENCRYPTION_KEY: key64, DATABASE_URL: database, ...more },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, stdout: out.join(""), stderr: err.join("") };
}

/** Restores a file into a new database. */
async function restored(file: string, more: Record<string, string> = {}) {
  const database = await createEmptyDatabase();
  return { database, ...(await run(["restore", file, "--json"], database.url, more)) };
}

/** The number of rows of each table, and a hash of them; without the log of API calls, which is written up to a second after a call. */
async function contentOf(url: string) {
  const sql = connect(url, { max: 1 });
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'api_calls' order by 1`;
  const content: Record<string, unknown> = {};
  for (const { name } of tables) {
    const [row] = await sql`
      select count(*)::int, md5(coalesce(string_agg(t::text, '' order by t::text), '')) from ${sql(name)} t`;
    content[name] = row;
  }
  await sql.end();
  return content;
}

/** A copy of the backup, changed. */
async function changed(name: string, change: (plain: Buffer) => Buffer): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, zstdCompressSync(change(zstdDecompressSync(await readFile(whole)))));
  return file;
}

test("what was backed up is restored: every row, and a service that goes on with it", async () => {
  expect(taken).toMatchObject({ code: 0 });
  const { rows, bytes } = JSON.parse(taken.stdout);
  expect(taken.stderr).toContain(`raw_messages: ${MAILS} rows`);
  expect([(await stat(whole)).size, (await stat(whole)).mode & 0o777]).toEqual([bytes, 0o600]);
  const { database, ...outcome } = await restored(whole);
  expect(outcome).toMatchObject({ code: 0 });
  expect(JSON.parse(outcome.stdout)).toMatchObject({ rows });
  expect(await contentOf(database.url)).toEqual(await contentOf(service.database.url));

  const second = await startTestService({ ROLES: "web,smtp,worker" }, { database });
  const other = api(second);
  const before = await list();
  expect(await list(other)).toEqual(before);
  const id = before[0]?.id;
  const raw = async (of: typeof client) => (await of.get<string>(`/v1/messages/${id}/raw`, { key })).text;
  expect(await raw(other)).toBe(await raw(client));
  await second.mail({ from: "a@far.example", to: address, subject: "after the restore" });
  expect(await list(other)).toHaveLength(MAILS + 1);
  await other.close();
  await second.stop();
  await database.drop();
});

test("a backup that is made while mail arrives has each mail whole, or not at all", async () => {
  const file = join(folder, "busy.backup");
  const { agentKey } = await service.newOrganization();
  const busy = await client.createInbox(agentKey);
  let isDone = false;
  const arriving = (async () => {
    while (!isDone) await service.mail({ from: "a@far.example", to: busy.address });
  })();
  const outcome = await run(["backup", file]);
  isDone = true;
  await arriving;
  expect(outcome.code).toBe(0);
  const { database } = await restored(file);
  const sql = connect(database.url, { max: 1 });
  const [halves] = await sql<{ count: number }[]>`
    select count(*)::int from (select id from messages where direction = 'inbound') m
    full join raw_messages r on r.message_id = m.id where m.id is null or r.message_id is null`;
  expect(halves?.count).toBe(0);
  await sql.end();
  await database.drop();
});

test("only the command itself has a low priority, not the process that calls it", () => {
  expect(priorityAfterwards).toBe(priority);
});

test("a backup of an older schema is migrated", async () => {
  const old = await createEmptyDatabase();
  const steps = journal.entries.length - 2;
  await migrate({ url: old.url, upTo: journal.entries[steps]?.when });
  const sql = connect(old.url, { max: 1 });
  await sql`insert into organizations (id, name, created_at) values (gen_random_uuid(), 'Older', now())`;
  await sql.end();
  const file = join(folder, "old.backup");
  expect((await run(["backup", file], old.url)).code).toBe(0);
  const { database, code } = await restored(file);
  expect(code).toBe(0);
  const { code: listed, stdout } = await run(["organizations", "list"], database.url);
  expect([listed, stdout]).toEqual([0, expect.stringContaining("Older")]);
  await database.drop();
  await old.drop();
});

test.each([[["backup"]], [["--json", "backup"]]])("mail goes before the process of `%s`", async (first) => {
  const { DATA_DIR, DEFAULT_DOMAIN, ENCRYPTION_KEY } = service.settings;
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: "test" as const,
    DATA_DIR,
    DEFAULT_DOMAIN,
    ENCRYPTION_KEY: ENCRYPTION_KEY?.toString("base64"),
    DATABASE_URL: service.database.url,
  };
  const file = join(folder, `${first.join("")}.process.backup`);
  const child = spawn(process.execPath, ["server/admin.ts", ...first, file], { env, stdio: "ignore" });
  const ended = once(child, "exit");
  const seen: number[] = [];
  const priorities = setInterval(() => {
    if (child.pid !== undefined && child.exitCode === null) seen.push(getPriority(child.pid));
  }, 5);
  expect(await ended).toEqual([0, null]);
  clearInterval(priorities);
  expect(Math.max(...seen)).toBe(15);
});

describe("the encryption key", () => {
  const FROM_FILE = { ENCRYPTION_KEY: "" };
  const KEY = service.settings.ENCRYPTION_KEY?.toString("base64") ?? "";
  /** A data folder as that of a service without ENCRYPTION_KEY, or an empty one. */
  async function dataFolder(key?: string): Promise<string> {
    const data = await mkdtemp(join(folder, "data-"));
    if (key) await writeFile(join(data, "encryption.key"), `${key}\n`);
    return data;
  }
  const lastLine = (text: string) => text.trimEnd().split("\n").at(-1);
  const backup = (args: string[], more: Record<string, string>) => run(["backup", ...args], undefined, more);

  test("of a backup is named by its last line", async () => {
    const DATA_DIR = await dataFolder(KEY);
    const ofFile = await backup([join(folder, "of-file.backup")], { ...FROM_FILE, DATA_DIR });
    expect([ofFile.code, lastLine(ofFile.stdout)]).toEqual([
      0,
      `restore_needs      ${join(DATA_DIR, "encryption.key")}`,
    ]);
    const ofSetting = await backup([join(folder, "of-setting.backup")], {});
    expect([ofSetting.code, lastLine(ofSetting.stdout)]).toEqual([0, "restore_needs      the setting ENCRYPTION_KEY"]);
  });

  test("is written beside a backup with --with-key, for its owner only, and a restore takes it", async () => {
    const DATA_DIR = await dataFolder(KEY);
    const [file, copy] = [join(folder, "with-key.backup"), join(folder, "copy.key")];
    const { code, stdout } = await backup([file, "--with-key", copy], { ...FROM_FILE, DATA_DIR });
    expect([code, lastLine(stdout)]).toEqual([0, `restore_needs      ${copy}`]);
    expect([await readFile(copy, "utf8"), (await stat(copy)).mode & 0o777]).toEqual([`${KEY}\n`, 0o600]);
    const content = zstdDecompressSync(await readFile(file));
    expect([content.includes(KEY), content.includes(Buffer.from(KEY, "base64"))]).toEqual([false, false]);
    const elsewhere = await dataFolder((await readFile(copy, "utf8")).trim());
    const { database, ...outcome } = await restored(file, { ...FROM_FILE, DATA_DIR: elsewhere });
    expect(outcome.code).toBe(0);
    await database.drop();
  });

  test.each([
    ["over a file that exists", "taken.key", /taken\.key exists\. Name another file, or remove it first\.\n$/],
    ["to the file of the backup", "refused.backup", /--with-key must name another file than the backup\.\n$/],
    ["to the unfinished file of the backup", "refused.backup.partial", /--with-key must name another file than/],
    ["into a folder that is missing", "no/such/key", /ENOENT/],
  ])("is not written %s, and there is no backup", async (_name, key, words) => {
    await writeFile(join(folder, "taken.key"), "theirs");
    const file = join(folder, "refused.backup");
    const DATA_DIR = await dataFolder(KEY);
    const { code, stderr } = await backup([file, "--with-key", join(folder, key)], { ...FROM_FILE, DATA_DIR });
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    expect(await readFile(join(folder, "taken.key"), "utf8")).toBe("theirs");
    expect((await readdir(folder)).filter((name) => name.startsWith("refused"))).toEqual([]);
  });

  test("is not left beside a backup that fails", async () => {
    const DATA_DIR = await dataFolder(KEY);
    const copy = join(folder, "of-nothing.key");
    const { code, stderr } = await backup([whole, "--with-key", copy], { ...FROM_FILE, DATA_DIR });
    expect([code, stderr]).toEqual([1, `${whole} exists. Name another file, or remove it first.\n`]);
    expect(await readdir(folder)).not.toContain("of-nothing.key");
  });

  test("of the setting ENCRYPTION_KEY is not written by --with-key", async () => {
    const copy = join(folder, "of-setting.key");
    const { code, stderr } = await backup([join(folder, "refused.backup"), "--with-key", copy], {});
    expect([code, stderr]).toEqual([
      1,
      "--with-key copies the file encryption.key, and the key of this service is the setting ENCRYPTION_KEY. Leave out --with-key, and keep the value of the setting where a restore can get it.\n",
    ]);
    expect((await readdir(folder)).filter((name) => /^refused|^of-setting\.key/.test(name))).toEqual([]);
  });

  test.each([
    [
      "backup",
      "A backup needs the encryption key of the service, and there is no file <file>. Set DATA_DIR to the data folder of the service, or ENCRYPTION_KEY to its key.\n",
    ],
    [
      "restore",
      "A restore needs the encryption key of the service that made the backup, and there is no file <file>. Copy that service's encryption.key, or the file that `backup --with-key` wrote, to <file>. If it had its key in ENCRYPTION_KEY, set that to the same value.\n",
    ],
  ])(
    "that is missing makes %s say where it is from, and neither makes a new one nor starts a database",
    async (command, words) => {
      const DATA_DIR = await dataFolder();
      const file = command === "restore" ? whole : join(folder, "without.backup");
      const { code, stderr } = await run([command, file], "", { ...FROM_FILE, DATA_DIR });
      expect([code, stderr]).toEqual([1, words.replaceAll("<file>", join(DATA_DIR, "encryption.key"))]);
      expect(await readdir(DATA_DIR)).toEqual([]);
    },
  );
});

describe("nothing is written, and the error says why,", () => {
  const plain = async () => zstdDecompressSync(await readFile(whole));
  const cases: [string, () => Promise<string>, string, Record<string, string>?][] = [
    ["when the compressed file is cut short", async () => cut(await readFile(whole)), "unexpected end of file"],
    ["when whole frames are missing", () => changed("frames", (bytes) => bytes.subarray(0, -40)), "cut short"],
    ["when a byte of a mail differs", () => changed("byte", spoilt), "damaged"],
    ["when it is another file", () => changed("foreign", () => Buffer.from("hello world, no backup")), "not a backup"],
    ["when it is not compressed", async () => saved("plain", await plain()), "Unknown frame descriptor"],
    ["when there is no file", async () => join(folder, "missing"), "ENOENT"],
    [
      "when it has an early schema",
      () => changed("early", early),
      "Restore it with Mailberth at the commit 139d2da, which brings it up to date, and make a new backup",
    ],
    ["when a newer version made it", () => changed("newer", newer), "The backup is of Mailberth 9.9.9, and this is"],
    [
      "with another key",
      async () => whole,
      "another ENCRYPTION_KEY",
      { ENCRYPTION_KEY: Buffer.alloc(32, 9).toString("base64") },
    ],
  ];

  test.each(cases)("%s", async (_name, file, words, more) => {
    const { database, code, stderr } = await restored(await file(), more);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
    const counts = Object.values(await contentOf(database.url)) as { count: number }[];
    expect(counts.filter(({ count }) => count > 0)).toEqual([]);
    await database.drop();
  });

  test("over live data", async () => {
    const before = await contentOf(service.database.url);
    const { code, stderr } = await run(["restore", whole]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("The database is not empty")]);
    expect(await contentOf(service.database.url)).toEqual(before);
  });

  test("when the file of a new backup exists", async () => {
    const { code, stderr } = await run(["backup", whole]);
    expect([code, stderr]).toEqual([1, `${whole} exists. Name another file, or remove it first.\n`]);
  });

  test("when the file of a new backup cannot be written", async () => {
    const { code, stderr } = await run(["backup", join(folder, "no/such/folder")]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("ENOENT")]);
    expect((await readdir(folder)).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });

  async function saved(name: string, bytes: Buffer): Promise<string> {
    const file = join(folder, name);
    await writeFile(file, bytes);
    return file;
  }
  const cut = (bytes: Buffer) => saved("cut", bytes.subarray(0, -100));
  /** Another letter in the text of a mail; the number of rows and their form stay. */
  function spoilt(bytes: Buffer): Buffer {
    const at = bytes.indexOf("Grüße");
    bytes.write("K", at);
    return bytes;
  }
  const newer = (bytes: Buffer) => withHeader(bytes, { version: "9.9.9", migration: Date.now() * 2 });
  /** With the first of the 47 migrations that are one since. */
  const early = (bytes: Buffer) => withHeader(bytes, { migration: 1_795_214_705_575 });
  function withHeader(bytes: Buffer, change: object): Buffer {
    const length = bytes.readUInt32BE(1);
    const header = JSON.parse(bytes.toString("utf8", 5, 5 + length));
    const text = Buffer.from(JSON.stringify({ ...header, ...change }));
    const head = Buffer.alloc(5, "H");
    head.writeUInt32BE(text.length, 1);
    return Buffer.concat([head, text, bytes.subarray(5 + length)]);
  }
});
