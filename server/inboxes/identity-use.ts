// Says what still uses the sender identity of a domain, and which refs the provider has returned for it.
import { and, eq, isNotNull, ne } from "drizzle-orm";
import type { Database } from "#db/client.ts";
import { domains } from "#db/schema/domains.ts";
import { inboxes } from "#db/schema/mail.ts";

/**
 * Across organizations, because the provider's account has each domain once.
 * @param leaving a claim that is being deleted
 */
export async function identityUse(
  db: Database,
  domain: string,
  leaving?: string,
): Promise<{ isUsed: boolean; refs: string[] }> {
  const isThere = eq(inboxes.domain, domain);
  const [mailbox] = await db
    .select({ id: inboxes.id })
    .from(inboxes)
    .where(and(isThere, eq(inboxes.status, "live")))
    .limit(1);
  const [claim] = await db
    .select({ id: domains.id })
    .from(domains)
    .where(
      and(eq(domains.domain, domain), eq(domains.status, "verified"), leaving ? ne(domains.id, leaving) : undefined),
    )
    .limit(1);
  if (mailbox || claim) return { isUsed: true, refs: [] };
  const refs = await db
    .selectDistinct({ ref: inboxes.identity_ref })
    .from(inboxes)
    .where(and(isThere, isNotNull(inboxes.identity_ref)));
  return { isUsed: false, refs: refs.flatMap(({ ref }) => ref ?? []) };
}
