// The operators' command `domains grant`: gives a domain to an organization, makes its DKIM key, and deletes mailboxes of former
// organizations if asked to.
import type { Ctx, System } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { claimDomains, lockGrantable, readGrantDomain } from "../../grants/domain-grants.ts";
import { addGranted } from "../granted.ts";
import { clearFormer } from "../take-over.ts";

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
