// Asks the database two questions, for readiness and for metrics: does it answer, and does it accept writes.
import type { Logger } from "pino";
import type { Sql } from "postgres";

/** What a write came to; the label values of `mailberth_database_writes`. */
export const WRITES = ["ok", "disk_full", "read_only", "failed", "timed_out"] as const;
export type Writes = (typeof WRITES)[number];

type Needs = { probes: Sql; log: Logger };

/** SQLSTATE → the message for the caller. */
const WRITE_PROBLEMS: Record<string, Writes> = { "53100": "disk_full", "25006": "read_only" };
/** An answer that takes longer counts as none. */
const ANSWER_MS = 2_000;

/** Whether the database answers within 2 s. */
export function databaseAnswers({ probes, log }: Needs): Promise<boolean> {
  const answer = probes`select 1`.then(
    () => true,
    (error) => {
      log.warn({ error }, "the database does not answer");
      return false;
    },
  );
  return within(false, answer);
}

/**
 * Commits a write that needs a new page on the disk. An update would fit into an existing page and succeed on a full
 * disk. A temporary table leaves nothing behind, and no other session can lock it.
 */
export async function tryWrite({ probes, log }: Needs): Promise<Writes> {
  try {
    await probes`create temporary table write_check on commit drop as select 1 as written`;
    return "ok";
  } catch (error) {
    log.warn({ error }, "the database does not accept writes");
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return WRITE_PROBLEMS[code] ?? "failed";
  }
}

/** The result of `work`, or `otherwise` after 2 s. */
export function within<T>(otherwise: T, work: Promise<T>): Promise<T> {
  const timeout = new Promise<T>((resolve) => setTimeout(resolve, ANSWER_MS, otherwise).unref());
  return Promise.race([work, timeout]);
}
