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

/** @param write must be idempotent, because it is retried after an unknown result */
export function writeBehind<Item>(write: (items: Item[]) => Promise<void>, log: Logger): WriteBehind<Item> {
  const items: Item[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let retryMs = 0;

  async function writeOnce(): Promise<void> {
    // What is being written stays in `items` until it is written, so that `flush` counts it.
    const batch = items.slice(0, BATCH_MAX_ITEMS);
    try {
      await write(batch);
      items.splice(0, batch.length);
      retryMs = 0;
    } catch (error) {
      retryMs = Math.min(Math.max(retryMs * 2, RETRY_FIRST_MS), RETRY_MAX_MS);
      log.warn({ error, items: items.length, retryMs }, "outcomes could not be written; will retry");
    }
  }

  function start(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeOnce().finally(() => {
      writing = undefined;
      if (items.length > 0) schedule();
    });
    return writing;
  }

  function schedule(): void {
    if (!writing) timer ??= setTimeout(start, retryMs || GATHER_MS);
  }

  return {
    add(item) {
      items.push(item);
      schedule();
    },
    isLate: () => retryMs > 0,
    async flush(withinMs) {
      const giveUpAt = performance.now() + withinMs;
      const expired = pause(withinMs, undefined, { ref: false });
      while (performance.now() < giveUpAt && items.length > 0) {
        await Promise.race([start(), expired]);
        if (retryMs > 0) await Promise.race([pause(retryMs), expired]);
      }
      clearTimeout(timer);
      return items.length;
    },
  };
}
