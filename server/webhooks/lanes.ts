// Whose delivery goes next: a lane for each webhook, served in turn, so that a slow endpoint waits for itself alone.
// Pure bookkeeping: no timer, no network, no database; every moment is handed in (milliseconds of a monotonic clock).
import type { DueDelivery } from "./courier.ts";

/** Sockets at once for lanes of each standing, and over all of them. Going from one standing to another may overfill it. */
const STANDING_MAX = { proven: 512, fresh: 256, suspect: 256 } as const;
const IN_FLIGHT_MAX = 2_048;
/** Attempts of one lane at once: where it starts, how far any success takes it, and how far quick answers take it. */
const WINDOW_START = 4;
const WINDOW_FREE = 32;
const WINDOW_MAX = 384;
/**
 * Above `WINDOW_FREE` a window grows while answers take about as long as at best, and shrinks when they take much longer: then
 * more attempts at once only wait for each other, in the endpoint or here (as in TCP Vegas). `[times the best, plus ms]`
 */
const GROWS_UP_TO = [2, 10] as const;
const SHRINKS_FROM = [3, 20] as const;
/**
 * The best time is measured anew this often, with the window cut to `WINDOW_FREE`: among many attempts none sees it (as in TCP
 * BBR). A cut to a part of the window would start from a little more each time, and let it creep up.
 */
const BEST_PERIOD_MS = 5_000;
/** An attempt that takes longer makes its lane a suspect. */
const SLOW_MS = 1_000;
/** Waiting in memory: deliveries that came with a mail, those claimed from the table, and of one lane. */
const WAITING_MAX = { mail: 3_072, table: 1_024 } as const;
const LANE_WAITING_MAX = 2_048;
/**
 * A suspect lane holds what it is likely to send within this time, or a part of the room that is left if that is more. Being
 * slow may be a busy machine's fault, so only timeouts make that part small.
 */
const SUSPECT_HOLDS_MS = 2_000;
const SLOW_ROOM_PART = 1 / 2;
const DEAD_ROOM_PART = 1 / 8;
const SUSPECT_WAITING_MIN = 8;
/** Nothing waits longer in memory: what is left of the lease must cover an attempt and the writing of its outcome. */
const HOLD_MAX_MS = 30_000;
/** What a lane cannot hold goes back to the table, to come due at the pace of the lane, within these bounds. */
const RETURN_MIN_MS = 1_000;
const RETURN_MAX_MS = 30_000;
/** For a dead lane. */
const RETURN_DEAD_MAX_MS = 300_000;
const RETURN_SPREAD = 0.5;
const LATENCY_WEIGHT = 0.2;
/** A lane without work is forgotten after this, and with it what was learnt about its endpoint. */
const IDLE_MAX_MS = 600_000;
/** A lane in which a delivery waits this long should be asked whether its webhook still exists. */
const RECHECK_AFTER_MS = 1_000;

export type Origin = keyof typeof WAITING_MAX;
type Standing = keyof typeof STANDING_MAX;
const STANDINGS = ["proven", "fresh", "suspect"] as const;
type Waiting = { delivery: DueDelivery; origin: Origin; since: number };

type Lane = {
  webhookId: string;
  waiting: Waiting[];
  /** Attempts under way, oldest first, and how many of them are slow. */
  running: Set<Attempt>;
  slow: number;
  window: number;
  standing: Standing;
  latencyMs: number;
  /** The best time of an attempt that started in this period, and when the period began. */
  bestMs: number;
  periodSince: number;
  /** When the last of those sent back to the table comes due. */
  returnsAt: number;
  usedAt: number;
};

export type Attempt = { delivery: DueDelivery; lane: Lane; startedAt: number; slow: boolean };
/** A delivery that goes back to the table, and when it should come due. */
export type Returned = { delivery: DueDelivery; afterMs: number };

/** `overloaded`: the endpoint asks for less (429, 503). */
export type Ending = "succeeded" | "failed" | "overloaded" | "timed out";

export type Lanes = {
  byWebhook: Map<string, Lane>;
  /** Lanes that may start an attempt, in the order of their turns. */
  ready: Record<Standing, Set<Lane>>;
  inFlight: Record<Standing, number>;
  waiting: Record<Origin, number>;
  /** Attempts that are not slow yet, oldest first. */
  quick: Set<Attempt>;
};

export function createLanes(): Lanes {
  return {
    byWebhook: new Map(),
    ready: { proven: new Set(), fresh: new Set(), suspect: new Set() },
    inFlight: { proven: 0, fresh: 0, suspect: 0 },
    waiting: { mail: 0, table: 0 },
    quick: new Set(),
  };
}

