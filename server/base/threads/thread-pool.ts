// Runs jobs on untrusted input in threads that can be terminated: one pool for the whole process. Organizations take turns, and none of
// them uses all threads, so that its slow input delays only its own work.
// A thread that uses too much CPU time or memory is terminated. Decision 090 says why there are these numbers of threads.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { createFairQueue, type FairQueue } from "../fair-queue.ts";
import { type Counts, createCounts } from "../limiter.ts";
import { memoryLimit, memoryOf, threadOptions, watch } from "./thread-memory.ts";
import type { FromThread, Program, ToThread } from "./thread-work.ts";

declare module "../context.ts" {
  interface Services {
    threadPool: ThreadPool;
  }
}

/** With fewer, an organization that uses one for its mail and one for a file would leave none. */
const THREADS_MIN = 3;
const THREADS_MAX = 4;
/** Of these, threads that read files at the same time. */
const FILE_THREADS = 2;
/** A thread that gives no answer for this long without using its CPU time is stuck, does not start, or gets no CPU. */
const STUCK_MS = 60_000;
const MIB = 1024 * 1024;
const PROGRAM = new URL("./thread-worker.ts", import.meta.url);

/**
 * Why a thread gave no answer. Caused by the input: `cpu` (used its CPU time), `memory`, `error` (threw; `reason` is
 * its message). Not caused by the input, so a retry may succeed: `lost` (the thread ended, is stuck, or could not
 * start).
 */
type Ended = { ended: "cpu" | "memory" | "error" | "lost"; reason: string };
/** `cpuMs`: CPU time that the answer took. */
type Outcome<Answer> = { answer: Answer; cpuMs: number } | Ended;

type Description = {
  name: string;
  /** A module that exports a `Program` of thread-work.ts. Threads load it on first use. */
  program: URL;
  /**
   * `mail`: new mail, and short work that a caller waits for; one organization uses at most half of the threads for it.
   * `file`: files that a caller asks for, in at most two threads, one for each organization.
   * `slow_file`: such files that take seconds, and at most one thread of the two.
   */
  kind: "mail" | "file" | "slow_file";
};

type Work<Question> = {
  organizationId: string;
  /** The limit of CPU time for this work. Wall time is no measure on a busy machine. Loading a program does not count. */
  cpuMs: number;
  /** Called when a thread is free, so that waiting work holds no memory. */
  question(): Question | Promise<Question>;
  /** Buffers of the question that move to the thread instead of being copied. */
  transfer?: (question: Question) => ArrayBuffer[];
};

export type ThreadPool = {
  run<Question>(job: Description, work: Work<Question>): Promise<Outcome<unknown>>;
  /** Ends the threads; all work, waiting or running, is `lost`. */
  close(): Promise<void>;
};

/** Rejects only if `question` rejects, or gives what cannot be sent to a thread. */
export type Job<Question, Answer> = (pool: ThreadPool, work: Work<Question>) => Promise<Outcome<Answer>>;

/** @param description whose program is the module `Module` */
export function createJob<Module extends Program<never, unknown>>(
  description: Description,
): Job<Parameters<Module["answer"]>[0], Awaited<ReturnType<Module["answer"]>>> {
  type Answer = Awaited<ReturnType<Module["answer"]>>;
  return (pool, work) => pool.run(description, work) as Promise<Outcome<Answer>>;
}

/** `limits`: what the work counts as while it runs, and how much of each may run at the same time. */
type Waiting = {
  limits: [counted: string, max: number][];
  program: string;
  start(thread: Thread): Promise<void>;
  drop(): void;
};
type Thread = {
  worker: Worker | undefined;
  /** What its worker has loaded. */
  programs: Set<string>;
  /** The program that its worker loads now. */
  loading: string | undefined;
  /** CPU time of its worker at the last message. */
  cpuMs: number;
  /** Ends its current work. */
  resolveWork: ((outcome: Outcome<unknown>) => void) | undefined;
  /** Its last worker, until that has ended: native code cannot be interrupted. */
  terminated: Promise<unknown>;
};
type Pool = {
  all: Thread[];
  /** The last one was used last. */
  free: Thread[];
  turns: FairQueue<Waiting>;
  running: Counts;
  closed: boolean;
};

const LOST: Ended = { ended: "lost", reason: "the thread ended" };

function faultOf(error: unknown): Ended {
  const reason = error instanceof Error ? error.message : String(error);
  const isMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return { ended: isMemory ? "memory" : "error", reason };
}

function limitsOf({ kind }: Description, organizationId: string, threads: number): Waiting["limits"] {
  if (kind === "mail") return [[`mail of ${organizationId}`, Math.floor(threads / 2)]];
  const ofFiles: Waiting["limits"] = [
    ["files", FILE_THREADS],
    [`file of ${organizationId}`, 1],
  ];
  return kind === "file" ? ofFiles : [...ofFiles, ["slow files", 1]];
}

