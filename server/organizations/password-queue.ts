// Queues password hashes: scrypt takes 32 MiB and a thread of the pool that the whole process shares.
import { ServiceError } from "../base/errors.ts";
import { createLimiter } from "../base/limiter.ts";

const AT_ONCE = 2;
const WAITING_MAX = 64;
/** One client can use a quarter of the queue. */
const WAITING_MAX_PER_CLIENT = WAITING_MAX / 4;
const RETRY_AFTER_SECONDS = "2";

/**
 * Runs `work`, which hashes a password, when it is its turn.
 * @param client the key for limits; undefined if many clients share one address
 * @throws ServiceError `unavailable` if the queue is full, `rate_limited` if this client's share is
 */
export type PasswordQueue = <T>(client: string | undefined, work: () => Promise<T>) => Promise<T>;

export function createPasswordQueue(): PasswordQueue {
  const limiter = createLimiter({ total: AT_ONCE + WAITING_MAX, each: WAITING_MAX_PER_CLIENT });
  const waiting: (() => void)[] = [];
  let running = 0;

  async function turn(): Promise<void> {
    // Finished work passes its place on.
    if (running === AT_ONCE) return new Promise((resolve) => waiting.push(resolve));
    running += 1;
  }

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return async (client, work) => {
    const share = limiter.open(client);
    const full = share.take();
    if (full === "total") throw refusal("unavailable", "Too many sign-ins are in progress.");
    if (full === "each") throw refusal("rate_limited", "Too many attempts from this address are waiting.");
    try {
      await turn();
      try {
        return await work();
      } finally {
        leave();
      }
    } finally {
      share.release();
    }
  };
}

function refusal(code: "unavailable" | "rate_limited", message: string): ServiceError {
  return new ServiceError(code, `${message} Try again in ${RETRY_AFTER_SECONDS} seconds.`, {
    headers: { "Retry-After": RETRY_AFTER_SECONDS },
  });
}
