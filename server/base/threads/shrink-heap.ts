// Gives memory back that V8 keeps although it holds nothing: of threads after large input, of the main thread when it is idle.
// docs/decisions/074-collections-of-an-idle-service.md has the measurements.
import { performance } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Ordinary mail leaves less between two collections that V8 makes, beside the tables that are built on first use. */
const GROWN_BYTES = 20 * 1024 * 1024;

/** Between two looks at what the main thread does. */
const LOOK_EVERY_MS = 2_000;
/** A thread that works for a smaller share of the time is idle. */
const IDLE_SHARE = 0.05;
/** Room for new objects. An idle thread needs less; a start or a burst of mail leaves 60 MiB. */
const NEW_SPACE_BYTES = 16 * 1024 * 1024;

type Collection = { type: "minor" } | { type: "major"; execution: "sync"; flavor: "last-resort" };
/** Pauses for about 200 ms and shrinks all rooms at once. V8 also discards the compiled code of functions that are not running. */
const THOROUGH: Collection = { type: "major", execution: "sync", flavor: "last-resort" };
/** Pauses for a few ms. V8 shrinks the room for new objects when little was allocated since the collection before. */
const OF_NEW_OBJECTS: Collection = { type: "minor" };

/** @returns a function that collects garbage; without `how`, V8 keeps the room for new objects */
function collector(): (how?: Collection) => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}

function heapBytes(): number {
  const { total_heap_size, external_memory } = getHeapStatistics();
  return total_heap_size + external_memory;
}

/**
 * Gives `loading`, which runs what loads a program of the thread, and `answered`, to call after each answer, which then takes about 15 ms if
 * the input was large. What such input leaves must not count as the memory of the next one, and V8 collects the garbage of an idle
 * thread only when the thread allocates again. It is growth that counts: a limit of the whole heap was reached by the programs alone when
 * their tables grew, and each answer took 15 ms (decision 027).
 */
export function createHeapShrinker(): { loading<T>(load: () => Promise<T>): Promise<T>; answered(): void } {
  const collect = collector();
  const collectedBytes = () => {
    collect();
    return heapBytes();
  };
  let own = collectedBytes();
  const work = () => {
    if (heapBytes() - own > GROWN_BYTES) collect();
  };
  return {
    // The question that asked for the program is in memory before and after, and does not count.
    async loading(load) {
      const before = collectedBytes();
      const loaded = await load();
      own += collectedBytes() - before;
      return loaded;
    },
    // Not at once: the input is still in use.
    answered: () => void setImmediate(work),
  };
}

/**
 * Shrinks the room for new objects of the main thread while it is idle. The first collection is thorough: what a start leaves is
 * not needed again, and no request has made code fast yet. Never keeps the process alive.
 */
export function shrinkHeapWhenIdle(): void {
  const collect = collector();
  let earlier = performance.eventLoopUtilization();
  let how = THOROUGH;
  const look = () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, earlier);
    earlier = now;
    const newSpace = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if (utilization < IDLE_SHARE && newSpace && newSpace.space_size > NEW_SPACE_BYTES) {
      collect(how);
      how = OF_NEW_OBJECTS;
    }
  };
  setInterval(look, LOOK_EVERY_MS).unref();
}
