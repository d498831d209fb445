// Debian's PostgreSQL 15 in a folder of the test's own.
import { execFile } from "node:child_process";
import { chownSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { debianPrograms, type Options, type OwnServer, startPrograms } from "./server.ts";

const LOGIN = "mailberth:of-tests";
const HBA = `host all all 127.0.0.1/32 scram-sha-256
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
