// Whose delivery goes next: a lane for each webhook, served in turn, so that a slow endpoint waits for itself alone.
// Pure bookkeeping: no timer, no network, no database; every moment is handed in (milliseconds of a monotonic clock).
import type { DueDelivery } from "./courier.ts";
import * as turns from "./turns.ts";
import { type Ending, isDead, learn, newWindow, noteSlow, SLOW_MS, WINDOW_MAX, type Window } from "./window.ts";

/** Waiting in memory: deliveries that came with a mail, those claimed from the table, and of one lane. */
const WAITING_MAX = { mail: 3_072, table: 1_024 } as const;
const LANE_WAITING_MAX = 2_048;
/** Of those that came with a mail, an organization may have this many times the room that is left. */
const ORGANIZATION_SHARE = 2;
/** Parts of the room that all suspect lanes together may fill, and of these the dead ones. */
const SUSPECTS_PART = 1 / 2;
const DEAD_PART = 1 / 4;
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
/** A lane without work is forgotten after this, and with it what was learnt about its endpoint. */
const IDLE_MAX_MS = 600_000;
/** A lane in which a delivery waits this long should be asked whether its webhook still exists. */
const RECHECK_AFTER_MS = 1_000;

export type { Ending } from "./window.ts";
export type Origin = keyof typeof WAITING_MAX;
const ORIGINS = ["mail", "table"] as const;
type Waiting = { delivery: DueDelivery; origin: Origin; since: number };

type Lane = {
  webhookId: string;
  organization: turns.Organization<Lane>;
  waiting: Waiting[];
  /** Attempts under way, oldest first, and how many of them are slow. */
  running: Set<Attempt>;
  slow: number;
  window: Window;
  standing: turns.Standing;
  /** When the last of those sent back to the table comes due. */
  returnsAt: number;
  usedAt: number;
};

/** `suspected`: its lane was a suspect when it began. */
export type Attempt = { delivery: DueDelivery; lane: Lane; startedAt: number; slow: boolean; suspected: boolean };
/** A delivery that goes back to the table, and when it should come due. */
export type Returned = { delivery: DueDelivery; afterMs: number };

export type Lanes = {
  byWebhook: Map<string, Lane>;
  turns: turns.Turns<Lane>;
  waiting: Record<Origin, number>;
  /** Of these, those in suspect lanes, and how many such lanes there are. */
  suspect: Record<Origin, number>;
  suspects: number;
  /** Attempts that are not slow yet, oldest first. */
  quick: Set<Attempt>;
};

export function createLanes(): Lanes {
  return {
    byWebhook: new Map(),
    turns: turns.createTurns(),
    waiting: { mail: 0, table: 0 },
    suspect: { mail: 0, table: 0 },
    suspects: 0,
    quick: new Set(),
  };
}

function laneOf(lanes: Lanes, { webhook_id, organization_id }: DueDelivery, now: number): Lane {
  const known = lanes.byWebhook.get(webhook_id);
  if (known) return known;
  const lane: Lane = {
    webhookId: webhook_id,
    organization: turns.organizationOf(lanes.turns, organization_id),
    waiting: [],
    running: new Set(),
    slow: 0,
    window: newWindow(now),
    standing: "fresh",
    returnsAt: 0,
    usedAt: now,
  };
  lane.organization.lanes += 1;
  lanes.byWebhook.set(webhook_id, lane);
  return lane;
}

function forget(lanes: Lanes, { webhookId, organization, standing }: Lane): void {
  lanes.byWebhook.delete(webhookId);
  if (standing === "suspect") lanes.suspects -= 1;
  organization.lanes -= 1;
  if (organization.lanes === 0) lanes.turns.organizations.delete(organization.id);
}

function countWaiting(lanes: Lanes, lane: Lane, origin: Origin, many: 1 | -1): void {
  lanes.waiting[origin] += many;
  if (lane.standing === "suspect") lanes.suspect[origin] += many;
  if (origin === "mail") lane.organization.waiting += many;
}

function countSuspect(lanes: Lanes, lane: Lane, many: 1 | -1): void {
  if (lane.standing !== "suspect") return;
  lanes.suspects += many;
  for (const { origin } of lane.waiting) lanes.suspect[origin] += many;
}

