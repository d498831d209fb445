// Stops what a process started: the service, then its PostgreSQL, within ten seconds.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../base/log.ts";
import type { DatabaseServer } from "./database.ts";
import type { Service } from "./service.ts";

/** From the signal to the exit, even if work is still running. */
const STOP_MAX_MS = 9_500;
/** The part of it in which the service finishes its work; the rest is for PostgreSQL. */
const SERVICE_STOP_MAX_MS = 6_500;
const EXIT_MS = 200;

/** What has been started so far, so that a stop can happen at any time. */
export type Started = { database?: DatabaseServer; service?: Service };

/**
 * Stops the service, then PostgreSQL. Work that does not end in time is cut off: accepted work is in the database and
 * continues at the next start.
 * @param hurry ends the wait for the service
 * @returns the exit code; 1 if PostgreSQL may still run
 */
export async function stop(
  log: Logger,
  started: Started,
  starting: Promise<unknown>,
  hurry?: AbortSignal,
): Promise<number> {
  const deadline = performance.now() + STOP_MAX_MS;
  setTimeout(() => process.exit(1), STOP_MAX_MS).unref();
  const isFinished = await Promise.race([
    stopService(log, started, starting),
    sleep(SERVICE_STOP_MAX_MS, false, { ref: false, ...(hurry && { signal: hurry }) }).catch(() => false),
  ]);
  if (!isFinished)
    log.warn("some work did not end in time; accepted work is in the database and continues at the next start");
  await started.database?.stop(deadline - performance.now() - EXIT_MS);
  log.info("stopped");
  return 0;
}

/** Never rejects, because PostgreSQL must be stopped afterwards. */
async function stopService(log: Logger, started: Started, starting: Promise<unknown>): Promise<boolean> {
  try {
    // A start that fails now fails because of the stop, or is reported by `main`.
    await starting.catch(() => undefined);
    await started.service?.stop();
    return true;
  } catch (error) {
    log.error({ error }, "the service did not stop cleanly");
    return false;
  }
}
