// Finds the domains of return paths: `bounce.<domain>` has DNS records only for domains that an organization has verified, or that
// the operator granted.
import { and, eq, or } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import type { DomainRecord, RecordPurpose } from "#db/domain-records.ts";
import { domains } from "#db/schema/domains.ts";
import type { Services } from "../../base/context.ts";
import { domainColumns } from "../../domains/find.ts";
import { namesFrom } from "../../grants/granted-domains.ts";

type Message = { id: string; organization_id: string; domain: string };

function hasReturnPath(records: DomainRecord[]): boolean {
  const isFound = (purpose: RecordPurpose) => records.some((one) => one.purpose === purpose && one.status === "found");
  return isFound("return_path_mx") && isFound("return_path_spf");
}

/**
 * The verified domain of its organization that is the domain of a message, or closest above it, by the id of the message; also a
 * granted one whose records of the return path were found. Messages at DEFAULT_DOMAIN have none.
 */
export async function returnDomains({ db }: Pick<Services, "db">, messages: Message[]): Promise<Map<string, string>> {
  const names = [...new Set(messages.flatMap(({ domain }) => namesFrom(domain)))];
  const owners = [...new Set(messages.map(({ organization_id }) => organization_id))];
  if (names.length === 0) return new Map();
  const rows = await db
    .select(domainColumns)
    .from(domains)
    .where(
      and(
        anyOf(domains.organization_id, owners),
        anyOf(domains.domain, names),
        or(eq(domains.status, "verified"), domainColumns.granted),
      ),
    );
  const usable = rows.filter(({ status, records }) => status === "verified" || hasReturnPath(records));
  const verified = new Set(usable.map(({ organization_id, domain }) => `${organization_id} ${domain}`));
  return new Map(
    messages.flatMap(({ id, organization_id, domain }) => {
      const closest = namesFrom(domain).find((name) => verified.has(`${organization_id} ${name}`));
      return closest ? [[id, closest]] : [];
    }),
  );
}
