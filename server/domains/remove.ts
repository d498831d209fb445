// DELETE /v1/domains/{domain}: deletes a domain that has no live mailboxes, ends the grant of its verification, and
// schedules its removal at the mail provider.
import { and, eq, ne, or, sql } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import { inboxes } from "#db/schema/mail.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { endVerifiedGrant, lockGrants } from "../grants/domain-grants.ts";
import { lockAddresses } from "../grants/hosted.ts";
import { domainChange, refuseRestricted } from "./claim.ts";
import { type DomainRow, domainColumns, findDomain, noDomain } from "./find.ts";
import { scheduleRemoval } from "./provider/remove.ts";

/**
 * @returns the UUID of the domain
 * @throws ServiceError `domain_not_found`, `domain_in_use`, `insufficient_scope`
 */
export async function removeDomain(ctx: Ctx<Caller>, named: string): Promise<string> {
  refuseRestricted(ctx);
  const found = await findDomain(ctx, named);
  const { id, domain } = found;
  const { organizationId } = ctx.actor;
  refuseGranted(found);
  await refuseUsed(ctx, ctx.db, found);
  await ctx.db.transaction(async (tx) => {
    await lockGrants(tx);
    // It may have been verified since it was found.
    const [row] = await tx.select(domainColumns).from(domains).where(eq(domains.id, id));
    if (!row) throw noDomain();
    refuseGranted(row);
    // Waits for running creates, which hold it shared; later ones see that the domain is deleted. A pending domain has no mailboxes, and
    // anyone can claim one: the creates of others do not wait for it.
    if (row.status !== "pending") await lockAddresses(tx);
    await refuseUsed(ctx, tx, row);
    await endVerifiedGrant(tx, organizationId, domain);
    const [gone] = await tx.delete(domains).where(eq(domains.id, id)).returning();
    if (!gone) throw noDomain();
    await scheduleRemoval(tx, ctx, gone);
    await record(ctx, tx, [domainChange(gone, "The domain was deleted. Claim it again.")]);
  });
  ctx.signals.raise("identities");
  return id;
}

/** @throws ServiceError `domain_in_use` */
function refuseGranted({ domain, granted, status }: DomainRow): void {
  if (!granted || status === "verified") return;
  throw new ServiceError("domain_in_use", `The operator granted ${domain} to your organization.`, {
    fix: "Ask the operator to revoke the grant.",
  });
}

/** @throws ServiceError `domain_in_use` */
async function refuseUsed(
  { actor }: Ctx<Caller>,
  db: Pick<Ctx["db"], "select">,
  { domain, status }: Pick<DomainRow, "domain" | "status">,
): Promise<void> {
  if (status === "pending") return;
  const within = or(eq(inboxes.domain, domain), sql`${inboxes.domain} like '%.' || ${domain}::text`);
  // Also reserved ones, which become live when their payment is settled.
  const isLeft = ne(inboxes.status, "deleted");
  const left = and(eq(inboxes.organization_id, actor.organizationId), isLeft, within);
  const [used] = await db.select({ address: inboxes.address }).from(inboxes).where(left).limit(1);
  if (used) throw new ServiceError("domain_in_use", `${used.address} is a mailbox on this domain.`);
}
