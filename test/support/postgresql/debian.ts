// Debian's PostgreSQL 15 in a new folder, and standbys of it.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chownSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { debianPrograms, type Options, type OwnServer, startPrograms } from "./server.ts";

const LOGIN = "mailberth:of-tests";
const HBA = `host all all 127.0.0.1/32 scram-sha-256
host replication all 127.0.0.1/32 scram-sha-256
`;

const folders: string[] = [];

/** The folders to remove when the servers have stopped. */
export const debianFolders = (): string[] => folders.splice(0);

async function run(program: string, args: string[], environment: Record<string, string> = {}): Promise<void> {
  const { bin, user } = debianPrograms();
  const env = { LC_ALL: "C", NODE_ENV: "test" as const, ...environment };
  await promisify(execFile)(join(bin, program), args, { cwd: "/", env, ...user });
}

async function newFolder(): Promise<string> {
  const { user } = debianPrograms();
  const folder = await mkdtemp(join(tmpdir(), "mailberth-debian-"));
  chownSync(folder, user.uid, user.gid);
  folders.push(folder);
  return folder;
}

export async function startDebian(options: Options = {}): Promise<OwnServer> {
  const folder = await newFolder();
  const [name, password = ""] = LOGIN.split(":");
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password);
  const data = join(folder, "data");
  await run("initdb", [
    "-D",
    data,
    "-U",
    `${name}`,
    "--auth=scram-sha-256",
    "--pwfile",
    passwordFile,
    "--locale=C",
    "-E",
    "UTF8",
  ]);
  return startPrograms(debianPrograms(), data, LOGIN, { hba: HBA, ...options });
}

/** A standby that streams from the primary. @param settings at least the `max_connections` of the primary */
export async function startStandby(primary: OwnServer, settings: Record<string, string> = {}): Promise<OwnServer> {
  const data = join(await newFolder(), "data");
  const { username, password } = new URL(primary.url);
  const source = `host=127.0.0.1 port=${primary.port} user=${username}`;
  await run("pg_basebackup", ["-D", data, "-R", "-X", "stream", "-c", "fast", "-d", source], { PGPASSWORD: password });
  return startPrograms(debianPrograms(), data, LOGIN, { hba: HBA, settings });
}

/** Ends all processes of the server in the same moment, as a loss of power does. */
export async function cutPower({ child }: OwnServer): Promise<void> {
  const pid = child.pid as number;
  const backends = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).split(" ").filter(Boolean);
  const exited = once(child, "exit");
  for (const each of [pid, ...backends.map(Number)]) endNow(each);
  await exited;
}

function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // The backend has ended already.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