/** A pool of 3 or 4 threads, by the number of CPU cores. A thread starts when no other is free, and again after it ended. */
export function createThreadPool(): ThreadPool {
  const size = Math.min(THREADS_MAX, Math.max(THREADS_MIN, availableParallelism()));
  const all = Array.from({ length: size }, (): Thread => {
    const programs = new Set<string>();
    const terminated = Promise.resolve();
    return { worker: undefined, programs, loading: undefined, cpuMs: 0, resolveWork: undefined, terminated };
  });
  const turns = createFairQueue<Waiting>();
  const pool: Pool = { all, free: [...all], turns, running: createCounts(), closed: false };
  return {
    run(job, work) {
      const { promise, resolve, reject } = Promise.withResolvers<Outcome<unknown>>();
      if (pool.closed) return Promise.resolve(LOST);
      const { organizationId } = work;
      const program = job.program.href;
      const start = async (thread: Thread) => {
        await ask(pool, thread, program, work).then(resolve, reject);
        await thread.terminated;
      };
      // The jobs of one organization also take turns: its patterns do not wait for all of its mail.
      const turn = `${job.name} of ${organizationId}`;
      const limits = limitsOf(job, organizationId, size);
      pool.turns.add(turn, { limits, program, start, drop: () => resolve(LOST) });
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

function pump(pool: Pool): void {
  const { running, turns } = pool;
  const fits = ({ limits }: Waiting) => limits.every(([counted, max]) => running.of(counted) < max);
  while (pool.free.length > 0) {
    const task = turns.next(fits);
    const thread = task && takeFree(pool, task.program);
    if (!thread) return;
    for (const [counted] of task.limits) running.add(counted, 1);
    void task.start(thread).then(() => {
      for (const [counted] of task.limits) running.add(counted, -1);
      pool.free.push(thread);
      pump(pool);
    });
  }
}

/** The thread that needs the least to begin: it has loaded the program, or at least runs. */
function takeFree({ free }: Pool, program: string): Thread | undefined {
  const best =
    free.findLast(({ worker, programs }) => worker && programs.has(program)) ??
    free.findLast(({ worker }) => worker) ??
    free.at(-1);
  return best && free.splice(free.indexOf(best), 1)[0];
}

async function ask<Question>(
  pool: Pool,
  thread: Thread,
  program: string,
  work: Work<Question>,
): Promise<Outcome<unknown>> {
  const question = await work.question();
  if (pool.closed) return LOST;
  const worker = thread.worker ?? startWorker(thread);
  if (!(worker instanceof Worker)) return worker;
  const { promise, resolve } = Promise.withResolvers<Outcome<unknown>>();
  let watching: ReturnType<typeof watch> | undefined;
  let stuck: NodeJS.Timeout | undefined;
  try {
    const moved = work.transfer?.(question) ?? [];
    const memoryBytes = memoryLimit(moved.reduce((sum, { byteLength }) => sum + byteLength, 0));
    worker.postMessage({ program, question } satisfies ToThread<Question>, moved);
    thread.loading = thread.programs.has(program) ? undefined : program;
    thread.resolveWork = resolve;
    // An idle thread does not keep the process alive.
    worker.ref();
    watching = watch(() => checkLimits(thread, worker, { cpuMs: work.cpuMs, memoryBytes }));
    stuck = setTimeout(() => end(thread, worker, { ...LOST, reason: "the thread is stuck" }), STUCK_MS);
    return await promise;
  } finally {
    clearInterval(watching);
    clearTimeout(stuck);
    thread.resolveWork = undefined;
    worker.unref();
  }
}

/** `lost` if the machine has no room for another thread. */
function startWorker(thread: Thread): Worker | Ended {
  let worker: Worker;
  try {
    worker = new Worker(PROGRAM, threadOptions());
  } catch (error) {
    return { ...faultOf(error), ended: "lost" };
  }
  thread.worker = worker;
  thread.programs.clear();
  worker.on("message", (message: FromThread<unknown>) => {
    if (thread.worker !== worker) return;
    const took = message.cpuMs - thread.cpuMs;
    thread.cpuMs = message.cpuMs;
    if (message.kind === "loaded") {
      if (thread.loading !== undefined) thread.programs.add(thread.loading);
      thread.loading = undefined;
    } else if (message.kind === "answer") thread.resolveWork?.({ answer: message.answer, cpuMs: took });
    else thread.resolveWork?.({ ended: "error", reason: message.reason });
  });
  worker.on("error", (error) => {
    const fault = faultOf(error);
    end(thread, worker, thread.loading === undefined ? fault : { ...fault, ended: "lost" });
  });
  worker.on("exit", () => end(thread, worker, LOST));
  return worker;
}

/** Terminates a thread that has used more CPU time or memory than its work may. */
async function checkLimits(
  thread: Thread,
  worker: Worker,
  limits: { cpuMs: number; memoryBytes: number },
): Promise<void> {
  const { resolveWork, loading, cpuMs: before } = thread;
  try {
    const [{ user, system }, memoryBytes] = await Promise.all([worker.cpuUsage(), memoryOf(worker)]);
    if (thread.resolveWork !== resolveWork) return; // it has answered
    const { cpuMs } = limits;
    if (memoryBytes > limits.memoryBytes)
      end(thread, worker, { ended: "memory", reason: `used ${Math.round(memoryBytes / MIB)} MiB` });
    else if (loading === undefined && (user + system) / 1000 - before > cpuMs)
      end(thread, worker, { ended: "cpu", reason: `used more than ${cpuMs} ms` });
  } catch {
    // The thread has ended; its `exit` event reports it.
  }
}

function end(thread: Thread, worker: Worker, outcome: Ended): void {
  if (thread.worker !== worker) return;
  thread.worker = undefined;
  thread.terminated = worker.terminate();
  thread.resolveWork?.(outcome);
}
