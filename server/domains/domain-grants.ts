// Domain grants, as the operators' command makes, lists and revokes them. Two organizations never have overlapping domains.
import type { TransactionSql } from "postgres";
import { readDomain } from "../base/addresses.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId, newId } from "../base/ids.ts";
import { grantFault, grantsInEffect } from "./granted-domains.ts";

/** Serializes claims of domains. A number that no other advisory lock of the service has: "dom" in ASCII. */
const CLAIM_LOCK = 0x64_6f_6d;

type GrantRow = { domain: string; organization_id: string; enrollment_key_id: string | null; created_at: Date };

function refused(message: string): ServiceError {
  return new ServiceError("invalid_request", message);
}

/**
 * Grants domains, each with everything below it, inside the transaction that needs them. Concurrent claims wait for each other,
 * so exactly one of two overlapping claims succeeds.
 * @param claim `enrollmentKeyId`: the grants last until this key is revoked or expires; null: until they are revoked
 * @throws ServiceError `invalid_request` for a domain that cannot be granted, or that overlaps another organization's grant
 */
export async function claimDomains(
  tx: TransactionSql,
  { settings, now }: Services,
  claim: { organizationId: string; domains: string[]; enrollmentKeyId: string | null },
): Promise<void> {
  const { organizationId, enrollmentKeyId } = claim;
  const domains = [...new Set(claim.domains)];
  for (const domain of domains) {
    const fault = grantFault(settings, domain);
    if (fault) throw refused(`${fault}. It cannot be granted. Choose a domain that the organization owns.`);
  }
  if (domains.length === 0) return;
  await tx`select pg_advisory_xact_lock(${CLAIM_LOCK})`;
  const [other] = await tx<{ domain: string; organization: string }[]>`
    select g.domain, (select name from organizations o where o.id = g.organization_id) as organization
    ${grantsInEffect(tx, now())} and g.organization_id <> ${organizationId}
      and exists (
        select from unnest(${domains}::text[]) as d(claimed)
        where claimed = g.domain or claimed like '%.' || g.domain or g.domain like '%.' || claimed) limit 1`;
  if (other) {
    const [message, fix] = [
      `${other.domain} is granted to ${other.organization}, and domains of two organizations may not overlap.`,
      `Choose another domain, or end that grant: npm run -s admin -- domains revoke ${other.domain}`,
    ];
    throw refused(`${message} ${fix}`);
  }
  const rows = domains.map((domain) => ({
    id: newId(),
    domain,
    organization_id: organizationId,
    enrollment_key_id: enrollmentKeyId,
    created_at: now(),
  }));
  // Conflicts only with the same organization's grant of the same domain without a key.
  await tx`insert into domain_grants ${tx(rows)} on conflict do nothing`;
}

function readGrantDomain(text: string): string {
  const domain = readDomain(text);
  if (!domain) {
    throw refused(
      `${JSON.stringify(text)} is not a domain name. Name one such as example.com; it includes all below it.`,
    );
  }
  return domain;
}

/**
 * Grants a domain until it is revoked; granting it again to the same organization changes nothing.
 * @throws ServiceError `invalid_request`
 */
export async function grantDomain(ctx: Ctx<System>, organization: { id: string; name: string }, text: string) {
  const { id, name } = organization;
  const domain = readGrantDomain(text);
  await ctx.sql.begin((tx) => claimDomains(tx, ctx, { organizationId: id, domains: [domain], enrollmentKeyId: null }));
  return { domain, organization: name, org_id: encodeId("org", id) };
}

/**
 * Ends every grant of exactly this domain, those made with keys too. Keys that allow the domain keep it in their list, and it
 * has no effect until the domain is granted to their organization again. Mailboxes that exist stay.
 * @throws ServiceError `not_found`, `invalid_request`
 */
export async function revokeDomain(ctx: Ctx<System>, text: string) {
  const domain = readGrantDomain(text);
  const rows = await ctx.sql<{ organization: string }[]>`
    delete from domain_grants g using organizations o
    where g.domain = ${domain} and o.id = g.organization_id returning o.name as organization`;
  if (rows.length === 0) {
    throw new ServiceError(
      "not_found",
      `${domain} is granted to no organization. See npm run -s admin -- domains list`,
    );
  }
  return { domain, revoked_from: [...new Set(rows.map(({ organization }) => organization))] };
}

/** Every grant in effect, in order of domain. `enrollment_key`: the key whose end ends the grant. `problem`: why it is ignored. */
export async function listGrants({ sql, now, settings }: Ctx<System>) {
  const rows = await sql<(GrantRow & { organization: string })[]>`
    select g.domain, g.organization_id, g.enrollment_key_id, g.created_at,
      (select name from organizations o where o.id = g.organization_id) as organization
    ${grantsInEffect(sql, now())} order by g.domain, g.id`;
  return rows.map((row) => ({
    domain: row.domain,
    organization: row.organization,
    org_id: encodeId("org", row.organization_id),
    enrollment_key: row.enrollment_key_id && encodeId("ekey", row.enrollment_key_id),
    problem: grantFault(settings, row.domain) ?? null,
    created_at: row.created_at.toISOString(),
  }));
}
