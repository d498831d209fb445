// Limits the memory for large bodies of requests, and of answers that their clients have not read yet: in total, and for each
// organization.
import type { ServerResponse } from "node:http";
import { ServiceError } from "../../base/errors.ts";
import { createLimiter, type Full } from "../../base/limiter.ts";

declare module "../../base/context.ts" {
  interface Services {
    bodies: BodyBudget;
  }
}

/** Smaller bodies are not counted, because the number of connections limits them. */
const COUNTED_FROM_BYTES = 65_536;
const TOTAL_BYTES = 268_435_456;
/** The share of one organization, whatever number of keys it has. */
const ORGANIZATION_BYTES = TOTAL_BYTES / 4;
const RETRY_AFTER_SECONDS = "2";
/** A client that takes nothing of a large answer for so long is disconnected. */
const STALLED_MS = 60_000;

/**
 * Sets how many octets a request, or its answer, holds now.
 * @throws ServiceError `unavailable` if that exceeds the limit
 */
export type HoldBytes = (bytes: number) => void;

/** `take`: like `hold`, but returns the limit that is reached. Call `release` when the body is no longer needed. */
type HeldBody = { take(bytes: number): Full | undefined; hold: HoldBytes; release(): void };

export type BodyBudget = {
  /** Counts one request of an organization (or another holder). */
  open(holder: string): HeldBody;
};

export function createBodyBudget(): BodyBudget {
  const budget = createLimiter({ total: TOTAL_BYTES, each: ORGANIZATION_BYTES });
  return {
    open(holder) {
      const share = budget.open(holder);
      let counted = 0;
      let released = false;
      function take(bytes: number): Full | undefined {
        if (bytes <= COUNTED_FROM_BYTES || released) return;
        const full = share.take(bytes - counted);
        if (!full) counted = bytes;
        return full;
      }
      return {
        take,
        hold(bytes) {
          const full = take(bytes);
          if (full) throw refusal(full);
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
    total: "The service has no memory for more large requests and answers at the moment.",
    each: `The requests of this organization, and the answers that its clients have not read yet, already use ${ORGANIZATION_BYTES} bytes.`,
  }[full];
  return new ServiceError("unavailable", message, { headers: { "Retry-After": RETRY_AFTER_SECONDS } });
}

/**
 * Counts what the client has not read yet of an answer. If that exceeds the limit, the client is disconnected. Call before the
 * answer is written.
 * @param holder gives the organization, or the network of a caller who has none
 * @returns a function to call when the answer was written
 */
export function boundUnreadAnswer(bodies: BodyBudget, holder: () => string, res: ServerResponse): () => void {
  let held: HeldBody | undefined;
  function check(): void {
    if (res.writableFinished || res.writableLength <= COUNTED_FROM_BYTES) return;
    if (!held) {
      held = bodies.open(holder());
      res.once("close", held.release);
      disconnectStalled(res);
    }
    if (held.take(res.writableLength)) res.destroy();
  }
  const { write } = res;
  res.write = ((...given: Parameters<typeof write>) => {
    const isTaken = write.apply(res, given);
    check();
    return isTaken;
  }) as typeof write;
  return check;
}

/** Call before a large answer is written: a client that does not read would keep it in memory for ever. */
export function disconnectStalled(res: ServerResponse): void {
  res.setTimeout(STALLED_MS, () => res.destroy());
}
