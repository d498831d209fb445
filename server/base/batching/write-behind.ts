// Writes items in the background, in batches of a few milliseconds, and retries until it succeeds.
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "../log.ts";

const GATHER_MS = 5;
const BATCH_MAX_ITEMS = 500;
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 5_000;

export type WriteBehind<Item> = {
  add(item: Item): void;
  /** Settles when all items added so far are written, or after `withinMs`; returns the number of items not written. */
  flush(withinMs: number): Promise<number>;
  /** Whether the last write failed, so that items wait for a retry. */
  isLate(): boolean;
};

type State<Item> = {
  write: (items: Item[]) => Promise<void>;
  log: Logger;
  items: Item[];
  timer: NodeJS.Timeout | undefined;
  writing: Promise<void> | undefined;
  retryMs: number;
};

/** @param write must be idempotent, because it is retried after an unknown result */
export function writeBehind<Item>(write: (items: Item[]) => Promise<void>, log: Logger): WriteBehind<Item> {
  const state: State<Item> = {
    write,
    log,
    items: [],
    timer: undefined,
    writing: undefined,
    retryMs: 0,
  };
  return {
    add(item) {
      state.items.push(item);
      schedule(state);
    },
    isLate: () => state.retryMs > 0,
    async flush(withinMs) {
      const giveUpAt = performance.now() + withinMs;
      const expired = pause(withinMs, undefined, { ref: false });
      while (performance.now() < giveUpAt && state.items.length > 0) {
        await Promise.race([start(state), expired]);
        if (state.retryMs > 0) await Promise.race([pause(state.retryMs), expired]);
      }
      clearTimeout(state.timer);
      state.timer = undefined;
      return state.items.length;
    },
  };
}

async function writeOnce<Item>(state: State<Item>): Promise<void> {
  // What is being written stays in `items` until it is written, so that `flush` counts it.
  const batch = state.items.slice(0, BATCH_MAX_ITEMS);
  try {
    await state.write(batch);
    state.items.splice(0, batch.length);
    state.retryMs = 0;
  } catch (error) {
    state.retryMs = Math.min(Math.max(state.retryMs * 2, RETRY_FIRST_MS), RETRY_MAX_MS);
    state.log.warn(
      { error, items: state.items.length, retryMs: state.retryMs },
      "rows could not be written; will retry",
    );
  }
}

function start<Item>(state: State<Item>): Promise<void> {
  clearTimeout(state.timer);
  state.timer = undefined;
  state.writing ??= writeOnce(state).finally(() => {
    state.writing = undefined;
    if (state.items.length > 0) schedule(state);
  });
  return state.writing;
}

function schedule<Item>(state: State<Item>): void {
  if (!state.writing) state.timer ??= setTimeout(() => start(state), state.retryMs || GATHER_MS);
}
