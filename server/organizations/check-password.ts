// Checks passwords with better-auth, with limits on wrong ones: by account or known device, and by client address; then the code
// of the second factor.

import { and, eq } from "drizzle-orm";
import { accounts, users } from "#db/schema/team.ts";
import type { Client } from "../base/client-address.ts";
import type { Services } from "../base/context.ts";
import { invalidField, ServiceError } from "../base/errors.ts";
import { writeOwnAct, writeWrongPassword } from "./audit.ts";
import { accountHash, deviceCookie, knownDevice } from "./devices.ts";
import { checkCode } from "./second-factor.ts";
import { SECOND_FACTOR_ASKED } from "./sign-in.ts";
import { type AttemptCounter, countAttempt, forgiveAttempts, takeBackAttempt } from "./sign-in-attempts.ts";

const FREE_PER_ACCOUNT = 10;
const FREE_PER_DEVICE = 10;
const FREE_PER_SESSION = 10;
const FREE_PER_RESET = 5;
/** Many people may share an address. */
const FREE_PER_ADDRESS = 100;

/** The source of an attempt. `cookies`: the request's Cookie header. */
export type From = { client: Client; cookies: string | undefined };

/**
 * The counters of an attempt. A known device has its own counter and is not counted by address, so that guesses from
 * elsewhere do not lock it out. Behind a proxy that is not in TRUST_PROXY, all clients would share one address, so it
 * is not counted.
 */
function countersOf(
  device: string | undefined,
  email: string,
  { network, behindUndeclaredProxy }: Client,
): AttemptCounter[] {
  const account = accountHash(email);
  if (device) return [{ name: `device:${account}:${device}`, freeFailures: FREE_PER_DEVICE, clearedBySuccess: true }];
  const ofAccount = { name: `account:${account}`, freeFailures: FREE_PER_ACCOUNT, clearedBySuccess: true };
  return behindUndeclaredProxy
    ? [ofAccount]
    : [ofAccount, { name: `address:${network}`, freeFailures: FREE_PER_ADDRESS, clearedBySuccess: false }];
}

/** The client's key in the queue of password hashes. */
export function queueKey({ network, behindUndeclaredProxy }: Client): string | undefined {
  return behindUndeclaredProxy ? undefined : network;
}

/** `code`: of the second factor; needed if the account has one. */
type Given = { email: string; code: string | undefined };

/**
 * Signs in. Unknown accounts are counted like existing ones. Password and code come in one request, so there is no state between
 * the two steps that could be stolen or mixed up.
 * @param ask better-auth: 2xx for a correct password, 401 for a wrong one
 * @returns its answer, and after a correct sign-in the cookie that makes this device known
 * @throws ServiceError `rate_limited` with `Retry-After`, `unavailable`; after a correct password `second_factor_required`
 * without a code, `wrong_code`
 */
export async function signInWithin(
  services: Services,
  { email, code }: Given,
  from: From,
  ask: () => Promise<Response>,
): Promise<{ answer: Response; cookies: string[] }> {
  const device = knownDevice(services, email, from.cookies);
  const counters = countersOf(device, email, from.client);
  const checked = await checkWithin(services, counters, { client: from.client, ask, wrong: 401 });
  if (checked.status === 401) await writeWrongPassword(services, email);
  const answer = (await asksForCode(checked))
    ? await enterWithCode(services, { email, code }, from.client, counters)
    : checked;
  return { answer, cookies: answer.ok ? [deviceCookie(services, email, device)] : [] };
}

async function asksForCode(answer: Response): Promise<boolean> {
  if (answer.status !== 403) return false;
  const { code } = (await answer.clone().json()) as { code?: unknown };
  return code === SECOND_FACTOR_ASKED;
}

/** The password was right. @param counters of its check */
async function enterWithCode(services: Services, { email, code }: Given, client: Client, counters: AttemptCounter[]) {
  if (code === undefined) {
    throw new ServiceError("second_factor_required", "The password is right. This account needs a code too.");
  }
  const [user] = await services.db.select({ id: users.id }).from(users).where(eq(users.email, email.toLowerCase()));
  if (!user) throw new ServiceError("unauthorized", "This account was deleted.");
  await checkCode(services, user.id, code, client);
  await forgiveAttempts(services, counters);
  await writeOwnAct(services, user.id, "session.sign_in");
  const auth = await services.signIn();
  return auth.api.beginSession({ body: { userId: user.id, secondFactor: true }, asResponse: true });
}

/**
 * Checks the password of a signed-in person again.
 * @throws ServiceError `invalid_request` for a wrong one, or for an account without a password; `rate_limited`, `unavailable`
 */
export async function confirmPassword(
  services: Services,
  userId: string,
  password: string,
  client: Client,
): Promise<void> {
  const ofPassword = and(eq(accounts.userId, userId), eq(accounts.providerId, "credential"));
  const [account] = await services.db.select({ hash: accounts.password }).from(accounts).where(ofPassword);
  const hash = account?.hash;
  if (!hash) throw new ServiceError("invalid_request", "Your account has no password.");
  const { password: hasher } = await (await services.signIn()).$context;
  const ask = async () => new Response(null, { status: (await hasher.verify({ hash, password })) ? 200 : 400 });
  const answer = await changePasswordWithin(services, userId, client, ask);
  if (!answer.ok) throw invalidField("password", "this is not your password");
}

/**
 * Changes the password of a signed-in person: better-auth answers 400 to a wrong current one. Throws like
 * `signInWithin`.
 */
export function changePasswordWithin(services: Services, userId: string, client: Client, ask: () => Promise<Response>) {
  const counter = { name: `session:${userId}`, freeFailures: FREE_PER_SESSION, clearedBySuccess: true };
  return checkWithin(services, [counter], { client, ask, wrong: 400 });
}

/**
 * Requests a password reset mail. Every request counts, so that a mailbox cannot be flooded. Throws like `signInWithin`.
 */
export async function requestResetWithin(services: Services, email: string, ask: () => Promise<Response>) {
  await countAttempt(services, [
    { name: `reset:${accountHash(email)}`, freeFailures: FREE_PER_RESET, clearedBySuccess: false },
  ]);
  return ask();
}

/** `wrong`: the status of an answer to a wrong password. */
type Check = { client: Client; ask: () => Promise<Response>; wrong: number };

async function checkWithin(
  services: Services,
  counters: AttemptCounter[],
  { client, ask, wrong }: Check,
): Promise<Response> {
  await countAttempt(services, counters);
  let status = 500;
  try {
    const answer = await services.signIn.queue(queueKey(client), ask);
    status = answer.status;
    return answer;
  } finally {
    if (status < 300) await forgiveAttempts(services, counters);
    else if (status !== wrong) await takeBackAttempt(services, counters);
  }
}
