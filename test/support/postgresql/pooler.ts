// Debian's PgBouncer with a configuration of the test's own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "#db/client.ts";
import { eventually } from "#test/support/events.ts";
import { freePort } from "#test/support/process.ts";
import { debianPrograms, type OwnServer } from "./server.ts";

export const PGBOUNCER = "/usr/sbin/pgbouncer";
const FOLDER_MODE = 0o755;

type Input = { server: OwnServer; mode: "session" | "transaction"; users: Record<string, string>; settings?: string };

/** @returns `port`, where any database of the server can be reached by the users */
export async function startPooler({ server, mode, users, settings = "" }: Input) {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-pgbouncer-"));
  await chmod(folder, FOLDER_MODE);
  const port = await freePort();
  const list = Object.entries(users).map(([name, password]) => `"${name}" "${password}"\n`);
  await writeFile(join(folder, "users.txt"), list.join(""));
  await writeFile(
    join(folder, "pgbouncer.ini"),
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${folder}/users.txt
pool_mode = ${mode}
max_client_conn = 200
default_pool_size = 40
${settings}`,
  );
  const { user } = debianPrograms();
  const child = spawn(PGBOUNCER, ["-q", join(folder, "pgbouncer.ini")], { stdio: "ignore", ...user });
  const exited = once(child, "exit");
  const [login] = Object.entries(users);
  await eventually(async () => {
    const url = `postgres://${login?.join(":")}@127.0.0.1:${port}/postgres`;
    const sql = connect(url, { max: 1, fetch_types: false, prepare: false });
    await sql`select 1`.finally(() => sql.end({ timeout: 1 }));
  });
  return {
    port,
    async stop() {
      child.kill("SIGINT");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
