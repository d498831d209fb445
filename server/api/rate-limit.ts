// The request rate of each agent key: a token bucket in this process's memory (RateLimit header fields, draft 03).
import { LRUCache } from "lru-cache";
import type { Settings } from "../env.ts";
import { ServiceError } from "../errors.ts";

const MAX_BUCKETS = 100_000;

/**
 * Takes one request from the key's bucket and says in `headers` what is left.
 * @throws ServiceError `rate_limited` with `Retry-After` in whole seconds
 */
export type TakeRequest = (keyId: string, headers: Record<string, string>) => void;

/** The buckets of one process: `RATE_LIMIT_PER_SECOND` refilled, `RATE_LIMIT_BURST` held. */
export function createRateLimit(settings: Settings): TakeRequest {
  const { RATE_LIMIT_PER_SECOND: rate, RATE_LIMIT_BURST: burst } = settings;
  const buckets = new LRUCache<string, { tokens: number; at: number }>({ max: MAX_BUCKETS });

  return (keyId, headers) => {
    const now = performance.now();
    const bucket = buckets.get(keyId) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * rate);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    buckets.set(keyId, { tokens: left, at: now });
    headers["RateLimit-Limit"] = String(burst);
    headers["RateLimit-Remaining"] = String(Math.floor(left));
    headers["RateLimit-Reset"] = String(Math.ceil((burst - left) / rate));
    if (!allowed) {
      throw new ServiceError("rate_limited", `This key may make ${rate} requests a second, ${burst} at once.`, {
        headers: { "Retry-After": String(Math.max(1, Math.ceil((1 - tokens) / rate))) },
      });
    }
  };
}
