// What `doctor` finds out about the queues of a service, from its metrics: how long the oldest due work has waited.
import { describeProblem } from "../problem.ts";
import { type Check, failed, passed, skipped, warning } from "./checks.ts";

const CHECK_MAX_MS = 10_000;
/** Workers take due work within seconds. */
const WARNING_SECONDS = 60;
const FAILED_SECONDS = 600;
const OLDEST = /^mailberth_queue_oldest_due_seconds\{[^}]*queue="([^"]+)"[^}]*\} (\S+)$/gm;
const TOKEN_FIX = "Set MAILBERTH_METRICS_TOKEN to METRICS_TOKEN of the service.";

/** @param token METRICS_TOKEN of the service; undefined where its metrics need none */
export async function checkQueues(url: string, token: string | undefined, stop: AbortSignal): Promise<Check> {
  let metrics: string;
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(CHECK_MAX_MS)]);
    const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
    const answer = await fetch(`${url}/metrics`, { headers, signal, redirect: "error" });
    metrics = await answer.text();
    if (!answer.ok) return skipped("queues", `${url}/metrics answered ${answer.status}.`, TOKEN_FIX);
  } catch (error) {
    return skipped("queues", describeProblem(error, url).text, TOKEN_FIX);
  }
  const queues = [...metrics.matchAll(OLDEST)].map(([, queue = "", seconds]) => ({ queue, seconds: Number(seconds) }));
  const [oldest] = queues.sort((a, b) => b.seconds - a.seconds);
  if (!oldest) return skipped("queues", "This process reports no queues.", "Check a process with the role worker.");
  return judge(oldest);
}

function judge({ queue, seconds }: { queue: string; seconds: number }): Check {
  if (seconds <= WARNING_SECONDS) return passed("queues", "No work is overdue.");
  const message = `The oldest due work of the queue ${queue} has waited for ${Math.round(seconds)} s.`;
  const fix = "Check that processes with the role worker run, and read their log. Start more of them if they are busy.";
  return seconds > FAILED_SECONDS ? failed("queues", message, fix) : warning("queues", message, fix);
}
