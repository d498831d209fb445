// The members of an organization, and changes of their roles by admins and owners.
import type { TransactionSql } from "postgres";
import { type Ctx, type Member, ROLES, type Role } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId, encodeId } from "../base/ids.ts";
import { endInvitationsOf, invitationView, requireOwner, selectInvitations } from "./invitations.ts";

type MemberRow = { user_id: string; name: string; email: string; role: Role; created_at: Date };
/** Oldest first; open invitations are included for admins and owners. */
export async function listMembers(ctx: Ctx<Member>) {
  const { actor, sql } = ctx;
  const members = await sql<MemberRow[]>`
    select u.id as user_id, u.name, u.email, m.role, m.created_at
    from members m join users u on u.id = m.user_id
    where m.organization_id = ${actor.organizationId} order by m.created_at, m.id`;
  const invitations = actor.role === "member" ? [] : await selectInvitations(ctx, ctx.sql);
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

/**
 * A lower role ends the member's open invitations.
 * @throws ServiceError `member_not_found`, `last_owner`, `insufficient_role`
 */
export async function setRole(ctx: Ctx<Member>, input: { id: string; role: Role }): Promise<void> {
  const { organizationId } = ctx.actor;
  await changeMember(ctx, input.id, input.role, async (tx, { user_id: userId, role }) => {
    await tx`
      update members set role = ${input.role} where organization_id = ${organizationId} and user_id = ${userId}`;
    if (ROLES.indexOf(input.role) < ROLES.indexOf(role)) await endInvitationsOf(tx, organizationId, userId);
  });
}

/**
 * Their sessions stay but see nothing of this organization; their open invitations end.
 * @throws ServiceError `member_not_found`, `last_owner`, `insufficient_role`
 */
export async function removeMember(ctx: Ctx<Member>, wireId: string): Promise<void> {
  const { organizationId } = ctx.actor;
  await changeMember(ctx, wireId, null, async (tx, { user_id: userId }) => {
    await tx`delete from members where organization_id = ${organizationId} and user_id = ${userId}`;
    await endInvitationsOf(tx, organizationId, userId);
  });
}

/**
 * Locks all members, so that two owners who remove each other concurrently leave one: the second is no longer an owner.
 * @param to the new role; null: removed
 */
async function changeMember(
  ctx: Ctx<Member>,
  wireId: string,
  to: Role | null,
  write: (tx: TransactionSql, member: { user_id: string; role: Role }) => Promise<void>,
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
      requireOwner({ role }, "Only an owner can change or remove an owner.");
      const owners = members.filter((other) => other.role === "owner");
      if (to !== "owner" && owners.length === 1) throw new ServiceError("last_owner", "This is the only owner.");
    }
    await write(tx, member);
  });
}

function noMember(): ServiceError {
  return new ServiceError("member_not_found", "The member does not exist.");
}
