// Parses the allowed domains of an enrollment key, and checks which of them members may use.
import { readDomain } from "../base/addresses.ts";
import type { Ctx, Member } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { baseOf, grantedDomains, grantOfAnother, usableDomains, WILDCARD } from "./granted-domains.ts";

/** `example.com` or `*.example.com` in lower-case ASCII; undefined if it is neither. */
export function readAllowedDomain(text: string): string | undefined {
  const domain = readDomain(baseOf(text));
  if (!domain) return;
  return text.startsWith(WILDCARD) ? `${WILDCARD}${domain}` : domain;
}

/**
 * Members may allow DEFAULT_DOMAIN, and domains that their organization verified or the operator granted, without those below them
 * that another organization holds.
 * @throws ServiceError `domain_not_verified`, with an issue for each domain
 */
export async function checkMembersDomains(ctx: Ctx<Member>, domains: string[]): Promise<void> {
  const { organizationId } = ctx.actor;
  const usable = new Set(usableDomains(ctx.settings, domains, await grantedDomains(ctx, organizationId)));
  for (const domain of usable) {
    const wanted = { organization_id: organizationId, domain: baseOf(domain) };
    if (await grantOfAnother(ctx.db, ctx.now(), wanted)) usable.delete(domain);
  }
  const issues = domains.flatMap((domain, index) =>
    usable.has(domain)
      ? []
      : [
          {
            path: `allowed_domains.${index}`,
            message: `${domain} is not a verified domain of your organization.`,
          },
        ],
  );
  const [first] = issues;
  if (first) throw new ServiceError("domain_not_verified", first.message, { issues });
}

/** The domains that a new key may allow: DEFAULT_DOMAIN first, then the domains granted to the organization. */
export async function offeredDomains(ctx: Ctx<Member>): Promise<string[]> {
  return [...new Set([ctx.settings.DEFAULT_DOMAIN, ...(await grantedDomains(ctx, ctx.actor.organizationId))])];
}
