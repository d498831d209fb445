// Finds who is responsible for mail to `postmaster` at a domain that this service receives mail for (RFC 5321 §4.5.1).
import { and, asc, eq, inArray, isNotNull } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import { anyOf } from "#db/conditions.ts";
import { domains } from "#db/schema/domains.ts";
import { domainGrants, organizations } from "#db/schema/enrollment.ts";
import { inboxes } from "#db/schema/mail.ts";
import { readAddress } from "../../base/addresses.ts";
import type { Services } from "../../base/context.ts";
import { closestGrant, namesFrom } from "../../grants/granted-domains.ts";

const NAME = "postmaster";

/** `organizationId`: of the owners that are notified; at DEFAULT_DOMAIN, the first organization. */
export type Postmaster = { domain: string; organizationId: string };

export function isPostmaster(recipient: string): boolean {
  return recipient.toLowerCase() === NAME || readAddress(recipient)?.local.toLowerCase() === NAME;
}

/** @returns undefined if it is another address, or no mail for the domain is accepted here */
export async function findPostmaster(
  { db, settings, now }: Pick<Services, "db" | "settings" | "now">,
  recipient: string,
): Promise<Postmaster | undefined> {
  if (!isPostmaster(recipient)) return;
  // Without a domain it is that of this server (RFC 5321 §4.5.1).
  const domain = readAddress(recipient)?.domain ?? settings.DEFAULT_DOMAIN;
  if (domain === settings.DEFAULT_DOMAIN) {
    const [first] = await db
      .select({ id: organizations.id })
      .from(organizations)
      .orderBy(asc(organizations.id))
      .limit(1);
    return first && { domain, organizationId: first.id };
  }
  const holder = await closestGrant(db, now(), domain);
  const organizationId = holder?.organization_id ?? (await formerHolderOf({ db }, domain));
  return organizationId === undefined ? undefined : { domain, organizationId };
}

/** An organization that lost the domain, or had it revoked, and whose mailboxes on it still receive mail. */
async function formerHolderOf({ db }: Pick<Services, "db">, domain: string): Promise<string | undefined> {
  const names = namesFrom(domain);
  const lost = db
    .select({ id: domains.organization_id })
    .from(domains)
    .where(and(anyOf(domains.domain, names), eq(domains.status, "lost")));
  const revoked = db
    .select({ id: domainGrants.organization_id })
    .from(domainGrants)
    .where(and(anyOf(domainGrants.domain, names), isNotNull(domainGrants.revoked_at)));
  const isFormer = inArray(inboxes.organization_id, union(lost, revoked));
  const [mailbox] = await db
    .select({ id: inboxes.organization_id })
    .from(inboxes)
    .where(and(eq(inboxes.domain, domain), eq(inboxes.status, "live"), isFormer))
    .limit(1);
  return mailbox?.id;
}
