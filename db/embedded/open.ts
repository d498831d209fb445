// Starts and stops the embedded PostgreSQL: one server in the data folder, owned by one service, adopted after a crash.
import { createHash } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import postgres, { type Sql } from "postgres";
import { connect } from "../client.ts";
import { canReach, findBinaries } from "./binaries.ts";
import type { Cluster, Postmaster } from "./cluster.ts";
import { initialize, layOut, readPostmaster, removeDrafts, startServer, stopServer } from "./cluster.ts";
import { type Placement, readPlacement, writePlacement } from "./placement.ts";
import { identifyProcess, isPostgres } from "./process.ts";
import { chooseUser, giveAll, INITDB_USER, NOBODY, SERVER_UID } from "./user.ts";

const FOLDER = "postgres";
const DATABASE = "mailberth";
const ADMIN_DATABASE = "postgres";
/** The folder for a server that runs as another user, which cannot access the data folder. */
const SHARED_HOME = "/var/lib/mailberth";
/** The advisory lock that the owner's session holds; "own" in ASCII. */
const OWNER_LOCK = 0x6f_77_6e;
const BRING_UP_TIMEOUT_MS = 60_000;
const BRING_UP_POLL_MS = 25;
/**
 * A killed server stays in the process table until its parent reads its status, and PostgreSQL treats it as running.
 */
const START_ATTEMPTS = 10;
const START_PAUSE_MS = 500;
const LOCK_TIMEOUT_MS = 3_000;
const LOCK_POLL_MS = 50;
const REGAIN_PAUSE_MS = 1_000;
/** The time for a restarting server to end when the service stops. */
const REGAIN_STOP_MS = 1_000;
const PROBE_TIMEOUT_SECONDS = 5;
const PUBLIC_FOLDER_MODE = 0o755;
const PRIVATE_FOLDER_MODE = 0o700;
const GROUP_FOLDER_MODE = 0o710;

function refuse(dataDir: string, pid: number | string): never {
  throw new Error(
    `The database in ${dataDir} is used by a running service (pid ${pid}). Stop it, or choose another DATA_DIR.`,
  );
}

/** Creates the folder of a new cluster, or checks that an existing one may be used. */
function settle(dataDir: string, placement: Placement, log: Logger): Cluster {
  let home = placement.home ?? join(dataDir, FOLDER);
  const user = chooseUser(home);
  if (!existsSync(home) && !canReach(dataDir, user)) {
    home = join(SHARED_HOME, createHash("sha256").update(dataDir).digest("hex").slice(0, 16));
    log.info(
      { folder: home },
      `uid ${user?.uid} runs PostgreSQL for root and cannot access ${dataDir}: the data is stored in another folder`,
    );
  }
  if (user && mkdirSync(SHARED_HOME, { recursive: true })) {
    chmodSync(SHARED_HOME, PUBLIC_FOLDER_MODE);
  }
  if (mkdirSync(home, { recursive: true, mode: PRIVATE_FOLDER_MODE }) && user) {
    chownSync(home, user.uid, user.gid);
  }
  if (user?.uid === SERVER_UID) {
    // Only the server has this group, initdb included: see `initialize`.
    chmodSync(home, GROUP_FOLDER_MODE);
  }
  const { uid } = statSync(home);
  if (!user && uid !== (process.getuid?.() ?? uid)) {
    throw new Error(`${home} belongs to uid ${uid}: start as that user, or choose another DATA_DIR`);
  }
  return { ...layOut(home), user, program: findBinaries(user, user ? SHARED_HOME : home) };
}

