// The worker: runs each job whenever its rows may be waiting, at the job's own pace, until it is stopped.
import type { Logger } from "../base/log.ts";
import type { Signals, Topic } from "../base/signals.ts";

const FAILED_WAIT_MS = 1_000;

export type Job = {
  name: string;
  /** The signal that rows of this job are waiting; without one only time makes them due. */
  topic?: Topic;
  /** The slow poll, for what no signal told: rows that fell due, another machine's, a crashed process's. */
  everyMs: number;
  /** Does one batch; how many rows it dealt with, 0 when none was due. `stopping` aborts when the process stops. */
  run(stopping: AbortSignal): Promise<number>;
};

/** Starts the jobs; `stop` lets each finish the batch it is in. */
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
      log.error({ err: error, job: job.name }, "a worker job failed; it is tried again");
      if (!stopping.aborted) await wait(FAILED_WAIT_MS);
    }
    stopping.removeEventListener("abort", wake);
  }
  unsubscribe?.();
}
