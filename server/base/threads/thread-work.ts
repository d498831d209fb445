// What a thread of the pool and the main thread say to each other, and what threads do on their side.
import { lowerPriority } from "../priority.ts";

/** Of nice(1): such a thread gets about a third of the CPU time of the main thread, where there is not enough for both. */
const NICE = 5;

/** What a module exports that does a job in a thread. */
export type Program<Question, Answer> = {
  /** If it throws, the error's message is the reason that the caller gets. */
  answer(question: Question): Answer | Promise<Answer>;
  /** Buffers of an answer that move instead of being copied. */
  transfer?(answer: Answer): ArrayBuffer[];
};

/** `program`: where the module of the job is. The next question comes after the answer. */
export type ToThread<Question> = { program: string; question: Question };
/** `loaded` comes before the first answer of each program. `cpuMs`: CPU time so far. */
export type FromThread<Answer> = { cpuMs: number } & (
  | { kind: "loaded" }
  | { kind: "answer"; answer: Answer }
  | { kind: "error"; reason: string }
);

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
  if (process.platform === "linux") lowerPriority(NICE);
}
