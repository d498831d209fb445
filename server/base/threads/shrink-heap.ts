// Gives memory of a thread back after large input.
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** A thread that has read ordinary mail stays below this. */
const GROWN_BYTES = 48 * 1024 * 1024;
/** Between two collections, each of which takes about 15 ms. */
const COLLECT_EVERY_MS = 1_000;
/** Mail is parsed a tenth faster with it than with V8's default, which grows to several times as much. */
const YOUNG_MIB = 8;

function collect(): void {
  setFlagsFromString("--expose-gc");
  const gc: () => void = runInNewContext("gc");
  gc();
}

/** The limits of the heap of a thread. V8 keeps the room for new objects that the largest input needed, in each thread. */
export function heapLimits(mib: number): { maxOldGenerationSizeMb: number; maxYoungGenerationSizeMb: number } {
  return { maxOldGenerationSizeMb: mib, maxYoungGenerationSizeMb: YOUNG_MIB };
}

/** Gives a function to call after each answer. V8 collects the garbage of an idle thread only when the thread allocates again. */
export function createHeapShrinker(): () => void {
  let waiting: NodeJS.Timeout | undefined;
  const work = () => {
    waiting = undefined;
    collect();
  };
  return () => {
    if (waiting || getHeapStatistics().total_heap_size <= GROWN_BYTES) return;
    waiting = setTimeout(work, COLLECT_EVERY_MS).unref();
  };
}
