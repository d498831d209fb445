// Checks a password by better-auth within the limits on wrong guesses: by account or known device, and by client address.
import type { Client } from "../base/client-address.ts";
import type { Services } from "../base/context.ts";
import { type Bucket, countAttempt, forgiveAttempts, takeBackAttempt } from "./attempts.ts";
import { accountHash, deviceCookie, knownDevice } from "./devices.ts";

const FREE_PER_ACCOUNT = 10;
const FREE_PER_DEVICE = 10;
const FREE_PER_SESSION = 10;
const FREE_PER_RESET = 5;
/** Many people may share an address. */
const FREE_PER_ADDRESS = 100;

/** Where an attempt comes from. `cookies`: the request's Cookie header. */
export type From = { client: Client; cookies: string | undefined };

/**
 * What an attempt is counted in. A known device has a bucket of its own and is not counted by address, so that no guesses from
 * elsewhere lock it out. Behind a proxy that TRUST_PROXY does not name, one address would stand for everybody.
 */
function bucketsOf(device: string | undefined, email: string, { network, behindUndeclaredProxy }: Client): Bucket[] {
  const account = accountHash(email);
  if (device) return [{ name: `device:${account}:${device}`, free: FREE_PER_DEVICE, resets: true }];
  const ofAccount = { name: `account:${account}`, free: FREE_PER_ACCOUNT, resets: true };
  return behindUndeclaredProxy
    ? [ofAccount]
    : [ofAccount, { name: `address:${network}`, free: FREE_PER_ADDRESS, resets: false }];
}

/** What the queue of password hashes counts a client by. */
export function queueKey({ network, behindUndeclaredProxy }: Client): string | undefined {
  return behindUndeclaredProxy ? undefined : network;
}

/**
 * Signs in. An account that does not exist is counted as one that does.
 * @param ask better-auth: a 2xx says that the password is right, 401 that it is wrong
 * @returns its answer, and the cookie that makes this device known when the password is right
 * @throws ServiceError `rate_limited` with `Retry-After`, `unavailable`
 */
export async function signInWithin(
  services: Services,
  email: string,
  from: From,
  ask: () => Promise<Response>,
): Promise<{ answer: Response; cookies: string[] }> {
  const device = knownDevice(services, email, from.cookies);
  const answer = await checkWithin(services, bucketsOf(device, email, from.client), from.client, ask, 401);
  return { answer, cookies: answer.ok ? [deviceCookie(services, email, device)] : [] };
}

/** Changes the password of a person who is signed in: better-auth answers 400 to a wrong current one. Throws as `signInWithin`. */
export function changePasswordWithin(services: Services, userId: string, client: Client, ask: () => Promise<Response>) {
  const bucket = { name: `session:${userId}`, free: FREE_PER_SESSION, resets: true };
  return checkWithin(services, [bucket], client, ask, 400);
}

/** Asks for a letter to set a new password. Every one counts, so that nobody's inbox is filled. Throws as `signInWithin`. */
export async function requestResetWithin(services: Services, email: string, ask: () => Promise<Response>) {
  await countAttempt(services, [{ name: `reset:${accountHash(email)}`, free: FREE_PER_RESET, resets: false }]);
  return ask();
}

async function checkWithin(
  services: Services,
  buckets: Bucket[],
  client: Client,
  ask: () => Promise<Response>,
  wrong: number,
): Promise<Response> {
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
