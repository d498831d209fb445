// The members of an organization and who is invited to it, and what an admin or owner changes of that.
import type { TransactionSql } from "postgres";
import type { Ctx, Member, Role } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { decodeId, encodeId } from "../ids.ts";
import { writeNotices } from "../notices/write.ts";
import { linkTo } from "./links.ts";

type MemberRow = { user_id: string; name: string; email: string; role: Role; created_at: Date };
type InvitationRow = { email: string; role: Role; invited_by: string; created_at: Date; expires_at: Date };

/** What better-auth refuses, in our words. */
const REFUSALS: Record<string, [ConstructorParameters<typeof ServiceError>[0], string]> = {
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: ["already_member", "This person is a member already."],
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE: ["insufficient_role", "Only an owner invites an owner."],
  INVITATION_LIMIT_REACHED: ["invalid_request", "There are 100 invitations open. Withdraw one first."],
};

async function refusing<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    const code = (error as { body?: { code?: string } }).body?.code ?? "";
    const [ours, message] = REFUSALS[code] ?? [];
    if (ours && message) throw new ServiceError(ours, message);
    throw error;
  }
}

const asCaller = ({ actor }: Ctx<Member>) => new Headers({ cookie: actor.cookie });

/** Oldest first; the invitations that are open are for admins and owners to see. */
export async function listMembers(ctx: Ctx<Member>) {
  const { actor, sql } = ctx;
  const members = await sql<MemberRow[]>`
    select u.id as user_id, u.name, u.email, m.role, m.created_at
    from members m join users u on u.id = m.user_id
    where m.organization_id = ${actor.organizationId} order by m.created_at, m.id`;
  const invitations = actor.role === "member" ? [] : await selectInvitations(ctx);
  return {
    members: members.map(({ user_id, name, email, role, created_at }) => ({
      id: encodeId("usr", user_id),
      name,
      email,
      role,
      joined_at: created_at.toISOString(),
    })),
    invitations: invitations.map(invitationView),
  };
}

function selectInvitations({ actor, sql, now }: Ctx<Member>) {
  return sql<InvitationRow[]>`
    select i.email, i.role, u.name as invited_by, i.created_at, i.expires_at
    from invitations i join users u on u.id = i.inviter_id
    where i.organization_id = ${actor.organizationId} and i.status = 'pending' and i.expires_at > ${now()}
    order by i.created_at`;
}

async function findInvitation(ctx: Ctx<Member>, email: string): Promise<InvitationRow | undefined> {
  const open = await selectInvitations(ctx);
  return open.find((invitation) => invitation.email === email);
}

function invitationView({ email, role, invited_by, created_at, expires_at }: InvitationRow) {
  return { email, role, invited_by, created_at: created_at.toISOString(), expires_at: expires_at.toISOString() };
}

/**
 * Invites by mail; an earlier invitation of the same address ends.
 * @returns the invitation, with its link where mail does not leave the machine
 * @throws ServiceError `already_member`, `insufficient_role`
 */
export async function invite(ctx: Ctx<Member>, { email, role }: { email: string; role: Role }) {
  const { actor, settings } = ctx;
  const open = await findInvitation(ctx, email);
  if (open?.role === "owner") requireOwner(actor, "Only an owner replaces the invitation of an owner.");
  const auth = await ctx.signIn();
  const made = await refusing(
    auth.api.createInvitation({
      body: { email, role, organizationId: actor.organizationId },
      headers: asCaller(ctx),
    }),
  );
  const [organization] = await ctx.sql<[{ name: string }]>`
    select name from organizations where id = ${actor.organizationId}`;
  const link = linkTo(settings, made.id);
  const text = [
    `${actor.name} (${actor.email}) invites you to the team of ${organization.name} on ${settings.PUBLIC_URL}.`,
    `Join here, within 7 days:\n\n${link}`,
    "If you do not know what this is about, do nothing: nobody joins without the link.",
  ];
  const letter = { subject: `${actor.name} invites you to ${organization.name}`, text: `${text.join("\n\n")}\n` };
  await ctx.sql.begin((tx) =>
    writeNotices(tx, [{ organization_id: actor.organizationId, to_address: email, ...letter }], ctx.now()),
  );
  ctx.signals.raise("outbound");
  const row = { email, role, invited_by: actor.name, created_at: ctx.now(), expires_at: made.expiresAt };
  return { ...invitationView(row), link: settings.OUTBOUND === "local" ? link : null };
}

/** @throws ServiceError `member_not_found` when nobody of that address is invited, `insufficient_role` */
export async function cancelInvitation(ctx: Ctx<Member>, email: string): Promise<void> {
  const { actor, sql } = ctx;
  const found = await findInvitation(ctx, email);
  if (!found) throw noMember("Nobody of this address is invited.");
  if (found.role === "owner") requireOwner(actor, "Only an owner withdraws the invitation of an owner.");
  await sql`
    update invitations set status = 'canceled'
    where organization_id = ${actor.organizationId} and email = ${email} and status = 'pending'`;
}

/** @throws ServiceError `member_not_found`, `last_owner`, `insufficient_role` */
export async function setRole(ctx: Ctx<Member>, input: { id: string; role: Role }): Promise<void> {
  const { organizationId } = ctx.actor;
  await changeMember(ctx, input.id, input.role, (tx, userId) => {
    return tx`
      update members set role = ${input.role} where organization_id = ${organizationId} and user_id = ${userId}`;
  });
}

/** Their sessions live on and see nothing of this organization. @throws ServiceError `member_not_found`, `last_owner`, `insufficient_role` */
export async function removeMember(ctx: Ctx<Member>, wireId: string): Promise<void> {
  const { organizationId } = ctx.actor;
  await changeMember(ctx, wireId, null, (tx, userId) => {
    return tx`delete from members where organization_id = ${organizationId} and user_id = ${userId}`;
  });
}

/**
 * With all members locked, so that of two owners who turn on each other at once one stays: the slower is none any more.
 * @param to what they will be; null: gone
 */
async function changeMember(
  ctx: Ctx<Member>,
  wireId: string,
  to: Role | null,
  write: (tx: TransactionSql, userId: string) => Promise<unknown>,
): Promise<void> {
  const { actor } = ctx;
  const id = decodeId("usr", wireId);
  await ctx.sql.begin(async (tx) => {
    const members = await tx<{ user_id: string; role: Role }[]>`
      select user_id, role from members where organization_id = ${actor.organizationId} order by id for update`;
    const member = members.find(({ user_id }) => user_id === id);
    if (!member) throw noMember();
    if (member.role === "owner") {
      const role = members.find(({ user_id }) => user_id === actor.userId)?.role ?? "member";
      requireOwner({ role }, "Only an owner changes or removes an owner.");
      const owners = members.filter((other) => other.role === "owner");
      if (to !== "owner" && owners.length === 1) throw new ServiceError("last_owner", "This is the only owner.");
    }
    await write(tx, member.user_id);
  });
}

function requireOwner(actor: { role: Role }, message: string): void {
  if (actor.role !== "owner") throw new ServiceError("insufficient_role", message);
}

function noMember(message = "There is no such member."): ServiceError {
  return new ServiceError("member_not_found", message);
}
