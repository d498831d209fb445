// Limits the requests per second from this process to one origin, for all organizations together, with a token bucket
// per origin.
import { LRUCache } from "lru-cache";
import { type Bucket, fullBucket, type Rate } from "../../base/token-bucket.ts";

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

export type OriginRates = Rate & { buckets: LRUCache<string, Bucket> };

export function createOriginRates(perSecond: number): OriginRates {
  return { perSecond, burst: Math.max(1, perSecond * BURST_SECONDS), buckets: new LRUCache({ max: ORIGINS_MAX }) };
}

/** @param origin scheme, host and port, as `URL` returns them */
export function bucketOf(rates: OriginRates, origin: string, now: number): Bucket {
  const known = rates.buckets.get(origin);
  if (known) return known;
  const bucket = fullBucket(rates, now);
  rates.buckets.set(origin, bucket);
  return bucket;
}
