// Limits the memory for large bodies of requests, and apart from it that for answers that their clients have not read yet: in total, and
// for each organization.
import type { ServerResponse } from "node:http";
import { ServiceError } from "../../base/errors.ts";
import { createLimiter, type Full } from "../../base/limiter.ts";

declare module "../../base/context.ts" {
  interface Services {
    bodies: BodyBudget;
    answers: BodyBudget;
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
/** So is one that takes less on average. */
const SLOWEST_BYTES_PER_MS = 10;

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

export function createBodyBudget(bodies: keyof typeof NAMES): BodyBudget {
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
          if (full) throw refusal(full, NAMES[bodies]);
        },
        release() {
          released = true;
          share.release();
        },
      };
    },
  };
}

const NAMES = { requests: "request bodies", answers: "answers that clients have not read yet" };

function refusal(full: Full, name: string): ServiceError {
  const message = {
    total: `The service has no memory for more large ${name} at the moment.`,
    each: `The ${name} of this organization already use ${ORGANIZATION_BYTES} bytes.`,
  }[full];
  return new ServiceError("unavailable", message, { headers: { "Retry-After": RETRY_AFTER_SECONDS } });
}

/**
 * Counts what the client has not read yet of an answer. If that exceeds the limit, the client is disconnected. Call before the
 * answer is written.
 * @param holder gives the organization, or the network of a caller who has none
 * @returns a function to call when the answer was written
 */
export function boundUnreadAnswer(answers: BodyBudget, holder: () => string, res: ServerResponse): () => void {
  let held: HeldBody | undefined;
  function release(): void {
    held?.release();
    held = undefined;
  }
  function check(): void {
    if (res.writableFinished || res.writableLength <= COUNTED_FROM_BYTES) return;
    if (!held) {
      held = answers.open(holder());
      res.setTimeout(STALLED_MS);
    }
    if (held.take(res.writableLength)) res.destroy();
  }
  // A stream goes on when its client has caught up. Its timer may still run, and then ends nothing.
  res.on("drain", release);
  res.on("timeout", () => {
    if (held) res.destroy();
  });
  const { write } = res;
  res.write = ((...given: Parameters<typeof write>) => {
    const isTaken = write.apply(res, given);
    check();
    return isTaken;
  }) as typeof write;
  res.once("close", release);
  return () => {
    check();
    if (held && res.writableEnded) disconnectSlow(res, res.writableLength);
  };
}

/** Call before a large answer is written: a client that hardly reads would keep it in memory indefinitely. */
export function disconnectSlow(res: ServerResponse, bytes: number): void {
  res.setTimeout(STALLED_MS, () => res.destroy());
  const timer = setTimeout(() => res.destroy(), STALLED_MS + bytes / SLOWEST_BYTES_PER_MS);
  res.once("close", () => clearTimeout(timer));
}
