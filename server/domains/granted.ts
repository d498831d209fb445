// Adds the domains that the operator granted to the domains of their organizations, with a DKIM key, so that their mail is signed
// once DNS has the record of the key.
import { and, eq, isNull } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import { domainGrants } from "#db/schema/enrollment.ts";
import type { Ctx, System } from "../base/context.ts";
import { newId } from "../base/ids.ts";
import { grantFault, isGrantInEffect } from "../grants/granted-domains.ts";
import { addDomain } from "./claim.ts";
import { newDkimKey } from "./dkim/make-key.ts";

/** Each makes a key, which takes up to a second of one core. */
const BATCH_DOMAINS = 8;

/** Adds some of the granted domains that their organizations do not have yet; the worker comes back for more. */
export async function addGranted(ctx: Ctx<System>): Promise<void> {
  const isSame = and(
    eq(domains.organization_id, domainGrants.organization_id),
    eq(domains.domain, domainGrants.domain),
  );
  const granted = await ctx.db
    .selectDistinct({ organization_id: domainGrants.organization_id, domain: domainGrants.domain })
    .from(domainGrants)
    .leftJoin(domains, isSame)
    .where(and(eq(domainGrants.granted_by, "operator"), isGrantInEffect(ctx.now()), isNull(domains.id)));
  const usable = granted.filter(({ domain }) => grantFault(ctx.settings, domain) === undefined);
  for (const grant of usable.slice(0, BATCH_DOMAINS)) {
    const id = newId();
    const { domain } = grant;
    const key = await newDkimKey(ctx, {
      domainId: id,
      domain,
      organizationId: null,
      selector: "mb1",
      state: "signing",
    });
    // Another process may add it at the same time.
    await ctx.db.transaction((tx) => addDomain(tx, ctx, { id, ...grant }, key));
  }
}
