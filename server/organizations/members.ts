// The members of an organization, and changes of their roles by admins and owners.
import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { accounts, members, noticeRoutes, secondFactors, users } from "#db/schema/team.ts";
import { noteSettings } from "../activity/shown.ts";
import { type Ctx, type Member, ROLES, type Role } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId, encodeId } from "../base/ids.ts";
import { endInvitationsOf, invitationView, requireOwner, selectInvitations } from "./invitations.ts";
import { isCompanyLinkOf } from "./sign-in.ts";

type MemberRow = Pick<typeof members.$inferSelect, "userId" | "role">;

/** Oldest first; open invitations are included for admins and owners. */
export async function listMembers(ctx: Ctx<Member>) {
  const { actor, db } = ctx;
  const links = db.select({ one: sql`1` }).from(accounts).where(isCompanyLinkOf(members.userId));
  const rows = await db
    .select({
      ...{ id: users.id, name: users.name, email: users.email, role: members.role, joinedAt: members.createdAt },
      factorOf: secondFactors.userId,
      isCompany: sql<boolean>`exists ${links}`,
    })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .leftJoin(secondFactors, eq(secondFactors.userId, members.userId))
    .where(eq(members.organizationId, actor.organizationId))
    .orderBy(members.createdAt, members.id);
  const invitations = actor.role === "member" ? [] : await selectInvitations(ctx, db);
  return {
    members: rows.map(({ id, name, email, role, joinedAt, factorOf, isCompany }) => ({
      id: encodeId("usr", id),
      name,
      email,
      role,
      joined_at: joinedAt.toISOString(),
      second_factor: actor.role === "member" ? null : factorOf !== null,
      company_account: actor.role === "member" ? null : isCompany,
    })),
    invitations: invitations.map(invitationView),
  };
}

/**
 * A lower role ends the member's open invitations, and takes what it may not do from the member's apps. A member has no chats.
 * @throws ServiceError `member_not_found`, `last_owner`, `insufficient_role`
 */
export async function setRole(ctx: Ctx<Member>, input: { id: string; role: Role }): Promise<void> {
  const { organizationId } = ctx.actor;
  await changeMember(ctx, input.id, input.role, async (tx, { userId, role }) => {
    await tx.update(members).set({ role: input.role }).where(isMember(organizationId, userId));
    await noteSettings(ctx, tx, { role }, { role: input.role });
    if (ROLES.indexOf(input.role) >= ROLES.indexOf(role)) return;
    await endInvitationsOf(tx, organizationId, userId);
    await ctx.memberApps.narrow(tx, { userIds: [userId], organizationId }, input.role);
    if (input.role === "member") await tx.delete(noticeRoutes).where(isChatOf(organizationId, userId));
  });
}

/**
 * Their sessions stay but see nothing of this organization; their open invitations and connected apps end.
 * @throws ServiceError `member_not_found`, `last_owner`, `insufficient_role`
 */
export async function removeMember(ctx: Ctx<Member>, wireId: string): Promise<void> {
  const { organizationId } = ctx.actor;
  await changeMember(ctx, wireId, null, async (tx, { userId }) => {
    await tx.delete(members).where(isMember(organizationId, userId));
    await endInvitationsOf(tx, organizationId, userId);
    await ctx.memberApps.end(tx, { userIds: [userId], organizationId }, ctx.now());
  });
}

function isMember(organizationId: string, userId: string) {
  return and(eq(members.organizationId, organizationId), eq(members.userId, userId));
}

function isChatOf(organizationId: string, userId: string) {
  const isOwn = and(eq(noticeRoutes.organizationId, organizationId), eq(noticeRoutes.userId, userId));
  return and(isOwn, isNotNull(noticeRoutes.chatUrl));
}

/**
 * Locks all members, so that two owners who remove each other concurrently leave one: the second is no longer an owner.
 * @param to the new role; null: removed
 */
async function changeMember(
  ctx: Ctx<Member>,
  wireId: string,
  to: Role | null,
  write: (tx: Transaction, member: MemberRow) => Promise<void>,
): Promise<void> {
  const { actor } = ctx;
  const id = decodeId("usr", wireId);
  await ctx.db.transaction(async (tx) => {
    const all = await tx
      .select({ userId: members.userId, role: members.role })
      .from(members)
      .where(eq(members.organizationId, actor.organizationId))
      .orderBy(members.id)
      .for("update");
    const member = all.find(({ userId }) => userId === id);
    if (!member) throw noMember();
    if (member.role === "owner") {
      const role = all.find(({ userId }) => userId === actor.userId)?.role ?? "member";
      requireOwner({ role }, "Only an owner can change or remove an owner.");
      const owners = all.filter((other) => other.role === "owner");
      if (to !== "owner" && owners.length === 1) throw new ServiceError("last_owner", "This is the only owner.");
    }
    await write(tx, member);
  });
}

function noMember(): ServiceError {
  return new ServiceError("member_not_found", "The member does not exist.");
}
