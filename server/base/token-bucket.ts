// Limits a rate, with bursts. Callers pass the time (milliseconds of a monotonic clock).

const SECOND_MS = 1_000;

export type Rate = { perSecond: number; burst: number };
export type Bucket = { tokens: number; at: number };

export function fullBucket({ burst }: Rate, now: number): Bucket {
  return { tokens: burst, at: now };
}

/** The tokens in the bucket now. */
export function refill({ perSecond, burst }: Rate, bucket: Bucket, now: number): number {
  const gained = ((now - bucket.at) / SECOND_MS) * perSecond;
  bucket.tokens = Math.min(burst, bucket.tokens + Math.max(gained, 0));
  bucket.at = now;
  return bucket.tokens;
}

/** Takes a token. @returns false, and takes none, if there is none */
export function takeToken(rate: Rate, bucket: Bucket, now: number): boolean {
  if (refill(rate, bucket, now) < 1) return false;
  bucket.tokens -= 1;
  return true;
}