function capacity(lanes: Lanes, lane: Lane): number {
  if (lane.standing !== "suspect") return LANE_WAITING_MAX;
  const { window } = lane;
  const sends = (SUSPECT_HOLDS_MS * window.size) / window.latencyMs;
  const part = (room(lanes, "mail") + room(lanes, "table")) * (isDead(window) ? DEAD_ROOM_PART : SLOW_ROOM_PART);
  return Math.min(Math.max(Math.floor(sends), Math.floor(part), SUSPECT_WAITING_MIN), LANE_WAITING_MAX);
}

/** Whether suspect lanes hold more than their part of the room. */
function isCrowded(lanes: Lanes, { standing, window }: Lane, origin: Origin): boolean {
  if (standing !== "suspect") return false;
  return lanes.suspect[origin] > WAITING_MAX[origin] * (isDead(window) ? DEAD_PART : SUSPECTS_PART);
}

/** Whether there is more than may wait, after one of this lane has been counted in. */
function isOver(lanes: Lanes, lane: Lane, origin: Origin): boolean {
  const left = room(lanes, origin);
  if (left < 0 || lane.waiting.length >= capacity(lanes, lane) || isCrowded(lanes, lane, origin)) return true;
  return origin === "mail" && lane.organization.waiting > ORGANIZATION_SHARE * (left + 1);
}

/** Gives the lane a turn, the last one if it had none, or takes its turn when it may not start anything. */
function arrange(lanes: Lanes, lane: Lane): void {
  const mayStart = lane.waiting.length > 0 && lane.running.size < lane.window.size;
  (mayStart ? turns.enter : turns.leave)(lanes.turns, lane.organization, lane.standing, lane);
}

function setStanding(lanes: Lanes, lane: Lane, standing: turns.Standing): void {
  if (lane.standing !== standing) {
    const { organization, running } = lane;
    turns.leave(lanes.turns, organization, lane.standing, lane);
    turns.count(lanes.turns, organization, lane.standing, -running.size);
    countSuspect(lanes, lane, -1);
    lane.standing = standing;
    countSuspect(lanes, lane, 1);
    turns.count(lanes.turns, organization, standing, running.size);
  }
  arrange(lanes, lane);
}

function sendBack(lanes: Lanes, lane: Lane, entries: Waiting[], now: number): Returned[] {
  const { window } = lane;
  const pace = window.latencyMs / (lane.standing === "suspect" ? window.size : WINDOW_MAX);
  const latest = now + (isDead(window) ? RETURN_DEAD_MAX_MS : RETURN_MAX_MS);
  return entries.map(({ delivery, origin }) => {
    countWaiting(lanes, lane, origin, -1);
    lane.returnsAt = Math.min(Math.max(lane.returnsAt, now + RETURN_MIN_MS) + pace, latest);
    return { delivery, afterMs: (lane.returnsAt - now) * (1 - RETURN_SPREAD * Math.random()) };
  });
}

/** How many more deliveries of this origin may wait. */
export function room(lanes: Lanes, origin: Origin): number {
  return WAITING_MAX[origin] - lanes.waiting[origin];
}

export function inFlight(lanes: Lanes): number {
  return turns.inFlight(lanes.turns);
}

/** Lets a delivery wait for its turn, or gives it back at once when its lane or its organization's or all room is full. */
export function add(lanes: Lanes, delivery: DueDelivery, origin: Origin, now: number): Returned | undefined {
  const lane = laneOf(lanes, delivery, now);
  const entry = { delivery, origin, since: now };
  countWaiting(lanes, lane, origin, 1);
  if (isOver(lanes, lane, origin)) return sendBack(lanes, lane, [entry], now)[0];
  lane.waiting.push(entry);
  arrange(lanes, lane);
}

