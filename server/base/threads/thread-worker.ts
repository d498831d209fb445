// A thread of the pool: loads the program of a job on first use, answers one question after the other, and reports the CPU time used.
import { parentPort } from "node:worker_threads";
import { createHeapShrinker } from "./shrink-heap.ts";
import { cpuMs, type FromThread, giveWay, type Program, type ToThread } from "./thread-work.ts";

const loaded = new Map<string, Program<unknown, unknown>>();
const heap = createHeapShrinker();

function say(message: FromThread<unknown>, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

/** A program that cannot be loaded ends the thread. */
async function load(program: string): Promise<Program<unknown, unknown>> {
  const known = loaded.get(program);
  if (known) return known;
  const made: Program<unknown, unknown> = await heap.loading(() => import(program));
  loaded.set(program, made);
  say({ kind: "loaded", cpuMs: cpuMs() });
  return made;
}

giveWay();
parentPort?.on("message", async ({ program, question }: ToThread<unknown>) => {
  const { answer, transfer } = await load(program);
  try {
    const given = await answer(question);
    say({ kind: "answer", cpuMs: cpuMs(), answer: given }, transfer?.(given));
  } catch (error) {
    say({ kind: "error", cpuMs: cpuMs(), reason: error instanceof Error ? error.message : String(error) });
  }
  heap.answered();
});
