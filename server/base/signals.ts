// Wakes workers and waits after a commit: in this process directly, in others by NOTIFY. A signal carries no data: the
// queues are rows, and a slow poll finds rows whose signal was lost.
import type { Sql } from "postgres";
import { v4 } from "uuid";
import type { Logger } from "./log.ts";

/** Kinds of rows. `events` wakes waits in every process; the others wake one worker in any process. */
export type Topic = "deliveries" | "outbound" | "identities" | "bodies" | "erasures" | "events" | "quarantine";

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

type State = {
  sql: Sql;
  listening: Sql;
  log: Logger;
  pulseEveryMs: number;
  self: string;
  listeners: Map<Topic, Set<Wake>>;
  pending: Map<Topic, Pending>;
  toldAt: Map<Topic, number>;
  stopListening: (() => Promise<void>) | undefined;
  pulseTimer: NodeJS.Timeout | undefined;
  isPulseMissed: boolean;
};

/** @param options `listening`: connections to PostgreSQL itself, if `sql` leads to a connection pooler */
export function createSignals(
  sql: Sql,
  log: Logger,
  { listening = sql, pulseEveryMs = PULSE_EVERY_MS }: { listening?: Sql; pulseEveryMs?: number } = {},
): Signals {
  const state: State = {
    sql,
    listening,
    log,
    pulseEveryMs,
    self: v4(),
    listeners: new Map<Topic, Set<Wake>>(),
    pending: new Map<Topic, Pending>(),
    toldAt: new Map<Topic, number>(),
    stopListening: undefined,
    pulseTimer: undefined,
    isPulseMissed: false,
  };
  return {
    raise(topic) {
      if (!wakeHere(state, topic, undefined)) notifyOthers(state, topic, undefined);
    },
    tellOthers: (topic, keys) => notifyOthers(state, topic, keys),
    on(topic, wake) {
      const here = state.listeners.get(topic) ?? new Set();
      state.listeners.set(topic, here.add(wake));
      return () => void here.delete(wake);
    },
    async listen() {
      await subscribe(state);
      schedulePulse(state);
    },
    async close() {
      for (const { timer } of state.pending.values()) clearTimeout(timer);
      clearTimeout(state.pulseTimer);
      state.pulseTimer = undefined;
      await state.stopListening?.().catch((error) => state.log.debug({ error }, "the LISTEN connection was dead"));
    },
  };
}

function wakeHere(state: State, topic: Topic, keys: string[] | undefined): boolean {
  const here = state.listeners.get(topic);
  for (const wake of here ?? []) wake(keys);
  return Boolean(here?.size);
}

function send(state: State, topic: Topic): void {
  const keys = [...(state.pending.get(topic)?.keys ?? [])];
  state.pending.delete(topic);
  state.toldAt.set(topic, performance.now());
  const payload = [topic, state.self, keys.join()].join(" ");
  state.sql
    .notify(CHANNEL, payload)
    .catch((error) => state.log.warn({ error, topic }, "signal not sent; the poll will find the rows"));
}

function notifyOthers(state: State, topic: Topic, keys: string[] | undefined): void {
  let next = state.pending.get(topic);
  if (!next) {
    const due = (state.toldAt.get(topic) ?? Number.NEGATIVE_INFINITY) + NOTIFY_EVERY_MS - performance.now();
    next = { keys: new Set(), timer: setTimeout(() => send(state, topic), Math.max(0, due)).unref() };
    state.pending.set(topic, next);
  }
  for (const key of keys ?? []) next.keys?.add(key);
  if (!keys || (next.keys?.size ?? 0) > KEYS_MAX) next.keys = undefined;
}

function hear(state: State, payload: string): void {
  const [topic, from, keys] = payload.split(" ");
  if (from === state.self) state.isPulseMissed = false;
  else wakeHere(state, topic as Topic, keys ? keys.split(",") : undefined);
}

async function subscribe(state: State): Promise<void> {
  // Signals may have been lost with the connection, so every listener is woken.
  const subscription = await state.listening.listen(
    CHANNEL,
    (payload) => hear(state, payload),
    () => {
      for (const topic of state.listeners.keys()) wakeHere(state, topic, undefined);
    },
  );
  state.stopListening = subscription.unlisten;
}

/** Replaces the listening connection if it did not return the last notification to itself. */
async function checkPulse(state: State): Promise<void> {
  if (state.isPulseMissed) {
    state.isPulseMissed = false;
    state.log.warn("the LISTEN connection is dead; opening another one");
    // This query fails on the dead connection, which closes it.
    await state.stopListening?.().catch((error) => state.log.debug({ error }, "the dead connection was closed"));
    await subscribe(state);
  }
  state.isPulseMissed = true;
  await state.sql.notify(CHANNEL, `${PULSE} ${state.self}`).catch((error) => {
    // If the notification could not be sent, its absence proves nothing.
    state.isPulseMissed = false;
    throw error;
  });
}

function schedulePulse(state: State): void {
  state.pulseTimer = setTimeout(() => {
    void checkPulse(state)
      .catch((error) => state.log.warn({ error }, "signals of other processes may be lost; polls find their rows"))
      .finally(() => state.pulseTimer && schedulePulse(state));
  }, state.pulseEveryMs).unref();
}
