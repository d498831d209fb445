// The domains that an enrollment key may allow: how they are read, and which of them members may give away themselves.
import { readDomain } from "../addresses.ts";
import type { Ctx, Member } from "../context.ts";
import { ServiceError } from "../errors.ts";

const WILDCARD = "*.";

/** `example.com` or `*.example.com` in lower-case ASCII; undefined when it is neither. */
export function readAllowedDomain(text: string): string | undefined {
  const wildcard = text.startsWith(WILDCARD);
  const domain = readDomain(wildcard ? text.slice(WILDCARD.length) : text);
  if (!domain) return;
  return wildcard ? `${WILDCARD}${domain}` : domain;
}

/** Whether a mailbox could be at a domain of both. */
function overlap(a: string, b: string): boolean {
  if (a === b) return true;
  const [suffixA, suffixB] = [a, b].map((each) => (each.startsWith(WILDCARD) ? each.slice(1) : undefined));
  if (suffixA && suffixB) return suffixA.endsWith(suffixB) || suffixB.endsWith(suffixA);
  return suffixA ? b.endsWith(suffixA) : suffixB !== undefined && a.endsWith(suffixB);
}

/**
 * Members give away what is the service's for all (DEFAULT_DOMAIN) or no other organization's: with a key for another's domain
 * they would get mail that is meant for it. Operators may share a domain; members use it once a key of theirs allows it.
 * @throws ServiceError `invalid_request`
 */
export async function checkMembersDomains({ actor, sql, settings }: Ctx<Member>, domains: string[]): Promise<void> {
  const rows = await sql<{ domain: string; own: boolean }[]>`
    select distinct unnest(allowed_domains) as domain, organization_id = ${actor.organizationId} as own
    from enrollment_keys`;
  const own = new Set(rows.filter((row) => row.own).map(({ domain }) => domain));
  const others = rows.filter((row) => !row.own && row.domain !== settings.DEFAULT_DOMAIN);
  const issues = domains.flatMap((domain, index) => {
    const free = domain === settings.DEFAULT_DOMAIN || own.has(domain);
    if (free || !others.some((other) => overlap(domain, other.domain))) return [];
    return [{ path: `allowed_domains.${index}`, message: `${domain} is not yours to allow; ask the operator.` }];
  });
  const [first] = issues;
  if (first) throw new ServiceError("invalid_request", first.message, { issues });
}

/** What a new key may be given: the shared domain first, then those that the organization's keys allow already. */
export async function offeredDomains({ actor, sql, settings }: Ctx<Member>): Promise<string[]> {
  const rows = await sql<{ domain: string }[]>`
    select distinct unnest(allowed_domains) as domain from enrollment_keys
    where organization_id = ${actor.organizationId} order by 1`;
  return [...new Set([settings.DEFAULT_DOMAIN, ...rows.map(({ domain }) => domain)])];
}
