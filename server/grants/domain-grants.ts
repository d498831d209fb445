// Creates, lists and revokes domain grants for the operator. No organization gets a domain that another one holds.
import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { domainGrants, organizations } from "#db/schema/enrollment.ts";
import { readDomain } from "../base/addresses.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import { ADMIN_COMMAND } from "../base/errors/admin-command.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId, newId } from "../base/ids.ts";
import { firstFormer, type Taken } from "./former-mailboxes.ts";
import { grantFault, grantOfAnother, isGrantInEffect } from "./granted-domains.ts";
import { lockAddresses } from "./hosted.ts";

/** Serializes grants. A number that no other advisory lock of the service has: "dom" in ASCII. */
export const CLAIM_LOCK = 0x64_6f_6d;

function refused(message: string): ServiceError {
  return new ServiceError("invalid_request", message);
}

/**
 * Grants domains with their subdomains, in the transaction that needs them. Concurrent grants wait for each other, so
 * exactly one of two grants of one domain succeeds.
 * @param claim `enrollmentKeyId`: the grants last until this key is revoked or expires; null: until they are revoked
 * @throws ServiceError `invalid_request` for a domain that cannot be granted, that another organization holds, or on which a
 * former organization has mailboxes
 */
export async function claimDomains(
  tx: Transaction,
  services: Services,
  claim: { organizationId: string; domains: string[]; enrollmentKeyId: string | null },
): Promise<void> {
  const { now } = services;
  const domains = [...new Set(claim.domains)];
  if (domains.length === 0) return;
  await lockGrantable(tx, services, claim.organizationId, domains);
  // Waits for running creates of former organizations.
  await lockAddresses(tx);
  for (const domain of domains) await refuseUsed(tx, now(), { organization_id: claim.organizationId, domain });
  const rows = domains.map((domain) => ({
    id: newId(),
    domain,
    organization_id: claim.organizationId,
    enrollment_key_id: claim.enrollmentKeyId,
    created_at: now(),
  }));
  // Conflicts only with the same organization's grant of the same domain without a key. One that a verification made becomes
  // the operator's, so that it does not end with the claim.
  const isCurrent = and(isNull(domainGrants.enrollment_key_id), isNull(domainGrants.revoked_at));
  await tx
    .insert(domainGrants)
    .values(rows)
    .onConflictDoUpdate({ target: domainGrants.domain, targetWhere: isCurrent, set: { granted_by: "operator" } });
}

/**
 * Blocks other grants until the transaction ends.
 * @throws ServiceError `invalid_request` for a domain that cannot be granted, or that another organization holds
 */
export async function lockGrantable(
  tx: Transaction,
  { settings, now }: Pick<Services, "settings" | "now">,
  organizationId: string,
  domains: string[],
): Promise<void> {
  for (const domain of domains) {
    const fault = grantFault(settings, domain);
    if (fault) throw refused(`${fault}. It cannot be granted. Choose a domain that the organization owns.`);
  }
  await lockGrants(tx);
  for (const domain of domains) await refuseHeld(tx, now(), { organization_id: organizationId, domain });
}

/** Mail to these addresses would go to the former organization. */
async function refuseUsed(tx: Transaction, at: Date, taken: Taken): Promise<void> {
  const former = await firstFormer(tx, at, taken);
  if (!former) return;
  throw refused(
    `${former.organization} has mailboxes on ${taken.domain} or below it, such as ${former.address}. To delete them with their ` +
      `mail and grant the domain: ${ADMIN_COMMAND} domains grant --organization <id|name> --delete-mailboxes ${taken.domain}`,
  );
}

/** Blocks other grants until the transaction ends. */
export async function lockGrants(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${CLAIM_LOCK})`);
}

/** Grants a domain because its organization proved ownership. The caller holds the lock and knows that no other one holds it. */
export async function grantVerified(
  tx: Transaction,
  { now }: Services,
  { organizationId, domain }: { organizationId: string; domain: string },
): Promise<void> {
  const row = { id: newId(), domain, organization_id: organizationId, created_at: now() };
  // An operator's grant of the same domain stays the operator's.
  await tx
    .insert(domainGrants)
    .values({ ...row, enrollment_key_id: null, granted_by: "verification" })
    .onConflictDoNothing();
}

/** Ends the grant that a verification made. */
export async function endVerifiedGrant(tx: Transaction, organizationId: string, domain: string): Promise<void> {
  await tx
    .delete(domainGrants)
    .where(
      and(
        eq(domainGrants.organization_id, organizationId),
        eq(domainGrants.domain, domain),
        eq(domainGrants.granted_by, "verification"),
      ),
    );
}

async function refuseHeld(tx: Transaction, at: Date, wanted: Taken): Promise<void> {
  const held = await grantOfAnother(tx, at, wanted);
  if (!held) return;
  const [holder] = await tx
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.id, held.organization_id));
  throw refused(
    `${held.domain} is granted to ${holder?.name}, with everything below it. Choose another domain, or end that grant: ` +
      `${ADMIN_COMMAND} domains revoke ${held.domain}`,
  );
}

/** @throws ServiceError `invalid_request` */
export function readGrantDomain(text: string): string {
  const domain = readDomain(text);
  if (!domain) {
    throw refused(
      `${JSON.stringify(text)} is not a domain name. Pass a domain such as example.com. The grant includes its subdomains.`,
    );
  }
  return domain;
}

/**
 * Revokes every grant of exactly this domain, including those of keys.
 * @returns the names of the organizations that had one
 * @throws ServiceError `not_found`
 */
export async function endGrants(tx: Transaction, { now }: Pick<Services, "now">, domain: string): Promise<string[]> {
  // Of organizations that have no mailboxes on it, otherwise the domain could not have been granted since.
  await tx.delete(domainGrants).where(and(eq(domainGrants.domain, domain), isNotNull(domainGrants.revoked_at)));
  const ended = await tx
    .update(domainGrants)
    .set({ revoked_at: now() })
    .where(eq(domainGrants.domain, domain))
    .returning({ id: domainGrants.organization_id });
  if (ended.length === 0) {
    throw new ServiceError("not_found", `${domain} is granted to no organization. See ${ADMIN_COMMAND} domains list`);
  }
  const ids = ended.map(({ id }) => id);
  const rows = await tx.select({ name: organizations.name }).from(organizations).where(anyOf(organizations.id, ids));
  return rows.map(({ name }) => name);
}

/**
 * All grants in effect, in order of domain. `enrollment_key`: the grant ends with this key. `problem`: why it is
 * ignored.
 */
export async function listGrants({ db, now, settings }: Ctx<System>) {
  const rows = await db
    .select({ grant: domainGrants, organization: organizations.name })
    .from(domainGrants)
    .innerJoin(organizations, eq(organizations.id, domainGrants.organization_id))
    .where(isGrantInEffect(now()))
    .orderBy(asc(domainGrants.domain), asc(domainGrants.id));
  return rows.map(({ grant, organization }) => ({
    domain: grant.domain,
    organization,
    org_id: encodeId("org", grant.organization_id),
    granted_by: grant.granted_by,
    enrollment_key: grant.enrollment_key_id && encodeId("ekey", grant.enrollment_key_id),
    problem: grantFault(settings, grant.domain) ?? null,
    created_at: grant.created_at.toISOString(),
  }));
}