function laneOf(lanes: Lanes, webhookId: string, now: number): Lane {
  const known = lanes.byWebhook.get(webhookId);
  if (known) return known;
  const lane: Lane = {
    webhookId,
    waiting: [],
    running: new Set(),
    slow: 0,
    window: WINDOW_START,
    standing: "fresh",
    latencyMs: 1,
    bestMs: Number.POSITIVE_INFINITY,
    periodSince: now,
    returnsAt: 0,
    usedAt: now,
  };
  lanes.byWebhook.set(webhookId, lane);
  return lane;
}

/** Its window has shrunk below where it started: with timeouts, or because the endpoint asked for less. */
function isDead(lane: Lane): boolean {
  return lane.window < WINDOW_START;
}

function capacity(lanes: Lanes, lane: Lane): number {
  if (lane.standing !== "suspect") return LANE_WAITING_MAX;
  const sends = (SUSPECT_HOLDS_MS * lane.window) / lane.latencyMs;
  const part = (room(lanes, "mail") + room(lanes, "table")) * (isDead(lane) ? DEAD_ROOM_PART : SLOW_ROOM_PART);
  return Math.min(Math.max(Math.floor(sends), Math.floor(part), SUSPECT_WAITING_MIN), LANE_WAITING_MAX);
}

function windowAfter({ lane, startedAt }: Attempt, ending: Ending, tookMs: number, now: number): number {
  const { window } = lane;
  if (ending === "failed") return window;
  if (ending !== "succeeded") return Math.max(1, window >> 1);
  if (window < WINDOW_FREE) return window + 1;
  if (startedAt < lane.periodSince || lane.bestMs === Number.POSITIVE_INFINITY) return window;
  const [oldest] = lane.running;
  const waitsMs = Math.max(tookMs, oldest ? now - oldest.startedAt : 0);
  const exceeds = ([times, plusMs]: readonly [number, number]) => waitsMs > lane.bestMs * times + plusMs;
  if (exceeds(SHRINKS_FROM)) return Math.max(window - 1, WINDOW_FREE);
  return lane.standing === "suspect" || exceeds(GROWS_UP_TO) ? window : Math.min(window + 1, WINDOW_MAX);
}

/** Gives the lane a turn, the last one if it had none, or takes its turn when it may not start anything. */
function arrange(lanes: Lanes, lane: Lane): void {
  const turns = lanes.ready[lane.standing];
  if (lane.waiting.length > 0 && lane.running.size < lane.window) turns.add(lane);
  else turns.delete(lane);
}

function setStanding(lanes: Lanes, lane: Lane, standing: Standing): void {
  lanes.ready[lane.standing].delete(lane);
  lanes.inFlight[lane.standing] -= lane.running.size;
  lanes.inFlight[standing] += lane.running.size;
  lane.standing = standing;
  arrange(lanes, lane);
}

function sendBack(lanes: Lanes, lane: Lane, entries: Waiting[], now: number): Returned[] {
  const pace = lane.latencyMs / (lane.standing === "suspect" ? lane.window : WINDOW_MAX);
  const latest = now + (isDead(lane) ? RETURN_DEAD_MAX_MS : RETURN_MAX_MS);
  return entries.map(({ delivery, origin }) => {
    lanes.waiting[origin] -= 1;
    lane.returnsAt = Math.min(Math.max(lane.returnsAt, now + RETURN_MIN_MS) + pace, latest);
    return { delivery, afterMs: (lane.returnsAt - now) * (1 - RETURN_SPREAD * Math.random()) };
  });
}

/** How many more deliveries of this origin may wait. */
export function room(lanes: Lanes, origin: Origin): number {
  return WAITING_MAX[origin] - lanes.waiting[origin];
}

export function inFlight(lanes: Lanes): number {
  return lanes.inFlight.proven + lanes.inFlight.fresh + lanes.inFlight.suspect;
}

/** Lets a delivery wait for its turn, or gives it back at once when its lane or everything is full. */
export function add(lanes: Lanes, delivery: DueDelivery, origin: Origin, now: number): Returned | undefined {
  const lane = laneOf(lanes, delivery.webhook_id, now);
  const entry = { delivery, origin, since: now };
  lanes.waiting[origin] += 1;
  if (lanes.waiting[origin] > WAITING_MAX[origin] || lane.waiting.length >= capacity(lanes, lane)) {
    return sendBack(lanes, lane, [entry], now)[0];
  }
  lane.waiting.push(entry);
  arrange(lanes, lane);
}

