// Turns the second factor of an account on and off, and resets it for a person who lost their device (docs/decisions/117).
import { randomBytes, randomInt } from "node:crypto";
import { and, eq, ne, sql } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/client.ts";
import { accounts, secondFactors, sessions } from "#db/schema/team.ts";
import type { Client } from "../base/client-address.ts";
import type { Ctx, Member, Services, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import { writeOwnAct } from "./audit.ts";
import { confirmPassword } from "./check-password.ts";
import { writeAccountNotice } from "./emails.ts";
import { changeByOperator, changeByOwner } from "./other-accounts.ts";
import { checkCode, matchingStep, recoveryMac, totpOf, wrongCode } from "./second-factor.ts";

const SECRET_BYTES = 20;
const SETUP_MS = 600_000;
const RECOVERY_CODES = 10;
const RECOVERY_CHARS = 10;
/** Without the ones that look alike: 32 of them, so a code has 50 bits. */
const RECOVERY_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

const setupRule = z.object({ secret: z.string(), until: z.number() });

const TURNED_ON = "The second factor of your account was turned on. All your other sessions have ended.";
const TURNED_OFF = "The second factor of your account was turned off. All your other sessions have ended.";
const RESET =
  "The second factor of your account was reset, and all your sessions have ended. You sign in with your password alone until you turn it on again.";

/** The second factor of one's own account. */
export async function getSecondFactor({ db, actor }: Ctx<Member>) {
  const { recoveryCodes, userId } = secondFactors;
  const [row] = await db
    .select({ left: sql<number>`cardinality(${recoveryCodes})` })
    .from(secondFactors)
    .where(eq(userId, actor.userId));
  const ofPassword = and(eq(accounts.userId, actor.userId), eq(accounts.providerId, "credential"));
  const has_password = (await db.$count(accounts, ofPassword)) > 0;
  return { email: actor.email, is_on: row !== undefined, recovery_codes_left: row?.left ?? 0, has_password };
}

/**
 * Makes a secret. Nothing is stored until its first code is confirmed.
 * @returns `secret`: in base32; `uri`: for a QR code; `setup`: to send back within ten minutes
 * @throws ServiceError `invalid_request` for a wrong password, or if it is on; `rate_limited`
 */
export async function beginSecondFactor(ctx: Ctx<Member>, password: string, client: Client) {
  const { actor, secrets, settings, now } = ctx;
  if (actor.secondFactor === "on") throw isOn();
  await confirmPassword(ctx, actor.userId, password, client);
  const bytes = randomBytes(SECRET_BYTES);
  const setup = { secret: bytes.toString("base64url"), until: now().getTime() + SETUP_MS };
  const issuer = settings.SERVICE_NAME === "Service" ? new URL(settings.PUBLIC_URL).hostname : settings.SERVICE_NAME;
  const totp = totpOf(setup.secret, { issuer: issuer.replaceAll(":", " "), label: actor.email });
  return {
    secret: totp.secret.base32,
    uri: totp.toString(),
    setup: secrets.seal(JSON.stringify(setup), sealedFor(actor)).toString("base64url"),
  };
}

/**
 * Turns it on with the first code, and ends the other sessions of the account.
 * @returns the recovery codes, which are shown once
 * @throws ServiceError `wrong_code`; `invalid_request` if it is on, or the set-up expired
 */
export async function confirmSecondFactor(ctx: Ctx<Member>, input: { setup: string; code: string }) {
  const { actor, secrets, now } = ctx;
  const { userId, sessionId } = actor;
  const secret = readSetup(ctx, input.setup);
  const lastStep = matchingStep(secret, input.code.replace(/\s/g, ""), now());
  if (lastStep === undefined) throw wrongCode();
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const recoveryCodes = codes.map((code) => recoveryMac(secrets, userId, code));
  const row = { userId, secret: secrets.seal(secret, userId), lastStep, recoveryCodes, createdAt: now() };
  await ctx.db.transaction(async (tx) => {
    const made = await tx.insert(secondFactors).values(row).onConflictDoNothing();
    if (made.count === 0) throw isOn();
    await endOtherSessions(tx, actor);
    await tx.update(sessions).set({ secondFactor: true }).where(eq(sessions.id, sessionId));
    await writeOwnAct({ db: tx, now }, userId, "account.second_factor_on");
    await writeAccountNotice(
      { ...ctx, db: tx },
      { id: userId, email: actor.email },
      { topic: "second_factor", change: TURNED_ON },
    );
  });
  return { recovery_codes: codes.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`) };
}

/**
 * Turns it off, and ends the other sessions of the account.
 * @throws ServiceError `invalid_request` for a wrong password, or if it is off; `wrong_code`, `rate_limited`
 */
export async function endSecondFactor(
  ctx: Ctx<Member>,
  { password, code }: { password: string; code: string },
  client: Client,
): Promise<void> {
  const { actor } = ctx;
  const { userId, email } = actor;
  if (actor.secondFactor !== "on") throw new ServiceError("invalid_request", "The second factor is off.");
  await confirmPassword(ctx, userId, password, client);
  await checkCode(ctx, userId, code, client);
  await ctx.db.transaction(async (tx) => {
    await tx.delete(secondFactors).where(eq(secondFactors.userId, userId));
    await endOtherSessions(tx, actor);
    await writeOwnAct({ db: tx, now: ctx.now }, userId, "account.second_factor_off");
    await writeAccountNotice({ ...ctx, db: tx }, { id: userId, email }, { topic: "second_factor", change: TURNED_OFF });
  });
}

/**
 * For a member who lost their device.
 * @throws ServiceError `member_not_found`, `invalid_request` for oneself, `insufficient_role` if another organization has the member
 */
export async function resetSecondFactor(ctx: Ctx<Member>, wireId: string): Promise<void> {
  const id = decodeId("usr", wireId) ?? "";
  if (id === ctx.actor.userId) {
    throw new ServiceError("invalid_request", "Turn off your own second factor in your menu, with a code.");
  }
  const refusal = {
    message: "Only the operator can reset the second factor of this member.",
    fix: "Ask the operator: npm run -s admin -- accounts reset-second-factor <e-mail>",
  };
  await changeByOwner(ctx, { id, action: "team.resetSecondFactor", refusal }, (tx, person) => reset(ctx, tx, person));
}

/** @throws ServiceError `not_found` */
export function resetSecondFactorByOperator(ctx: Ctx<System>, email: string): Promise<{ email: string }> {
  return changeByOperator(ctx, { email, action: "account.reset_second_factor" }, (tx, person) =>
    reset(ctx, tx, person),
  );
}

/** Sessions of a person who never had a second factor stay. */
async function reset(services: Services, tx: Transaction, person: { id: string; email: string }): Promise<void> {
  const ended = await tx.delete(secondFactors).where(eq(secondFactors.userId, person.id));
  if (ended.count === 0) throw new ServiceError("invalid_request", "This account has no second factor.");
  await tx.delete(sessions).where(eq(sessions.userId, person.id));
  await writeAccountNotice({ ...services, db: tx }, person, { topic: "second_factor", change: RESET });
}

async function endOtherSessions(tx: Transaction, { userId, sessionId }: Member): Promise<void> {
  await tx.delete(sessions).where(and(eq(sessions.userId, userId), ne(sessions.id, sessionId)));
}

function readSetup({ actor, secrets, now }: Ctx<Member>, sealed: string): string {
  try {
    const opened = secrets.open(Buffer.from(sealed, "base64url"), sealedFor(actor));
    const { secret, until } = setupRule.parse(JSON.parse(opened));
    if (until > now().getTime()) return secret;
  } catch {
    // Not of this service, or of another account.
  }
  throw new ServiceError("invalid_request", "The set-up took longer than ten minutes. Begin again.");
}

function sealedFor({ userId }: Member): string {
  return `second factor setup ${userId}`;
}

function isOn(): ServiceError {
  return new ServiceError("invalid_request", "The second factor is on already.");
}

function newRecoveryCode(): string {
  const letters = Array.from({ length: RECOVERY_CHARS }, () => RECOVERY_ALPHABET[randomInt(RECOVERY_ALPHABET.length)]);
  return letters.join("");
}
