// The operators' command `domains revoke`: revokes the grants of a domain, deletes it and its DKIM keys at the organizations that
// held it, and schedules its removal at the mail provider.
import { and, eq, or } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import type { Ctx, System } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { endGrants, lockGrants, readGrantDomain } from "../../grants/domain-grants.ts";
import { isGrantedByOperator } from "../../grants/granted-domains.ts";
import { scheduleRemoval } from "../provider/schedule-removal.ts";

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
