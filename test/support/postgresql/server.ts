// A PostgreSQL server of a test's own on a port of this machine, with settings and rules of access that the test chooses.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { connect } from "#db/client.ts";
import { findBinaries, type ServerUser } from "#db/embedded/binaries.ts";
import { SERVER_UID } from "#db/embedded/user.ts";
import { makeCluster } from "#test/support/cluster.ts";
import { eventually } from "#test/support/events.ts";
import { freePort } from "#test/support/process.ts";

/** `url` leads to its first database by 127.0.0.1, as a superuser. */
export type OwnServer = { port: number; url: string; folder: string; child: ChildProcess; stop(): Promise<void> };
type Programs = { bin: string; user: ServerUser };
export type Options = {
  settings?: Record<string, string>;
  hba?: string;
  files?: Record<string, string>;
  port?: number;
};

const PRIVATE_FILE_MODE = 0o600;
/** Everyone needs the password, with TLS or without. */
const HBA = "host all all 127.0.0.1/32 scram-sha-256\nhost all all ::1/128 scram-sha-256\n";

/** Writes a file that the server's user can read. */
async function give(path: string, content: string, user: ServerUser): Promise<void> {
  await writeFile(path, content, { mode: PRIVATE_FILE_MODE });
  if (user) chownSync(path, user.uid, user.gid);
}

/** Starts the programs on a folder that initdb or pg_basebackup made, and waits until they take connections. */
export async function startPrograms(
  programs: Programs,
  data: string,
  login: string,
  options: Options,
): Promise<OwnServer> {
  const port = options.port ?? (await freePort());
  const { bin, user } = programs;
  for (const [name, content] of Object.entries(options.files ?? {})) await give(join(data, name), content, user);
  await give(join(data, "pg_hba.conf"), options.hba ?? HBA, user);
  const settings = {
    port: `${port}`,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "100",
    ...options.settings,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const env = { LC_ALL: "C", NODE_ENV: "test" as const };
  const child = spawn(join(bin, "postgres"), ["-D", data, ...args], { cwd: data, env, stdio: "ignore", ...user });
  const exited = once(child, "exit");
  const url = `postgres://${login}@127.0.0.1:${port}/postgres`;
  await eventually(async () => {
    const sql = connect(url, { max: 1, fetch_types: false });
    await sql`select 1`.finally(() => sql.end({ timeout: 1 }));
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGINT");
    await exited;
  };
  return { port, url, folder: data, child, stop };
}

/** The embedded PostgreSQL, which otherwise listens on a socket of the file system. */
export async function startOwnServer(options: Options = {}): Promise<OwnServer> {
  const home = join(await makeCluster(), "postgres");
  const user = process.getuid?.() === 0 ? { uid: SERVER_UID, gid: SERVER_UID } : undefined;
  const password = readFileSync(join(home, "cluster/password"), "utf8").trim();
  const bin = dirname(findBinaries(user, home)("pg_ctl"));
  return startPrograms({ bin, user }, join(home, "cluster/data"), `mailberth:${password}`, options);
}

const DEBIAN = "/usr/lib/postgresql/15/bin";
const DEBIAN_USER = "postgres";

/** Why Debian's packages cannot be used here. */
export function whyNoDebian(...programs: string[]): string | undefined {
  if (process.getuid?.() !== 0) return "only root may start PostgreSQL as another user";
  const missing = [join(DEBIAN, "postgres"), ...programs].find((file) => !existsSync(file));
  return missing && `${missing} is missing (apt-get install postgresql-15 pgbouncer)`;
}

/** Debian's PostgreSQL 15, and the user that its package made. */
export function debianPrograms(): { bin: string; user: NonNullable<ServerUser> } {
  const id = (what: string) => Number(execFileSync("id", [what, DEBIAN_USER], { encoding: "utf8" }));
  return { bin: DEBIAN, user: { uid: id("-u"), gid: id("-g") } };
}