/** Changes the owner of an earlier version's cluster, which ran as uid 65534. No service uses it at this time. */
async function takeOver(cluster: Cluster, log: Logger): Promise<void> {
  const { user } = cluster;
  if (user?.uid !== SERVER_UID || !existsSync(cluster.data) || statSync(cluster.data).uid !== NOBODY) {
    return;
  }
  log.info(
    { folder: cluster.home, uid: SERVER_UID },
    "changing the owner of PostgreSQL's data from uid 65534 to a separate user",
  );
  const server = readPostmaster(cluster);
  if (server && isPostgres(server.pid)) {
    await stopServer({ ...cluster, user: { uid: NOBODY, gid: NOBODY } });
  }
  giveAll(cluster.home, user);
}

/** Queries the address: our server, our server not ready, or another server. */
async function probe(server: Postmaster, data: string, database: string): Promise<"ready" | "busy" | "absent"> {
  const sql = connect(server.url(database), { max: 1, connect_timeout: PROBE_TIMEOUT_SECONDS, fetch_types: false });
  try {
    const [row] = await sql<{ data_directory: string }[]>`show data_directory`;
    return row && realpathSync(row.data_directory) === realpathSync(data) ? "ready" : "absent";
  } catch (error) {
    // Classes 57 (starting, stopping) and 53 (too many connections) mean not ready; all others mean another server.
    return error instanceof postgres.PostgresError && /^5[37]/.test(error.code) ? "busy" : "absent";
  } finally {
    await sql.end({ timeout: 0 });
  }
}

/**
 * Finds the cluster's server, or starts it.
 * @throws Error if `stopping` aborts before the server answers
 */
async function bringUp(cluster: Cluster, log: Logger, stopping: AbortSignal): Promise<Postmaster> {
  let attempts = 0;
  for (let waited = 0; waited < BRING_UP_TIMEOUT_MS; waited += BRING_UP_POLL_MS) {
    stopping.throwIfAborted();
    const server = readPostmaster(cluster);
    const state = server ? await probe(server, cluster.data, ADMIN_DATABASE) : "absent";
    if (server && state === "ready") {
      if (attempts === 0) {
        log.info({ pid: server.pid }, "adopting the embedded PostgreSQL that runs in the data folder");
      }
      return server;
    }
    if (state === "busy" || (server && isPostgres(server.pid))) {
      await sleep(BRING_UP_POLL_MS);
      continue;
    }
    if (server && process.platform !== "win32" && identifyProcess(server.pid) !== undefined) {
      // Left by a crash of the machine. PostgreSQL would treat the program that has this pid now as a server.
      rmSync(join(cluster.data, "postmaster.pid"), { force: true });
    }
    attempts += 1;
    log.info({ folder: cluster.home }, "starting embedded PostgreSQL");
    await startServer(cluster).catch((error) => {
      // Another process may have started it first, or children of a killed one may still be ending.
      if (attempts === START_ATTEMPTS) {
        throw error;
      }
      return sleep(START_PAUSE_MS);
    });
  }
  throw new Error(`embedded PostgreSQL in ${cluster.home} does not answer; its log is postgres.log there`);
}

/**
 * Takes the lock that makes this process the owner: PostgreSQL releases it when the process ends in any way.
 * @param lost called when the lock's connection closes
 */
async function takeOwnership(server: Postmaster, dataDir: string, lost: () => void): Promise<Sql> {
  let held = false;
  const sql = connect(server.url(ADMIN_DATABASE), {
    max: 1,
    max_lifetime: null,
    connection: { application_name: `mailberth owner ${process.pid}` },
    onclose: () => held && lost(),
  });
  try {
    for (let waited = 0; waited < LOCK_TIMEOUT_MS; waited += LOCK_POLL_MS) {
      const [row] = await sql<{ held: boolean }[]>`select pg_try_advisory_lock(${OWNER_LOCK}) as held`;
      if (row?.held) {
        held = true;
        return sql;
      }
      await sleep(LOCK_POLL_MS);
    }
    const [owner] = await sql<{ name: string }[]>`
      select application_name as name from pg_stat_activity join pg_locks using (pid)
      where locktype = 'advisory' and objid = ${OWNER_LOCK} and granted`;
    return refuse(dataDir, owner?.name.split(" ").at(-1) ?? "unknown");
  } finally {
    if (!held) {
      await sql.end({ timeout: 0 });
    }
  }
}

