// Worker job: makes the partitions of the log of attempts ahead of time, and drops those past RETENTION_DAYS_ATTEMPTS.
import { dropPartitions, makePartitions } from "#db/partitions.ts";
import type { Services } from "../base/context.ts";

const DAY_MS = 86_400_000;
const AHEAD_DAYS = 2;
/** A longer retention has wider partitions, because each statement that reads the log locks all of them. */
const PARTITIONS_MAX = 60;

type Needs = Pick<Services, "sql" | "now" | "settings" | "log">;

/** @returns the job: it runs once and returns 0, because a run makes and drops all that it can */
export function createAttemptPartitions({ sql, now, settings, log }: Needs): () => Promise<number> {
  const noted = new Set<string>();
  const days = settings.RETENTION_DAYS_ATTEMPTS;
  const width = Math.ceil(days / PARTITIONS_MAX);
  return async () => {
    const window = { now: now(), width, ahead: AHEAD_DAYS };
    const { made, blocked } = await makePartitions(sql, "delivery_attempts", window);
    const before = new Date(window.now.getTime() - days * DAY_MS);
    const dropped = await dropPartitions(sql, "delivery_attempts", before);
    if (made.length + dropped.length > 0) log.info({ made, dropped }, "partitions of the log of attempts were changed");
    for (const partition of blocked.filter((name) => !noted.has(name))) {
      noted.add(partition);
      log.warn(
        { partition },
        "a partition cannot be made, because its rows or its name are in use; its rows are deleted in batches",
      );
    }
    return 0;
  };
}
