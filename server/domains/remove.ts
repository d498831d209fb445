// DELETE /v1/domains/{domain}: deletes a domain that has no live mailboxes, and ends the grant of its verification.
import { and, eq, or, sql } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { endVerifiedGrant, lockGrants } from "../grants/domain-grants.ts";
import { refuseRestricted } from "./claim.ts";
import { findDomain, noDomain } from "./find.ts";

/**
 * @returns the UUID of the domain
 * @throws ServiceError `domain_not_found`, `domain_in_use`, `insufficient_scope`
 */
export async function removeDomain(ctx: Ctx<Caller>, named: string): Promise<string> {
  refuseRestricted(ctx);
  const { id, domain, status } = await findDomain(ctx, named);
  const { organizationId } = ctx.actor;
  await ctx.db.transaction(async (tx) => {
    await lockGrants(tx);
    const within = or(eq(inboxes.domain, domain), sql`${inboxes.domain} like '%.' || ${domain}::text`);
    const live = and(eq(inboxes.organization_id, organizationId), eq(inboxes.status, "live"), within);
    const [used] =
      status === "pending" ? [] : await tx.select({ address: inboxes.address }).from(inboxes).where(live).limit(1);
    if (used) throw new ServiceError("domain_in_use", `${used.address} is a live mailbox on this domain.`);
    await endVerifiedGrant(tx, organizationId, domain);
    const gone = await tx.delete(domains).where(eq(domains.id, id)).returning({ id: domains.id });
    if (gone.length === 0) throw noDomain();
  });
  return id;
}
