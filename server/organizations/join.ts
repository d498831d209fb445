// Joins an organization by a link: checks the password of an existing account, then uses up the link and creates the
// membership, and the account if there was none, in one transaction.
import { and, eq } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { organizations } from "#db/schema/enrollment.ts";
import { accounts, members, users } from "#db/schema/team.ts";
import type { Anonymous, Ctx, Services } from "../base/context.ts";
import { invalidField, ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { lockAddresses, refuseHosted } from "../grants/hosted.ts";
import { writeOwnAct } from "./audit.ts";
import { type From, queueKey, signInWithin } from "./check-password.ts";
import { deviceCookie, knownDevice } from "./devices.ts";
import { findLink, hasAccount, type Link, spendLink } from "./links.ts";
import { addDefaultRoute } from "./notices/reach.ts";
import { AUTH_BASE, CLIENT_ADDRESS_HEADER } from "./sign-in.ts";

/** `code`: of the second factor of an existing account. */
export type JoinInput = {
  token: string;
  name?: string | undefined;
  email?: string | undefined;
  password: string;
  code?: string | undefined;
};
type Person = { email: string; cookies: string[] };
type NewAccount = { id: string; email: string; name: string; passwordHash: string };

/**
 * @param from the source that a wrong password of an existing account counts against
 * @returns the address that joined, and the cookies of the new session
 * @throws ServiceError `link_not_found`, `invalid_request`, `unauthorized` (the password of an existing account),
 * `second_factor_required`, `wrong_code`, `rate_limited`, `already_member`, `hosted_address`
 */
export async function join(ctx: Ctx<Anonymous>, input: JoinInput, from: From): Promise<Person> {
  const link = await findLink(ctx, input.token);
  const email = (link.email ?? input.email)?.toLowerCase();
  if (!email) throw invalidField("email", "your mail address, with which you sign in");
  const known = (await hasAccount(ctx, email)) ? await signIn(ctx, email, input, from) : undefined;
  const account = known ? undefined : await newAccount(ctx, email, input, from);
  const userId = known?.userId ?? (account as NewAccount).id;
  await ctx.db.transaction(async (tx) => {
    await refuseIfCompany(tx, link);
    if (account) {
      await lockAddresses(tx);
      await refuseHosted(tx, ctx, email);
    }
    await spendLink(tx, link, input.token, ctx.now());
    if (account) await insertAccount(tx, account, ctx.now());
    await insertMember(tx, ctx, link, userId);
    await writeOwnAct({ db: tx, now: ctx.now }, userId, "team.join");
  });
  const cookies = known?.cookies ?? [
    ...(await beginSession(ctx, userId)),
    deviceCookie(ctx, email, knownDevice(ctx, email, from.cookies)),
  ];
  return { email, cookies };
}

async function newAccount(
  ctx: Ctx<Anonymous>,
  email: string,
  { name, password }: JoinInput,
  { client }: From,
): Promise<NewAccount> {
  if (!name) throw invalidField("name", "how your team knows you");
  // Checked before the slow hash, and again with the addresses locked.
  await refuseHosted(ctx.db, ctx, email);
  const auth = await (await ctx.signIn()).$context;
  const passwordHash = await ctx.signIn.queue(queueKey(client), () => auth.password.hash(password));
  return { id: newId(), email, name, passwordHash };
}

/** In better-auth's format. The address is verified: the link was mailed to it, or the operator passed it on. */
async function insertAccount(tx: Transaction, { passwordHash, ...person }: NewAccount, at: Date): Promise<void> {
  const { id } = person;
  await insertPerson(tx, person, at);
  const times = { createdAt: at, updatedAt: at };
  await tx
    .insert(accounts)
    .values({ id: newId(), userId: id, accountId: id, providerId: "credential", password: passwordHash, ...times });
}

/** A person who has proved the address. @throws ServiceError `unauthorized` if another one was just created */
export async function insertPerson(tx: Transaction, person: Omit<NewAccount, "passwordHash">, at: Date): Promise<void> {
  const { id, email, name } = person;
  const [made] = await tx
    .insert(users)
    .values({ id, name, email, emailVerified: true, createdAt: at, updatedAt: at })
    .onConflictDoNothing({ target: users.email })
    .returning({ id: users.id });
  if (!made) {
    const message = `An account of ${email} was just created. Open the link again and enter its password.`;
    throw new ServiceError("unauthorized", message);
  }
}

/** A link of an organization that requires company sign-in is used up by company sign-in only. */
async function refuseIfCompany(tx: Transaction, { organizationId }: Link): Promise<void> {
  const { id, require_company_sign_in } = organizations;
  const required = and(eq(id, organizationId), eq(require_company_sign_in, true));
  if ((await tx.$count(organizations, required)) === 0) return;
  throw new ServiceError(
    "company_sign_in_required",
    "Members of this organization sign in with their company account.",
  );
}

/** An owner's link makes its user an owner, whatever their role was. A new owner gets notices. */
export async function insertMember(
  tx: Transaction,
  services: Pick<Services, "settings" | "now">,
  { kind, organizationId, role }: Link,
  userId: string,
): Promise<void> {
  const createdAt = services.now();
  const member = tx.insert(members).values({ id: newId(), organizationId, userId, role, createdAt });
  const target = [members.organizationId, members.userId];
  const written =
    kind === "owner" ? member.onConflictDoUpdate({ target, set: { role } }) : member.onConflictDoNothing({ target });
  const [made] = await written.returning({ id: members.id });
  if (!made) throw new ServiceError("already_member", "You are already a member of this organization. Sign in.");
  if (role === "owner") await addDefaultRoute(tx, services, { organizationId, userId });
}

/** Like /auth/sign-in/email, with the same limits. */
async function signIn(ctx: Ctx<Anonymous>, email: string, { password, code }: JoinInput, from: From) {
  const auth = await ctx.signIn();
  const request = {
    method: "POST",
    headers: { "Content-Type": "application/json", [CLIENT_ADDRESS_HEADER]: from.client.address },
    body: JSON.stringify({ email, password }),
  };
  const url = `${new URL(ctx.settings.PUBLIC_URL).origin}${AUTH_BASE}/sign-in/email`;
  const ask = () => auth.handler(new Request(url, request));
  const { answer, cookies } = await signInWithin(ctx, { email, code }, from, ask);
  if (!answer.ok) {
    const message = `An account of ${email} exists, and this is not its password.`;
    throw new ServiceError("unauthorized", message);
  }
  const { user } = (await answer.json()) as { user: { id: string } };
  return { cookies: [...answer.headers.getSetCookie(), ...cookies], userId: user.id };
}

/** The account was just created with this password, so it need not be checked. */
async function beginSession(ctx: Ctx<Anonymous>, userId: string): Promise<string[]> {
  const auth = await ctx.signIn();
  const answer = await auth.api.beginSession({ body: { userId }, asResponse: true });
  return answer.headers.getSetCookie();
}
