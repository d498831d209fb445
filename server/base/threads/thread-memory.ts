// How much memory a thread may use that reads untrusted input: its heap and its buffers together. V8's limits count the heap alone.
import type { Worker } from "node:worker_threads";
import { threadEnvironment } from "../env.ts";

const MIB = 1024 * 1024;

/** Mail is parsed a tenth faster with it than with V8's default, which grows to several times as much. */
const YOUNG_MIB = 8;
/** Never reached: V8 ends the whole process there when it has no room for one large array. A thread is terminated long before. */
const HEAP_MIB = 512;
/** Of all threads. V8 keeps the room for new objects that the largest input needed, in each thread. */
const HEAP = { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: YOUNG_MIB };

/** How a thread that reads untrusted input is started. */
export function threadOptions() {
  return { resourceLimits: HEAP, env: threadEnvironment() };
}

/** Between two looks at a busy thread. JavaScript fills a few MiB in this time. */
const WATCH_EVERY_MS = 20;
/** For the program of a thread and what little input becomes. */
const MEMORY_BYTES = 80 * MIB;
/** For each octet of the input: the copies and the text of a large mail. */
const MEMORY_FACTOR = 6;

/** @param inputBytes of the work */
export function memoryLimit(inputBytes: number): number {
  return MEMORY_BYTES + MEMORY_FACTOR * inputBytes;
}

/**
 * What a thread uses now, also while it computes.
 * @throws if the thread has ended
 */
export async function memoryOf(worker: Worker): Promise<number> {
  const { total_heap_size, external_memory } = await worker.getHeapStatistics();
  return total_heap_size + external_memory;
}

/** Looks at a busy thread again and again, one look at a time, until the timer is cleared. @param look never rejects */
export function watch(look: () => Promise<void>): NodeJS.Timeout {
  let looking = false;
  return setInterval(async () => {
    if (looking) return;
    looking = true;
    await look();
    looking = false;
  }, WATCH_EVERY_MS);
}
