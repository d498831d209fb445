// Runs work on untrusted input in threads that can be terminated. Organizations take turns, and one organization uses
// at most half of the threads, so that its slow input delays only its own work.
// A thread that uses too much CPU time or memory is terminated.
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { createFairQueue, type FairQueue } from "../fair-queue.ts";
import { memoryLimit, memoryOf, THREAD_HEAP, watch } from "./thread-memory.ts";
import type { FromThread } from "./thread-work.ts";

const THREADS_MIN = 2;
const THREADS_MAX = 4;
/** Start-up time does not count as time of the work. */
const START_TIMEOUT_MS = 30_000;
/** A thread that gives no answer for this long without using its CPU time is stuck or gets no CPU. */
const STUCK_MS = 60_000;
const MIB = 1024 * 1024;

/**
 * Why a thread gave no answer. Caused by the input: `cpu` (used its CPU time), `memory`, `error` (threw; `reason` is
 * its message). Not caused by the input, so a retry may succeed: `lost` (the thread ended, is stuck, or could not
 * start).
 */
type Ended = { ended: "cpu" | "memory" | "error" | "lost"; reason: string };
/** `cpuMs`: CPU time that the answer took. */
type Outcome<Answer> = { answer: Answer; cpuMs: number } | Ended;

type Work<Question> = {
  organizationId: string;
  /** The limit of CPU time for this work. Wall time is no measure on a busy machine. */
  cpuMs: number;
  /** Called when a thread is free, so that waiting work holds no memory. */
  question(): Question | Promise<Question>;
  /** Buffers of the question that move to the thread instead of being copied. */
  transfer?: (question: Question) => ArrayBuffer[];
};

export type ThreadPool<Question, Answer> = {
  /** Rejects only if `question` rejects. */
  run(work: Work<Question>): Promise<Outcome<Answer>>;
  /** Ends the threads; all work, waiting or running, is `lost`. */
  close(): Promise<void>;
};

type Waiting = { organizationId: string; start(thread: Thread): Promise<void>; drop(): void };
/** `cpuMs` is the CPU time of the thread at its last answer. `settle` ends its current work. */
type Thread = {
  worker: Worker | undefined;
  cpuMs: number;
  settle: ((outcome: Outcome<unknown>) => void) | undefined;
  /** Its last worker, until that has ended: native code cannot be interrupted. */
  ending: Promise<unknown>;
};

const LOST: Ended = { ended: "lost", reason: "the thread ended" };

function faultOf(error: unknown): Ended {
  const reason = error instanceof Error ? error.message : String(error);
  const isMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return { ended: isMemory ? "memory" : "error", reason };
}

/** @throws if the thread ends or does not report in time */
async function firstWord(worker: Worker): Promise<FromThread<unknown>> {
  const ended = new AbortController();
  const onExit = () => ended.abort(new Error("the thread ended while it started"));
  worker.once("exit", onExit);
  try {
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
    const [said] = await once(worker, "message", { signal });
    return said as FromThread<unknown>;
  } finally {
    worker.off("exit", onExit);
  }
}

type Pool = {
  file: URL;
  all: Thread[];
  free: Thread[];
  turns: FairQueue<Waiting>;
  closed: boolean;
};

/**
 * A pool of 2 to 4 threads, by the number of CPU cores. A thread starts on first use, and again after it ended.
 * @param file the program of a thread: calls `answerQuestions` of thread-work.ts
 */
