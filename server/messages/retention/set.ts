// The operator's command `messages retention`: after how many days mail of an organization or a mailbox is erased.
import { and, eq } from "drizzle-orm";
import { EVERY_INBOX } from "#db/conditions.ts";
import { retentionPolicies } from "#db/schema/lists.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Ctx, System } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";

const DAYS_MAX = 36_500;
const NONE = "none";

type Input = { organization: { id: string; name: string }; inbox: string | undefined; days: string };

/**
 * @param input.inbox an address; undefined: the whole organization
 * @param input.days a number, or `none`
 * @throws ServiceError `invalid_request`, or `inbox_not_found` if the organization has no such mailbox
 */
export async function setRetention(ctx: Ctx<System>, { organization, inbox, days: text }: Input) {
  const days = Number(text);
  if (text !== NONE && !(Number.isInteger(days) && days >= 1 && days <= DAYS_MAX)) {
    throw new ServiceError("invalid_request", `days: a whole number from 1 to ${DAYS_MAX}, or ${NONE}`);
  }
  const inboxId = inbox === undefined ? EVERY_INBOX : await idOf(ctx, organization.id, inbox.toLowerCase());
  const { organization_id, inbox_id } = retentionPolicies;
  if (text === NONE) {
    await ctx.db.delete(retentionPolicies).where(and(eq(organization_id, organization.id), eq(inbox_id, inboxId)));
  } else {
    await ctx.db
      .insert(retentionPolicies)
      .values({ organization_id: organization.id, inbox_id: inboxId, message_days: days })
      .onConflictDoUpdate({ target: [organization_id, inbox_id], set: { message_days: days } });
  }
  return { organization: organization.name, inbox: inbox ?? "all", days: text };
}

async function idOf({ db }: Ctx<System>, organizationId: string, address: string): Promise<string> {
  const [row] = await db
    .select({ id: inboxes.id })
    .from(inboxes)
    .where(and(eq(inboxes.address, address), eq(inboxes.organization_id, organizationId), eq(inboxes.status, "live")));
  if (!row) throw new ServiceError("inbox_not_found", `The organization has no mailbox ${address}.`);
  return row.id;
}
