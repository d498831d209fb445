// Creates password reset links, and the mails about a person's account: with such a link, and about its second factor.
import { randomBytes } from "node:crypto";
import { asc, eq } from "drizzle-orm";
import { members } from "#db/schema/team.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { LINK } from "../system-mail/foreign.ts";
import { type EmailNeeds, writeEmail } from "../system-mail/write.ts";
import { isCompanyPerson, RESET_SECONDS } from "./sign-in.ts";

const TOKEN_BYTES = 24;

type Needs = EmailNeeds & Pick<Services, "db" | "signals">;
export type Person = { id: string; email: string };

/** The page that accepts a reset token. */
function resetLink(settings: Services["settings"], token: string): string {
  return `${settings.PUBLIC_URL}/reset-password?token=${token}`;
}

/**
 * Whether a reset link still works. It changes nothing.
 * @throws ServiceError `link_not_found` if it was used, has expired, or never was
 */
export async function requireResetLink(services: Pick<Services, "signIn" | "now">, token: string): Promise<void> {
  const { internalAdapter } = await (await services.signIn()).$context;
  const found = await internalAdapter.findVerificationValue(identifierOf(token));
  if (found && new Date(found.expiresAt) > services.now()) return;
  throw new ServiceError("link_not_found", "This reset link was used, has expired, or is not complete.", {
    fix: "Request a new link, and use the one in the latest email.",
  });
}

const identifierOf = (token: string) => `reset-password:${token}`;

/**
 * For the operator, when no mail reaches the person.
 * @throws ServiceError `not_found`, `invalid_request` for a person with a company account
 */
export async function newResetLink(ctx: Ctx<System>, email: string): Promise<string> {
  const { internalAdapter } = await (await ctx.signIn()).$context;
  const found = await internalAdapter.findUserByEmail(email.toLowerCase());
  if (!found) throw new ServiceError("not_found", `There is no account of ${email}.`);
  if (await isCompanyPerson(ctx, found.user.id)) {
    throw new ServiceError("invalid_request", `${email} signs in with a company account, and has no password.`, {
      fix: "Ask the person to sign in with the company account, or unlink it: npm run -s admin -- accounts unlink-company <e-mail>",
    });
  }
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  await internalAdapter.createVerificationValue({
    identifier: identifierOf(token),
    value: found.user.id,
    expiresAt: new Date(ctx.now().getTime() + RESET_SECONDS * 1_000),
  });
  return resetLink(ctx.settings, token);
}

/**
 * Writes the mail with a reset link. None is written for an account without an organization, with OUTBOUND=local, or over
 * the limits of emails.
 */
export async function sendReset(services: Needs, person: Person, token: string): Promise<void> {
  const { settings } = services;
  const text = [
    `A new password was requested for your account on ${settings.PUBLIC_URL}.`,
    `Open this link within an hour to set it:\n\n${LINK}`,
    "If you did not request it, ignore this mail. Your password stays the same.",
  ];
  await write(services, person, { topic: "reset", text, link: resetLink(settings, token) });
}

/** Tells a person of a change of their second factor, in the transaction of the change. Written like `sendReset`. */
export async function writeAccountNotice(
  services: Needs,
  person: Person,
  { topic, change }: { topic: "second_factor" | "company_account"; change: string },
): Promise<void> {
  const { settings } = services;
  const text = [
    change,
    `This is about your account on ${settings.PUBLIC_URL}. If you did not expect it, set a new password now, and tell an owner of your organization:\n\n${LINK}`,
  ];
  await write(services, person, { topic, text, link: `${settings.PUBLIC_URL}/forgot-password` });
}

type Mail = { topic: "reset" | "second_factor" | "company_account"; text: string[]; link: string };

async function write(services: Needs, person: Person, { topic, text, link }: Mail): Promise<void> {
  const { db, signals, log } = services;
  const email = { to_address: person.email, kind: "reset" as const, topic, text: `${text.join("\n\n")}\n`, link };
  const writing = db.transaction(async (tx) => {
    const [member] = await tx
      .select({ organization_id: members.organizationId })
      .from(members)
      .where(eq(members.userId, person.id))
      .orderBy(asc(members.createdAt))
      .limit(1);
    if (member) await writeEmail(tx, services, { ...member, ...email });
  });
  await writing.catch((error: unknown) => {
    // Unknown accounts have no limit, so a refusal would say that the account exists.
    if (!(error instanceof ServiceError)) throw error;
    log.warn({ code: error.code, topic }, "an email about an account was not written: over its limit");
  });
  signals.raise("outbound");
}
