// The embedded PostgreSQL through its life: made, stopped, orphaned, adopted, killed, refused. Real processes throughout.
import { existsSync } from "node:fs";
import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { findEmbedded } from "#db/embedded/open.ts";
import { isPostgres } from "#db/embedded/process.ts";
import { makeCluster } from "#test/support/cluster.ts";
import { cleanUp, makeFolder, query, serverPid, startOwner } from "#test/support/embedded-fixture.ts";

const POLL_MS = 50;
/** More than a socket's path may have. */
const LONG_PATH_BYTES = 120;

afterEach(cleanUp);

describe("a new data folder", () => {
  it("gets a durable server, which stops with its service", async () => {
    const dataDir = await makeFolder();
    const owner = await startOwner(dataDir);
    const pid = await serverPid(join(dataDir, "postgres"));
    expect(await findEmbedded(dataDir)).toBe(owner.url);
    expect(
      await query(
        owner.url,
        `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
          current_setting('listen_addresses') as addresses, current_setting('server_encoding') as encoding,
          current_database() as name, current_setting('server_version_num')::int >= 180000 as recent`,
      ),
    ).toEqual([
      { fsync: "on", synchronous_commit: "on", addresses: "", encoding: "UTF8", name: "mailberth", recent: true },
    ]);
    expect(await owner.stop("SIGTERM")).toBe(0);
    expect(isPostgres(pid)).toBe(false);
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });

  it("asks for the password", async () => {
    const { url } = await startOwner(await makeCluster());
    const wrong = new URL(url);
    wrong.password = "wrong";
    await expect(query(wrong.href, "select")).rejects.toThrow(/password authentication failed/);
  });

  it("is found by the other form of its url", async () => {
    const { url } = await startOwner(await makeCluster());
    const { username, password, hostname, port, pathname } = new URL(url);
    const other = `postgres://${username}:${password}@localhost${pathname}?host=${hostname}&port=${port}`;
    expect(await query(other, "select inet_server_addr() as address")).toEqual([{ address: null }]);
  });

  it("is not found where none was made", async () => {
    expect(await findEmbedded(await makeFolder())).toBeUndefined();
  });
});

describe("a killed service", () => {
  it("leaves its server running, and the next one adopts it with its data", async () => {
    const dataDir = await makeCluster();
    const first = await startOwner(dataDir);
    await query(first.url, "create table kept as select 7 as n");
    const pid = await serverPid(join(dataDir, "postgres"));
    await first.stop("SIGKILL");
    expect(await findEmbedded(dataDir)).toBe(first.url);

    const second = await startOwner(dataDir);
    expect(await serverPid(join(dataDir, "postgres"))).toBe(pid);
    expect(await query(second.url, "select n from kept")).toEqual([{ n: 7 }]);
    await second.stop("SIGTERM");
    expect(isPostgres(pid)).toBe(false);
  });

  it("and a killed server lose nothing that was committed", async () => {
    const dataDir = await makeCluster();
    const first = await startOwner(dataDir);
    await query(first.url, "create table kept as select 7 as n");
    const pid = await serverPid(join(dataDir, "postgres"));
    await first.stop("SIGKILL");
    process.kill(pid, "SIGKILL");

    const second = await startOwner(dataDir);
    expect(await query(second.url, "select n from kept")).toEqual([{ n: 7 }]);
  });

  it("is not mistaken for a program that has the server's pid today", async () => {
    const dataDir = await makeCluster();
    const first = await startOwner(dataDir);
    await query(first.url, "create table kept as select 7 as n");
    await first.stop("SIGTERM");
    const data = join(dataDir, "postgres/cluster/data");
    await writeFile(join(data, "postmaster.pid"), `${process.pid}\n${data}\n1\n5432\n${dataDir}/postgres\n\n\nready\n`);

    const second = await startOwner(dataDir);
    expect(await query(second.url, "select n from kept")).toEqual([{ n: 7 }]);
  });
});

describe("a running service", () => {
  it("keeps others off its data folder, and tells them its pid", async () => {
    const dataDir = await makeCluster();
    const owner = await startOwner(dataDir);
    await expect(startOwner(dataDir)).rejects.toThrow(`is used by a running service (pid ${owner.pid})`);
    expect(await query(owner.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("is only one, when several start concurrently in an empty folder", async () => {
    const dataDir = await makeFolder();
    const started = await Promise.allSettled([startOwner(dataDir), startOwner(dataDir), startOwner(dataDir)]);
    const won = started.filter((result) => result.status === "fulfilled");
    const lost = started.filter((result) => result.status === "rejected");
    expect(won).toHaveLength(1);
    for (const { reason } of lost) {
      expect(String(reason)).toContain(`is used by a running service (pid ${won[0]?.value.pid})`);
    }
  });

  it("starts its server again when that is killed", async () => {
    const dataDir = await makeCluster();
    const owner = await startOwner(dataDir);
    await query(owner.url, "create table kept as select 7 as n");
    const pid = await serverPid(join(dataDir, "postgres"));
    process.kill(pid, "SIGKILL");
    while ((await findEmbedded(dataDir)) === undefined || (await serverPid(join(dataDir, "postgres"))) === pid) {
      await sleep(POLL_MS);
    }
    expect(await query(owner.url, "select n from kept")).toEqual([{ n: 7 }]);
    await expect(startOwner(dataDir)).rejects.toThrow(`(pid ${owner.pid})`);
    expect(await owner.stop("SIGTERM")).toBe(0);
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });

  it("does not share Ctrl-C with its server", async () => {
    const dataDir = await makeCluster();
    const owner = await startOwner(dataDir);
    // What a terminal does: every process of the group gets SIGINT; this owner has no handler and dies of it.
    process.kill(-owner.pid, "SIGINT");
    await owner.stop("SIGINT");
    expect(await findEmbedded(dataDir)).toBe(owner.url);
  });
});

describe("a data folder", () => {
  it("may have a path that a shell would read otherwise", async () => {
    const dataDir = join(await makeFolder(), `it's "a" $(touch x) \\ folder, 100%`);
    const owner = await startOwner(dataDir);
    expect(await query(owner.url, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(existsSync(join(dataDir, "postgres/x"))).toBe(false);
    expect(await owner.stop("SIGTERM")).toBe(0);
  });

  it("may have a path too long for a socket, which then is elsewhere", async () => {
    const dataDir = await makeCluster("x".repeat(LONG_PATH_BYTES));
    const owner = await startOwner(dataDir);
    const socketFolder = decodeURIComponent(new URL(owner.url).hostname);
    expect(socketFolder).toMatch(/^\/.*mailberth-[0-9a-f]{16}$/);
    expect(await findEmbedded(dataDir)).toBe(owner.url);
    expect(await owner.stop("SIGTERM")).toBe(0);
    await rmdir(socketFolder);
  });

  it("may leave no place for a socket at all: then the server listens on 127.0.0.1, on the same port each time", async () => {
    const dataDir = await makeCluster("x".repeat(LONG_PATH_BYTES));
    const env = { TMPDIR: join(dataDir, "tmp") };
    await mkdir(env.TMPDIR, { recursive: true });
    const first = await startOwner(dataDir, { env });
    expect(new URL(first.url).hostname).toBe("127.0.0.1");
    expect(await query(first.url, "select host(inet_server_addr()) as address")).toEqual([{ address: "127.0.0.1" }]);
    await first.stop("SIGTERM");
    const second = await startOwner(dataDir, { env });
    expect(second.url).toBe(first.url);
    await second.stop("SIGTERM");
  });
});
