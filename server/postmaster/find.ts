// Finds who is responsible for mail to `postmaster` at a domain that this service receives mail for (RFC 5321 §4.5.1).
import { and, asc, eq, or, sql } from "drizzle-orm";
import { domainGrants, organizations } from "#db/schema/enrollment.ts";
import { readAddress } from "../base/addresses.ts";
import type { Services } from "../base/context.ts";
import { isGrantInEffect } from "../grants/granted-domains.ts";

const NAME = "postmaster";

/** `organizationId`: of the owners that are notified; at DEFAULT_DOMAIN, the first organization. */
export type Postmaster = { domain: string; organizationId: string };

export function isPostmaster(recipient: string): boolean {
  return readAddress(recipient)?.local.toLowerCase() === NAME;
}

/** @returns undefined if it is another address, or the domain is neither DEFAULT_DOMAIN nor granted */
export async function findPostmaster(
  { db, settings, now }: Pick<Services, "db" | "settings" | "now">,
  recipient: string,
): Promise<Postmaster | undefined> {
  const domain = readAddress(recipient)?.domain;
  if (domain === undefined || !isPostmaster(recipient)) return;
  if (domain === settings.DEFAULT_DOMAIN) {
    const [first] = await db
      .select({ id: organizations.id })
      .from(organizations)
      .orderBy(asc(organizations.id))
      .limit(1);
    return first && { domain, organizationId: first.id };
  }
  const isBelow = sql`${domain}::text like '%.' || ${domainGrants.domain}`;
  const [grant] = await db
    .select({ id: domainGrants.organization_id })
    .from(domainGrants)
    .where(and(isGrantInEffect(now()), or(eq(domainGrants.domain, domain), isBelow)))
    .limit(1);
  return grant && { domain, organizationId: grant.id };
}
