// Runs parse-worker.ts on a thread of its own and ends that thread when a mail takes it too long or too much memory.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { ParseAnswer } from "./parse-worker.ts";

const MAIL_TIMEOUT_MS = 2_000;
/** Starting the thread is not the mail's fault. */
const START_TIMEOUT_MS = 10_000;
const HEAP_MIB = 512;

export type ParseThread = {
  /** One mail after the other; `error` says why there is no body: the parser's word, or that it was ended. */
  parse(raw: Buffer): Promise<ParseAnswer>;
};

/** Settles once the thread runs. */
async function startWorker(): Promise<Worker> {
  const worker = new Worker(new URL("./parse-worker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  try {
    await once(worker, "online", { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
  } catch (error) {
    void worker.terminate();
    throw error;
  }
  // An idle thread keeps no process alive.
  worker.unref();
  return worker;
}

/** One mail, one answer: the thread's, or why it can give none; `gone` says that the thread is no more. */
function ask(worker: Worker, raw: Buffer): Promise<{ answer: ParseAnswer; gone: boolean }> {
  return new Promise((resolve) => {
    const settle = (answer: ParseAnswer, gone: boolean) => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      if (gone) void worker.terminate();
      resolve({ answer, gone });
    };
    const onMessage = (answer: ParseAnswer) => settle(answer, false);
    const onError = (error: unknown) => settle({ error: error instanceof Error ? error.message : String(error) }, true);
    const onExit = () => settle({ error: "the parser ended" }, true);
    const timer = setTimeout(() => settle({ error: `took over ${MAIL_TIMEOUT_MS} ms` }, true), MAIL_TIMEOUT_MS);
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    // A small Buffer is a view of a pool of 64 KiB, and all of that would be copied.
    const own = new Uint8Array(raw);
    worker.postMessage(own, [own.buffer]);
  });
}

/** A thread that starts with the first mail, and again after a mail that ended it. */
export function createParseThread(): ParseThread {
  let current: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function start(): Promise<Worker> {
    const worker = await startWorker();
    const forget = () => {
      if (current === worker) current = undefined;
    };
    // Also when it ends between two mails, where nobody else listens for its errors.
    worker.on("error", forget).on("exit", forget);
    return worker;
  }

  async function parseNext(raw: Buffer): Promise<ParseAnswer> {
    current ??= await start();
    const { answer, gone } = await ask(current, raw);
    if (gone) current = undefined;
    return answer;
  }

  return {
    parse(raw) {
      const next = last.then(() => parseNext(raw));
      // The next mail waits for this one, whatever becomes of it; who asked for this one hears of a failure.
      last = next.catch(() => undefined);
      return next;
    },
  };
}
