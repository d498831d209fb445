// Invitations to an organization: admins and owners create and withdraw them; they end when the inviter loses the
// right.
import { and, eq, gt } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { organizations } from "#db/schema/enrollment.ts";
import { invitations, members, users } from "#db/schema/team.ts";
import type { Ctx, Member, Role } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { tokenHash } from "../base/secrets.ts";
import { lockAddresses, refuseHosted } from "../grants/hosted.ts";
import { foreignLine, LINK } from "../system-mail/foreign.ts";
import { writeEmail } from "../system-mail/write.ts";
import { linkTo, mayInvite, newLinkToken } from "./links.ts";

const INVITATION_MS = 7 * 86_400_000;
const OPEN_MAX = 100;

/** Open invitations, oldest first. */
export function selectInvitations({ actor, now }: Ctx<Member>, db: Database) {
  const { email, role, organizationId, status, createdAt: created_at, expiresAt: expires_at } = invitations;
  const isOpen = and(eq(status, "pending"), gt(expires_at, now()));
  return db
    .select({ email, role, invited_by: users.name, created_at, expires_at })
    .from(invitations)
    .innerJoin(users, eq(users.id, invitations.inviterId))
    .where(and(eq(organizationId, actor.organizationId), isOpen))
    .orderBy(created_at);
}

type InvitationRow = Awaited<ReturnType<typeof selectInvitations>>[number];

export function invitationView({ email, role, invited_by, created_at, expires_at }: InvitationRow) {
  return { email, role, invited_by, created_at: created_at.toISOString(), expires_at: expires_at.toISOString() };
}

/**
 * Invites by mail; replaces an earlier invitation of the same address.
 * @returns the invitation, with its link if no mail is sent (OUTBOUND=local)
 * @throws ServiceError `already_member`, `insufficient_role`, `hosted_address`, `invalid_request` (too many are open),
 * `rate_limited` (server/system-mail/gate.ts)
 */
export async function invite(ctx: Ctx<Member>, input: { email: string; role: Role }) {
  const { actor, settings } = ctx;
  await refuseHosted(ctx.db, ctx, input.email);
  const link = linkTo(settings, newLinkToken());
  const row = await ctx.db.transaction((tx) => insertInvitation(tx, ctx, { ...input, link }));
  ctx.signals.raise("outbound");
  const view = invitationView({ ...row, ...input, invited_by: actor.name });
  return { ...view, link: settings.OUTBOUND === "local" ? link : null };
}

type Invited = { email: string; role: Role; link: string };

/**
 * Locks addresses, so that no mailbox is created at this one, and the inviter's membership, so that the role is
 * current.
 */
async function insertInvitation(tx: Transaction, ctx: Ctx<Member>, { email, role, link }: Invited) {
  const { actor } = ctx;
  const { organizationId } = actor;
  await lockAddresses(tx);
  await refuseHosted(tx, ctx, email);
  const inviter = await lockInviter(tx, ctx, role);
  const [member] = await tx
    .select({ id: members.id })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.organizationId, organizationId), eq(users.email, email)));
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
  await tx.insert(invitations).values({
    id: newId(),
    organizationId,
    inviterId: actor.userId,
    email,
    tokenHash: tokenHash(link.slice(link.indexOf("#") + 1)),
    role,
    status: "pending",
    createdAt: times.created_at,
    expiresAt: times.expires_at,
  });
  await writeInvitation(tx, ctx, { email, link });
  return times;
}

async function lockInviter(tx: Transaction, { actor }: Ctx<Member>, to: Role) {
  const [inviter] = await tx
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.organizationId, actor.organizationId), eq(members.userId, actor.userId)))
    .for("share");
  if (!inviter || !mayInvite(inviter.role, to)) {
    throw new ServiceError(
      "insufficient_role",
      "Your role does not allow this invitation. Only an owner can invite an owner.",
    );
  }
  return inviter;
}

async function writeInvitation(tx: Transaction, ctx: Ctx<Member>, { email, link }: Omit<Invited, "role">) {
  const { actor, settings } = ctx;
  const [organization] = await tx
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.id, actor.organizationId));
  if (!organization) throw new Error(`the organization ${actor.organizationId} has gone`);
  const text = [
    `You are invited to join an organization on ${settings.PUBLIC_URL}.`,
    `Organization: "${foreignLine(organization.name)}"\nInvited by: "${foreignLine(actor.name)}" (${foreignLine(actor.email)})`,
    `Open this link within 7 days to join:\n\n${LINK}`,
    "If you did not expect this invitation, ignore this mail.",
  ];
  await writeEmail(tx, ctx, {
    kind: "invitation",
    topic: "invitation",
    organization_id: actor.organizationId,
    to_address: email,
    text: `${text.join("\n\n")}\n`,
    link,
  });
}

/** The open invitations of an organization, also those that have expired. */
function isPending(organizationId: string) {
  return and(eq(invitations.organizationId, organizationId), eq(invitations.status, "pending"));
}

async function endInvitationTo(db: Database, organizationId: string, email: string): Promise<void> {
  await db
    .update(invitations)
    .set({ status: "canceled" })
    .where(and(isPending(organizationId), eq(invitations.email, email)));
}

/** Ends the open invitations of a person who was removed or has a lower role. */
export async function endInvitationsOf(tx: Transaction, organizationId: string, inviterId: string): Promise<void> {
  await tx
    .update(invitations)
    .set({ status: "canceled" })
    .where(and(isPending(organizationId), eq(invitations.inviterId, inviterId)));
}

/** @throws ServiceError `member_not_found` if the address has no invitation, `insufficient_role` */
export async function cancelInvitation(ctx: Ctx<Member>, email: string): Promise<void> {
  const { actor, db } = ctx;
  const found = (await selectInvitations(ctx, db)).find((one) => one.email === email);
  if (!found) throw new ServiceError("member_not_found", "This address has no open invitation.");
  if (found.role === "owner") requireOwner(actor, "Only an owner can withdraw the invitation of an owner.");
  await endInvitationTo(db, actor.organizationId, email);
}

/** @throws ServiceError `insufficient_role` */
export function requireOwner({ role }: { role: Role }, message: string): void {
  if (role !== "owner") throw new ServiceError("insufficient_role", message);
}
