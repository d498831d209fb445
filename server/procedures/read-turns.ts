// A queue for reads in which organizations take turns, and the callers of each take turns too.
import { ServiceError } from "../base/errors.ts";

/** Reads of one caller that wait; more are refused. */
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
type Line = { running: number; waiting: Set<Waiter> };
type Organization = { running: number; callers: Map<string, Line> };
type Most = { organization: number; caller: number };
type LastCall = { organization: string; at: number };
type State = {
  connections: number;
  waitMaxMs: number;
  free: number;
  alone: Most;
  besideOthers: Most;
  /** The last call of all, and the last one of another organization than that. */
  lastCalls: [LastCall | undefined, LastCall | undefined];
  /** Those with reads that run or wait, in the order of their turns. */
  organizations: Map<string, Organization>;
};

export type ReadTurns = {
  /** Notes a call of an organization, of any kind. */
  noteCall(organization: string): void;
  /**
   * Resolves when the read may start, with the function that ends its turn; later calls of it do nothing.
   * @throws ServiceError `rate_limited`, `unavailable`
   */
  take(who: Who, signal: AbortSignal): Promise<() => void>;
  /** Reads that run and that wait. */
  count(): { running: number; waiting: number };
};

/**
 * @param connections reads that run concurrently
 * @param waitMaxMs reads that wait longer are refused
 */
export function createReadTurns(connections: number, waitMaxMs: number): ReadTurns {
  const most = (share: number) => Math.max(1, Math.ceil(connections * share));
  const state: State = {
    connections,
    waitMaxMs,
    free: connections,
    alone: { organization: most(ORGANIZATION_SHARE), caller: most(CALLER_SHARE) },
    besideOthers: {
      organization: Math.max(ORGANIZATION_BESIDE_OTHERS_MIN, most(CALLER_SHARE)),
      caller: CALLER_BESIDE_OTHERS,
    },
    lastCalls: [undefined, undefined],
    organizations: new Map(),
  };
  return {
    noteCall: (organization) => noteCall(state, organization),
    take: (who, signal) => take(state, who, signal),
    count: () => count(state),
  };
}

function noteCall(state: State, organization: string): void {
  const [last, other] = state.lastCalls;
  state.lastCalls = [{ organization, at: performance.now() }, last?.organization === organization ? other : last];
}

/** What an organization and each of its callers may use now. */
function mostOf({ lastCalls: [last, other], alone, besideOthers }: State, organization: string): Most {
  const { at } = (last?.organization === organization ? other : last) ?? { at: Number.NEGATIVE_INFINITY };
  return performance.now() - at < CALLS_MS ? besideOthers : alone;
}

function lineOf({ organizations }: State, { organization: id, caller }: Who): Line {
  const organization = organizations.get(id) ?? { running: 0, callers: new Map<string, Line>() };
  organizations.set(id, organization);
  const line = organization.callers.get(caller) ?? { running: 0, waiting: new Set<Waiter>() };
  organization.callers.set(caller, line);
  return line;
}

function count({ connections, free, organizations }: State): { running: number; waiting: number } {
  const lines = [...organizations.values()].flatMap(({ callers }) => [...callers.values()]);
  return { running: connections - free, waiting: lines.reduce((sum, line) => sum + line.waiting.size, 0) };
}

async function take(state: State, who: Who, signal: AbortSignal): Promise<() => void> {
  const { waiting } = lineOf(state, who);
  if (waiting.size >= WAITING_MAX) {
    throw new ServiceError("rate_limited", `This key has ${WAITING_MAX} queries waiting, which is the limit.`, {
      headers: { "Retry-After": "1" },
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const waiter: Waiter = { start: resolve };
  const timer = setTimeout(() => {
    if (!waiting.delete(waiter)) return;
    reject(tooBusy(state));
    tidy(state, who);
  }, state.waitMaxMs);
  waiting.add(waiter);
  startNext(state);
  await promise.finally(() => clearTimeout(timer));
  let mine = true;
  const release = () => {
    if (mine) end(state, who);
    mine = false;
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

function end(state: State, who: Who): void {
  const organization = state.organizations.get(who.organization);
  const line = organization?.callers.get(who.caller);
  if (!organization || !line) return;
  state.free += 1;
  organization.running -= 1;
  line.running -= 1;
  tidy(state, who);
  startNext(state);
}

/** Forgets callers and organizations without reads. */
function tidy({ organizations }: State, { organization: id, caller }: Who): void {
  const organization = organizations.get(id);
  const line = organization?.callers.get(caller);
  if (line && line.running === 0 && line.waiting.size === 0) organization?.callers.delete(caller);
  if (organization?.callers.size === 0) organizations.delete(id);
}

function startNext(state: State): void {
  while (state.free > 0) {
    const next = pick(state);
    if (!next) return;
    next();
  }
}

/** The start of the next read: of the first organization and caller that may start one. Both go to the end of the queue. */
function pick(state: State): (() => void) | undefined {
  for (const [id, organization] of state.organizations) {
    const most = mostOf(state, id);
    if (organization.running >= most.organization) continue;
    for (const [caller, line] of organization.callers) {
      const [waiter] = line.waiting;
      if (!waiter || line.running >= most.caller) continue;
      line.waiting.delete(waiter);
      moveToEnd(state.organizations, id, organization);
      moveToEnd(organization.callers, caller, line);
      return () => {
        state.free -= 1;
        organization.running += 1;
        line.running += 1;
        waiter.start();
      };
    }
  }
}

function moveToEnd<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
}
