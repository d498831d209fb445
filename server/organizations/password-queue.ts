// Queues password hashes: scrypt takes 32 MiB and a thread of the pool that the whole process shares.
import { ServiceError } from "../base/errors.ts";

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
  const waiting: (() => void)[] = [];
  const ofClient = new Map<string, number>();
  let running = 0;

  async function turn(): Promise<void> {
    if (running < AT_ONCE) {
      running += 1;
      return;
    }
    // Finished work passes its place on.
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  function count(client: string, change: number): void {
    const own = (ofClient.get(client) ?? 0) + change;
    if (own > 0) ofClient.set(client, own);
    else ofClient.delete(client);
  }

  return async (client, work) => {
    if (waiting.length >= WAITING_MAX) throw refusal("unavailable", "Too many sign-ins are in progress.");
    if (client !== undefined && (ofClient.get(client) ?? 0) >= WAITING_MAX_PER_CLIENT) {
      throw refusal("rate_limited", "Too many attempts from this address are waiting.");
    }
    if (client !== undefined) count(client, 1);
    try {
      await turn();
      try {
        return await work();
      } finally {
        leave();
      }
    } finally {
      if (client !== undefined) count(client, -1);
    }
  };
}

function refusal(code: "unavailable" | "rate_limited", message: string): ServiceError {
  return new ServiceError(code, `${message} Try again in ${RETRY_AFTER_SECONDS} seconds.`, {
    headers: { "Retry-After": RETRY_AFTER_SECONDS },
  });
}
