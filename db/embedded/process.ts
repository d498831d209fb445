// Checks whether a recorded process is still the same process, and whether it is a PostgreSQL.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const STATE_FIELD = 0;
/** Field 22 of /proc/<pid>/stat (proc(5)), counted from the field after the command's closing parenthesis. */
const START_TIME_FIELD = 19;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function ask(pid: number, column: "lstart" | "comm"): string | undefined {
  try {
    return execFileSync("ps", ["-o", `${column}=`, "-p", String(pid)], { encoding: "utf8" }).trim() || undefined;
  } catch {
    // `ps` exits 1 if the process does not exist.
    return undefined;
  }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    // The process ended.
    return undefined;
  }
}

/**
 * Identifies this process among those with the same pid: its start time (on Linux with the boot id). On Windows only
 * whether it runs is known.
 * @returns undefined if the process does not run (a zombie does not)
 */
export function identifyProcess(pid: number): string | undefined {
  if (process.platform === "win32") {
    return isRunning(pid) ? "running" : undefined;
  }
  if (process.platform !== "linux") {
    return ask(pid, "lstart");
  }
  const stat = readProc(`${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (!fields || fields[STATE_FIELD] === "Z") {
    return undefined;
  }
  return `${readProc("sys/kernel/random/boot_id")?.trim()} ${fields[START_TIME_FIELD]}`;
}

/**
 * Whether `pid` is a running PostgreSQL server. On Windows always false: there `pg_ctl` itself detects a reused pid.
 */
export function isPostgres(pid: number): boolean {
  if (process.platform === "win32" || identifyProcess(pid) === undefined) {
    return false;
  }
  const command = process.platform === "linux" ? readProc(`${pid}/comm`) : ask(pid, "comm");
  return basename(command?.trim() ?? "") === "postgres";
}

/**
 * Continues a server that was stopped with SIGSTOP, and its backends (on Linux): a stopped process ignores a request to
 * end.
 * @param pid of a running PostgreSQL server
 */
export function continuePostgres(pid: number): void {
  const backends = readProc(`${pid}/task/${pid}/children`)?.trim().split(/\s+/).filter(Boolean) ?? [];
  for (const target of [...backends.map(Number), pid]) {
    try {
      process.kill(target, "SIGCONT");
    } catch (error) {
      // It has ended since.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}
