// Creates, starts, finds and stops one PostgreSQL cluster with PostgreSQL's own programs.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  lchownSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ServerUser, USE_A_SERVER } from "./binaries.ts";
import { continuePostgres, isPostgres } from "./process.ts";
import { listenSettings } from "./socket.ts";
import { giveAll, requireAccount } from "./user.ts";

const START_TIMEOUT_SECONDS = 60;
const STOP_TIMEOUT_MS = 10_000;
/** The share of that time for an immediate shutdown. */
const IMMEDIATE_STOP_SHARE = 1 / 3;
const EXIT_TIMEOUT_MS = 1_000;
const EXIT_POLL_MS = 5;
const PASSWORD_BYTES = 24;
const PRIVATE_FILE_MODE = 0o600;
const LOG_MAX_BYTES = 10_485_760;
const LOG_TAIL_LINES = 12;
const USER_NAME = "mailberth";
const DRAFT_PREFIX = "draft-";

/** Lines of postmaster.pid (PostgreSQL, src/include/utils/pidfile.h), counted from 0. */
const PID_LINE = 0;
const PORT_LINE = 3;
const SOCKET_FOLDER_LINE = 4;

const SETTINGS = `# Written anew at each start. ALTER SYSTEM SET ... changes a setting for good: it is read after this file.
max_connections = 100
shared_buffers = 128MB
wal_level = replica
max_wal_size = 1GB
fsync = on
synchronous_commit = on
full_page_writes = on
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
# The service logs the errors of its statements; in this log they would carry the data of customers.
log_min_messages = log
log_min_error_statement = panic
log_checkpoints = off
`;

/** PostgreSQL reads LC_ALL; NODE_ENV is here for the type, which Next extends. */
const PROGRAM_ENVIRONMENT = { LC_ALL: "C", NODE_ENV: "production" } as const;

type Program = "initdb" | "pg_ctl";

/** Data and password move into place together, by one rename. */
export type Place = {
  /** Contains the rest, the logs, and the socket if its path is short enough. */
  home: string;
  data: string;
  passwordFile: string;
};

export type Cluster = Place & { user: ServerUser; program: (name: Program) => string };

/** A server in `postmaster.pid`, running or not. */
export type Postmaster = { pid: number; url: (database: string) => string };

export function layOut(home: string): Place {
  return { home, data: join(home, "cluster", "data"), passwordFile: join(home, "cluster", "password") };
}

function give(cluster: Cluster, path: string): void {
  if (cluster.user) {
    lchownSync(path, cluster.user.uid, cluster.user.gid);
  }
}

/** The server's user can write in `home`: root must not follow a symbolic link there. */
function openForReplacing(cluster: Cluster, path: string): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
  const file = openSync(path, flags, PRIVATE_FILE_MODE);
  if (cluster.user) {
    fchownSync(file, cluster.user.uid, cluster.user.gid);
  }
  return file;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return "";
    }
    throw error;
  }
}

function logTail(file: string): string {
  return readIfThere(file).trimEnd().split("\n").slice(-LOG_TAIL_LINES).join("\n");
}

/**
 * Runs one of PostgreSQL's programs as the server's user, in a separate session, so that Ctrl-C on our terminal does
 * not reach it. It gets paths relative to `home`, because pg_ctl passes them to a shell, and no PG* variables. Its
 * output goes to a file, because a server that it starts would hold a pipe open (on Windows).
 */
async function execute(cluster: Cluster, name: Program, args: string[]): Promise<void> {
  const program = cluster.program(name);
  const outputFile = join(cluster.home, `${name}.log`);
  const output = openForReplacing(cluster, outputFile);
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  const child = spawn(program, args, {
    cwd: cluster.home,
    env: PROGRAM_ENVIRONMENT,
    stdio: ["ignore", output, output],
    detached: true,
    windowsHide: true,
    ...cluster.user,
  });
  child.once("error", reject).once("exit", resolve);
  try {
    const exitCode = await promise;
    if (exitCode !== 0) {
      throw new Error(`embedded PostgreSQL: ${name} failed (${exitCode}): ${logTail(outputFile)}\n${USE_A_SERVER}`);
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") {
      throw new Error(`${program} does not run on this machine (is its libc musl?). ${USE_A_SERVER}`, { cause });
    }
    if (code === "EPERM" || code === "EINVAL") {
      const uid = cluster.user?.uid;
      throw new Error(`PostgreSQL refuses to run as root, and it cannot run as uid ${uid} here. ${USE_A_SERVER}`, {
        cause,
      });
    }
    throw cause;
  } finally {
    closeSync(output);
  }
}

/**
 * Creates the cluster if there is none. Several processes may try concurrently: the first to finish wins.
 * @param account runs initdb if the server's user has no account, which initdb needs. It has the group of the server's
 * user, and only that group can enter the folder, so that other processes of the account reach neither the draft nor
 * the program.
 */
