// A rolling upgrade: processes of this version and of an earlier commit, side by side on one database and under load.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEmptyDatabase } from "#test/support/database.ts";
import { type ServiceProcess, startProcess } from "#test/support/process.ts";
import { type Acknowledged, call, newAgent, startLoad } from "./machines.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The last one with the 47 migrations that are one since. Its packages are those of today. */
const EARLIER = "139d2da";
const TIMEOUT_MS = 300_000;
const PATIENCE = { timeout: 120_000, interval: 100 };
const EACH = 10;
const USERNAME = "busy";
const UNLIMITED = "1000000";

function whyNoHistory(): string | undefined {
  try {
    execFileSync("git", ["cat-file", "-e", EARLIER], { cwd: ROOT, stdio: "ignore" });
    return undefined;
  } catch {
    return `the clone has no commit ${EARLIER}`;
  }
}

const why = whyNoHistory();
if (why) console.log(`skipped: ${why}`);

/** The files of the earlier commit, with the installed packages. */
async function checkOut(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const archive = execFileSync(
    "git",
    ["archive", EARLIER, "server", "db", "client", "app", "package.json", "next.config.ts"],
    {
      cwd: ROOT,
      maxBuffer: 256 * 1024 * 1024,
    },
  );
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
}

const idsOf = (lists: Acknowledged[]) => lists.flat().map(({ id }) => id);

describe.skipIf(why)("two versions", () => {
  let folder: string;
  let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
  const started: ServiceProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mailberth-rolling-"));
    await checkOut(join(folder, "earlier"));
    database = await createEmptyDatabase();
  }, TIMEOUT_MS);
  afterAll(async () => {
    const running = started.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    await Promise.all(running.map((each) => each.end("SIGTERM")));
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  }, TIMEOUT_MS);

  async function start(name: string, root?: string): Promise<ServiceProcess> {
    const environment = {
      DATABASE_URL: database.url,
      DATA_DIR: join(folder, name),
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
      LOG_LEVEL: "warn",
      SEND_CAP_RAMP: UNLIMITED,
      RATE_LIMIT_PER_SECOND: UNLIMITED,
      RATE_LIMIT_BURST: UNLIMITED,
    };
    const process = await startProcess(environment, root);
    started.push(process);
    return process;
  }
  const machinesOf = (process: ServiceProcess) => ({ processes: { web: [process], smtp: [process], worker: [] } });

  it("serve side by side, and the older one cannot start again", { timeout: TIMEOUT_MS }, async () => {
    const root = join(folder, "earlier");
    const old = await start("old", root);
    const token = /mb_enroll_\w+/.exec(old.output())?.[0];
    const key = await newAgent({ ...machinesOf(old), token }, USERNAME);
    const before = startLoad(machinesOf(old), key, USERNAME);
    const next = await start("next");
    const after = startLoad(machinesOf(next), key, USERNAME);
    const lists = [before, after].flatMap(({ mails, creates, sends }) => [...mails, ...creates, ...sends]);
    const since = performance.now();
    const fewest = () => Math.min(...lists.map((list) => list.filter(({ at }) => at > since).length));
    await expect.poll(fewest, PATIENCE).toBeGreaterThanOrEqual(EACH);
    await Promise.all([before.end(), after.end()]);
    console.log(
      `rolling upgrade: ${idsOf(lists).length} acknowledged by both versions, ${before.refused.length} refused`,
    );
    expect([...before.refused, ...after.refused]).toEqual([]);
    expect(await old.end("SIGTERM")).toBe(0);
    const statuses = async (path: string, ids: string[]) => {
      const found = new Set<number>();
      for (const id of ids) found.add((await call(next, key, `${path}/${id}`)).status);
      return [...found];
    };
    const messages = [before, after].flatMap(({ mails, sends }) => idsOf([...mails, ...sends]));
    expect(await statuses("/v1/messages", messages)).toEqual([200]);
    expect(
      await statuses(
        "/v1/inboxes",
        [before, after].flatMap(({ creates }) => idsOf(creates)),
      ),
    ).toEqual([200]);
    await expect(start("again", root)).rejects.toThrow("The database has the schema of Mailberth");
  });
});
