// Queues lanes that wait for the rate limit of their origin: organizations take turns, and lanes within each
// organization.
import { allowance, type Bucket, type OriginRates } from "../targets/origin-rate.ts";

const SECOND_MS = 1_000;

/** Per bucket the lanes of each organization, by its id, in the order of their turns. */
export type WaitingLanes<Lane> = Map<Bucket, Map<string, Set<Lane>>>;

export function startWaiting<Lane>(held: WaitingLanes<Lane>, bucket: Bucket, organizationId: string, lane: Lane): void {
  const organizations = held.get(bucket) ?? new Map<string, Set<Lane>>();
  const lanes = organizations.get(organizationId) ?? new Set<Lane>();
  held.set(bucket, organizations.set(organizationId, lanes.add(lane)));
}

export function stopWaiting<Lane>(held: WaitingLanes<Lane>, bucket: Bucket, organizationId: string, lane: Lane): void {
  const organizations = held.get(bucket);
  const lanes = organizations?.get(organizationId);
  lanes?.delete(lane);
  if (lanes?.size === 0) organizations?.delete(organizationId);
  if (organizations?.size === 0) held.delete(bucket);
}

/** The next lane of a bucket; its organization gets the last turn. */
function takeNext<Lane>(held: WaitingLanes<Lane>, bucket: Bucket): Lane | undefined {
  const organizations = held.get(bucket);
  const [first] = organizations ?? [];
  if (!organizations || !first) return undefined;
  const [organizationId, lanes] = first;
  const [lane] = lanes;
  organizations.delete(organizationId);
  organizations.set(organizationId, lanes);
  if (lane) stopWaiting(held, bucket, organizationId, lane);
  return lane;
}

/** Removes and returns the lanes that may send now, one for each request that their origins may get. */
export function takeReleased<Lane>(held: WaitingLanes<Lane>, rates: OriginRates, now: number): Lane[] {
  const released: Lane[] = [];
  for (const bucket of held.keys()) {
    for (let left = allowance(rates, bucket, now); left > 0; left -= 1) {
      const lane = takeNext(held, bucket);
      if (!lane) break;
      released.push(lane);
    }
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
  const organizations = held.get(bucket);
  const lanes = organizations?.get(organizationId)?.size ?? 1;
  return (SECOND_MS / rates.perSecond) * (organizations?.size ?? 1) * lanes;
}