function start(lanes: Lanes, lane: Lane, now: number): Attempt | undefined {
  const entry = lane.waiting.shift();
  if (!entry) return;
  countWaiting(lanes, lane, entry.origin, -1);
  turns.count(lanes.turns, lane.organization, lane.standing, 1);
  lane.usedAt = now;
  const suspected = lane.standing === "suspect";
  if (suspected) turns.countSuspected(lanes.turns, lane.organization, 1);
  const attempt = { delivery: entry.delivery, lane, startedAt: now, slow: false, suspected };
  lane.running.add(attempt);
  lanes.quick.add(attempt);
  // The last turn among its organization's lanes, whose own last turn it has already.
  lane.organization.ready[lane.standing].delete(lane);
  arrange(lanes, lane);
  return attempt;
}

/** Starts the next attempt that may start now. */
export function next(lanes: Lanes, now: number): Attempt | undefined {
  for (const standing of turns.STANDINGS) {
    const [lane] = turns.nextOrganization(lanes.turns, standing)?.ready[standing] ?? [];
    const attempt = lane && start(lanes, lane, now);
    if (attempt) return attempt;
  }
}

/** Ends an attempt and learns from it. */
export function finish(lanes: Lanes, attempt: Attempt, ending: Ending, now: number): void {
  const { lane, startedAt } = attempt;
  lanes.quick.delete(attempt);
  turns.count(lanes.turns, lane.organization, lane.standing, -1);
  if (attempt.suspected) turns.countSuspected(lanes.turns, lane.organization, -1);
  lane.running.delete(attempt);
  if (attempt.slow) lane.slow -= 1;
  lane.usedAt = now;
  const suspect = attempt.slow || lane.slow > 0 || ending === "timed out";
  const [oldest] = lane.running;
  learn(lane.window, { startedAt, ending }, { oldestSince: oldest?.startedAt, suspect }, now);
  setStanding(lanes, lane, suspect ? "suspect" : "proven");
}

/** Finds the attempts that have become slow, and with them the suspects. Call it a few times a second. */
export function findSlow(lanes: Lanes, now: number): void {
  for (const attempt of lanes.quick) {
    if (now - attempt.startedAt < SLOW_MS) return;
    const { lane } = attempt;
    attempt.slow = true;
    lanes.quick.delete(attempt);
    lane.slow += 1;
    noteSlow(lane.window);
    setStanding(lanes, lane, "suspect");
  }
}

/** What each suspect lane may hold when all of them together hold too much. */
function fairPart(lanes: Lanes): number {
  return Math.max(1, Math.floor(((WAITING_MAX.mail + WAITING_MAX.table) * DEAD_PART) / lanes.suspects));
}

function takeOut(lanes: Lanes, lane: Lane, now: number): Waiting[] {
  const firstInTime = lane.waiting.findIndex(({ since }) => now - since < HOLD_MAX_MS);
  const overdue = lane.waiting.splice(0, firstInTime === -1 ? lane.waiting.length : firstInTime);
  const holds = capacity(lanes, lane);
  const crowded = ORIGINS.some((origin) => isCrowded(lanes, lane, origin));
  return [...overdue, ...lane.waiting.splice(crowded ? Math.min(holds, fairPart(lanes)) : holds)];
}

/** Takes out and gives what has waited too long or is more than its lane may hold now. Call it a few times a second. */
export function sweep(lanes: Lanes, now: number): Returned[] {
  const returned: Returned[] = [];
  for (const lane of lanes.byWebhook.values()) {
    if (lane.waiting.length > 0) {
      returned.push(...sendBack(lanes, lane, takeOut(lanes, lane, now), now));
      arrange(lanes, lane);
    } else if (lane.running.size === 0 && now - lane.usedAt > IDLE_MAX_MS) forget(lanes, lane);
  }
  return returned;
}

/** Webhooks with a delivery that has waited so long that they may have been changed, deleted or disabled meanwhile. */
export function stale(lanes: Lanes, now: number): string[] {
  return [...lanes.byWebhook.values()]
    .filter(({ waiting: [first] }) => first && now - first.since >= RECHECK_AFTER_MS)
    .map(({ webhookId }) => webhookId);
}

function empty(lanes: Lanes, lane: Lane): DueDelivery[] {
  const entries = lane.waiting.splice(0);
  for (const { origin } of entries) countWaiting(lanes, lane, origin, -1);
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
