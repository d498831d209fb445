// Limits the memory for large request bodies: in total, and for each organization.
import { ServiceError } from "../../base/errors.ts";
import { createLimiter, type Full } from "../../base/limiter.ts";

/** Smaller bodies are not counted, because the number of connections limits them. */
const COUNTED_FROM_BYTES = 65_536;
const TOTAL_BYTES = 268_435_456;
/** The share of one organization, whatever number of keys it has. */
const ORGANIZATION_BYTES = TOTAL_BYTES / 4;
const RETRY_AFTER_SECONDS = "2";

/**
 * Sets how many octets of its body a request holds now.
 * @throws ServiceError `unavailable` if that exceeds the limit
 */
export type HoldBytes = (bytes: number) => void;

export type BodyBudget = {
  /** Counts one request of an organization (or another holder). Call `release` when its body is no longer needed. */
  open(holder: string): { hold: HoldBytes; release(): void };
};

export function createBodyBudget(): BodyBudget {
  const budget = createLimiter({ total: TOTAL_BYTES, each: ORGANIZATION_BYTES });
  return {
    open(holder) {
      const share = budget.open(holder);
      let counted = 0;
      let released = false;
      return {
        hold(bytes) {
          if (bytes <= COUNTED_FROM_BYTES || released) return;
          const full = share.take(bytes - counted);
          if (full) throw refusal(full);
          counted = bytes;
        },
        release() {
          released = true;
          share.release();
        },
      };
    },
  };
}

function refusal(full: Full): ServiceError {
  const message = {
    total: "The service has no memory for more large request bodies at the moment.",
    each: `The request bodies of this organization already use ${ORGANIZATION_BYTES} bytes.`,
  }[full];
  return new ServiceError("unavailable", message, { headers: { "Retry-After": RETRY_AFTER_SECONDS } });
}
