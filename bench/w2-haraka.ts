// Haraka as a peer: one process, no plugins but ours (bench/peers/haraka-queue.js), which takes every recipient.
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort, listens, startServer } from "./support/children.ts";
import type { MailServer } from "./support/mail-server.ts";
import { PEERS } from "./support/peers.ts";
import type { Site } from "./support/site.ts";

const NAMES = {
  webhook: "Haraka, file + fsync + webhook",
  null: "Haraka accepting only, null queue",
  file: "Haraka accepting only, file + fsync",
};
const GOALS: Record<keyof typeof NAMES, MailServer["goals"]> = {
  webhook: { kept: 5, new: 5, pipelined: 10 },
  null: { new: 1 },
  file: {},
};

export async function startHaraka(
  site: Site,
  mode: keyof typeof NAMES,
  hook: { url: string; secret: string },
): Promise<MailServer> {
  const folder = join(site.folder, `haraka-${mode}`);
  const spool = join(folder, "spool");
  for (const each of ["config", "plugins", "spool"]) await mkdir(join(folder, each), { recursive: true });
  const smtpPort = await freePort();
  await copyFile(join(PEERS, "haraka-queue.js"), join(folder, "plugins/bench-queue.js"));
  // Without it Haraka ends at the first connection.
  const harakaFolder = join(PEERS, "node_modules/Haraka");
  await copyFile(join(harakaFolder, "config/connection.ini"), join(folder, "config/connection.ini"));
  const files = {
    "smtp.ini": `listen=127.0.0.1:${smtpPort}\nnodes=0\n`,
    plugins: "bench-queue\n",
    "log.ini": "[main]\nlevel=ERROR\n",
    me: "bench.example\n",
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, "config", name), text);
  const command: [string, ...string[]] = [process.execPath, join(harakaFolder, "bin/haraka"), "-c", folder];
  const env = { QUEUE_MODE: mode, SPOOL_DIR: spool, WEBHOOK_URL: hook.url, WEBHOOK_SECRET: hook.secret };
  const child = await startServer(command, { env }, () => listens(smtpPort));
  return {
    name: NAMES[mode],
    smtpPort,
    processes: () => [child.pid],
    memoryOf: () => [child.pid],
    ...(mode === "webhook" && { webhookSecret: hook.secret }),
    ...(mode === "file" && { only: { sessionsMax: 16, modes: ["kept" as const] } }),
    goals: GOALS[mode],
    stop: child.stop,
  };
}
