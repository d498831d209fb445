// Checks passwords with better-auth, with limits on wrong ones: by account or known device, and by client address.
import type { Client } from "../base/client-address.ts";
import type { Services } from "../base/context.ts";
import { type Bucket, countAttempt, forgiveAttempts, takeBackAttempt } from "./attempts.ts";
import { writeWrongPassword } from "./audit.ts";
import { accountHash, deviceCookie, knownDevice } from "./devices.ts";

const FREE_PER_ACCOUNT = 10;
const FREE_PER_DEVICE = 10;
const FREE_PER_SESSION = 10;
const FREE_PER_RESET = 5;
/** Many people may share an address. */
const FREE_PER_ADDRESS = 100;

/** The source of an attempt. `cookies`: the request's Cookie header. */
export type From = { client: Client; cookies: string | undefined };

/**
 * The buckets of an attempt. A known device has its own bucket and is not counted by address, so that guesses from
 * elsewhere do not lock it out. Behind a proxy that is not in TRUST_PROXY, all clients would share one address, so it
 * is not counted.
 */
function bucketsOf(device: string | undefined, email: string, { network, behindUndeclaredProxy }: Client): Bucket[] {
  const account = accountHash(email);
  if (device) return [{ name: `device:${account}:${device}`, free: FREE_PER_DEVICE, resets: true }];
  const ofAccount = { name: `account:${account}`, free: FREE_PER_ACCOUNT, resets: true };
  return behindUndeclaredProxy
    ? [ofAccount]
    : [ofAccount, { name: `address:${network}`, free: FREE_PER_ADDRESS, resets: false }];
}

/** The client's key in the queue of password hashes. */
export function queueKey({ network, behindUndeclaredProxy }: Client): string | undefined {
  return behindUndeclaredProxy ? undefined : network;
}

/**
 * Signs in. Unknown accounts are counted like existing ones.
 * @param ask better-auth: 2xx for a correct password, 401 for a wrong one
 * @returns its answer, and after a correct password the cookie that makes this device known
 * @throws ServiceError `rate_limited` with `Retry-After`, `unavailable`
 */
export async function signInWithin(
  services: Services,
  email: string,
  from: From,
  ask: () => Promise<Response>,
): Promise<{ answer: Response; cookies: string[] }> {
  const device = knownDevice(services, email, from.cookies);
  const answer = await checkWithin(services, bucketsOf(device, email, from.client), {
    client: from.client,
    ask,
    wrong: 401,
  });
  if (answer.status === 401) await writeWrongPassword(services, email);
  return { answer, cookies: answer.ok ? [deviceCookie(services, email, device)] : [] };
}

/**
 * Changes the password of a signed-in person: better-auth answers 400 to a wrong current one. Throws like
 * `signInWithin`.
 */
export function changePasswordWithin(services: Services, userId: string, client: Client, ask: () => Promise<Response>) {
  const bucket = { name: `session:${userId}`, free: FREE_PER_SESSION, resets: true };
  return checkWithin(services, [bucket], { client, ask, wrong: 400 });
}

/**
 * Requests a password reset mail. Every request counts, so that a mailbox cannot be flooded. Throws like `signInWithin`.
 */
export async function requestResetWithin(services: Services, email: string, ask: () => Promise<Response>) {
  await countAttempt(services, [{ name: `reset:${accountHash(email)}`, free: FREE_PER_RESET, resets: false }]);
  return ask();
}

/** `wrong`: the status of an answer to a wrong password. */
type Check = { client: Client; ask: () => Promise<Response>; wrong: number };

async function checkWithin(services: Services, buckets: Bucket[], { client, ask, wrong }: Check): Promise<Response> {
  await countAttempt(services, buckets);
  let status = 500;
  try {
    const answer = await services.signIn.queue(queueKey(client), ask);
    status = answer.status;
    return answer;
  } finally {
    if (status < 300) await forgiveAttempts(services, buckets);
    else if (status !== wrong) await takeBackAttempt(services, buckets);
  }
}
