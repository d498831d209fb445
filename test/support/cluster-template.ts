// One PostgreSQL cluster for a run of tests, as the first start of a service makes it, and copies of it: initdb takes seconds.
import { chmod, cp, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "#db/embedded/open.ts";
import { giveAll, SERVER_UID } from "#db/embedded/user.ts";
import { createLog } from "#server/base/log.ts";

const FOLDER_PREFIX = "mailberth-cluster-";
/** Where a data folder holds its cluster, and what of it the first start makes. */
const HOME = "postgres";
const CLUSTER = "cluster";
const PUBLIC_FOLDER_MODE = 0o755;
const PRIVATE_FOLDER_MODE = 0o700;

/** Makes a cluster in a temporary folder, without the tables of the service. @returns its folder, for `copyCluster` */
export async function makeClusterTemplate(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), FOLDER_PREFIX));
  // The server's user, which is not ours when we are root, must be able to enter.
  await chmod(dataDir, PUBLIC_FOLDER_MODE);
  const { stop } = await startEmbedded({ dataDir, log: createLog("warn", false) });
  await stop();
  return join(dataDir, HOME, CLUSTER);
}

/** Gives a data folder that has no cluster yet a copy of the template. */
export async function copyCluster(template: string, dataDir: string): Promise<void> {
  const home = join(dataDir, HOME);
  await mkdir(dataDir, { recursive: true });
  await mkdir(home, { mode: PRIVATE_FOLDER_MODE });
  await cp(template, join(home, CLUSTER), { recursive: true });
  if (process.getuid?.() === 0) giveAll(home, { uid: SERVER_UID, gid: SERVER_UID });
}
