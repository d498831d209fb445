// Limits how many deliveries wait in memory: in total, per organization, and per lane, depending on how its endpoint
// answers. The rest returns to the table.
import type { Lane, Lanes, Origin, Returned, Waiting } from "./lane.ts";
import { turnMs } from "./waiting-lanes.ts";
import { isDead, WINDOW_MAX } from "./window.ts";

/** Deliveries waiting in memory: new ones, those leased from the table, and those of one lane. */
const WAITING_MAX = { mail: 3_072, table: 1_024 } as const;
const LANE_WAITING_MAX = 2_048;
/** New deliveries of an organization may use this many times the remaining room. */
const ORGANIZATION_SHARE = 2;
/** Shares of the room for all suspect lanes together, and of these for dead ones. */
const SUSPECTS_PART = 1 / 2;
const DEAD_PART = 1 / 4;
/**
 * A suspect lane holds what it is likely to send within this time, or a share of the remaining room if that is more. A
 * busy machine may also make answers slow, so only timeouts make that share small.
 */
const SUSPECT_HOLDS_MS = 2_000;
const SLOW_ROOM_PART = 1 / 2;
const DEAD_ROOM_PART = 1 / 8;
const SUSPECT_WAITING_MIN = 8;
/**
 * A lane whose origin has reached its rate limit keeps what it may send within this time; the rest waits in the table.
 */
const HELD_HOLDS_MS = 1_000;
/** What a lane cannot hold returns to the table and becomes due at the pace of the lane, within these limits. */
const RETURN_MIN_MS = 1_000;
const RETURN_MAX_MS = 30_000;
/** For a dead lane, and for one whose origin has reached its rate limit. */
const RETURN_DEAD_MAX_MS = 300_000;
const RETURN_SPREAD = 0.5;

/** How many more deliveries of this origin may wait. */
export function room(lanes: Lanes, origin: Origin): number {
  return WAITING_MAX[origin] - lanes.waiting[origin];
}

export function capacity(lanes: Lanes, lane: Lane): number {
  const held = lane.held
    ? Math.floor(HELD_HOLDS_MS / turnMs(lanes.held, lanes.rates, lane.bucket, lane.organization.id))
    : LANE_WAITING_MAX;
  const most = Math.min(Math.max(held, 1), LANE_WAITING_MAX);
  if (lane.standing !== "suspect") return most;
  const { window } = lane;
  const sends = (SUSPECT_HOLDS_MS * window.size) / window.latencyMs;
  const part = (room(lanes, "mail") + room(lanes, "table")) * (isDead(window) ? DEAD_ROOM_PART : SLOW_ROOM_PART);
  return Math.min(Math.max(Math.floor(sends), Math.floor(part), SUSPECT_WAITING_MIN), most);
}

/** Whether suspect lanes hold more than their share of the room. */
export function isCrowded(lanes: Lanes, { standing, window }: Lane, origin: Origin): boolean {
  if (standing !== "suspect") return false;
  return lanes.suspect[origin] > WAITING_MAX[origin] * (isDead(window) ? DEAD_PART : SUSPECTS_PART);
}

/** Whether more is waiting than allowed, after a delivery of this lane was added. */
export function isOver(lanes: Lanes, lane: Lane, origin: Origin): boolean {
  const left = room(lanes, origin);
  if (left < 0 || lane.waiting.length >= capacity(lanes, lane) || isCrowded(lanes, lane, origin)) return true;
  return origin === "mail" && lane.organization.waiting > ORGANIZATION_SHARE * (left + 1);
}

/** The limit of each suspect lane when all of them together hold too much. */
export function fairPart(lanes: Lanes): number {
  return Math.max(1, Math.floor(((WAITING_MAX.mail + WAITING_MAX.table) * DEAD_PART) / lanes.suspects));
}

export function countWaiting(lanes: Lanes, lane: Lane, origin: Origin, many: 1 | -1): void {
  lanes.waiting[origin] += many;
  if (lane.standing === "suspect") lanes.suspect[origin] += many;
  if (origin === "mail") lane.organization.waiting += many;
}

/** Removes deliveries of a lane from the count, and returns when each should become due, at the pace of the lane. */
export function sendBack(lanes: Lanes, lane: Lane, entries: Waiting[], now: number): Returned[] {
  const { window, held } = lane;
  const answers = window.latencyMs / (lane.standing === "suspect" ? window.size : WINDOW_MAX);
  const pace = held ? Math.max(answers, turnMs(lanes.held, lanes.rates, lane.bucket, lane.organization.id)) : answers;
  const latest = now + (held || isDead(window) ? RETURN_DEAD_MAX_MS : RETURN_MAX_MS);
  return entries.map(({ delivery, origin }) => {
    countWaiting(lanes, lane, origin, -1);
    lane.returnsAt = Math.min(Math.max(lane.returnsAt, now + RETURN_MIN_MS) + pace, latest);
    return { delivery, afterMs: (lane.returnsAt - now) * (1 - RETURN_SPREAD * Math.random()) };
  });
}
