// Buffers events between the feed and a follower that reads at its own pace.
import type { StoredEvent } from "./record.ts";

/** A follower with more events waiting reads the rest from the database. */
const WAITING_MAX = 1_000;

/** `behind`: more events are waiting than the buffer holds; read them from the log. */
type Waiting = { events: StoredEvent[]; behind: boolean };

export type Queue = ReturnType<typeof createQueue>;

/** Ends when `signal` aborts, or by `end`. */
export function createQueue(signal: AbortSignal) {
  let waiting: StoredEvent[] = [];
  let behind = false;
  let ended = signal.aborted;
  let wake = () => {};
  const end = () => {
    ended = true;
    wake();
  };
  signal.addEventListener("abort", end);
  return {
    end,
    get ended() {
      return ended;
    },
    add(event: StoredEvent): void {
      if (waiting.length < WAITING_MAX) waiting.push(event);
      else behind = true;
      wake();
    },
    /** The waiting events; empty after `ms` without one. */
    async next(ms: number): Promise<Waiting> {
      if (waiting.length === 0 && !ended) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        wake = resolve;
        await promise;
        clearTimeout(timer);
      }
      const taken = { events: waiting, behind };
      waiting = [];
      behind = false;
      return taken;
    },
    close: () => signal.removeEventListener("abort", end),
  };
}
