// One folder for everything that a run of tests puts on disk, and the end of what runs that were killed left behind.
import { existsSync, globSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readPlacement } from "#db/embedded/placement.ts";
import { identifyProcess, isPostgres } from "#db/embedded/process.ts";

const FOLDER_PREFIX = "mailberth-run-";
const OWNER_FILE = "owner.json";
/** The user of the embedded PostgreSQL, which is not ours when we are root, must be able to enter. */
const FOLDER_MODE = 0o755;
const END_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 20;
/** Linux keeps the files of this folder in memory, where a database is made and dropped in a tenth of the CPU of a disk. */
const MEMORY_FOLDER = "/dev/shm";
/** What a run writes at most, with as much again for its processes. */
const RUN_BYTES = 4 * 2 ** 30;
const PROCESSES_BYTES = 4 * 2 ** 30;

type Owner = { pid: number; identity: string };

/** Whether the run that made the folder has ended. A folder without an owner yet belongs to a run that begins. */
function isLeft(folder: string): boolean {
  const file = join(folder, OWNER_FILE);
  if (!existsSync(file)) return false;
  const { pid, identity }: Owner = JSON.parse(readFileSync(file, "utf8"));
  return identifyProcess(pid) !== identity;
}

/** The processes that were started with this folder as their TMPDIR: services, workers, browsers (Linux). */
function processesOf(folder: string): number[] {
  if (process.platform !== "linux") return [];
  return globSync("/proc/[0-9]*/environ").flatMap((file) => {
    try {
      const isOurs = readFileSync(file, "utf8").split("\0").includes(`TMPDIR=${folder}`);
      return isOurs ? [Number(file.split("/")[2])] : [];
    } catch {
      return []; // It ended, or belongs to another user.
    }
  });
}

/** The PostgreSQL servers whose data folders are in this folder, or are named there. They do not have its TMPDIR. */
function serversOf(folder: string): number[] {
  const homes = globSync(join(folder, "**/postgres.json")).map((record) => {
    const dataDir = join(record, "..");
    return readPlacement(dataDir).home ?? join(dataDir, "postgres");
  });
  return homes.flatMap((home) => {
    const file = join(home, "cluster/data/postmaster.pid");
    const pid = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : 0;
    return pid > 0 && isPostgres(pid) ? [pid] : [];
  });
}

async function end(pids: number[], signal: NodeJS.Signals): Promise<void> {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGCONT");
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
  const deadline = performance.now() + END_WITHIN_MS;
  while (pids.some((pid) => identifyProcess(pid) !== undefined) && performance.now() < deadline) {
    await sleep(LOOK_EVERY_MS);
  }
}

/** Ends the processes of a run that was killed, first those that would start a server again, and removes its folder. */
async function clear(folder: string): Promise<void> {
  await end(processesOf(folder), "SIGKILL");
  // SIGQUIT is PostgreSQL's immediate shutdown, which ends its backends too.
  await end(serversOf(folder), "SIGQUIT");
  rmSync(folder, { recursive: true, force: true });
}

/** Where runs put their folders: in memory where it has room for one, which a container's often has not, otherwise on the disk. */
function placeOfRuns(): string {
  if (process.platform !== "linux" || !existsSync(MEMORY_FOLDER)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize >= RUN_BYTES && freemem() >= RUN_BYTES + PROCESSES_BYTES ? MEMORY_FOLDER : tmpdir();
}

/** Ends what runs that were killed left behind: their processes, and their folders. */
export async function clearKilledRuns(): Promise<void> {
  for (const place of new Set([MEMORY_FOLDER, tmpdir()])) {
    if (!existsSync(place)) continue;
    const names = (await readdir(place)).filter((name) => name.startsWith(FOLDER_PREFIX));
    for (const folder of names.map((name) => join(place, name))) if (isLeft(folder)) await clear(folder);
  }
}

/**
 * Ends what runs that were killed left behind, makes a folder for this run, and makes it the TMPDIR of this process and its children.
 * @returns `close`, which removes the folder
 */
export async function openRunFolder(): Promise<{ folder: string; close: () => Promise<void> }> {
  const outside = tmpdir();
  await clearKilledRuns();
  const folder = await mkdtemp(join(placeOfRuns(), FOLDER_PREFIX));
  await chmod(folder, FOLDER_MODE);
  const owner: Owner = { pid: process.pid, identity: identifyProcess(process.pid) ?? "" };
  await writeFile(join(folder, OWNER_FILE), JSON.stringify(owner));
  process.env.TMPDIR = folder;
  return {
    folder,
    close: async () => {
      process.env.TMPDIR = outside;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
