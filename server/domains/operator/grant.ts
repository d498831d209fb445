// The operators' command `domains grant`: gives a domain to an organization, makes its DKIM key, and deletes mailboxes of former
// organizations if asked to.
import { and, eq, or } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import type { Ctx, System } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { claimDomains, endGrants, lockGrantable, lockGrants, readGrantDomain } from "../../grants/domain-grants.ts";
import { isGrantedByOperator } from "../../grants/granted-domains.ts";
import { addGranted } from "../granted.ts";
import { scheduleRemoval } from "../provider/remove.ts";
import { clearFormer } from "../take-over.ts";

// The operators' command `domains revoke`: revokes the grants of a domain, deletes it and its DKIM keys at the organizations that
// held it, and schedules its removal at the mail provider.
/**
 * Ends every grant of exactly this domain, including those of keys, and deletes the domain where it was granted or verified: a
 * verified one would hold it again at the next check. Keys keep the domain in their list, without effect until it is granted to their
 * organization again. Existing mailboxes still receive mail, but send none. They stay until another organization gets the domain.
 * @throws ServiceError `not_found`, `invalid_request`
 */
export async function revokeDomain(ctx: Ctx<System>, text: string) {
  const domain = readGrantDomain(text);
  const revoked = await ctx.db.transaction(async (tx) => {
    await lockGrants(tx);
    const isHeld = or(eq(domains.status, "verified"), isGrantedByOperator);
    const held = and(eq(domains.domain, domain), isHeld);
    // Before the grants end, which say where the domain was granted.
    const claims = await tx.delete(domains).where(held).returning();
    const revoked_from = await endGrants(tx, ctx, domain);
    for (const claim of claims) await scheduleRemoval(tx, ctx, claim);
    const [claim] = claims;
    return { domain, revoked_from, deleted_claim: claim ? encodeId("dom", claim.id) : null };
  });
  ctx.signals.raise("identities");
  return revoked;
}

/**
 * Grants a domain until it is revoked; granting it again to the same organization changes nothing.
 * @param given `deleteMailboxes`: those of other organizations on the domain and below it. Without it, they refuse the grant.
 * @throws ServiceError `invalid_request`
 */
export async function grantDomain(
  ctx: Ctx<System>,
  organization: { id: string; name: string },
  given: { domain: string; deleteMailboxes?: boolean },
) {
  const { id, name } = organization;
  const domain = readGrantDomain(given.domain);
  const cleared = given.deleteMailboxes ? await clearGranted(ctx, id, domain) : 0;
  await ctx.db.transaction((tx) =>
    claimDomains(tx, ctx, { organizationId: id, domains: [domain], enrollmentKeyId: null }),
  );
  await addGranted(ctx);
  return { domain, organization: name, org_id: encodeId("org", id), deleted_mailboxes: cleared };
}

function clearGranted(ctx: Ctx<System>, organizationId: string, domain: string): Promise<number> {
  return clearFormer(ctx, "grant", async (tx) => {
    await lockGrantable(tx, ctx, organizationId, [domain]);
    return { organization_id: organizationId, domain };
  });
}
