// What becomes of spam: reads and sets it for the organization and for single mailboxes.
import { and, eq } from "drizzle-orm";
import { anyOf, EVERY_INBOX } from "#db/conditions.ts";
import type { SpamPolicy } from "#db/message-parts.ts";
import { spamPolicies } from "#db/schema/lists.ts";
import { noteSettings } from "../../activity/shown.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { findInbox } from "../../base/tenancy.ts";

const { organization_id, inbox_id } = spamPolicies;

/** `own` null: the mailbox has none, and that of the organization applies. */
type Policy = { own: SpamPolicy | null; organization: SpamPolicy };

async function idOf(ctx: Ctx<Member>, inbox: string | undefined): Promise<string> {
  return inbox === undefined ? EVERY_INBOX : (await findInbox(ctx, inbox)).id;
}

/** @throws ServiceError `inbox_not_found` */
export async function readSpamPolicy(ctx: Ctx<Member>, inbox: string | undefined): Promise<Policy> {
  const id = await idOf(ctx, inbox);
  const rows = await ctx.db
    .select()
    .from(spamPolicies)
    .where(and(eq(organization_id, ctx.actor.organizationId), anyOf(inbox_id, [EVERY_INBOX, id])));
  const of = (wanted: string) => rows.find((row) => row.inbox_id === wanted)?.policy;
  return { own: id === EVERY_INBOX ? null : (of(id) ?? null), organization: of(EVERY_INBOX) ?? "mark" };
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
  const row = { organization_id: ctx.actor.organizationId, inbox_id: await idOf(ctx, inbox) };
  const before = await readSpamPolicy(ctx, inbox);
  if (policy === null) {
    const isThis = and(eq(organization_id, row.organization_id), eq(inbox_id, row.inbox_id));
    await ctx.db.delete(spamPolicies).where(isThis);
  } else {
    await ctx.db
      .insert(spamPolicies)
      .values({ ...row, policy })
      .onConflictDoUpdate({ target: [organization_id, inbox_id], set: { policy } });
  }
  const after = await readSpamPolicy(ctx, inbox);
  await noteSettings(ctx, ctx.db, { ...before }, { ...after });
  return after;
}
