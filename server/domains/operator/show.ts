// The operators' command `domains show`: the organizations that claim or hold one domain, with its records and grants.
import { asc, eq } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import type { Ctx, System } from "../../base/context.ts";
import { ADMIN_COMMAND } from "../../base/errors/admin-command.ts";
import { ServiceError } from "../../base/errors.ts";
import { encodeId } from "../../base/ids.ts";
import { domainColumns } from "../find.ts";
import { readName } from "../name.ts";
import { domainView } from "../view.ts";
import { listAllDomains } from "./list.ts";

/**
 * One row for each organization.
 * @throws ServiceError `not_found` if no organization claims or holds exactly this domain
 */
export async function showDomain(ctx: Ctx<System>, text: string) {
  const name = readName(text) ?? text;
  const listed = (await listAllDomains(ctx)).filter(({ domain }) => domain === name);
  const claims = await ctx.db
    .select(domainColumns)
    .from(domains)
    .where(eq(domains.domain, name))
    .orderBy(asc(domains.id));
  const byOrganization = new Map(claims.map((row) => [encodeId("org", row.organization_id), domainView(ctx, row)]));
  const rows = [...Map.groupBy(listed, ({ org_id }) => org_id)].map(([org_id, all]) => {
    const { records, ...claim } = byOrganization.get(org_id) ?? { records: [] };
    const grants = all.flatMap(({ granted_by, enrollment_key, problem }) =>
      granted_by === null ? [] : [{ granted_by, enrollment_key, problem }],
    );
    return {
      domain: name,
      organization: all[0]?.organization,
      org_id,
      claim: "id" in claim ? claim : null,
      grants,
      records,
    };
  });
  if (rows.length > 0) return rows;
  throw new ServiceError("not_found", `No organization claims or holds ${name}. See ${ADMIN_COMMAND} domains list`);
}
