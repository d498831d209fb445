// Wake-ups: work that a transaction has just committed is announced to this process at once, and to the others, when
// this one does not do such work itself, by NOTIFY. A signal carries no work: rows are the queue, and the worker's slow
// poll finds what a lost signal missed.
import type { Sql } from "postgres";
import type { Logger } from "./log.ts";

export type Topic = "deliveries" | "outbound" | "identities" | "bodies" | "erasures";

const CHANNEL = "mailberth_wake";
const NOTIFY_EVERY_MS = 20;

export type Signals = {
  /** Says that rows of this kind are waiting. Call it after the commit that made them. */
  raise(topic: Topic): void;
  /** Calls `wake` whenever rows of this kind may be waiting; returns the way to stop that. */
  on(topic: Topic, wake: () => void): () => void;
  /** Starts hearing the other processes. */
  listen(): Promise<void>;
  close(): Promise<void>;
};

export function createSignals(sql: Sql, log: Logger): Signals {
  const listeners = new Map<Topic, Set<() => void>>();
  const pending = new Map<Topic, NodeJS.Timeout>();
  let stopListening: (() => Promise<void>) | undefined;

  function wakeHere(topic: Topic): boolean {
    const here = listeners.get(topic);
    for (const wake of here ?? []) wake();
    return Boolean(here?.size);
  }

  function notifyOthers(topic: Topic): void {
    if (pending.has(topic)) return;
    const send = () => {
      pending.delete(topic);
      sql
        .notify(CHANNEL, topic)
        .catch((error) => log.warn({ error, topic }, "wake-up not sent; the poll will find it"));
    };
    pending.set(topic, setTimeout(send, NOTIFY_EVERY_MS).unref());
  }

  return {
    raise(topic) {
      if (!wakeHere(topic)) notifyOthers(topic);
    },
    on(topic, wake) {
      const here = listeners.get(topic) ?? new Set();
      listeners.set(topic, here.add(wake));
      return () => void here.delete(wake);
    },
    async listen() {
      const subscription = await sql.listen(CHANNEL, (topic) => wakeHere(topic as Topic));
      stopListening = subscription.unlisten;
    },
    async close() {
      for (const timer of pending.values()) clearTimeout(timer);
      await stopListening?.();
    },
  };
}