export function createThreadPool<Question, Answer>(file: URL): ThreadPool<Question, Answer> {
  const size = Math.min(THREADS_MAX, Math.max(THREADS_MIN, availableParallelism()));
  const all: Thread[] = Array.from({ length: size }, () => {
    return { worker: undefined, cpuMs: 0, settle: undefined, ending: Promise.resolve() };
  });
  const turns = createFairQueue<Waiting>(() => ({ group: Math.floor(size / 2) }));
  const pool: Pool = { file, all, free: [...all], turns, closed: false };
  return {
    run(work) {
      const { promise, resolve, reject } = Promise.withResolvers<Outcome<Answer>>();
      if (pool.closed) return Promise.resolve(LOST);
      const { organizationId } = work;
      const start = async (thread: Thread) => {
        await ask<Question, Answer>(pool, thread, work).then(resolve, reject);
        await thread.ending;
      };
      pool.turns.add(organizationId, { organizationId, start, drop: () => resolve(LOST) });
      pump(pool);
      return promise;
    },
    async close() {
      pool.closed = true;
      for (const task of pool.turns.drain()) task.drop();
      const workers = pool.all.flatMap(({ worker }) => worker ?? []);
      for (const thread of pool.all) if (thread.worker) end(thread, thread.worker, LOST);
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function end(thread: Thread, worker: Worker, outcome: Ended): void {
  if (thread.worker !== worker) return;
  thread.worker = undefined;
  thread.ending = worker.terminate();
  thread.settle?.(outcome);
}

/** @throws if the thread cannot start */
async function startWorker(pool: Pool, thread: Thread): Promise<Worker> {
  const worker = new Worker(pool.file, { resourceLimits: THREAD_HEAP });
  try {
    thread.cpuMs = (await firstWord(worker)).cpuMs;
    if (pool.closed) throw new Error("the pool is closed");
  } catch (error) {
    void worker.terminate();
    throw error;
  }
  worker.on("message", (said: FromThread<unknown>) => {
    const took = said.cpuMs - thread.cpuMs;
    thread.cpuMs = said.cpuMs;
    if ("answer" in said) thread.settle?.({ answer: said.answer, cpuMs: took });
    else thread.settle?.({ ended: "error", reason: said.error ?? "" });
  });
  worker.on("error", (error) => end(thread, worker, faultOf(error)));
  worker.on("exit", () => end(thread, worker, LOST));
  thread.worker = worker;
  return worker;
}

/** Terminates a thread that has used more CPU time or memory than its work may. */
async function look(thread: Thread, worker: Worker, limits: { cpuMs: number; memoryBytes: number }): Promise<void> {
  const before = thread.cpuMs;
  const { settle } = thread;
  try {
    const [{ user, system }, memoryBytes] = await Promise.all([worker.cpuUsage(), memoryOf(worker)]);
    if (thread.settle !== settle) return; // it has answered
    const { cpuMs } = limits;
    if (memoryBytes > limits.memoryBytes)
      end(thread, worker, { ended: "memory", reason: `used ${Math.round(memoryBytes / MIB)} MiB` });
    else if ((user + system) / 1000 - before > cpuMs)
      end(thread, worker, { ended: "cpu", reason: `used more than ${cpuMs} ms` });
  } catch {
    // The thread has ended; its `exit` event reports it.
  }
}

async function ask<Question, Answer>(pool: Pool, thread: Thread, work: Work<Question>): Promise<Outcome<Answer>> {
  const question = await work.question();
  let worker: Worker;
  try {
    worker = thread.worker ?? (await startWorker(pool, thread));
  } catch (error) {
    return { ended: "lost", reason: faultOf(error).reason };
  }
  if (pool.closed || thread.worker !== worker) return LOST;
  const { promise, resolve } = Promise.withResolvers<Outcome<Answer>>();
  thread.settle = resolve as Thread["settle"];
  // An idle thread does not keep the process alive.
  worker.ref();
  const moved = work.transfer?.(question) ?? [];
  const memoryBytes = memoryLimit(moved.reduce((sum, { byteLength }) => sum + byteLength, 0));
  worker.postMessage(question, moved);
  const watching = watch(() => look(thread, worker, { cpuMs: work.cpuMs, memoryBytes }));
  const stuck = setTimeout(() => end(thread, worker, { ...LOST, reason: "the thread is stuck" }), STUCK_MS);
  try {
    return await promise;
  } finally {
    clearInterval(watching);
    clearTimeout(stuck);
    thread.settle = undefined;
    worker.unref();
  }
}

function pump(pool: Pool): void {
  while (pool.free.length > 0) {
    const task = pool.turns.next();
    const thread = task && pool.free.pop();
    if (!thread) return;
    void task.start(thread).then(() => {
      pool.turns.done(task.organizationId);
      pool.free.push(thread);
      pump(pool);
    });
  }
}
