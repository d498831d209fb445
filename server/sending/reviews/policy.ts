// Which messages of agents wait for a member: reads and sets it for the organization and for single mailboxes.
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { anyOf, EVERY_INBOX } from "#db/conditions.ts";
import { reviewPolicies } from "#db/schema/reviews.ts";
import { noteSettings } from "../../activity/shown.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { findPolicyInbox } from "../../base/tenancy.ts";

export type Review = (typeof reviewPolicies.$inferSelect)["review"];
const TTL_DEFAULT_SECONDS = 72 * 3_600;

/** `own` null: the mailbox has none, and that of the organization applies. */
export type Policy = { own: Review | null; organization: Review; ttl_seconds: number };

export async function readPolicy(
  db: Database | Transaction,
  organizationId: string,
  inboxId = EVERY_INBOX,
): Promise<Policy> {
  const { organization_id, inbox_id } = reviewPolicies;
  const rows = await db
    .select()
    .from(reviewPolicies)
    .where(and(eq(organization_id, organizationId), anyOf(inbox_id, [EVERY_INBOX, inboxId])))
    .orderBy(desc(inbox_id));
  const all = rows.find((row) => row.inbox_id === EVERY_INBOX);
  const own = rows.find((row) => row.inbox_id !== EVERY_INBOX);
  return {
    own: own?.review ?? null,
    organization: all?.review ?? "none",
    ttl_seconds: all?.ttl_seconds ?? TTL_DEFAULT_SECONDS,
  };
}

/** The condition that the message `m` of an agent may have to wait for a member. */
export function mayWait(): SQL {
  const review = (inboxId: SQL) => sql`(
    select p.review from ${reviewPolicies} p where p.organization_id = m.organization_id and p.inbox_id = ${inboxId})`;
  return sql`coalesce(${review(sql`m.inbox_id`)}, ${review(sql`${EVERY_INBOX}::uuid`)}, 'none') <> 'none'`;
}

type Change = { review?: Review | undefined; ttl_seconds?: number | undefined };

/** Changes the default of an organization; omitted fields stay. */
export async function setDefault(
  db: Database | Transaction,
  organizationId: string,
  { review, ttl_seconds }: Change,
): Promise<Policy> {
  const row = { organization_id: organizationId, inbox_id: EVERY_INBOX, review: review ?? "none", ttl_seconds };
  const { organization_id, inbox_id } = reviewPolicies;
  await db
    .insert(reviewPolicies)
    .values(row)
    .onConflictDoUpdate({
      target: [organization_id, inbox_id],
      set: {
        review: review ?? sql`${reviewPolicies.review}`,
        ttl_seconds: ttl_seconds ?? sql`${reviewPolicies.ttl_seconds}`,
      },
    });
  return readPolicy(db, organizationId);
}

/** @throws ServiceError `inbox_not_found` */
export async function readMemberPolicy(ctx: Ctx<Member>, addr: string | undefined): Promise<Policy> {
  return readPolicy(ctx.db, ctx.actor.organizationId, await findPolicyInbox(ctx, addr));
}

/**
 * Sets the default of the organization, or what applies to one mailbox.
 * @param change.review null, for a mailbox: what applies to the organization
 * @throws ServiceError `inbox_not_found`
 */
export async function setMemberPolicy(
  ctx: Ctx<Member>,
  {
    inbox,
    review,
    ttl_seconds,
  }: { inbox?: string | undefined; review?: Review | null | undefined; ttl_seconds?: number | undefined },
): Promise<Policy> {
  const { organizationId } = ctx.actor;
  const inboxId = await findPolicyInbox(ctx, inbox);
  return ctx.db.transaction(async (tx) => {
    const before = await readPolicy(tx, organizationId, inboxId);
    const after =
      inboxId === EVERY_INBOX
        ? await setDefault(tx, organizationId, { review: review ?? undefined, ttl_seconds })
        : await setInboxPolicy(tx, { organization_id: organizationId, inbox_id: inboxId }, review ?? null);
    await noteSettings(ctx, tx, { ...before }, { ...after });
    return after;
  });
}

type Place = Pick<typeof reviewPolicies.$inferSelect, "organization_id" | "inbox_id">;

/**
 * Sets what applies to one mailbox.
 * @param review null: what applies to the organization
 */
async function setInboxPolicy(tx: Transaction, place: Place, review: Review | null): Promise<Policy> {
  const { organization_id, inbox_id } = reviewPolicies;
  if (review === null) {
    const isOwn = and(eq(organization_id, place.organization_id), eq(inbox_id, place.inbox_id));
    await tx.delete(reviewPolicies).where(isOwn);
  } else {
    await tx
      .insert(reviewPolicies)
      .values({ ...place, review })
      .onConflictDoUpdate({ target: [organization_id, inbox_id], set: { review } });
  }
  return readPolicy(tx, place.organization_id, place.inbox_id);
}
