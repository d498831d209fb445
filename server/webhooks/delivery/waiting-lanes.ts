// Queues lanes that wait for the rate limit of their origin: organizations take turns, and lanes within each
// organization.
import { createFairQueue, type FairQueue } from "../../base/fair-queue.ts";
import { type Bucket, refill } from "../../base/token-bucket.ts";
import type { OriginRates } from "../targets/origin-rate.ts";

const SECOND_MS = 1_000;

/** Per bucket the lanes of each organization, by its id. */
export type WaitingLanes<Lane> = Map<Bucket, FairQueue<Lane>>;

export function startWaiting<Lane>(held: WaitingLanes<Lane>, bucket: Bucket, organizationId: string, lane: Lane): void {
  const queue = held.get(bucket) ?? createFairQueue();
  queue.add(organizationId, lane);
  held.set(bucket, queue);
}

export function stopWaiting<Lane>(held: WaitingLanes<Lane>, bucket: Bucket, organizationId: string, lane: Lane): void {
  const queue = held.get(bucket);
  queue?.remove(organizationId, lane);
  if (queue?.size === 0) held.delete(bucket);
}

/** Removes and returns the lanes that may send now, one for each request that their origins may get. */
export function takeReleased<Lane>(held: WaitingLanes<Lane>, rates: OriginRates, now: number): Lane[] {
  const released: Lane[] = [];
  for (const [bucket, queue] of held) {
    for (let left = refill(rates, bucket, now); left >= 1; left -= 1) {
      const lane = queue.next();
      if (!lane) break;
      released.push(lane);
    }
    if (queue.size === 0) held.delete(bucket);
  }
  return released;
}

/** In how many ms a waiting lane may send, if all lanes that wait for its origin get their turns. */
export function turnMs<Lane>(
  held: WaitingLanes<Lane>,
  rates: OriginRates,
  bucket: Bucket,
  organizationId: string,
): number {
  const queue = held.get(bucket);
  const lanes = queue?.waitingOf(organizationId) || 1;
  return (SECOND_MS / rates.perSecond) * (queue?.groups ?? 1) * lanes;
}
