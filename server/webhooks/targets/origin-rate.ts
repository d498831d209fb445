// Limits the requests per second from this process to one origin, for all organizations together, with a token bucket
// per origin. Callers pass the time (milliseconds of a monotonic clock).
import { LRUCache } from "lru-cache";

declare module "../../base/context.ts" {
  interface Services {
    /** Rate limits per origin for webhook requests. */
    originRates: OriginRates;
  }
}

/** The burst of an idle bucket: what its rate allows in this time. */
const BURST_SECONDS = 0.5;
/** Unused buckets are dropped, because they would be full again. */
const ORIGINS_MAX = 20_000;
const SECOND_MS = 1_000;

export type Bucket = { tokens: number; at: number };
export type OriginRates = { perSecond: number; buckets: LRUCache<string, Bucket> };

export function createOriginRates(perSecond: number): OriginRates {
  return { perSecond, buckets: new LRUCache({ max: ORIGINS_MAX }) };
}

function burst({ perSecond }: OriginRates): number {
  return Math.max(1, perSecond * BURST_SECONDS);
}

/** @param origin scheme, host and port, as `URL` returns them */
export function bucketOf(rates: OriginRates, origin: string, now: number): Bucket {
  const known = rates.buckets.get(origin);
  if (known) return known;
  const bucket = { tokens: burst(rates), at: now };
  rates.buckets.set(origin, bucket);
  return bucket;
}

/** How many requests may be sent now. */
export function allowance(rates: OriginRates, bucket: Bucket, now: number): number {
  const gained = ((now - bucket.at) * rates.perSecond) / SECOND_MS;
  bucket.tokens = Math.min(bucket.tokens + Math.max(gained, 0), burst(rates));
  bucket.at = now;
  return Math.floor(bucket.tokens);
}

/** Counts one request; returns false, without counting, if the origin must wait. */
export function takeTurn(rates: OriginRates, bucket: Bucket, now: number): boolean {
  if (allowance(rates, bucket, now) < 1) return false;
  bucket.tokens -= 1;
  return true;
}
