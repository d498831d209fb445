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

type State = {
  waiting: (() => void)[];
  ofClient: Map<string, number>;
  running: number;
};

export function createPasswordQueue(): PasswordQueue {
  const queue: State = {
    waiting: [],
    ofClient: new Map<string, number>(),
    running: 0,
  };
  return async (client, work) => {
    if (queue.waiting.length >= WAITING_MAX) throw refusal("unavailable", "Too many sign-ins are in progress.");
    if (client !== undefined && (queue.ofClient.get(client) ?? 0) >= WAITING_MAX_PER_CLIENT) {
      throw refusal("rate_limited", "Too many attempts from this address are waiting.");
    }
    if (client !== undefined) count(queue, client, 1);
    try {
      await turn(queue);
      try {
        return await work();
      } finally {
        leave(queue);
      }
    } finally {
      if (client !== undefined) count(queue, client, -1);
    }
  };
}

async function turn(queue: State): Promise<void> {
  if (queue.running < AT_ONCE) {
    queue.running += 1;
    return;
  }
  // Finished work passes its place on.
  await new Promise<void>((resolve) => queue.waiting.push(resolve));
}

function leave(queue: State): void {
  const next = queue.waiting.shift();
  if (next) next();
  else queue.running -= 1;
}

function count(queue: State, client: string, change: number): void {
  const own = (queue.ofClient.get(client) ?? 0) + change;
  if (own > 0) queue.ofClient.set(client, own);
  else queue.ofClient.delete(client);
}

function refusal(code: "unavailable" | "rate_limited", message: string): ServiceError {
  return new ServiceError(code, `${message} Try again in ${RETRY_AFTER_SECONDS} seconds.`, {
    headers: { "Retry-After": RETRY_AFTER_SECONDS },
  });
}
