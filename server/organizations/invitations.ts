// Invitations to an organization: admins and owners create and withdraw them; they end when the inviter loses the
// right.
import type { Sql, TransactionSql } from "postgres";
import type { Ctx, Member, Role } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { tokenHash } from "../base/secrets.ts";
import { lockAddresses, refuseHosted } from "../grants/hosted.ts";
import { LINK, writeLetter } from "../system-mail/write.ts";
import { linkTo, mayInvite, newLinkToken } from "./links.ts";

const INVITATION_MS = 7 * 86_400_000;
const OPEN_MAX = 100;

type InvitationRow = { email: string; role: Role; invited_by: string; created_at: Date; expires_at: Date };

/** Open invitations, oldest first. */
export function selectInvitations({ actor, now }: Ctx<Member>, sql: Sql | TransactionSql) {
  return sql<InvitationRow[]>`
    select i.email, i.role, u.name as invited_by, i.created_at, i.expires_at
    from invitations i join users u on u.id = i.inviter_id
    where i.organization_id = ${actor.organizationId} and i.status = 'pending' and i.expires_at > ${now()}
    order by i.created_at`;
}

export function invitationView({ email, role, invited_by, created_at, expires_at }: InvitationRow) {
  return { email, role, invited_by, created_at: created_at.toISOString(), expires_at: expires_at.toISOString() };
}

/**
 * Invites by mail; replaces an earlier invitation of the same address.
 * @returns the invitation, with its link if no mail is sent (OUTBOUND=local)
 * @throws ServiceError `already_member`, `insufficient_role`, `hosted_address`, `invalid_request` (too many are open)
 */
export async function invite(ctx: Ctx<Member>, input: { email: string; role: Role }) {
  const { actor, settings } = ctx;
  await refuseHosted(ctx.sql, ctx, input.email);
  const link = linkTo(settings, newLinkToken());
  const row = await ctx.sql.begin((tx) => insertInvitation(tx, ctx, { ...input, link }));
  ctx.signals.raise("outbound");
  const view = invitationView({ ...row, ...input, invited_by: actor.name });
  return { ...view, link: settings.OUTBOUND === "local" ? link : null };
}

type Invited = { email: string; role: Role; link: string };

/**
 * Locks addresses, so that no mailbox is created at this one, and the inviter's membership, so that the role is
 * current.
 */
async function insertInvitation(tx: TransactionSql, ctx: Ctx<Member>, { email, role, link }: Invited) {
  const { actor } = ctx;
  const { organizationId } = actor;
  await lockAddresses(tx);
  await refuseHosted(tx, ctx, email);
  const [inviter] = await tx<{ role: Role }[]>`
    select role from members where organization_id = ${organizationId} and user_id = ${actor.userId} for share`;
  if (!inviter || !mayInvite(inviter.role, role)) {
    throw new ServiceError(
      "insufficient_role",
      "Your role does not allow this invitation. Only an owner can invite an owner.",
    );
  }
  const [member] = await tx`
    select from members m join users u on u.id = m.user_id
    where m.organization_id = ${organizationId} and u.email = ${email}`;
  if (member) throw new ServiceError("already_member", "This person is already a member.");
  const open = await selectInvitations(ctx, tx);
  const replaced = open.find((one) => one.email === email);
  if (replaced?.role === "owner") requireOwner(inviter, "Only an owner can replace the invitation of an owner.");
  if (!replaced && open.length >= OPEN_MAX) {
    throw new ServiceError("invalid_request", `${OPEN_MAX} invitations are open. Withdraw one first.`);
  }
  await endInvitationTo(tx, organizationId, email);
  const at = ctx.now();
  const times = { created_at: at, expires_at: new Date(at.getTime() + INVITATION_MS) };
  await tx`insert into invitations ${tx({
    id: newId(),
    organization_id: organizationId,
    inviter_id: actor.userId,
    email,
    token_hash: tokenHash(link.slice(link.indexOf("#") + 1)),
    role,
    status: "pending",
    ...times,
  })}`;
  await writeInvitation(tx, ctx, { email, link });
  return times;
}

async function writeInvitation(tx: TransactionSql, ctx: Ctx<Member>, { email, link }: Omit<Invited, "role">) {
  const { actor, settings } = ctx;
  const [organization] = await tx<[{ name: string }]>`
    select name from organizations where id = ${actor.organizationId}`;
  const text = [
    `${actor.name} (${actor.email}) invited you to join ${organization.name} on ${settings.PUBLIC_URL}.`,
    `Open this link within 7 days to join:\n\n${LINK}`,
    "If you did not expect this invitation, ignore this mail.",
  ];
  await writeLetter(tx, ctx, {
    kind: "invitation",
    organization_id: actor.organizationId,
    to_address: email,
    subject: `${actor.name} invited you to ${organization.name}`,
    text: `${text.join("\n\n")}\n`,
    link,
  });
}

async function endInvitationTo(sql: Sql | TransactionSql, organizationId: string, email: string): Promise<void> {
  await sql`
    update invitations set status = 'canceled'
    where organization_id = ${organizationId} and email = ${email} and status = 'pending'`;
}

/** Ends the open invitations of a person who was removed or has a lower role. */
export async function endInvitationsOf(tx: TransactionSql, organizationId: string, inviterId: string): Promise<void> {
  await tx`
    update invitations set status = 'canceled'
    where organization_id = ${organizationId} and inviter_id = ${inviterId} and status = 'pending'`;
}

/** @throws ServiceError `member_not_found` if the address has no invitation, `insufficient_role` */
export async function cancelInvitation(ctx: Ctx<Member>, email: string): Promise<void> {
  const { actor, sql } = ctx;
  const found = (await selectInvitations(ctx, sql)).find((one) => one.email === email);
  if (!found) throw new ServiceError("member_not_found", "This address has no open invitation.");
  if (found.role === "owner") requireOwner(actor, "Only an owner can withdraw the invitation of an owner.");
  await endInvitationTo(sql, actor.organizationId, email);
}

/** @throws ServiceError `insufficient_role` */
export function requireOwner({ role }: { role: Role }, message: string): void {
  if (role !== "owner") throw new ServiceError("insufficient_role", message);
}
