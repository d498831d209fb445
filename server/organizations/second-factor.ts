// Checks codes of the second factor: those of an authenticator app (TOTP, RFC 6238) and recovery codes. Each works once.
import { and, eq, lt, sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { secondFactors } from "#db/schema/team.ts";
import type { Client } from "../base/client-address.ts";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import type { SecretBox } from "../base/secrets.ts";
import { writeWrongCode } from "./audit.ts";
import { type AttemptCounter, countAttempt, forgiveAttempts, takeBackAttempt } from "./sign-in-attempts.ts";

const DIGITS = 6;
/** How many steps the clock of the app may be early or late. */
const STEPS_OFF = 1;
const FREE_PER_ACCOUNT = 5;
/** Many people may share an address. */
const FREE_PER_ADDRESS = 20;

/**
 * Uses up a code. Every attempt counts before the code is read, so that concurrent guesses do not share one count. Devices have no
 * counter of their own, as they have for passwords: whoever knew the password before could have made many known devices.
 * @param code as the person typed it
 * @throws ServiceError `wrong_code` also for a code that was used, `rate_limited` with `Retry-After`
 */
export async function checkCode(services: Services, userId: string, code: string, client: Client): Promise<void> {
  const { network, behindUndeclaredProxy } = client;
  const ofAccount: AttemptCounter = { name: `code:${userId}`, freeFailures: FREE_PER_ACCOUNT, clearedBySuccess: true };
  const ofAddress: AttemptCounter = {
    name: `code-address:${network}`,
    freeFailures: FREE_PER_ADDRESS,
    clearedBySuccess: false,
  };
  const counters = behindUndeclaredProxy ? [ofAccount] : [ofAccount, ofAddress];
  await countAttempt(services, counters);
  const isRight = await spendCode(services, userId, code.replace(/[\s-]/g, "").toLowerCase()).catch(async (error) => {
    await takeBackAttempt(services, counters);
    throw error;
  });
  if (isRight) return forgiveAttempts(services, counters);
  await writeWrongCode(services, userId);
  throw wrongCode();
}

export function wrongCode(): ServiceError {
  return new ServiceError("wrong_code", "The code is wrong, was used already, or has expired.");
}

function spendCode(services: Services, userId: string, code: string): Promise<boolean> {
  return code.length === DIGITS ? spendAppCode(services, userId, code) : spendRecoveryCode(services, userId, code);
}

async function spendAppCode({ db, secrets, now }: Services, userId: string, code: string): Promise<boolean> {
  const { secret, lastStep } = secondFactors;
  const own = eq(secondFactors.userId, userId);
  const [row] = await db.select({ secret }).from(secondFactors).where(own);
  const step = row && matchingStep(secrets.open(row.secret, userId), code, now());
  if (step === undefined) return false;
  const used = await db
    .update(secondFactors)
    .set({ lastStep: step })
    .where(and(own, lt(lastStep, step)));
  return used.count > 0;
}

async function spendRecoveryCode({ db, secrets }: Services, userId: string, code: string): Promise<boolean> {
  const mac = recoveryMac(secrets, userId, code);
  const { recoveryCodes } = secondFactors;
  const used = await db
    .update(secondFactors)
    .set({ recoveryCodes: sql`array_remove(${recoveryCodes}, ${mac})` })
    .where(and(eq(secondFactors.userId, userId), sql`${mac} = any(${recoveryCodes})`));
  return used.count > 0;
}

/** What is stored of a recovery code, which is short: the key of the service makes guesses from a stolen database useless. */
export function recoveryMac(secrets: Pick<SecretBox, "mac">, userId: string, code: string): string {
  return secrets.mac(`recovery code:${userId}:${code}`).toString("base64url");
}

/**
 * The codes of an account (RFC 6238, SHA-1).
 * @param secret 20 bytes in base64url
 */
export function totpOf(secret: string, names: { issuer?: string; label?: string } = {}): TOTP {
  const { buffer } = new Uint8Array(Buffer.from(secret, "base64url"));
  return new TOTP({ ...names, secret: new Secret({ buffer }) });
}

/** @returns the time step whose code this is */
export function matchingStep(secret: string, code: string, at: Date): number | undefined {
  const timestamp = at.getTime();
  const totp = totpOf(secret);
  const delta = totp.validate({ token: code, timestamp, window: STEPS_OFF });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}
