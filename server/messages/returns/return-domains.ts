// Finds the domains of return paths: `bounce.<domain>` has DNS records only for domains that an organization has verified.
import { and, eq } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { domains } from "#db/schema/domains.ts";
import type { Services } from "../../base/context.ts";

type Message = { id: string; organization_id: string; domain: string };

/** `a.b.example`, `b.example`, `example`. */
function namesAbove(domain: string): string[] {
  const labels = domain.split(".");
  return labels.map((_, i) => labels.slice(i).join("."));
}

/**
 * The verified domain of its organization that is the domain of a message, or closest above it, by the id of the message.
 * Messages at DEFAULT_DOMAIN, and at domains that the operator granted without a claim, have none.
 */
export async function returnDomains({ db }: Pick<Services, "db">, messages: Message[]): Promise<Map<string, string>> {
  const names = [...new Set(messages.flatMap(({ domain }) => namesAbove(domain)))];
  const owners = [...new Set(messages.map(({ organization_id }) => organization_id))];
  if (names.length === 0) return new Map();
  const rows = await db
    .select({ organization_id: domains.organization_id, domain: domains.domain })
    .from(domains)
    .where(and(anyOf(domains.organization_id, owners), anyOf(domains.domain, names), eq(domains.status, "verified")));
  const verified = new Set(rows.map(({ organization_id, domain }) => `${organization_id} ${domain}`));
  return new Map(
    messages.flatMap(({ id, organization_id, domain }) => {
      const closest = namesAbove(domain).find((name) => verified.has(`${organization_id} ${name}`));
      return closest ? [[id, closest]] : [];
    }),
  );
}
