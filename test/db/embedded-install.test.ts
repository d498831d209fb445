// Where the embedded PostgreSQL runs from and keeps its data: unusual installs, and root with folders that are root's alone.
import { readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { findEmbedded } from "#db/embedded/open.ts";
import { cleanUp, installCopy, makeFolder, query, startOwner } from "#test/support/embedded-fixture.ts";

const ROOT_ONLY = 0o700;
const SERVER_UID = 65_529;
const isRoot = process.getuid?.() === 0;

afterEach(cleanUp);

describe("an install without install scripts", () => {
  it("runs although the links between PostgreSQL's libraries are missing", async () => {
    const folder = dirname(await makeFolder());
    const program = await installCopy(folder, true);
    const owner = await startOwner(join(folder, "data"), { program });
    expect(await query(owner.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

describe("an install without PostgreSQL for the platform", () => {
  it("says to set DATABASE_URL", async () => {
    const folder = dirname(await makeFolder());
    const program = await installCopy(folder, false);
    await expect(startOwner(join(folder, "data"), { program })).rejects.toThrow(/not installed.*Set DATABASE_URL/);
  });
});

// PostgreSQL refuses to run as root, so only root has another user run it.
describe.runIf(isRoot)("as root (skipped when the tests do not run as root)", () => {
  it("the server runs as uid 65529 inside a data folder that this uid can reach", async () => {
    const dataDir = await makeFolder();
    await startOwner(dataDir);
    expect((await stat(join(dataDir, "postgres/cluster/data/base"))).uid).toBe(SERVER_UID);
    expect((await stat(join(dataDir, "postgres.json"))).uid).toBe(0);
  });

  it("a project and its data that only root can reach work: both go where uid 65529 can reach them, and are found again", async () => {
    const folder = dirname(await makeFolder("data", ROOT_ONLY));
    const dataDir = join(folder, "data");
    const program = await installCopy(folder, true);
    const first = await startOwner(dataDir, { program });
    await query(first.url, "create table kept as select 7 as n");
    const { home } = JSON.parse(await readFile(join(dataDir, "postgres.json"), "utf8"));
    try {
      expect((await stat(join(home, "cluster/data"))).uid).toBe(SERVER_UID);
      expect(await findEmbedded(dataDir)).toBe(first.url);
      await expect(startOwner(dataDir)).rejects.toThrow(`(pid ${first.pid})`);
      await first.stop("SIGKILL");
      const second = await startOwner(dataDir, { program });
      expect(await query(second.url, "select n from kept")).toEqual([{ n: 7 }]);
      expect(await second.stop("SIGTERM")).toBe(0);
      const third = await startOwner(dataDir);
      expect(await query(third.url, "select n from kept")).toEqual([{ n: 7 }]);
      await third.stop("SIGTERM");
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});
