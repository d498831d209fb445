// A job for tests of the thread pool: it keeps large tables, as a job does that knows many words, and counts how often its threads are made
// to collect their garbage.
import { constants, PerformanceObserver } from "node:perf_hooks";

const ENTRIES = 300_000;
const tables = Array.from({ length: ENTRIES }, (_, n) => ({ word: `word ${n}` }));

type Detail = { kind: number; flags: number };
let counter: Int32Array<SharedArrayBuffer> | undefined;
new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries() as unknown as { detail: Detail }[])
    if (
      detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR &&
      detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED
    )
      if (counter) Atomics.add(counter, 0, 1);
}).observe({ entryTypes: ["gc"] });

type Question = { bytes: number; count: Int32Array<SharedArrayBuffer>; raw?: Uint8Array };

/** @param bytes so large a buffer is left as garbage @param count shared with the test: collections of all threads */
export function answer({ bytes, count, raw }: Question): number {
  counter = count;
  return tables.length + new Uint8Array(bytes).length + (raw?.length ?? 0);
}
