// Shares attempts fairly: organizations take turns, and lanes within each, so that a thousand webhooks of one
// organization count no more than the single one of another. Some sockets are always left for new organizations.
import { createFairQueue, type FairQueue } from "../../base/fair-queue.ts";

export const STANDINGS = ["proven", "fresh", "suspect"] as const;
/** The standing of a lane: it answers quickly, has not answered yet, or is slow or times out. */
export type Standing = (typeof STANDINGS)[number];

/** Concurrent attempts over all lanes. */
const IN_FLIGHT_MAX = 2_560;
/**
 * Concurrent attempts in proven and fresh lanes, and those that started in a suspect one. A change of standing may
 * exceed them.
 */
const STANDING_MAX = { proven: 512, fresh: 256, suspect: 256 } as const;
/** Fresh and suspect together, so that hanging endpoints leave sockets for the proven ones. */
const UNPROVEN_MAX = IN_FLIGHT_MAX - STANDING_MAX.proven;
/**
 * An organization may use this many times the remaining sockets (like shared switch buffers): one alone gets three
 * quarters, two get three sevenths each, and some are always free for another.
 */
const SHARE = 3;

export type Organization = {
  id: string;
  inFlight: Record<Standing, number>;
  /** Running attempts that started while their lane was a suspect. */
  suspected: number;
  /** New deliveries that wait. */
  waiting: number;
  /** Number of lanes. */
  lanes: number;
};

export type Turns<Lane> = {
  organizations: Map<string, Organization>;
  /** Lanes that may start an attempt. */
  ready: Record<Standing, FairQueue<Lane>>;
  inFlight: Record<Standing, number>;
  suspected: number;
};

export function createTurns<Lane>(): Turns<Lane> {
  return {
    organizations: new Map(),
    ready: { proven: createFairQueue(), fresh: createFairQueue(), suspect: createFairQueue() },
    inFlight: { proven: 0, fresh: 0, suspect: 0 },
    suspected: 0,
  };
}

export function organizationOf<Lane>(turns: Turns<Lane>, id: string): Organization {
  const known = turns.organizations.get(id);
  if (known) return known;
  const organization = { id, inFlight: { proven: 0, fresh: 0, suspect: 0 }, suspected: 0, waiting: 0, lanes: 0 };
  turns.organizations.set(id, organization);
  return organization;
}

/** Counts attempts that have started, or ended with a negative number, in a standing. */
export function count<Lane>(turns: Turns<Lane>, of: Organization, standing: Standing, attempts: number): void {
  of.inFlight[standing] += attempts;
  turns.inFlight[standing] += attempts;
}

/** Also counts attempts that started while their lane was a suspect. */
export function countSuspected<Lane>(turns: Turns<Lane>, of: Organization, attempts: number): void {
  of.suspected += attempts;
  turns.suspected += attempts;
}

export function inFlight<Lane>({ inFlight: { proven, fresh, suspect } }: Turns<Lane>): number {
  return proven + fresh + suspect;
}

type Counts = { inFlight: Record<Standing, number>; suspected: number };

/** The limits of a standing: attempts that count, and how many there may be. */
const BOUNDS: Record<Standing, { max: number; count: (of: Counts) => number }[]> = {
  proven: [{ max: STANDING_MAX.proven, count: (of) => of.inFlight.proven }],
  fresh: [
    { max: STANDING_MAX.fresh, count: (of) => of.inFlight.fresh },
    { max: UNPROVEN_MAX, count: (of) => of.inFlight.fresh + of.inFlight.suspect },
  ],
  suspect: [
    { max: STANDING_MAX.suspect, count: (of) => of.suspected },
    { max: UNPROVEN_MAX, count: (of) => of.inFlight.fresh + of.inFlight.suspect },
  ],
};

/** Takes the next lane in `standing` that may start an attempt now. */
export function nextLane<Lane extends { organization: Organization }>(
  turns: Turns<Lane>,
  standing: Standing,
): Lane | undefined {
  if (turns.ready[standing].size === 0 || inFlight(turns) >= IN_FLIGHT_MAX) return;
  const bounds = BOUNDS[standing].map(({ max, count }) => ({ count, left: max - count(turns) }));
  if (bounds.some(({ left }) => left <= 0)) return;
  return turns.ready[standing].next(({ organization }) =>
    bounds.every(({ count, left }) => count(organization) < SHARE * left),
  );
}
