// The worker's loop: a failed job is retried, a signalled job runs immediately, and a stop waits for the running batch.
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createLog } from "#server/base/log.ts";
import { inTurn, startWorker } from "#server/base/worker-loop.ts";
import { startTestService } from "#test/support/service.ts";

const NEVER_MS = 3_600_000;
const log = createLog("silent", false);
const service = await startTestService({ ROLES: "web" });
afterAll(service.stop);
const { signals } = service.system;

test("a job that throws is run again, and the others go on", async () => {
  const runs = { failing: 0, other: 0 };
  const worker = startWorker(signals, log, [
    {
      name: "failing",
      everyMs: NEVER_MS,
      async run() {
        runs.failing += 1;
        if (runs.failing < 3) throw new Error("the database is away");
        return 0;
      },
    },
    {
      name: "other",
      everyMs: NEVER_MS,
      async run() {
        runs.other += 1;
        return 0;
      },
    },
  ]);
  onTestFinished(worker.stop);
  await expect.poll(() => runs).toEqual({ failing: 3, other: 1 });
});

test("a job with rows left runs again immediately; then only its signal wakes it", async () => {
  let left = 3;
  let runs = 0;
  const run = async () => {
    runs += 1;
    left = Math.max(0, left - 1);
    return left;
  };
  const worker = startWorker(signals, log, [{ name: "rows", topic: "erasures", everyMs: NEVER_MS, run }]);
  onTestFinished(worker.stop);
  await expect.poll(() => runs).toBe(3);
  signals.raise("erasures");
  await expect.poll(() => runs).toBe(4);
});

test("a step of a job that throws stops no other step, and the job is run again", async () => {
  const runs = { failing: 0, other: 0 };
  const failing = async () => {
    runs.failing += 1;
    if (runs.failing === 1) throw new Error("the database is away");
    return 0;
  };
  const other = async () => {
    runs.other += 1;
    return 0;
  };
  const run = inTurn(service.system, [failing, other]);
  const worker = startWorker(signals, log, [{ name: "steps", everyMs: NEVER_MS, run }]);
  onTestFinished(worker.stop);
  await expect.poll(() => runs).toEqual({ failing: 2, other: 2 });
});

test("a stop waits for the batch under way, and tells it so", async () => {
  const batch = Promise.withResolvers<number>();
  let signal: AbortSignal | undefined;
  const run = (stopping: AbortSignal) => {
    signal = stopping;
    return batch.promise;
  };
  const worker = startWorker(signals, log, [{ name: "slow", everyMs: NEVER_MS, run }]);
  let stopped = false;
  const stopping = worker.stop().then(() => {
    stopped = true;
  });
  await expect.poll(() => signal?.aborted).toBe(true);
  expect(stopped).toBe(false);
  batch.resolve(0);
  await stopping;
  expect(stopped).toBe(true);
});
