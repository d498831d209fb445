// A start that fails says why and what to do in one sentence, exits 1, and leaves no process behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, cp, mkdir, writeFile } from "node:fs/promises";
import { connect as connectTo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { connect } from "#db/client.ts";
import { version } from "#server/base/version.ts";
import { makeCluster } from "#test/support/cluster.ts";
import { createEmptyDatabase, createTestDatabase } from "#test/support/database.ts";
import { cleanUp, makeFolder } from "#test/support/embedded-fixture.ts";
import { freePort, launchProcess, PRELOAD } from "#test/support/process.ts";
import { startS3 } from "#test/support/s3/start.ts";

const ROOT = join(import.meta.dirname, "../..");
const OTHER_USER = 10_001;
const NO_ACCOUNT = 1_234_560;
const READ_ONLY_MODE = 0o555;
const GROUP_MODE = 0o770;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let taken: Server;
let takenPort: string;

beforeAll(async () => {
  database = await createTestDatabase();
  taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  takenPort = String((taken.address() as { port: number }).port);
});
afterAll(async () => {
  taken.close();
  await database.drop();
});
afterEach(cleanUp);

/** Starts the service, and gives its exit code and what it printed. */
async function start(environment: Record<string, string>): Promise<{ code: number; output: string; dataDir: string }> {
  const dataDir = environment.DATABASE_URL ? await makeFolder() : await makeCluster();
  const { child, output } = await launchProcess({ DATA_DIR: dataDir, LOG_LEVEL: "fatal", ...environment });
  const [code] = await once(child, "close");
  return { code, output: output().trim(), dataDir };
}

async function runAdmin(environment: Record<string, string>): Promise<{ code: number; output: string }> {
  const env = { ...process.env, DATA_DIR: await makeFolder(), ...environment };
  const child = spawn(process.execPath, [...PRELOAD, "server/admin.ts", "organizations", "list"], { cwd: ROOT, env });
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  return { code, output: output.trim() };
}

describe.each(["PORT", "SMTP_PORT"])("%s is taken", (setting) => {
  it("names the setting, and stops its PostgreSQL", async () => {
    const { code, output, dataDir } = await start({ [setting]: takenPort });
    expect(output.split("\n").at(-1)).toBe(
      `${setting}: another program uses 127.0.0.1:${takenPort}. Stop it, or set ${setting} to a free port.`,
    );
    expect(code).toBe(1);
    expect(existsSync(join(dataDir, "postgres/cluster/data"))).toBe(true);
    expect(existsSync(join(dataDir, "postgres/cluster/data/postmaster.pid"))).toBe(false);
  });
});

describe("an argument that the service does not take", () => {
  it("is named before anything starts", async () => {
    const dataDir = await makeFolder();
    const command = [...PRELOAD, "server/main.ts", "--no-pages", "--port", "8080"];
    const child = spawn(process.execPath, command, { cwd: ROOT, env: { ...process.env, DATA_DIR: dataDir } });
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    const remedy = "Settings are variables of the environment, such as PORT=8080: see docs/guides/settings.md.";
    expect([code, output]).toEqual([1, `The service has no option --port. ${remedy}\n`]);
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe("the data folder belongs to another user", () => {
  it("says whose it must be", async () => {
    const dataDir = await makeFolder();
    await mkdir(dataDir, { recursive: true });
    await chmod(dataDir, READ_ONLY_MODE);
    // Root may write everywhere.
    const user = process.getuid?.() === 0 ? { uid: OTHER_USER, gid: OTHER_USER } : {};
    const environment = { ...process.env, DATA_DIR: dataDir, DATABASE_URL: "", PORT: "0", SMTP_PORT: "0" };
    const command = [...PRELOAD, "server/main.ts", "--no-pages"];
    const child = spawn(process.execPath, command, { cwd: ROOT, env: environment, ...user });
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    const uid = user.uid ?? process.getuid?.();
    expect(output).toContain(`DATA_DIR: user ${uid} may not write to ${dataDir} (EACCES). Run \`chown -R ${uid}:`);
    expect(code).toBe(1);
  });
});

// As a container with any number for its user, which has the group of root.
describe.runIf(process.getuid?.() === 0)("the user has no account", () => {
  it("says what the embedded PostgreSQL needs", async () => {
    const dataDir = await makeFolder();
    await mkdir(dataDir, { recursive: true });
    await chown(dataDir, OTHER_USER, 0);
    await chmod(dataDir, GROUP_MODE);
    const environment = { ...process.env, DATA_DIR: dataDir, DATABASE_URL: "", PORT: "0", SMTP_PORT: "0" };
    const command = [...PRELOAD, "server/main.ts", "--no-pages"];
    const child = spawn(process.execPath, command, { cwd: ROOT, env: environment, uid: NO_ACCOUNT, gid: 0 });
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    const remedy = "Add the entry, or start as another user. Set DATABASE_URL to use another PostgreSQL";
    const need = `User ${NO_ACCOUNT} has no entry in /etc/passwd, and PostgreSQL creates no data without one.`;
    expect(output).toContain(`${need} ${remedy}`);
    expect(output).not.toMatch(/^ {4}at /m);
    expect(code).toBe(1);
  });
});

describe("HOST is not an address of this machine", () => {
  it("names the setting", async () => {
    const { code, output } = await start({ HOST: "192.0.2.1", DATABASE_URL: database.url });
    expect([code, output.split("\n").at(-1)]).toEqual([
      1,
      "HOST: 192.0.2.1 is not an address of this machine. Set HOST to one of its addresses.",
    ]);
  });
});

describe("S3_BUCKET does not exist", () => {
  it("names the setting", async () => {
    const s3 = await startS3();
    const { code, output } = await start({ DATABASE_URL: database.url, ...s3.settings, S3_BUCKET: "other" });
    await s3.stop();
    const remedy = "Create the bucket, or correct S3_BUCKET or S3_ENDPOINT.";
    expect([code, output]).toEqual([1, `S3_BUCKET: S3 answered 404 NoSuchBucket to GET. ${remedy}`]);
  });
});

describe("DATABASE_URL", () => {
  const changed = (change: (url: URL) => void) => {
    const url = new URL(database.url);
    change(url);
    return url.href;
  };

  it.each([
    [
      "a port where nothing listens",
      async () => `postgres://a:b@127.0.0.1:${await freePort()}/c`,
      "Nothing listens at",
    ],
    ["a socket folder without a server", async () => "postgres://a:b@%2Fno%2Fsuch/c", "There is no socket at /no/such"],
    [
      "a wrong password",
      async () =>
        changed((url) => {
          url.password = "secret-that-is-wrong";
        }),
      'answered: password authentication failed for user "mailberth". Correct user and password.',
    ],
    [
      "a database that does not exist",
      async () =>
        changed((url) => {
          url.pathname = "/no_such_database";
        }),
      'answered: database "no_such_database" does not exist. Create the database',
    ],
    [
      "a user without the right to create tables",
      async () => {
        const sql = connect(database.url, { max: 1, onnotice: () => {} });
        await sql.unsafe("drop schema if exists drizzle cascade; drop role if exists limited_user");
        await sql.unsafe("create role limited_user login password 'limited'");
        await sql.end();
        return changed((url) => {
          url.username = "limited_user";
          url.password = "limited";
        });
      },
      "limited_user may not create tables in",
    ],
  ])("names %s", async (_what, url, expected) => {
    const { code, output } = await start({ DATABASE_URL: await url() });
    expect(output).toMatch(/^DATABASE_URL: .*\.$/);
    expect(output.split("\n")).toHaveLength(1);
    expect(output).toContain(expected);
    expect(output).not.toContain("secret-that-is-wrong");
    expect(code).toBe(1);
  });
});

/** The versions in the answer to the first query, and those of an earlier PostgreSQL, of the same lengths. */
const OLDER: [RegExp, string][] = [
  [/180\d{3}/, "130022"],
  [/18\.\d/, "13.2"],
];

/** A proxy to a real server that names the version of an earlier one. */
async function startOlder(url: string) {
  const { searchParams, hostname, port } = new URL(url);
  const target = `${decodeURIComponent(searchParams.get("host") ?? hostname)}/.s.PGSQL.${searchParams.get("port") ?? (port || 5432)}`;
  const server = createServer((near) => {
    const far = connectTo(target);
    near.on("error", () => far.destroy()).pipe(far);
    far
      .on("error", () => near.destroy())
      .on("data", (chunk: Buffer) => {
        const answer = OLDER.reduce((text, [real, older]) => text.replace(real, older), chunk.toString("latin1"));
        near.write(Buffer.from(answer, "latin1"));
      });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const proxied = new URL(url);
  proxied.search = "";
  proxied.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  return { url: proxied.href, close: () => server.close() };
}

describe("a PostgreSQL that is too old", () => {
  it("is named with its version, and is not changed", async () => {
    const old = await createEmptyDatabase();
    const older = await startOlder(old.url);
    const sql = connect(old.url, { max: 1 });
    try {
      const { code, output } = await start({ DATABASE_URL: older.url });
      expect([code, output]).toEqual([1, "PostgreSQL 14 or newer is needed; DATABASE_URL is a PostgreSQL 13.2"]);
      expect(await sql`select from information_schema.tables where table_schema in ('public', 'drizzle')`).toEqual([]);
    } finally {
      await sql.end();
      older.close();
      await old.drop();
    }
  });
});

describe("a database of a newer version", () => {
  it("is refused by the service and by the operators' command, with the version", async () => {
    const newer = await createTestDatabase();
    const sql = connect(newer.url, { max: 1 });
    try {
      const comment = await sql`select obj_description('drizzle.__drizzle_migrations'::regclass, 'pg_class') as text`;
      expect(comment).toEqual([{ text: `Migrated by Mailberth ${version}` }]);
      await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', ${Date.now() + 1e9})`;
      await sql`comment on table drizzle.__drizzle_migrations is 'Migrated by Mailberth 9.8.7'`;
      const expected = `The database has the schema of Mailberth 9.8.7 or newer, and this is ${version}. Start Mailberth 9.8.7 or newer, or restore a backup that is older than the update.`;
      const started = await start({ DATABASE_URL: newer.url });
      expect([started.code, started.output]).toEqual([1, expected]);
      expect(await runAdmin({ DATABASE_URL: newer.url })).toEqual({ code: 1, output: expected });
    } finally {
      await sql.end();
      await newer.drop();
    }
  });
});

/** A clone with the check alone, in which `npm install` did not run. */
async function makeClone(): Promise<string> {
  const folder = await makeFolder("clone");
  await mkdir(join(folder, "server"), { recursive: true });
  for (const file of ["package.json", "server/boot/check-install.cjs"]) await cp(join(ROOT, file), join(folder, file));
  return folder;
}

describe("before npm install", () => {
  it.each(["start", "admin", "demo", "test"])("npm run %s says what to do", async (script) => {
    const child = spawn("npm", ["run", "-s", script], { cwd: await makeClone() });
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    expect(output).toContain("Run `npm install` first");
    expect(code).toBe(1);
  });
});

describe("on a Node that is too old", () => {
  it.each([
    ["18.20.8", false, "Install Node 20 or newer (this is 18.20.8), then run `npm install`."],
    ["22.12.0", true, "Node 24 or newer is needed (this is 22.12.0). Run `npm install`, then use the npm scripts."],
  ])("%s, installed: %s", async (version, isInstalled, sentence) => {
    const folder = await makeClone();
    if (isInstalled) {
      await mkdir(join(folder, "node_modules/zod"), { recursive: true });
      await writeFile(join(folder, "node_modules/zod/package.json"), "{}");
    }
    const older = `Object.defineProperty(process, "versions", { value: { node: "${version}" } });`;
    await writeFile(join(folder, "older.cjs"), older);
    const check = ["-r", "./older.cjs", "-r", "./server/boot/check-install.cjs", "-e", "console.log('started')"];
    const child = spawn(process.execPath, ["--no-experimental-strip-types", ...check], { cwd: folder });
    const [output, said, [code]] = await Promise.all([text(child.stderr), text(child.stdout), once(child, "close")]);
    expect(output).toBe(`${sentence}\n`);
    expect([said, code]).toEqual(["", 1]);
  });
});
