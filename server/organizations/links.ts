// Links to join an organization: invitations by mail, and one-time links for owners.
import { randomBytes } from "node:crypto";
import type { TransactionSql } from "postgres";
import { type Ctx, ROLES, type Role, type Services, type System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { tokenHash } from "../base/secrets.ts";

const TOKEN_BYTES = 32;
const OWNER_LINK_MS = 7 * 86_400_000;

export type Link = {
  kind: "owner" | "invitation";
  organizationId: string;
  organization: string;
  email: string | null;
  role: Role;
  expiresAt: Date;
};

/** The token of a link: 32 random bytes. Only its hash is stored. */
export function newLinkToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** The page that accepts a token. The token is behind `#`, so that browsers send it to no server and no log. */
export function linkTo(settings: Services["settings"], token: string): string {
  return `${settings.PUBLIC_URL}/join#${token}`;
}

function identifierOf(token: string): string {
  return `owner-link:${tokenHash(token).toString("hex")}`;
}

/** A new one-time link that makes its user an owner of the organization; replaces earlier ones. Valid for 7 days. */
export async function newOwnerToken(ctx: Ctx<System>, organizationId: string): Promise<string> {
  const token = newLinkToken();
  const at = ctx.now();
  const row = {
    id: newId(),
    identifier: identifierOf(token),
    value: organizationId,
    expires_at: new Date(at.getTime() + OWNER_LINK_MS),
    created_at: at,
    updated_at: at,
  };
  await ctx.sql.begin(async (tx) => {
    await tx`delete from verifications where identifier like 'owner-link:%' and value = ${organizationId}`;
    await tx`insert into verifications ${tx(row)}`;
  });
  return token;
}

/** Whether a member of a role may invite to the role `to`. */
export function mayInvite(role: Role, to: Role): boolean {
  return role !== "member" && ROLES.indexOf(role) >= ROLES.indexOf(to);
}

/**
 * Uses up a link, in the transaction of its purpose. The inviter's membership is locked, so the inviter may grant the
 * role at this time.
 * @throws ServiceError `link_not_found` if it was used or has expired
 */
export async function spendLink(tx: TransactionSql, { kind, role }: Link, token: string, at: Date): Promise<void> {
  if (kind === "owner") {
    const spent = await tx`
      delete from verifications where identifier = ${identifierOf(token)} and expires_at > ${at} returning 1`;
    if (spent.length === 0) throw noLink();
    return;
  }
  const [inviter] = await tx<{ role: Role }[]>`
    select m.role from invitations i
    join members m on m.organization_id = i.organization_id and m.user_id = i.inviter_id
    where i.token_hash = ${tokenHash(token)} for share of m`;
  if (!inviter || !mayInvite(inviter.role, role)) throw noLink();
  const spent = await tx`
    update invitations set status = 'accepted'
    where token_hash = ${tokenHash(token)} and status = 'pending' and expires_at > ${at} returning 1`;
  if (spent.length === 0) throw noLink();
}

function noLink(): ServiceError {
  return new ServiceError("link_not_found", "This link was used, withdrawn, or has expired.");
}

/** @throws ServiceError `link_not_found` */
export async function findLink({ sql, now }: Services, token: string): Promise<Link> {
  const at = now();
  const [row] = await sql<Link[]>`
    select 'invitation' as kind, o.id as "organizationId", o.name as organization, i.email, i.role,
      i.expires_at as "expiresAt"
    from invitations i join organizations o on o.id = i.organization_id
    where i.token_hash = ${tokenHash(token)} and i.status = 'pending' and i.expires_at > ${at}
    union all
    select 'owner', o.id, o.name, null, 'owner', v.expires_at
    from verifications v join organizations o on o.id::text = v.value
    where v.identifier = ${identifierOf(token)} and v.expires_at > ${at}`;
  if (!row) throw noLink();
  return row;
}

/** Whether an account of that address exists. */
export async function hasAccount({ sql }: Services, email: string): Promise<boolean> {
  const rows = await sql`select 1 from users where email = ${email.toLowerCase()}`;
  return rows.length > 0;
}
