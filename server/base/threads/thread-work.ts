// The part of a thread pool that runs in the thread: answers one question after the other and reports the CPU time
// used.
import { getPriority, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { createHeapShrinker } from "./shrink-heap.ts";

/** Of nice(1): such a thread gets about a third of the CPU time of the main thread, where there is not enough for both. */
const NICE = 5;

/**
 * The first message has neither field and says that the thread is ready. Each later one has `answer` or `error`.
 * `cpuMs`: CPU time so far.
 */
export type FromThread<Answer> = { cpuMs: number; answer?: Answer; error?: string };

/** CPU time of this thread so far, in ms. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Lets the main thread and the database go first, which all organizations wait for. On Linux alone: there it is the thread that is
 * meant, elsewhere the process.
 */
export function giveWay(): void {
  if (process.platform === "linux" && getPriority() < NICE) setPriority(NICE);
}

/**
 * Answers the questions of `createThreadPool`, which sends one at a time.
 * @param answer if it throws, the error's message is sent as `error`
 * @param transfer buffers of an answer that move instead of being copied
 */
export function answerQuestions<Question, Answer>(
  answer: (question: Question) => Answer | Promise<Answer>,
  transfer: (answer: Answer) => ArrayBuffer[] = () => [],
): void {
  giveWay();
  const shrinkHeap = createHeapShrinker();
  parentPort?.on("message", async (question: Question) => {
    try {
      const given = await answer(question);
      parentPort?.postMessage({ cpuMs: cpuMs(), answer: given } satisfies FromThread<Answer>, transfer(given));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      parentPort?.postMessage({ cpuMs: cpuMs(), error: message } satisfies FromThread<Answer>);
    }
    shrinkHeap();
  });
  parentPort?.postMessage({ cpuMs: cpuMs() } satisfies FromThread<Answer>);
}
