// A queue for reads in which organizations take turns, and the callers of each take turns too.
import { ServiceError } from "../base/errors.ts";
import { createFairQueue, type FairQueue } from "../base/fair-queue.ts";
import { createLimiter, type Limiter } from "../base/limiter.ts";

/** Reads of one caller that wait for their turn, and as many that have left theirs; more are refused. */
const WAITING_MAX = 200;
/** Of the connections for reads, the most that one organization and one caller use while no other organization calls. */
const ORGANIZATION_SHARE = 2 / 3;
const CALLER_SHARE = 1 / 3;
/** The most that one caller uses while another organization calls. */
const CALLER_BESIDE_OTHERS = 1;
/** One slow read of a caller must not delay the other callers of its organization. */
const ORGANIZATION_BESIDE_OTHERS_MIN = 2;
/** For so long after its last call an organization counts as one that calls. */
const CALLS_MS = 1_000;

type Who = { organization: string; caller: string };
type Waiter = { start(): void };
type LastCall = { organization: string; at: number };
type State = {
  connections: number;
  waitMaxMs: number;
  free: number;
  /** The last call of all, and the last one of another organization than that. */
  lastCalls: [LastCall | undefined, LastCall | undefined];
  /** Organizations, and the callers of each. */
  queue: FairQueue<Waiter>;
  /** Reads that have left their turn, by caller. */
  away: Limiter;
};

/** Waits for something other than the database. */
export type Wait = <Result>(wait: () => Promise<Result>) => Promise<Result>;

export type Turn = {
  /** Ends the turn; later calls do nothing. */
  end(): void;
  /**
   * Leaves the turn to others during `wait`, and takes one again. For one wait at a time.
   * @throws ServiceError `rate_limited`, `unavailable`, as `take` does
   */
  leaveFor: Wait;
};

export type ReadTurns = {
  /** Notes a call of an organization, of any kind. */
  noteCall(organization: string): void;
  /**
   * Resolves when the read may start.
   * @throws ServiceError `rate_limited`, `unavailable`
   */
  take(who: Who, signal: AbortSignal): Promise<Turn>;
  /** Reads that run, and reads that wait or have left their turn. */
  count(): { running: number; waiting: number };
};

/**
 * @param connections reads that run concurrently
 * @param waitMaxMs reads that wait longer are refused
 */
export function createReadTurns(connections: number, waitMaxMs: number): ReadTurns {
  const most = (share: number) => Math.max(1, Math.ceil(connections * share));
  const alone = { group: most(ORGANIZATION_SHARE), member: most(CALLER_SHARE) };
  const besideOthers = {
    group: Math.max(ORGANIZATION_BESIDE_OTHERS_MIN, most(CALLER_SHARE)),
    member: CALLER_BESIDE_OTHERS,
  };
  const state: State = {
    connections,
    waitMaxMs,
    free: connections,
    lastCalls: [undefined, undefined],
    queue: createFairQueue((organization) => (hasOthers(state, organization) ? besideOthers : alone)),
    away: createLimiter({ each: WAITING_MAX }),
  };
  return {
    noteCall: (organization) => noteCall(state, organization),
    take: (who, signal) => takeTurn(state, who, signal),
    count: () => ({ running: state.connections - state.free, waiting: state.queue.size + state.away.used }),
  };
}

function noteCall(state: State, organization: string): void {
  const [last, other] = state.lastCalls;
  state.lastCalls = [{ organization, at: performance.now() }, last?.organization === organization ? other : last];
}

/** Whether another organization has called recently. */
function hasOthers({ lastCalls: [last, other] }: State, organization: string): boolean {
  const { at } = (last?.organization === organization ? other : last) ?? { at: Number.NEGATIVE_INFINITY };
  return performance.now() - at < CALLS_MS;
}

async function takeTurn(state: State, who: Who, signal: AbortSignal): Promise<Turn> {
  let give = await take(state, who, signal);
  let hasEnded = false;
  let isAway = false;
  return {
    end() {
      hasEnded = true;
      give();
    },
    async leaveFor(wait) {
      if (hasEnded || isAway) return wait();
      const place = state.away.open(who.caller);
      if (place.take()) throw tooMany();
      isAway = true;
      give();
      try {
        return await wait();
      } finally {
        place.release();
        if (!hasEnded) give = await take(state, who, signal);
        if (hasEnded) give();
        isAway = false;
      }
    },
  };
}

function tooMany(): ServiceError {
  return new ServiceError("rate_limited", `This key has ${WAITING_MAX} queries waiting, which is the limit.`, {
    headers: { "Retry-After": "1" },
  });
}

/** @returns what gives the turn back; later calls of it do nothing */
async function take(state: State, { organization, caller }: Who, signal: AbortSignal): Promise<() => void> {
  const { queue } = state;
  if (queue.waitingOf(organization, caller) >= WAITING_MAX) throw tooMany();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const waiter: Waiter = { start: resolve };
  const timer = setTimeout(() => {
    if (queue.remove(organization, waiter, caller)) reject(tooBusy(state));
  }, state.waitMaxMs);
  queue.add(organization, waiter, caller);
  startNext(state);
  await promise.finally(() => clearTimeout(timer));
  let mine = true;
  const release = () => {
    if (!mine) return;
    mine = false;
    state.free += 1;
    queue.done(organization, caller);
    startNext(state);
  };
  if (!signal.aborted) return release;
  release();
  throw new ServiceError("rate_limited", "The caller disconnected before the query started.");
}

function tooBusy({ waitMaxMs }: State): ServiceError {
  return new ServiceError("unavailable", `The query waited ${waitMaxMs / 1000} s for earlier queries of this key.`, {
    headers: { "Retry-After": "5" },
    fix: "Wait until your other queries have been answered, then repeat.",
  });
}

function startNext(state: State): void {
  while (state.free > 0) {
    const next = state.queue.next();
    if (!next) return;
    state.free -= 1;
    next.start();
  }
}
