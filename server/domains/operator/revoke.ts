// The operators' command `domains revoke`: revokes the grants of a domain, deletes the claim that was verified, and
// schedules the removal of the domain at the mail provider.
import { and, eq } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import type { Ctx, System } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { endGrants, lockGrants, readGrantDomain } from "../../grants/domain-grants.ts";
import { scheduleRemoval } from "../provider/schedule-removal.ts";

/**
 * Ends every grant of exactly this domain, including those of keys, and deletes its verified claim, which would hold the
 * domain again at the next check. Keys keep the domain in their list, without effect until it is granted to their
 * organization again. Existing mailboxes still receive mail, but send none. They stay until another organization gets the domain.
 * @throws ServiceError `not_found`, `invalid_request`
 */
export async function revokeDomain(ctx: Ctx<System>, text: string) {
  const domain = readGrantDomain(text);
  const revoked = await ctx.db.transaction(async (tx) => {
    await lockGrants(tx);
    const revoked_from = await endGrants(tx, ctx, domain);
    const [claim] = await tx
      .delete(domains)
      .where(and(eq(domains.domain, domain), eq(domains.status, "verified")))
      .returning();
    if (claim) await scheduleRemoval(tx, ctx, claim);
    return { domain, revoked_from, deleted_claim: claim ? encodeId("dom", claim.id) : null };
  });
  ctx.signals.raise("identities");
  return revoked;
}
