// A Postfix of its own: the system's programs with a configuration, queue and port in one folder.
import { execFile } from "node:child_process";
import { chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const UP_WITHIN_MS = 10_000;
const POLL_MS = 100;
const NOBODY = 65534;
const SERVICES = `
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
`;

/** Delivers mail of `domain` to maildirs in `mail/`. */
export const maildirs = (folder: string, domain: string, users: string) => ({
  virtual_mailbox_domains: domain,
  virtual_mailbox_base: join(folder, "mail"),
  virtual_mailbox_maps: users,
  virtual_uid_maps: `static:${NOBODY}`,
  virtual_gid_maps: `static:${NOBODY}`,
  virtual_minimum_uid: "1",
});

export async function whyNoPostfix(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return "only root may start Postfix";
  const found = await run("postfix", ["-c", "/nonexistent", "status"]).catch((error: { code?: unknown }) => error);
  return "code" in found && found.code === "ENOENT" ? "Postfix is not installed (apt-get install postfix)" : undefined;
}

async function uidOf(user: string): Promise<number> {
  return Number((await run("id", ["-u", user])).stdout);
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/**
 * @param folder made if it is missing; `queue/`, `data/` and `mail/` in it belong to Postfix
 * @param settings main.cf, beside what every instance needs
 * @throws Error if it does not listen on the port within 10 s
 */
export async function startPostfix(folder: string, port: number, settings: Record<string, string>) {
  for (const each of ["", "queue", "data", "mail"]) await mkdir(join(folder, each), { recursive: true });
  await chown(join(folder, "data"), await uidOf("postfix"), 0);
  await chown(join(folder, "mail"), NOBODY, NOBODY);
  const all = {
    compatibility_level: "3.6",
    queue_directory: join(folder, "queue"),
    data_directory: join(folder, "data"),
    mydestination: "",
    inet_interfaces: "127.0.0.1",
    inet_protocols: "ipv4",
    alias_maps: "",
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`);
  await writeFile(join(folder, "main.cf"), lines.join(""));
  await writeFile(join(folder, "master.cf"), `127.0.0.1:${port} inet n - n - - smtpd${SERVICES}`);
  await run("postfix", ["-c", folder, "start"]);
  const stop = async () => {
    await run("postfix", ["-c", folder, "stop"]);
  };
  const deadline = Date.now() + UP_WITHIN_MS;
  while (!(await listens(port))) {
    if (Date.now() > deadline) {
      await stop();
      throw new Error("Postfix did not start");
    }
    await pause(POLL_MS);
  }
  const master = Number(await readFile(join(folder, "queue/pid/master.pid"), "utf8"));
  return { master, stop };
}