export async function initialize(cluster: Cluster, account: NonNullable<ServerUser>): Promise<void> {
  if (existsSync(cluster.data)) {
    return;
  }
  if (!cluster.user) requireAccount();
  const user = cluster.user?.uid === account.gid ? account : cluster.user;
  const maker: Cluster = { ...cluster, user };
  const draft = mkdtempSync(join(cluster.home, DRAFT_PREFIX));
  try {
    give(maker, draft);
    const passwordFile = join(draft, "password");
    writeFileSync(passwordFile, `${randomBytes(PASSWORD_BYTES).toString("hex")}\n`, { mode: PRIVATE_FILE_MODE });
    give(maker, passwordFile);
    const access = ["--username", USER_NAME, "--auth=scram-sha-256", "--pwfile", passwordFile];
    const layout = ["--encoding=UTF8", "--locale=C", "--no-instructions"];
    await execute(maker, "initdb", ["--pgdata", join(draft, "data"), ...access, ...layout]);
    if (cluster.user) {
      giveAll(draft, cluster.user);
    }
    renameSync(draft, join(cluster.home, "cluster"));
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(cluster.data)) {
      throw error;
    }
  }
}

/** Removes the files of a killed initdb. Only for the owner of the cluster. */
export function removeDrafts(cluster: Cluster): void {
  for (const name of readdirSync(cluster.home).filter((entry) => entry.startsWith(DRAFT_PREFIX))) {
    rmSync(join(cluster.home, name), { recursive: true, force: true });
  }
}

/**
 * Starts the server and waits until it answers.
 * @throws Error with the end of the server's log
 */
export async function startServer(cluster: Cluster): Promise<void> {
  const logFile = join(cluster.home, "postgres.log");
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_MAX_BYTES) {
    renameSync(logFile, `${logFile}.1`);
  }
  const settingsFile = join(cluster.data, "postgresql.conf");
  const settings = SETTINGS + (await listenSettings(cluster, readIfThere(settingsFile)));
  const file = openForReplacing(cluster, settingsFile);
  writeFileSync(file, settings);
  closeSync(file);
  const paths = ["-D", "cluster/data", "-l", "postgres.log"];
  try {
    await execute(cluster, "pg_ctl", ["start", "-s", "-w", "-t", String(START_TIMEOUT_SECONDS), ...paths]);
  } catch (cause) {
    throw new Error(`${(cause as Error).message}\n${logFile} ends with:\n${logTail(logFile)}`, { cause });
  }
}

/**
 * Stops the server and returns when its process has ended. Open transactions are rolled back; a server that does not
 * end in time is stopped without a checkpoint, and recovers at its next start.
 * @param withinMs for both attempts together; each gets at least a second
 */
export async function stopServer(cluster: Cluster, withinMs = STOP_TIMEOUT_MS): Promise<void> {
  const server = readPostmaster(cluster);
  if (server && isPostgres(server.pid)) {
    continuePostgres(server.pid);
  }
  const stop = (mode: string, timeoutMs: number) => {
    const seconds = String(Math.max(1, Math.floor(timeoutMs / 1000)));
    return execute(cluster, "pg_ctl", ["stop", "-s", "-w", "-m", mode, "-t", seconds, "-D", "cluster/data"]);
  };
  try {
    await stop("fast", withinMs * (1 - IMMEDIATE_STOP_SHARE));
  } catch (error) {
    if (readPostmaster(cluster)) {
      await stop("immediate", withinMs * IMMEDIATE_STOP_SHARE).catch((cause) => {
        throw new AggregateError([error, cause], "embedded PostgreSQL does not stop");
      });
    }
  }
  // pg_ctl waits for postmaster.pid to disappear, which happens just before the process ends.
  for (let waited = 0; server && isPostgres(server.pid) && waited < EXIT_TIMEOUT_MS; waited += EXIT_POLL_MS) {
    await sleep(EXIT_POLL_MS);
  }
}

/** The server in the data folder's `postmaster.pid`; undefined if the file does not exist or is incomplete. */
export function readPostmaster(place: Place): Postmaster | undefined {
  const lines = readIfThere(join(place.data, "postmaster.pid")).split("\n");
  const [pid, port, folder] = [Number(lines[PID_LINE]), Number(lines[PORT_LINE]), lines[SOCKET_FOLDER_LINE]];
  if (!pid || !port) {
    return undefined;
  }
  const password = readFileSync(place.passwordFile, "utf8").trim();
  const host = folder ? encodeURIComponent(folder) : "127.0.0.1";
  return { pid, url: (database) => `postgres://${USER_NAME}:${password}@${host}:${port}/${database}` };
}
