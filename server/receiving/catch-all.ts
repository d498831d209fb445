// Finds the catch-all mailbox for recipients that have no mailbox.
import { and, eq, sql } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { domains } from "#db/schema/domains.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Services } from "../base/context.ts";
import { isReserved } from "../inboxes/address.ts";

/**
 * Mailbox address → address of the catch-all mailbox that takes its mail. Without addresses that have or had a mailbox, and without
 * reserved names. Only a verified claim of the same organization counts, so a catch-all ends with the claim.
 */
export async function findCatchAlls(
  { db, settings }: Pick<Services, "db" | "settings">,
  mailboxes: string[],
): Promise<Map<string, string>> {
  const asked = new Map<string, string>();
  for (const mailbox of mailboxes) {
    const at = mailbox.lastIndexOf("@");
    const domain = mailbox.slice(at + 1);
    if (domain === settings.DEFAULT_DOMAIN || isReserved(settings, mailbox.slice(0, at), domain)) continue;
    asked.set(mailbox, domain);
  }
  if (asked.size === 0) return new Map();
  const isClaimed = and(
    eq(domains.organization_id, inboxes.organization_id),
    eq(domains.domain, inboxes.domain),
    eq(domains.status, "verified"),
  );
  const rows = await db
    .select({ address: inboxes.address, domain: inboxes.domain })
    .from(inboxes)
    .innerJoin(domains, isClaimed)
    .where(
      and(
        anyOf(inboxes.domain, [...new Set(asked.values())]),
        sql`${inboxes.catch_all} and ${inboxes.status} = 'live'`,
      ),
    );
  if (rows.length === 0) return new Map();
  const byDomain = new Map(rows.map(({ domain, address }) => [domain, address]));
  const caught = new Map<string, string>();
  for (const [mailbox, domain] of asked) {
    const address = byDomain.get(domain);
    if (address !== undefined) caught.set(mailbox, address);
  }
  const taken = await db
    .select({ address: inboxes.address })
    .from(inboxes)
    .where(anyOf(inboxes.address, [...caught.keys()]));
  for (const { address } of taken) caught.delete(address);
  return caught;
}
