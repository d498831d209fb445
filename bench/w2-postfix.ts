// Postfix as a peer that accepts only, into maildirs: the system's programs with a configuration, queue and port of the bench's own.
import { chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort, listens, owe } from "./support/children.ts";
import type { MailServer } from "./support/mail-server.ts";
import { findProgram, runOnce } from "./support/peers.ts";
import { DOMAIN, type Site } from "./support/site.ts";

const NOBODY = 65534;
const UP_WITHIN_MS = 10_000;
const POLL_MS = 100;
const GOAL = 1.2;
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

function settingsIn(folder: string): string {
  return Object.entries({
    compatibility_level: "3.6",
    queue_directory: join(folder, "queue"),
    data_directory: join(folder, "data"),
    myhostname: "bench.example",
    mydestination: "",
    inet_interfaces: "127.0.0.1",
    inet_protocols: "ipv4",
    alias_maps: "",
    virtual_mailbox_domains: DOMAIN,
    virtual_mailbox_base: join(folder, "mail"),
    virtual_mailbox_maps: "static:all/",
    virtual_uid_maps: `static:${NOBODY}`,
    virtual_gid_maps: `static:${NOBODY}`,
    virtual_minimum_uid: "1",
  })
    .map(([name, value]) => `${name} = ${value}\n`)
    .join("");
}

async function uidOf(user: string): Promise<number> {
  return Number((await runOnce(["id", "-u", user])).trim());
}

/** Postfix must still deliver accepted mail to maildirs, at the expense of the next contender. */
async function untilDelivered(queue: string): Promise<void> {
  const folders = ["incoming", "active", "maildrop"].map((name) => join(queue, name));
  const counts = async () => Promise.all(folders.map(async (each) => (await readdir(each)).length));
  while ((await counts()).some((count) => count > 0)) await pause(POLL_MS);
}

/** @returns undefined, with a note, where Postfix is missing or may not be started */
export async function startPostfix(site: Site, note: (text: string) => void): Promise<MailServer | undefined> {
  const postfix = findProgram("postfix");
  if (!postfix || process.getuid?.() !== 0) {
    note(`Postfix not measured: ${postfix ? "only root may start it" : "not installed (apt-get install postfix)"}`);
    return;
  }
  const folder = join(site.folder, "postfix");
  for (const each of ["", "queue", "data", "mail"]) await mkdir(join(folder, each), { recursive: true });
  await chown(join(folder, "data"), await uidOf("postfix"), 0);
  await chown(join(folder, "mail"), NOBODY, NOBODY);
  const smtpPort = await freePort();
  await writeFile(join(folder, "main.cf"), settingsIn(folder));
  await writeFile(join(folder, "master.cf"), `127.0.0.1:${smtpPort} inet n - n - - smtpd${SERVICES}`);
  await runOnce([postfix, "-c", folder, "start"]);
  const stop = owe(async () => {
    await runOnce([postfix, "-c", folder, "stop"]);
  });
  const deadline = Date.now() + UP_WITHIN_MS;
  while (!(await listens(smtpPort))) {
    if (Date.now() > deadline) throw new Error("Postfix did not start");
    await pause(POLL_MS);
  }
  const master = Number(await readFile(join(folder, "queue/pid/master.pid"), "utf8"));
  return {
    name: "Postfix accepting only, to maildir",
    smtpPort,
    processes: () => [master],
    memoryOf: () => [master],
    strays: () => [master],
    goals: { kept: GOAL, new: GOAL },
    settle: () => untilDelivered(join(folder, "queue")),
    stop,
  };
}
