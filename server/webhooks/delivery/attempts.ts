// An attempt as the log of deliveries keeps it, and the outcome that it leaves.
import { dropPartitions, makePartitions } from "#db/partitions.ts";
import type { Services } from "../../base/context.ts";
import { newId } from "../../base/ids.ts";
import type { Answer } from "./post.ts";

export type LoggedAttempt = {
  attempt_id: string;
  started_at: Date;
  duration_ms: number;
  /**
   * `[name, value]`, including the signature, without the headers that HTTP adds (Host, Content-Length, Connection).
   */
  request_headers: [string, string][];
  /** The first KiB; null: no answer. */
  response_body: string | null;
};

/** `well`, `failing`: to be noted when it is news. `gone`: the endpoint wants no more (410). */
export type Health = "well" | "failing" | "gone" | null;

export type Outcome = {
  id: string;
  organization_id: string;
  webhook_id: string;
  /** Where the attempt went; by now the webhook may have another URL. */
  url: string;
  status: "succeeded" | "failed" | "pending";
  attempts: number;
  /** Null once finished, and after an extra attempt, which leaves the schedule alone. */
  next_attempt_at: Date | null;
  /** The end of the lease of an extra attempt; null: an attempt of the schedule. */
  resend_at: Date | null;
  last_status: number | null;
  last_error: string | null;
  at: Date;
  health: Health;
  attempt: LoggedAttempt;
};

/** @param headers a flat list of names and values; empty if nothing could be sent */
export function logged(startedAt: Date, headers: string[], answer: Answer): LoggedAttempt {
  const request_headers: [string, string][] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) request_headers.push([headers[i] ?? "", headers[i + 1] ?? ""]);
  return {
    attempt_id: newId(),
    started_at: startedAt,
    duration_ms: answer.durationMs,
    request_headers,
    response_body: answer.body,
  };
}

// Worker job: makes the partitions of the log of attempts ahead of time, and drops those past RETENTION_DAYS_ATTEMPTS.
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
