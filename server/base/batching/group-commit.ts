// Batches calls into shared transactions or queries. No batching delay: the first caller flushes immediately; calls that arrive
// during a flush form the next batch.
import { queryDeadlineMs } from "#db/client.ts";
import type { Services } from "../context.ts";
import { DatabaseLate, isDatabaseAway, isDatabaseLate } from "../errors.ts";

export type GroupCommit<Item, Result> = {
  /**
   * Adds an item to the next batch; settles when its transaction has committed or failed, at the latest after the
   * deadline of one query.
   * @throws DatabaseLate at the deadline: an item of a running batch may still be committed, a waiting one is not
   */
  add(item: Item): Promise<Result>;
  /** Items waiting, and items in running batches. */
  readonly size: number;
};

type Waiting<Item, Result> = PromiseWithResolvers<Result> & { item: Item; isGivenUp: boolean };

type Limits<Item> = {
  items: number;
  weight: number;
  inFlight: number;
  weigh: (item: Item) => number;
  owners?: ((item: Item) => string)[];
};

type State<Item, Result> = {
  run: (items: Item[]) => Promise<Result[]>;
  limits: Limits<Item>;
  deadlineMs: number;
  queue: Waiting<Item, Result>[];
  inFlight: number;
  running: number;
};

/**
 * @param run runs one batch in one transaction and returns a result per item, in order. If a batch of several items
 * throws, each item is retried alone, so that one bad item does not fail the others; an expected refusal must be a
 * result, not a throw. If the connection ends, the batch fails instead: it may be committed, and a retry would do it twice. If the
 * database times out, the batch and all waiting items fail.
 * @param limits the most `items` and `weight` (in the unit of `weigh`, e.g. bytes) of a batch, and the most `inFlight`
 * batches at the same time. Without `owners`, items are taken in order of arrival. With them, the items of each owner take
 * turns with those of the others: first by the last of `owners`, then among those of one owner by the one before it
 */
export function groupCommit<Item, Result>(
  { settings }: Pick<Services, "settings">,
  run: (items: Item[]) => Promise<Result[]>,
  limits: Limits<Item>,
): GroupCommit<Item, Result> {
  const state: State<Item, Result> = {
    run,
    limits,
    deadlineMs: queryDeadlineMs(settings.DATABASE_TIMEOUT_SECONDS * 1000),
    queue: [],
    inFlight: 0,
    running: 0,
  };
  return {
    add(item) {
      const waiting = { ...Promise.withResolvers<Result>(), item, isGivenUp: false };
      const timer = setTimeout(() => giveUp(state, waiting), state.deadlineMs);
      state.queue.push(waiting);
      // Starts in a microtask, so that callers of the same tick share a batch.
      if (state.inFlight < state.limits.inFlight) queueMicrotask(() => flush(state));
      return waiting.promise.finally(() => clearTimeout(timer));
    },
    get size() {
      return state.queue.length + state.running;
    },
  };
}

/** The items in another order: the first of each owner, then the second of each, and so on. */
function inTurns<Item, Result>(queue: Waiting<Item, Result>[], ownerOf: (item: Item) => string) {
  const counts = new Map<string, number>();
  const placed = queue.map((waiting) => {
    const owner = ownerOf(waiting.item);
    const turn = counts.get(owner) ?? 0;
    counts.set(owner, turn + 1);
    return { waiting, turn };
  });
  return placed.sort((a, b) => a.turn - b.turn).map(({ waiting }) => waiting);
}

function nextBatch<Item, Result>(state: State<Item, Result>): Waiting<Item, Result>[] {
  const { items, owners = [] } = state.limits;
  if (state.queue.length > items) for (const ownerOf of owners) state.queue = inTurns(state.queue, ownerOf);
  let weight = 0;
  let count = 0;
  for (const waiting of state.queue) {
    weight += state.limits.weigh(waiting.item);
    if (count > 0 && (weight > state.limits.weight || count >= items)) break;
    count += 1;
  }
  return state.queue.splice(0, count);
}

/** A retry would start a new deadline, but the caller's deadline started when it called. */
function giveUp<Item, Result>(state: State<Item, Result>, waiting: Waiting<Item, Result>): void {
  const place = state.queue.indexOf(waiting);
  if (place >= 0) state.queue.splice(place, 1);
  waiting.isGivenUp = true;
  waiting.reject(new DatabaseLate(`the database did not answer within ${state.deadlineMs} ms`));
}

async function commit<Item, Result>(state: State<Item, Result>, batch: Waiting<Item, Result>[]): Promise<void> {
  try {
    const results = await state.run(batch.map((waiting) => waiting.item));
    batch.forEach((waiting, i) => {
      waiting.resolve(results[i] as Result);
    });
  } catch (error) {
    // The waiting items would time out one after the other.
    if (isDatabaseLate(error)) for (const waiting of [...batch, ...state.queue.splice(0)]) waiting.reject(error);
    else if (batch.length === 1 || isDatabaseAway(error)) for (const waiting of batch) waiting.reject(error);
    else for (const waiting of batch) if (!waiting.isGivenUp) await commit(state, [waiting]);
  }
}

async function flush<Item, Result>(state: State<Item, Result>): Promise<void> {
  if (state.inFlight >= state.limits.inFlight || state.queue.length === 0) return;
  const batch = nextBatch(state);
  state.inFlight += 1;
  state.running += batch.length;
  await commit(state, batch);
  state.inFlight -= 1;
  state.running -= batch.length;
  void flush(state);
}
