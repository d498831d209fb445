// Rate limits: token buckets in memory, by agent key, enrollment key, member and client address (RateLimit header
// fields, draft 03).
import { LRUCache } from "lru-cache";
import { callerId } from "../base/context.ts";
import type { Settings } from "../base/env.ts";
import { ServiceError } from "../base/errors.ts";
import { type Bucket, fullBucket, type Rate, takeToken } from "../base/token-bucket.ts";
import type { RequestContext } from "../procedures/procedures.ts";

/** The least recently used bucket is dropped first, so active clients keep theirs. */
const MAX_BUCKETS = 100_000;

/** An app registers once for each installation. */
const REGISTRATIONS = { perSecond: 1 / 60, burst: 20 };

type Rule = Rate & { who: string };

/** Takes one request. @returns a refusal if the limit is reached, and what sets the RateLimit headers */
type Take = (id: string) => { setIn(headers: Record<string, string>): void; refusal: ServiceError | undefined };

export type RateLimits = Pick<RequestContext, "takeRequest" | "takeEnrollment" | "takeAnonymous"> & {
  /** Counts one registration of an app. Throws like `takeAnonymous`. */
  takeRegistration(network: string): void;
};

/** The buckets of one process. */
export function createRateLimits(settings: Settings): RateLimits {
  const { RATE_LIMIT_PER_SECOND, RATE_LIMIT_ENROLLMENT_PER_SECOND, RATE_LIMIT_ANONYMOUS_PER_SECOND } = settings;
  const ofCaller = createBuckets({
    perSecond: RATE_LIMIT_PER_SECOND,
    burst: settings.RATE_LIMIT_BURST,
    who: "A key or a member",
  });
  const ofEnrollmentKey = createBuckets({
    perSecond: RATE_LIMIT_ENROLLMENT_PER_SECOND,
    burst: settings.RATE_LIMIT_ENROLLMENT_BURST,
    who: "All agents of an enrollment key together",
  });
  const ofAddress = createBuckets({
    perSecond: RATE_LIMIT_ANONYMOUS_PER_SECOND,
    burst: settings.RATE_LIMIT_ANONYMOUS_BURST,
    who: "A client address without a key",
  });
  const registrations = createBuckets({ ...REGISTRATIONS, who: "A client address that registers apps" });

  function take({ setIn, refusal }: ReturnType<Take>, headers: Record<string, string>): void {
    setIn(headers);
    if (refusal) throw refusal;
  }

  return {
    takeRequest(caller, headers) {
      take(ofCaller(callerId(caller)), headers);
      if (caller.kind !== "agent") return;
      const taken = ofEnrollmentKey(caller.enrollmentKeyId);
      if (taken.refusal) take(taken, headers);
    },
    takeEnrollment: (enrollmentKeyId) => take(ofEnrollmentKey(enrollmentKeyId), {}),
    takeAnonymous(network, headers = {}) {
      take(ofAddress(network), headers);
    },
    takeRegistration: (network) => take(registrations(network), {}),
  };
}

function createBuckets(rule: Rule): Take {
  const { perSecond, burst, who } = rule;
  // With `max`, the cache would take memory, and 20 ms, for all its places at the start.
  const buckets = new LRUCache<string, Bucket>({ maxSize: MAX_BUCKETS, sizeCalculation: () => 1 });
  return (id) => {
    const now = performance.now();
    const known = buckets.get(id);
    const bucket = known ?? fullBucket(rule, now);
    const allowed = takeToken(rule, bucket, now);
    const left = bucket.tokens;
    if (!known) buckets.set(id, bucket);
    const setIn = (headers: Record<string, string>) => {
      headers["RateLimit-Limit"] = String(burst);
      headers["RateLimit-Remaining"] = String(Math.floor(left));
      headers["RateLimit-Reset"] = String(Math.ceil((burst - left) / perSecond));
    };
    if (allowed) return { setIn, refusal: undefined };
    const refusal = new ServiceError("rate_limited", `${who} may make ${rateText(perSecond)}, ${burst} in a burst.`, {
      headers: { "Retry-After": String(Math.max(1, Math.ceil((1 - left) / perSecond))) },
    });
    return { setIn, refusal };
  };
}

function rateText(rate: number): string {
  return rate < 1 ? `${Math.round(rate * 60)} requests per minute` : `${rate} requests per second`;
}
