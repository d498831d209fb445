// Events between the feed and one who follows it, at the follower's pace.
import type { StoredEvent } from "./record.ts";

/** Whoever is further behind than this gets the rest from the database, not from memory. */
const WAITING_MAX = 1_000;

/** `behind`: there is more than this, to be read from the log. */
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
    /** What has come; after `ms` at the latest, with nothing then. */
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
