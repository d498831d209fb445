// Decides which delivery is next: each webhook has a lane, served in turn, so that a slow endpoint delays only itself.
// Pure data structure: no timers, network or database; callers pass the time (milliseconds of a monotonic clock).
import { type Bucket, takeToken } from "../../base/token-bucket.ts";
import { bucketOf, type OriginRates } from "../targets/origin-rate.ts";
import type { DueDelivery } from "./due-delivery.ts";
import { type Attempt, type Lane, type Lanes, ORIGINS, type Origin, type Returned, type Waiting } from "./lane.ts";
import { capacity, countWaiting, fairPart, isCrowded, isOver, sendBack } from "./memory-limits.ts";
import * as turns from "./turns.ts";
import { startWaiting, stopWaiting, takeReleased } from "./waiting-lanes.ts";
import { type Ending, learn, newWindow, noteSlow, SLOW_MS } from "./window.ts";

/** The longest wait in memory: the rest of the lease must cover an attempt and writing its outcome. */
const HOLD_MAX_MS = 30_000;
/** A lane without work is dropped after this time, with its learned window. */
const IDLE_MAX_MS = 600_000;
/** After this wait, the webhook should be checked for changes. */
const RECHECK_AFTER_MS = 1_000;

export function createLanes(rates: OriginRates): Lanes {
  return {
    rates,
    held: new Map(),
    byWebhook: new Map(),
    turns: turns.createTurns(),
    waiting: { mail: 0, table: 0 },
    suspect: { mail: 0, table: 0 },
    suspects: 0,
    quick: new Set(),
  };
}

function bucketFor({ rates }: Lanes, url: string, now: number): Bucket {
  return bucketOf(rates, URL.parse(url)?.origin ?? url, now);
}

function laneOf(lanes: Lanes, { webhook_id, organization_id, url }: DueDelivery, now: number): Lane {
  const known = lanes.byWebhook.get(webhook_id);
  if (known?.url === url) return known;
  const bucket = bucketFor(lanes, url, now);
  if (known) {
    free(lanes, known);
    return Object.assign(known, { url, bucket });
  }
  const lane: Lane = {
    webhookId: webhook_id,
    url,
    bucket,
    held: false,
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

/** Ends a lane's wait for its origin. */
function free(lanes: Lanes, lane: Lane): void {
  if (!lane.held) return;
  stopWaiting(lanes.held, lane.bucket, lane.organization.id, lane);
  lane.held = false;
  arrange(lanes, lane);
}

function forget(lanes: Lanes, lane: Lane): void {
  free(lanes, lane);
  const { webhookId, organization, standing } = lane;
  lanes.byWebhook.delete(webhookId);
  if (standing === "suspect") lanes.suspects -= 1;
  organization.lanes -= 1;
  if (organization.lanes === 0) lanes.turns.organizations.delete(organization.id);
}

function countSuspect(lanes: Lanes, lane: Lane, many: 1 | -1): void {
  if (lane.standing !== "suspect") return;
  lanes.suspects += many;
  for (const { origin } of lane.waiting) lanes.suspect[origin] += many;
}

/** Gives the lane a turn, the last one if it had none, or removes its turn if it may not start anything. */
function arrange(lanes: Lanes, lane: Lane): void {
  const mayStart = !lane.held && lane.waiting.length > 0 && lane.running.size < lane.window.size;
  const ready = lanes.turns.ready[lane.standing];
  if (mayStart) ready.add(lane.organization.id, lane);
  else ready.remove(lane.organization.id, lane);
}

function setStanding(lanes: Lanes, lane: Lane, standing: turns.Standing): void {
  if (lane.standing !== standing) {
    const { organization, running } = lane;
    lanes.turns.ready[lane.standing].remove(organization.id, lane);
    turns.count(lanes.turns, organization, lane.standing, -running.size);
    countSuspect(lanes, lane, -1);
    lane.standing = standing;
    countSuspect(lanes, lane, 1);
    turns.count(lanes.turns, organization, standing, running.size);
  }
  arrange(lanes, lane);
}

export function inFlight(lanes: Lanes): number {
  return turns.inFlight(lanes.turns);
}

/** Queues a delivery, or returns it immediately if its lane, its organization or the whole queue is full. */
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
  const attempt = { delivery: entry.delivery, lane, bucket: lane.bucket, startedAt: now, slow: false, suspected };
  lane.running.add(attempt);
  lanes.quick.add(attempt);
  arrange(lanes, lane);
  return attempt;
}

/** Gives turns back to lanes whose origins may get requests again. Call it before `next`. */
export function release(lanes: Lanes, now: number): void {
  for (const lane of takeReleased(lanes.held, lanes.rates, now)) {
    lane.held = false;
    arrange(lanes, lane);
  }
}

/**
 * Starts the next attempt that may start now. A lane whose origin has reached its rate limit is held, and delays no
 * other origin.
 */
export function next(lanes: Lanes, now: number): Attempt | undefined {
  for (const standing of turns.STANDINGS) {
    const nextLane = () => turns.nextLane(lanes.turns, standing);
    for (let lane = nextLane(); lane; lane = nextLane()) {
      if (takeToken(lanes.rates, lane.bucket, now)) return start(lanes, lane, now);
      lane.held = true;
      startWaiting(lanes.held, lane.bucket, lane.organization.id, lane);
      arrange(lanes, lane);
    }
  }
}

/** Whether an attempt may go to the webhook's current URL: another origin must also allow a request. */
export function mayGoTo(lanes: Lanes, { bucket, lane }: Attempt, url: string, now: number): boolean {
  if (bucket === lane.bucket && url === lane.url) return true;
  const current = bucketFor(lanes, url, now);
  return current === bucket || takeToken(lanes.rates, current, now);
}

/** Ends an attempt and adjusts the lane's window. */
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

/** Finds attempts that have become slow, and marks their lanes as suspects. Call it a few times a second. */
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

function takeOut(lanes: Lanes, lane: Lane, now: number): Waiting[] {
  const firstInTime = lane.waiting.findIndex(({ since }) => now - since < HOLD_MAX_MS);
  const overdue = lane.waiting.splice(0, firstInTime === -1 ? lane.waiting.length : firstInTime);
  const holds = capacity(lanes, lane);
  const crowded = ORIGINS.some((origin) => isCrowded(lanes, lane, origin));
  return [...overdue, ...lane.waiting.splice(crowded ? Math.min(holds, fairPart(lanes)) : holds)];
}

/** Removes and returns what has waited too long or exceeds what its lane may hold. Call it a few times a second. */
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

/** Webhooks with a delivery that has waited so long that they may have been changed, deleted or disabled. */
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

/** Removes and returns the waiting deliveries of one webhook. */
export function drop(lanes: Lanes, webhookId: string): DueDelivery[] {
  const lane = lanes.byWebhook.get(webhookId);
  return lane ? empty(lanes, lane) : [];
}

/** Removes and returns all waiting deliveries. */
export function drain(lanes: Lanes): DueDelivery[] {
  return [...lanes.byWebhook.values()].flatMap((lane) => empty(lanes, lane));
}
