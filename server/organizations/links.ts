// Links to join an organization: invitations by mail, and one-time links for owners.
import { randomBytes } from "node:crypto";
import { and, eq, gt, like, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { organizations } from "#db/schema/enrollment.ts";
import { invitations, members, users, verifications } from "#db/schema/team.ts";
import { type Ctx, ROLES, type Role, type Services, type System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { tokenHash } from "../base/secrets.ts";

const TOKEN_BYTES = 32;
const OWNER_LINK_MS = 7 * 86_400_000;

export type Link = {
  kind: "owner" | "invitation";
  organization: string;
  email: string | null;
} & Pick<typeof invitations.$inferSelect, "organizationId" | "role" | "expiresAt">;

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
    expiresAt: new Date(at.getTime() + OWNER_LINK_MS),
    createdAt: at,
    updatedAt: at,
  };
  const { identifier, value } = verifications;
  await ctx.db.transaction(async (tx) => {
    await tx.delete(verifications).where(and(like(identifier, "owner-link:%"), eq(value, organizationId)));
    await tx.insert(verifications).values(row);
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
export async function spendLink(tx: Transaction, { kind, role }: Link, token: string, at: Date): Promise<void> {
  if (kind === "owner") {
    const own = and(eq(verifications.identifier, identifierOf(token)), gt(verifications.expiresAt, at));
    const spent = await tx.delete(verifications).where(own);
    if (spent.count === 0) throw noLink();
    return;
  }
  const { organizationId, inviterId, status, expiresAt } = invitations;
  const isThis = eq(invitations.tokenHash, tokenHash(token));
  const [inviter] = await tx
    .select({ role: members.role })
    .from(invitations)
    .innerJoin(members, and(eq(members.organizationId, organizationId), eq(members.userId, inviterId)))
    .where(isThis)
    .for("share", { of: members });
  if (!inviter || !mayInvite(inviter.role, role)) throw noLink();
  const spent = await tx
    .update(invitations)
    .set({ status: "accepted" })
    .where(and(isThis, eq(status, "pending"), gt(expiresAt, at)));
  if (spent.count === 0) throw noLink();
}

function noLink(): ServiceError {
  return new ServiceError("link_not_found", "This link was used, withdrawn, or has expired.");
}

/** @throws ServiceError `link_not_found` */
export async function findLink({ db, now }: Services, token: string): Promise<Link> {
  const at = now();
  const isOpen = and(eq(invitations.status, "pending"), gt(invitations.expiresAt, at));
  const [row] = await db.execute<Link>(sql`
    select 'invitation' as kind, ${organizations.id} as "organizationId", ${organizations.name} as organization,
      ${invitations.email}, ${invitations.role}, ${invitations.expiresAt} as "expiresAt"
    from ${invitations} join ${organizations} on ${organizations.id} = ${invitations.organizationId}
    where ${eq(invitations.tokenHash, tokenHash(token))} and ${isOpen}
    union all
    select 'owner', ${organizations.id}, ${organizations.name}, null, 'owner', ${verifications.expiresAt}
    from ${verifications} join ${organizations} on ${organizations.id}::text = ${verifications.value}
    where ${eq(verifications.identifier, identifierOf(token))} and ${gt(verifications.expiresAt, at)}`);
  if (!row) throw noLink();
  return row;
}

/** Whether an account of that address exists. */
export async function hasAccount({ db }: Services, email: string): Promise<boolean> {
  return (await db.$count(users, eq(users.email, email.toLowerCase()))) > 0;
}
