// Runs each worker job when its rows may be due, at the job's own interval, until stopped.
import type { Logger } from "./log.ts";
import type { Signals, Topic } from "./signals.ts";

const FAILED_WAIT_MS = 1_000;

export type Job = {
  name: string;
  /** The signal for rows of this job. Without one, rows become due only by time. */
  topic?: Topic;
  /** The slow poll, for rows without a signal: due by time, or written by another machine or a crashed process. */
  everyMs: number;
  /**
   * Runs one batch and returns how many rows it processed; 0 if none was due. `stopping` aborts when the process stops.
   */
  run(stopping: AbortSignal): Promise<number>;
};

/** Runs one batch of each step. A step that fails stops no other; the job fails after all of them. */
export function inTurn<Context>(ctx: Context, steps: ((ctx: Context) => Promise<number>)[]): Job["run"] {
  return async (stopping) => {
    const failures: unknown[] = [];
    let rows = 0;
    for (const step of steps) {
      if (stopping.aborted) break;
      try {
        rows += await step(ctx);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${steps.length} steps failed`);
    return rows;
  };
}

/** Starts the jobs; `stop` lets each finish its current batch. */
export function startWorker(signals: Signals, log: Logger, jobs: Job[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = jobs.map((job) => keepRunning(job, signals, log, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function keepRunning(job: Job, signals: Signals, log: Logger, stopping: AbortSignal): Promise<void> {
  let woken = true;
  let wake = () => {};
  const listen = () => {
    woken = true;
    wake();
  };
  const unsubscribe = job.topic && signals.on(job.topic, listen);
  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      stopping.addEventListener("abort", wake, { once: true });
    });
  while (!stopping.aborted) {
    woken = false;
    try {
      if ((await job.run(stopping)) > 0) continue;
      if (!woken && !stopping.aborted) await wait(job.everyMs);
    } catch (error) {
      log.error({ error, job: job.name }, "a worker job failed; it will be retried");
      if (!stopping.aborted) await wait(FAILED_WAIT_MS);
    }
    stopping.removeEventListener("abort", wake);
  }
  unsubscribe?.();
}
