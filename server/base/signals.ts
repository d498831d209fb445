// Wakes workers and waits after a commit: in this process directly, in others by NOTIFY. A signal carries no data: the
// queues are rows, and a slow poll finds rows whose signal was lost.
import type { Sql } from "postgres";
import { v4 } from "uuid";
import type { Logger } from "./log.ts";

/** Kinds of rows. `events` wakes waits in every process; the others wake one worker in any process. */
export type Topic = "deliveries" | "outbound" | "identities" | "bodies" | "erasures" | "events";

const CHANNEL = "mailberth_wake";
const NOTIFY_EVERY_MS = 20;
/** More organizations than this do not fit into a NOTIFY (8,000 bytes); it then lists none, which means any. */
const KEYS_MAX = 200;
/** Interval of the notification to itself. A connection that only listens would not notice that the server is gone. */
const PULSE_EVERY_MS = 30_000;
const PULSE = "pulse";

/** @param keys organizations of the rows; undefined: any */
type Wake = (keys: string[] | undefined) => void;

export type Signals = {
  /**
   * Signals that rows of this kind wait for a worker, in this process if it has one, otherwise in another. Call it
   * after the commit.
   */
  raise(topic: Topic): void;
  /** Signals every other process. */
  tellOthers(topic: Topic, keys: string[]): void;
  /** Calls `wake` when rows of this kind may be waiting; returns a function that unsubscribes. */
  on(topic: Topic, wake: Wake): () => void;
  /** Starts to listen to the other processes. */
  listen(): Promise<void>;
  close(): Promise<void>;
};

/** The next notification of a topic; `keys` undefined: any. */
type Pending = { keys: Set<string> | undefined; timer: NodeJS.Timeout };

export function createSignals(sql: Sql, log: Logger, pulseEveryMs = PULSE_EVERY_MS): Signals {
  const self = v4();
  const listeners = new Map<Topic, Set<Wake>>();
  const pending = new Map<Topic, Pending>();
  const toldAt = new Map<Topic, number>();
  let stopListening: (() => Promise<void>) | undefined;
  let pulseTimer: NodeJS.Timeout | undefined;
  let isPulseMissed = false;

  function wakeHere(topic: Topic, keys: string[] | undefined): boolean {
    const here = listeners.get(topic);
    for (const wake of here ?? []) wake(keys);
    return Boolean(here?.size);
  }

  function send(topic: Topic): void {
    const keys = [...(pending.get(topic)?.keys ?? [])];
    pending.delete(topic);
    toldAt.set(topic, performance.now());
    const payload = [topic, self, keys.join()].join(" ");
    sql
      .notify(CHANNEL, payload)
      .catch((error) => log.warn({ error, topic }, "signal not sent; the poll will find the rows"));
  }

  function notifyOthers(topic: Topic, keys: string[] | undefined): void {
    let next = pending.get(topic);
    if (!next) {
      const due = (toldAt.get(topic) ?? Number.NEGATIVE_INFINITY) + NOTIFY_EVERY_MS - performance.now();
      next = { keys: new Set(), timer: setTimeout(send, Math.max(0, due), topic).unref() };
      pending.set(topic, next);
    }
    for (const key of keys ?? []) next.keys?.add(key);
    if (!keys || (next.keys?.size ?? 0) > KEYS_MAX) next.keys = undefined;
  }

  function hear(payload: string): void {
    const [topic, from, keys] = payload.split(" ");
    if (from === self) isPulseMissed = false;
    else wakeHere(topic as Topic, keys ? keys.split(",") : undefined);
  }

  async function subscribe(): Promise<void> {
    // Signals may have been lost with the connection, so every listener is woken.
    const subscription = await sql.listen(CHANNEL, hear, () => {
      for (const topic of listeners.keys()) wakeHere(topic, undefined);
    });
    stopListening = subscription.unlisten;
  }

  /** Replaces the listening connection if it did not return the last notification to itself. */
  async function checkPulse(): Promise<void> {
    if (isPulseMissed) {
      isPulseMissed = false;
      log.warn("the LISTEN connection is dead; opening another one");
      // This query fails on the dead connection, which closes it.
      await stopListening?.().catch((error) => log.debug({ error }, "the dead connection was closed"));
      await subscribe();
    }
    isPulseMissed = true;
    await sql.notify(CHANNEL, `${PULSE} ${self}`).catch((error) => {
      // If the notification could not be sent, its absence proves nothing.
      isPulseMissed = false;
      throw error;
    });
  }

  function schedulePulse(): void {
    pulseTimer = setTimeout(() => {
      void checkPulse()
        .catch((error) => log.warn({ error }, "signals of other processes may be lost; polls find their rows"))
        .finally(() => pulseTimer && schedulePulse());
    }, pulseEveryMs).unref();
  }

  return {
    raise(topic) {
      if (!wakeHere(topic, undefined)) notifyOthers(topic, undefined);
    },
    tellOthers: notifyOthers,
    on(topic, wake) {
      const here = listeners.get(topic) ?? new Set();
      listeners.set(topic, here.add(wake));
      return () => void here.delete(wake);
    },
    async listen() {
      await subscribe();
      schedulePulse();
    },
    async close() {
      for (const { timer } of pending.values()) clearTimeout(timer);
      clearTimeout(pulseTimer);
      pulseTimer = undefined;
      await stopListening?.().catch((error) => log.debug({ error }, "the LISTEN connection was dead"));
    },
  };
}
