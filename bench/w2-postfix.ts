// Postfix as a peer that accepts only, into maildirs.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { maildirs, startPostfix as startInstance, whyNoPostfix } from "#test/support/postfix.ts";
import { freePort, owe } from "./support/children.ts";
import type { MailServer } from "./support/mail-server.ts";
import { DOMAIN, type Site } from "./support/site.ts";

const POLL_MS = 100;
const GOAL = 1.2;

/** Postfix must still deliver accepted mail to maildirs, at the expense of the next contender. */
async function untilDelivered(queue: string): Promise<void> {
  const folders = ["incoming", "active", "maildrop"].map((name) => join(queue, name));
  const counts = async () => Promise.all(folders.map(async (each) => (await readdir(each)).length));
  while ((await counts()).some((count) => count > 0)) await pause(POLL_MS);
}

/** @returns undefined, with a note, where Postfix is missing or may not be started */
export async function startPostfix(site: Site, note: (text: string) => void): Promise<MailServer | undefined> {
  const why = await whyNoPostfix();
  if (why) {
    note(`Postfix not measured: ${why}`);
    return;
  }
  const folder = join(site.folder, "postfix");
  const smtpPort = await freePort();
  const settings = { myhostname: "bench.example", ...maildirs(folder, DOMAIN, "static:all/") };
  const { master, stop: end } = await startInstance(folder, smtpPort, settings);
  const stop = owe(end);
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