async function createDatabase(admin: Sql): Promise<void> {
  const found = await admin`select from pg_database where datname = ${DATABASE}`;
  if (found.length === 0) {
    await admin`create database ${admin(DATABASE)}`;
  }
}

/** Keeps the server running and owned until `release`. A killed server is started again. */
async function keep(cluster: Cluster, dataDir: string, log: Logger) {
  const stopping = new AbortController();
  let regaining: Promise<void> | undefined;
  const acquire = async () => {
    const server = await bringUp(cluster, log, stopping.signal);
    const lock = await takeOwnership(server, dataDir, () => {
      regaining ??= regain();
    });
    return { server, lock };
  };
  const regain = async () => {
    while (!stopping.signal.aborted) {
      try {
        await held.lock.end({ timeout: 0 });
        held = await acquire();
        break;
      } catch (error) {
        if (stopping.signal.aborted) break;
        log.error({ err: error }, "embedded PostgreSQL does not answer");
        await sleep(REGAIN_PAUSE_MS);
      }
    }
    regaining = undefined;
  };
  let held = await acquire();
  return {
    held,
    async release(withinMs?: number) {
      stopping.abort(new Error("the service stops"));
      await Promise.race([regaining, sleep(REGAIN_STOP_MS, undefined, { ref: false })]);
      await stopServer(cluster, withinMs);
      await held.lock.end({ timeout: 0 });
    },
  };
}

/**
 * Starts the embedded PostgreSQL of a data folder, or adopts one that a killed service left running.
 * @param input.dataDir created if it does not exist
 * @returns `url` of an empty or existing database, and `stop`, which ends all connections and returns when the server
 * has ended; `withinMs` limits the time for it
 * @throws Error if another running service owns the folder (with its pid), or if this machine cannot run the server
 */
export async function startEmbedded(input: {
  dataDir: string;
  log: Logger;
}): Promise<{ url: string; stop: (withinMs?: number) => Promise<void> }> {
  mkdirSync(input.dataDir, { recursive: true });
  const dataDir = realpathSync(input.dataDir);
  const placement = readPlacement(dataDir);
  if (placement.owner && identifyProcess(placement.owner.pid) === placement.owner.identity) {
    refuse(dataDir, placement.owner.pid);
  }
  const cluster = settle(dataDir, placement, input.log);
  const home = cluster.home === join(dataDir, FOLDER) ? undefined : cluster.home;
  // Before initdb, so that an interrupted start finds the same folder again.
  writePlacement(dataDir, { home, owner: placement.owner });
  await takeOver(cluster, input.log);
  await initialize(cluster, INITDB_USER);
  const { held, release } = await keep(cluster, dataDir, input.log);
  removeDrafts(cluster);
  try {
    await createDatabase(held.lock);
  } catch (error) {
    await release();
    throw error;
  }
  writePlacement(dataDir, { home, owner: { pid: process.pid, identity: identifyProcess(process.pid) ?? "" } });
  let stopped: Promise<void> | undefined;
  return {
    url: held.server.url(DATABASE),
    stop: (withinMs) => {
      stopped ??= release(withinMs).then(() => writePlacement(dataDir, { home }));
      return stopped;
    },
  };
}

/**
 * Finds the embedded PostgreSQL of a service's data folder, for another process.
 * @returns its url, or undefined if none runs
 */
export async function findEmbedded(dataDir: string): Promise<string | undefined> {
  if (!existsSync(dataDir)) {
    return undefined;
  }
  const folder = realpathSync(dataDir);
  const place = layOut(readPlacement(folder).home ?? join(folder, FOLDER));
  const server = readPostmaster(place);
  return server && (await probe(server, place.data, DATABASE)) === "ready" ? server.url(DATABASE) : undefined;
}
