// Runs parse-worker.ts on a thread of its own and ends that thread when a mail takes it too long or too much memory.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { FromParser, ParseAnswer, ParsedBody, ParseQuestion } from "./parse-worker.ts";

/** CPU time of the thread, so that a busy machine is no fault of the mail; and in any case. */
const MAIL_CPU_MS = 2_000;
const MAIL_WALL_MS = 10_000;
const LOOK_EVERY_MS = 500;
/** Starting the thread is not the mail's fault. */
const START_TIMEOUT_MS = 10_000;
const HEAP_MIB = 512;
/** Handed over before they are asked for, so that the thread has the next mail when it has done one. */
const AHEAD_MAILS = 8;
const AHEAD_BYTES = 4 * 1024 * 1024;

type Failure = { error: string };

export type ParseThread = {
  /** In turn; `error` says why there is no body: the parser's word, or that it was ended. */
  parse(raw: Buffer): Promise<{ body: ParsedBody } | Failure>;
  /** The bytes of a mail's attachments, by their places in its list. */
  files(raw: Buffer, places: number[]): Promise<{ files: Uint8Array[] } | Failure>;
};

type Task = {
  raw: Buffer;
  places: number[] | undefined;
  resolve(answer: ParseAnswer): void;
  reject(error: unknown): void;
};
/** `cpuMs` is what the thread had taken, `at` when, the last time it said something or was idle. */
type Running = { worker: Worker; cpuMs: number; at: number };

/** Settles once the thread has loaded what it needs, which is told by its first message. */
async function startWorker(): Promise<Running> {
  const worker = new Worker(new URL("./parse-worker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  try {
    const signal = AbortSignal.timeout(START_TIMEOUT_MS);
    const [{ cpuMs }] = (await once(worker, "message", { signal })) as [FromParser];
    // An idle thread keeps no process alive.
    worker.unref();
    return { worker, cpuMs, at: performance.now() };
  } catch (error) {
    void worker.terminate();
    throw error;
  }
}

/** A thread that starts with the first mail, and again after a mail that ended it. */
export function createParseThread(): ParseThread {
  let waiting: Task[] = [];
  /** Handed over, the one that the thread is at first. */
  let posted: Task[] = [];
  let current: Running | undefined;
  let starting = false;
  let looking: NodeJS.Timeout | undefined;

  function post({ worker }: Running, task: Task): void {
    posted.push(task);
    // A small Buffer is a view of a pool of 64 KiB, and all of that would be copied.
    const raw = new Uint8Array(task.raw);
    worker.postMessage({ raw, places: task.places } satisfies ParseQuestion, [raw.buffer]);
  }

  function fits({ raw }: Task): boolean {
    const bytes = posted.reduce((sum, task) => sum + task.raw.length, raw.length);
    return posted.length === 0 || (posted.length < AHEAD_MAILS && bytes <= AHEAD_BYTES);
  }

  function pump(): void {
    if (!current) {
      if (waiting.length > 0 && !starting) void start();
      return;
    }
    if (posted.length === 0) current.at = performance.now();
    for (let next = waiting[0]; next && fits(next); next = waiting[0]) {
      waiting.shift();
      post(current, next);
    }
    if (posted.length > 0) looking ??= setInterval(look, LOOK_EVERY_MS, current);
    else stopLooking();
  }

  function stopLooking(): void {
    clearInterval(looking);
    looking = undefined;
  }

  async function start(): Promise<void> {
    starting = true;
    try {
      const running = await startWorker();
      running.worker.on("message", (said: FromParser) => hear(running, said));
      // Also when it ends between two mails.
      running.worker.on("error", (error) => end(running, error instanceof Error ? error.message : String(error)));
      running.worker.on("exit", () => end(running, "the parser ended"));
      current = running;
    } catch (error) {
      for (const task of waiting.splice(0)) task.reject(error);
    }
    starting = false;
    pump();
  }

  function hear(running: Running, { answer, cpuMs }: FromParser): void {
    if (running !== current || !answer) return;
    running.cpuMs = cpuMs;
    running.at = performance.now();
    posted.shift()?.resolve(answer);
    pump();
  }

  /** The mail that the thread was at is told why; those behind it are for the next thread. */
  function end(running: Running, why: string): void {
    if (running !== current) return;
    current = undefined;
    stopLooking();
    void running.worker.terminate();
    const [culprit, ...others] = posted;
    posted = [];
    waiting = [...others, ...waiting];
    culprit?.resolve({ error: why });
    pump();
  }

  async function look(running: Running): Promise<void> {
    const { cpuMs, at } = running;
    try {
      const { user, system } = await running.worker.cpuUsage();
      if (running.at !== at) return; // it has answered meanwhile
      const tookMs = (user + system) / 1000 - cpuMs;
      if (tookMs > MAIL_CPU_MS || performance.now() - at > MAIL_WALL_MS) end(running, `took over ${MAIL_CPU_MS} ms`);
    } catch (error) {
      end(running, error instanceof Error ? error.message : String(error));
    }
  }

  function ask(raw: Buffer, places?: number[]): Promise<ParseAnswer> {
    return new Promise((resolve, reject) => {
      waiting.push({ raw, places, resolve, reject });
      pump();
    });
  }

  return {
    parse: (raw) => ask(raw) as Promise<{ body: ParsedBody } | Failure>,
    files: (raw, places) => ask(raw, places) as Promise<{ files: Uint8Array[] } | Failure>,
  };
}
