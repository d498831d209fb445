// Says what still uses the sender identity of a domain, and which refs the provider has returned for it.
import { and, eq, isNotNull } from "drizzle-orm";
import type { Database } from "#db/client.ts";
import { domains, providerRemovals } from "#db/schema/domains.ts";
import { inboxes } from "#db/schema/mail.ts";

/** Of one domain: each organization that deleted it. */
const REMOVALS_MAX = 100;

/** Across organizations, because the provider's account has each domain once. */
export async function identityUse(db: Database, domain: string): Promise<{ isUsed: boolean; refs: string[] }> {
  const isOfDomain = eq(inboxes.domain, domain);
  const [mailbox] = await db
    .select({ id: inboxes.id })
    .from(inboxes)
    .where(and(isOfDomain, eq(inboxes.status, "live")))
    .limit(1);
  const [claim] = await db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.domain, domain), eq(domains.status, "verified")))
    .limit(1);
  if (mailbox || claim) return { isUsed: true, refs: [] };
  const refs = await db
    .selectDistinct({ ref: inboxes.identity_ref })
    .from(inboxes)
    .where(and(isOfDomain, isNotNull(inboxes.identity_ref)));
  const removals = await db
    .select({ ref: providerRemovals.ref })
    .from(providerRemovals)
    .where(eq(providerRemovals.domain, domain))
    .limit(REMOVALS_MAX);
  return { isUsed: false, refs: [...new Set([...refs, ...removals].flatMap(({ ref }) => ref ?? []))] };
}
