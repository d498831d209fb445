// As root, the embedded PostgreSQL runs as a separate user: no other local user reads its files or connects to it.
import { execFileSync } from "node:child_process";
import { chownSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { makeCluster } from "#test/support/cluster.ts";
import { cleanUp, makeFolder, query, serverPid, startOwner } from "#test/support/embedded-fixture.ts";
import { startProcess } from "#test/support/process.ts";

const isRoot = process.getuid?.() === 0;
const SERVER_UID = 65_529;
const NOBODY = 65_534;

afterEach(cleanUp);

/** What a program of another user can read below a folder, and whether it reaches the server's socket. */
const INTRUDER = `
  const [folder, uid] = process.argv.slice(1);
  const { readdirSync, readFileSync } = require("node:fs");
  const { connect } = require("node:net");
  const { join } = require("node:path");
  process.setgroups([]);
  process.setgid(Number(uid));
  process.setuid(Number(uid));
  const found = { read: [], connected: false };
  for (const file of ["cluster/password", "cluster/data/postgresql.conf", "cluster/data/global/pg_control", "postgres.log"])
    try { readFileSync(join(folder, file)); found.read.push(file); } catch {}
  try { found.read.push(...readdirSync(folder)); } catch {}
  const say = () => { console.log(JSON.stringify(found)); process.exit(); };
  connect(join(folder, ".s.PGSQL.5432")).once("connect", () => { found.connected = true; say(); }).once("error", say);
`;

const intrude = (folder: string, uid: number) =>
  JSON.parse(execFileSync(process.execPath, ["-e", INTRUDER, folder, String(uid)], { encoding: "utf8" }));

async function giveTo(folder: string, uid: number): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) chownSync(join(folder, name), uid, uid);
  chownSync(folder, uid, uid);
}

describe.runIf(isRoot)("as root (skipped when the tests do not run as root)", () => {
  it("PostgreSQL and its files have a uid of their own, and others reach neither", async () => {
    const dataDir = await makeFolder();
    await startOwner(dataDir);
    const home = join(dataDir, "postgres");
    const pid = await serverPid(home);
    expect(statSync(`/proc/${pid}`).uid).toBe(SERVER_UID);
    const owners = await Promise.all(
      ["", "cluster", "cluster/password", "cluster/data", "cluster/data/base"].map((path) => stat(join(home, path))),
    );
    expect(new Set(owners.map(({ uid }) => uid))).toEqual(new Set([SERVER_UID]));
    for (const uid of [NOBODY, 12_345]) expect(intrude(home, uid)).toEqual({ read: [], connected: false });
    // The same program does find what the server's own user may see.
    expect(intrude(home, SERVER_UID)).toMatchObject({ connected: true });
  });

  it("a cluster of an earlier version, owned by another user, is taken over", async () => {
    const dataDir = await makeCluster();
    const home = join(dataDir, "postgres");
    const first = await startOwner(dataDir);
    await query(first.url, "create table kept as select 7 as n");
    await first.stop("SIGTERM");
    await giveTo(home, NOBODY);
    const second = await startOwner(dataDir);
    expect(await query(second.url, "select n from kept")).toEqual([{ n: 7 }]);
    expect(statSync(`/proc/${await serverPid(home)}`).uid).toBe(SERVER_UID);
    expect(intrude(home, NOBODY)).toEqual({ read: [], connected: false });
  });
});

describe("the link of the first owner", () => {
  const start = async (environment: Record<string, string>) => {
    const service = await startProcess({ DATA_DIR: await makeCluster(), ROLES: "web", ...environment });
    await service.end("SIGTERM");
    return service.output();
  };

  it("is printed where only this machine reaches the service", async () => {
    expect(await start({})).toMatch(/\/join#[\w-]{20,}\n/);
  });

  it("stays out of the log of a public service, which names the command for it", async () => {
    const output = await start({ PUBLIC_URL: "https://mailberth.example" });
    expect(output).toContain("npm run -s admin -- organizations owner-link Default\n");
    expect(output).not.toContain("/join#");
  });
});
