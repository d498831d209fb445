// Joins an organization by a link: checks the password of an existing account, then uses up the link and creates the
// membership, and the account if there was none, in one transaction.
import type { TransactionSql } from "postgres";
import type { Anonymous, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { lockAddresses, refuseHosted } from "../grants/hosted.ts";
import { writeOwnAct } from "./audit.ts";
import { type From, queueKey, signInWithin } from "./check-password.ts";
import { deviceCookie, knownDevice } from "./devices.ts";
import { findLink, hasAccount, type Link, spendLink } from "./links.ts";
import { AUTH_BASE, CLIENT_ADDRESS_HEADER } from "./sign-in.ts";

export type JoinInput = { token: string; name?: string | undefined; email?: string | undefined; password: string };
type Person = { email: string; cookies: string[] };
type NewAccount = { id: string; email: string; name: string; passwordHash: string };

/**
 * @param from the source that a wrong password of an existing account counts against
 * @returns the address that joined, and the cookies of the new session
 * @throws ServiceError `link_not_found`, `invalid_request`, `unauthorized` (the password of an existing account),
 * `rate_limited`, `already_member`, `hosted_address`
 */
export async function join(ctx: Ctx<Anonymous>, input: JoinInput, from: From): Promise<Person> {
  const link = await findLink(ctx, input.token);
  const email = (link.email ?? input.email)?.toLowerCase();
  if (!email) throw missing("email", "your mail address, with which you sign in");
  const known = (await hasAccount(ctx, email)) ? await signIn(ctx, email, input.password, from) : undefined;
  const account = known ? undefined : await newAccount(ctx, email, input, from);
  const userId = known?.userId ?? (account as NewAccount).id;
  await ctx.sql.begin(async (tx) => {
    if (account) {
      await lockAddresses(tx);
      await refuseHosted(tx, ctx, email);
    }
    await spendLink(tx, link, input.token, ctx.now());
    if (account) await insertAccount(tx, account, ctx.now());
    await insertMember(tx, link, userId, ctx.now());
  });
  await writeOwnAct(ctx, userId, "team.join");
  const cookies = known?.cookies ?? [
    ...(await beginSession(ctx, email, input.password)),
    deviceCookie(ctx, email, knownDevice(ctx, email, from.cookies)),
  ];
  return { email, cookies };
}

function missing(path: string, message: string): ServiceError {
  return new ServiceError("invalid_request", `${path}: ${message}`, { issues: [{ path, message }] });
}

async function newAccount(
  ctx: Ctx<Anonymous>,
  email: string,
  { name, password }: JoinInput,
  { client }: From,
): Promise<NewAccount> {
  if (!name) throw missing("name", "how your team knows you");
  // Checked before the slow hash, and again with the addresses locked.
  await refuseHosted(ctx.sql, ctx, email);
  const auth = await (await ctx.signIn()).$context;
  const passwordHash = await ctx.signIn.queue(queueKey(client), () => auth.password.hash(password));
  return { id: newId(), email, name, passwordHash };
}

/** In better-auth's format. The address is verified: the link was mailed to it, or the operator passed it on. */
async function insertAccount(tx: TransactionSql, account: NewAccount, at: Date): Promise<void> {
  const { id, email, name, passwordHash } = account;
  const [made] = await tx`
    insert into users (id, name, email, email_verified, created_at, updated_at)
    values (${id}, ${name}, ${email}, true, ${at}, ${at}) on conflict (email) do nothing returning 1`;
  if (!made) {
    const message = `An account of ${email} was just created. Open the link again and enter its password.`;
    throw new ServiceError("unauthorized", message);
  }
  await tx`
    insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
    values (${newId()}, ${id}, ${id}, 'credential', ${passwordHash}, ${at}, ${at})`;
}

/** An owner's link makes its user an owner, whatever their role was. */
async function insertMember(tx: TransactionSql, { kind, organizationId, role }: Link, userId: string, at: Date) {
  const onConflict = kind === "owner" ? tx`do update set role = excluded.role` : tx`do nothing`;
  const [made] = await tx`
    insert into members (id, organization_id, user_id, role, created_at)
    values (${newId()}, ${organizationId}, ${userId}, ${role}, ${at})
    on conflict (organization_id, user_id) ${onConflict} returning 1`;
  if (!made) throw new ServiceError("already_member", "You are already a member of this organization. Sign in.");
}

/** Like /auth/sign-in/email, with the same limits. */
async function signIn(ctx: Ctx<Anonymous>, email: string, password: string, from: From) {
  const auth = await ctx.signIn();
  const request = {
    method: "POST",
    headers: { "Content-Type": "application/json", [CLIENT_ADDRESS_HEADER]: from.client.address },
    body: JSON.stringify({ email, password }),
  };
  const url = `${new URL(ctx.settings.PUBLIC_URL).origin}${AUTH_BASE}/sign-in/email`;
  const { answer, cookies } = await signInWithin(ctx, email, from, () => auth.handler(new Request(url, request)));
  if (!answer.ok) {
    const message = `An account of ${email} exists, and this is not its password.`;
    throw new ServiceError("unauthorized", message);
  }
  const { user } = (await answer.json()) as { user: { id: string } };
  return { cookies: [...answer.headers.getSetCookie(), ...cookies], userId: user.id };
}

/** The account was just created, so there is no guess to count. */
async function beginSession(ctx: Ctx<Anonymous>, email: string, password: string): Promise<string[]> {
  const auth = await ctx.signIn();
  const answer = await auth.api.signInEmail({ body: { email, password }, asResponse: true });
  return answer.headers.getSetCookie();
}
