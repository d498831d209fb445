// Reads and sets the spam policy of the organization and of single mailboxes.
import { and, eq } from "drizzle-orm";
import type { Database } from "#db/client.ts";
import { anyOf, EVERY_INBOX } from "#db/conditions.ts";
import type { SpamPolicy } from "#db/message-parts.ts";
import { spamPolicies } from "#db/schema/lists.ts";
import { noteSettings } from "../../activity/shown.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { findPolicyInbox } from "../../base/tenancy.ts";

const { organization_id, inbox_id } = spamPolicies;

/** `own` null: the mailbox has none, and that of the organization applies. */
type Policy = { own: SpamPolicy | null; organization: SpamPolicy };

async function policyOf(db: Database, organizationId: string, inboxId: string): Promise<Policy> {
  const rows = await db
    .select()
    .from(spamPolicies)
    .where(and(eq(organization_id, organizationId), anyOf(inbox_id, [EVERY_INBOX, inboxId])));
  const of = (wanted: string) => rows.find((row) => row.inbox_id === wanted)?.policy;
  return { own: inboxId === EVERY_INBOX ? null : (of(inboxId) ?? null), organization: of(EVERY_INBOX) ?? "mark" };
}

/** @throws ServiceError `inbox_not_found` */
export async function readSpamPolicy(ctx: Ctx<Member>, inbox: string | undefined): Promise<Policy> {
  return policyOf(ctx.db, ctx.actor.organizationId, await findPolicyInbox(ctx, inbox));
}

/**
 * It applies to mail that arrives afterwards.
 * @param change.policy null, for a mailbox: what applies to the organization
 * @throws ServiceError `inbox_not_found`
 */
export async function setSpamPolicy(
  ctx: Ctx<Member>,
  { inbox, policy }: { inbox?: string | undefined; policy: SpamPolicy | null },
): Promise<Policy> {
  const { organizationId } = ctx.actor;
  const id = await findPolicyInbox(ctx, inbox);
  return ctx.db.transaction(async (tx) => {
    const before = await policyOf(tx, organizationId, id);
    await writePolicy(tx, { organization_id: organizationId, inbox_id: id }, policy);
    const after = await policyOf(tx, organizationId, id);
    await noteSettings(ctx, tx, { ...before }, { ...after });
    return after;
  });
}

type Place = Pick<typeof spamPolicies.$inferSelect, "organization_id" | "inbox_id">;

async function writePolicy(tx: Database, place: Place, policy: SpamPolicy | null): Promise<void> {
  if (policy === null) {
    const isThis = and(eq(organization_id, place.organization_id), eq(inbox_id, place.inbox_id));
    await tx.delete(spamPolicies).where(isThis);
    return;
  }
  await tx
    .insert(spamPolicies)
    .values({ ...place, policy })
    .onConflictDoUpdate({ target: [organization_id, inbox_id], set: { policy } });
}
