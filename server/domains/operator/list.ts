// The operators' command `domains list`: the grants in effect, and the claims of organizations.
import { asc, eq } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import { organizations } from "#db/schema/enrollment.ts";
import type { Ctx, System } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { listGrants } from "../../grants/domain-grants.ts";

/** In order of domain. `claim`: the state of the organization's claim; null if the operator granted a domain without one. */
export async function listAllDomains(ctx: Ctx<System>) {
  const grants = await listGrants(ctx);
  const claims = await ctx.db
    .select({ claim: domains, organization: organizations.name })
    .from(domains)
    .innerJoin(organizations, eq(organizations.id, domains.organization_id))
    .orderBy(asc(domains.domain), asc(domains.id));
  const keyOf = (row: { domain: string; org_id: string }) => `${row.domain} ${row.org_id}`;
  const claimed = claims.map(({ claim, organization }) => {
    const { domain, status, created_at } = claim;
    const org_id = encodeId("org", claim.organization_id);
    return { domain, organization, org_id, claim: status, created_at: created_at.toISOString() };
  });
  const statuses = new Map(claimed.map((row) => [keyOf(row), row.claim]));
  const granted = new Set(grants.map(keyOf));
  const none = { granted_by: null, enrollment_key: null, problem: null };
  const rows = [
    ...grants.map((row) => ({ ...row, claim: statuses.get(keyOf(row)) ?? null })),
    ...claimed.filter((row) => !granted.has(keyOf(row))).map((row) => ({ ...row, ...none })),
  ];
  return rows.sort((a, b) => (a.domain < b.domain ? -1 : Number(a.domain > b.domain)));
}
