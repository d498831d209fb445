// Group commit: callers that arrive while a transaction is under way share the next one.
// A lone caller waits for no other: its batch starts immediately, and callers that arrive during it form the batch after it.
import { queryDeadlineMs } from "#db/client.ts";
import type { Services } from "./context.ts";
import { DatabaseLate, isDatabaseLate } from "./errors.ts";

export type GroupCommit<Item, Result> = {
  /**
   * Joins the next batch; settles when its transaction has committed or failed, and no later than one query would.
   * @throws DatabaseLate then: an item of a batch under way may still be committed, one that waits for a batch is not
   */
  add(item: Item): Promise<Result>;
  /** Waiting items, and the items of batches under way. */
  readonly size: number;
};

/**
 * @param run does one batch in one transaction and gives a result per item, in order. A batch of several that throws is
 *   repeated one by one, so that one bad item does not fail its neighbours; a refusal is a result, not a throw. When the database
 *   did not answer in time, the batch and all that wait for the next one fail instead.
 * @param limits `items` and `weight` (in the unit of `weigh`, e.g. bytes) a batch may hold, `inFlight` batches at once
 */
export function groupCommit<Item, Result>(
  { settings }: Pick<Services, "settings">,
  run: (items: Item[]) => Promise<Result[]>,
  limits: { items: number; weight: number; inFlight: number; weigh: (item: Item) => number },
): GroupCommit<Item, Result> {
  type Waiting = PromiseWithResolvers<Result> & { item: Item; isGivenUp: boolean };
  const deadlineMs = queryDeadlineMs(settings.DATABASE_TIMEOUT_SECONDS * 1000);
  const queue: Waiting[] = [];
  let inFlight = 0;
  let running = 0;

  function nextBatch(): Waiting[] {
    let weight = 0;
    let count = 0;
    for (const waiting of queue) {
      weight += limits.weigh(waiting.item);
      if (count > 0 && (weight > limits.weight || count >= limits.items)) break;
      count += 1;
    }
    return queue.splice(0, count);
  }

  /** A second try would begin a second deadline: the time of a caller runs from when it came. */
  function giveUp(waiting: Waiting): void {
    const place = queue.indexOf(waiting);
    if (place >= 0) queue.splice(place, 1);
    waiting.isGivenUp = true;
    waiting.reject(new DatabaseLate(`the database did not answer within ${deadlineMs} ms`));
  }

  async function commit(batch: Waiting[]): Promise<void> {
    try {
      const results = await run(batch.map((waiting) => waiting.item));
      batch.forEach((waiting, i) => {
        waiting.resolve(results[i] as Result);
      });
    } catch (error) {
      // The rest would wait as long again, one after the other.
      if (isDatabaseLate(error)) for (const waiting of [...batch, ...queue.splice(0)]) waiting.reject(error);
      else if (batch.length === 1) batch[0]?.reject(error);
      else for (const waiting of batch) if (!waiting.isGivenUp) await commit([waiting]);
    }
  }

  async function flush(): Promise<void> {
    if (inFlight >= limits.inFlight || queue.length === 0) return;
    const batch = nextBatch();
    inFlight += 1;
    running += batch.length;
    await commit(batch);
    inFlight -= 1;
    running -= batch.length;
    void flush();
  }

  return {
    add(item) {
      const waiting = { ...Promise.withResolvers<Result>(), item, isGivenUp: false };
      const timer = setTimeout(giveUp, deadlineMs, waiting);
      queue.push(waiting);
      // A microtask later, so that callers of one tick share a batch from the start.
      if (inFlight < limits.inFlight) queueMicrotask(flush);
      return waiting.promise.finally(() => clearTimeout(timer));
    },
    get size() {
      return queue.length + running;
    },
  };
}

/** Makes `make(services)` once for each assembled service (there is one connection pool in each) and finds it again. */
export function oncePerService<T>(make: (services: Services) => T): (services: Services) => T {
  const made = new WeakMap<Services["sql"], T>();
  return (services) => {
    const known = made.get(services.sql) ?? make(services);
    made.set(services.sql, known);
    return known;
  };
}