/** Starts the next attempt that may start now. */
export function next(lanes: Lanes, now: number): Attempt | undefined {
  if (inFlight(lanes) >= IN_FLIGHT_MAX) return;
  for (const standing of STANDINGS) {
    if (lanes.inFlight[standing] >= STANDING_MAX[standing]) continue;
    const [lane] = lanes.ready[standing];
    const entry = lane?.waiting.shift();
    if (!lane || !entry) continue;
    lanes.waiting[entry.origin] -= 1;
    lanes.inFlight[standing] += 1;
    lane.usedAt = now;
    const attempt = { delivery: entry.delivery, lane, startedAt: now, slow: false };
    lane.running.add(attempt);
    lanes.quick.add(attempt);
    lanes.ready[standing].delete(lane);
    arrange(lanes, lane);
    return attempt;
  }
}

function learnTime({ lane, startedAt }: Attempt, tookMs: number, now: number): void {
  lane.latencyMs += LATENCY_WEIGHT * (tookMs - lane.latencyMs);
  // An attempt of the period before has waited behind a larger window: its time says nothing about the best.
  if (startedAt >= lane.periodSince) lane.bestMs = Math.min(lane.bestMs, tookMs);
  if (now - lane.periodSince < BEST_PERIOD_MS) return;
  lane.bestMs = Number.POSITIVE_INFINITY;
  lane.periodSince = now;
  lane.window = Math.min(lane.window, WINDOW_FREE);
}

/** Ends an attempt and learns from it. */
export function finish(lanes: Lanes, attempt: Attempt, ending: Ending, now: number): void {
  const { lane } = attempt;
  const tookMs = Math.max(now - attempt.startedAt, 1);
  lanes.quick.delete(attempt);
  lanes.inFlight[lane.standing] -= 1;
  lane.running.delete(attempt);
  if (attempt.slow) lane.slow -= 1;
  lane.usedAt = now;
  learnTime(attempt, tookMs, now);
  const isQuick = !attempt.slow && lane.slow === 0 && ending !== "timed out";
  setStanding(lanes, lane, isQuick ? "proven" : "suspect");
  lane.window = windowAfter(attempt, ending, tookMs, now);
  arrange(lanes, lane);
}

/** Finds the attempts that have become slow, and with them the suspects. Call it a few times a second. */
export function findSlow(lanes: Lanes, now: number): void {
  for (const attempt of lanes.quick) {
    if (now - attempt.startedAt < SLOW_MS) return;
    const { lane } = attempt;
    attempt.slow = true;
    lanes.quick.delete(attempt);
    lane.slow += 1;
    lane.latencyMs = Math.max(lane.latencyMs, SLOW_MS);
    lane.window = Math.min(lane.window, WINDOW_FREE);
    setStanding(lanes, lane, "suspect");
  }
}

/** Takes out and gives what has waited too long or is more than its lane may hold now. Call it a few times a second. */
export function sweep(lanes: Lanes, now: number): Returned[] {
  const returned: Returned[] = [];
  for (const lane of lanes.byWebhook.values()) {
    if (lane.waiting.length > 0) {
      const firstInTime = lane.waiting.findIndex(({ since }) => now - since < HOLD_MAX_MS);
      const overdue = lane.waiting.splice(0, firstInTime === -1 ? lane.waiting.length : firstInTime);
      returned.push(...sendBack(lanes, lane, [...overdue, ...lane.waiting.splice(capacity(lanes, lane))], now));
      arrange(lanes, lane);
    } else if (lane.running.size === 0 && now - lane.usedAt > IDLE_MAX_MS) lanes.byWebhook.delete(lane.webhookId);
  }
  return returned;
}

/** Webhooks with a delivery that has waited so long that they may have been deleted or disabled meanwhile. */
export function stale(lanes: Lanes, now: number): string[] {
  return [...lanes.byWebhook.values()]
    .filter(({ waiting: [first] }) => first && now - first.since >= RECHECK_AFTER_MS)
    .map(({ webhookId }) => webhookId);
}

function empty(lanes: Lanes, lane: Lane): DueDelivery[] {
  const entries = lane.waiting.splice(0);
  for (const { origin } of entries) lanes.waiting[origin] -= 1;
  arrange(lanes, lane);
  return entries.map(({ delivery }) => delivery);
}

/** Takes out and gives what waits for one webhook. */
export function drop(lanes: Lanes, webhookId: string): DueDelivery[] {
  const lane = lanes.byWebhook.get(webhookId);
  return lane ? empty(lanes, lane) : [];
}

/** Takes out and gives everything that waits. */
export function drain(lanes: Lanes): DueDelivery[] {
  return [...lanes.byWebhook.values()].flatMap((lane) => empty(lanes, lane));
}
