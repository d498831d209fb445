// The operators' command `domains revoke`: ends the grants of a domain, and deletes the claim that was verified.
import { and, eq } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import type { Ctx, System } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { endGrants, lockGrants, readGrantDomain } from "../../grants/domain-grants.ts";

/**
 * Ends every grant of exactly this domain, including those of keys, and deletes its verified claim, which would hold the
 * domain again at the next check. Keys keep the domain in their list, without effect until it is granted to their
 * organization again. Existing mailboxes stay until another organization verifies the domain.
 * @throws ServiceError `not_found`, `invalid_request`
 */
export async function revokeDomain({ db }: Ctx<System>, text: string) {
  const domain = readGrantDomain(text);
  return db.transaction(async (tx) => {
    await lockGrants(tx);
    const revoked_from = await endGrants(tx, domain);
    const [claim] = await tx
      .delete(domains)
      .where(and(eq(domains.domain, domain), eq(domains.status, "verified")))
      .returning({ id: domains.id });
    return { domain, revoked_from, deleted_claim: claim ? encodeId("dom", claim.id) : null };
  });
}
