// The domains that an organization may use: DEFAULT_DOMAIN, and granted domains with their subdomains. Of the grants that cover a
// name, the closest one decides: its organization holds the name.
import { and, desc, eq, isNotNull, isNull, type Placeholder, type SQL, sql } from "drizzle-orm";
import { getDomain } from "tldts";
import type { Database, Transaction } from "#db/client.ts";
import { anyOf, isInForce } from "#db/conditions.ts";
import { domainGrants, enrollmentKeys } from "#db/schema/enrollment.ts";
import type { Services } from "../base/context.ts";
import type { Settings } from "../base/env.ts";

export const WILDCARD = "*.";
/** Names that no organization can own (RFC 6761, RFC 6762, RFC 7686, RFC 3172). */
const SPECIAL = ["localhost", "invalid", "local", "onion", "arpa"];

/** The domain of an entry of `allowed_domains`: `example.com` for `*.example.com`. */
export function baseOf(allowed: string): string {
  return allowed.startsWith(WILDCARD) ? allowed.slice(WILDCARD.length) : allowed;
}

/** Whether `domain` is `parent` or a subdomain of it. */
function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}

/** Why a domain cannot be granted to one organization; undefined if it can. */
export function grantFault({ DEFAULT_DOMAIN }: Settings, domain: string): string | undefined {
  const special = SPECIAL.find((name) => isWithin(domain, name));
  if (special) return `${domain} is reserved: names in .${special} have no owner`;
  // Null for a public suffix such as com, co.uk or github.io, and for a single label.
  if (getDomain(domain, { allowPrivateDomains: true }) === null) return `${domain} is a public suffix`;
  if (isWithin(domain, DEFAULT_DOMAIN)) return `${domain} is DEFAULT_DOMAIN or below it`;
  if (isWithin(DEFAULT_DOMAIN, domain)) return `DEFAULT_DOMAIN is below ${domain}`;
  return undefined;
}

/** Whether a grant is in effect at a time: it lasts until it is revoked or deleted, or its key is revoked or expires. */
export function isGrantInEffect(at: Date | Placeholder): SQL {
  return sql`${isNull(domainGrants.revoked_at)} and (${isNull(domainGrants.enrollment_key_id)} or exists (
    select from ${enrollmentKeys}
    where ${and(eq(enrollmentKeys.id, domainGrants.enrollment_key_id), isInForce(enrollmentKeys, at))}))`;
}

/**
 * Of a row of `domains`: the operator granted exactly this domain to its organization, and has not revoked it. A grant that ended
 * with its enrollment key counts too, because the agents of that key go on sending.
 */
export const isGrantedByOperator = sql<boolean>`exists (select from domain_grants g
  where g.organization_id = domains.organization_id and g.domain = domains.domain and g.granted_by = 'operator'
    and g.revoked_at is null)`;

type Holding = { organization_id: string; domain: string };

/** The domain and those above it. */
export function namesFrom(domain: string): string[] {
  const labels = domain.split(".");
  return labels.map((_, i) => labels.slice(i).join("."));
}

/** Of the grants in effect of the domain and of those above it, the closest one. Its organization holds the domain. */
export async function closestGrant(db: Database | Transaction, at: Date, domain: string): Promise<Holding | undefined> {
  const [grant] = await db
    .select({ organization_id: domainGrants.organization_id, domain: domainGrants.domain })
    .from(domainGrants)
    .where(and(anyOf(domainGrants.domain, namesFrom(domain)), isGrantInEffect(at)))
    .orderBy(desc(sql`length(${domainGrants.domain})`))
    .limit(1);
  return grant;
}

/** The closest grant of the domain if it is of another organization. */
export async function grantOfAnother(
  db: Database | Transaction,
  at: Date,
  { organization_id, domain }: Holding,
): Promise<Holding | undefined> {
  const closest = await closestGrant(db, at, domain);
  return closest?.organization_id === organization_id ? undefined : closest;
}

/**
 * Whether the operator revoked the organization's grants of a domain and nothing gave the domain back, or another organization
 * holds it now. False for a domain that was never granted, such as a former DEFAULT_DOMAIN, and for one whose enrollment key ended
 * and that no other organization holds: its agents keep working.
 */
export async function isRevoked(db: Database | Transaction, at: Date, holding: Holding): Promise<boolean> {
  const { organization_id, domain } = holding;
  const [own] = await db
    .select({ isRevoked: sql<boolean | null>`bool_and(${isNotNull(domainGrants.revoked_at)})` })
    .from(domainGrants)
    .where(and(eq(domainGrants.organization_id, organization_id), anyOf(domainGrants.domain, namesFrom(domain))));
  if (own?.isRevoked !== false) return own?.isRevoked === true;
  return (await grantOfAnother(db, at, holding)) !== undefined;
}

/** The domains granted to an organization, in order of name. */
export async function grantedDomains(
  { db, settings, now }: Pick<Services, "db" | "settings" | "now">,
  organizationId: string,
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ domain: domainGrants.domain })
    .from(domainGrants)
    .where(and(eq(domainGrants.organization_id, organizationId), isGrantInEffect(now())))
    .orderBy(domainGrants.domain);
  return rows.map(({ domain }) => domain).filter((domain) => grantFault(settings, domain) === undefined);
}

/**
 * The usable part of a key's `allowed_domains`: DEFAULT_DOMAIN, and domains within a grant of the key's organization. A
 * grant that would be refused today (DEFAULT_DOMAIN was changed since) has no effect.
 * @param granted the domains of grants in effect
 */
export function usableDomains(settings: Settings, allowed: string[], granted: string[]): string[] {
  const usable = (domain: string) =>
    domain === settings.DEFAULT_DOMAIN ||
    granted.some((grant) => isWithin(baseOf(domain), grant) && grantFault(settings, grant) === undefined);
  return allowed.filter(usable);
}
