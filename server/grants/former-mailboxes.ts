// Finds mailboxes on a domain that belong to organizations other than the one that gets the domain, and that do not hold theirs.
import { and, asc, eq, exists, ne, not, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { domainGrants, organizations } from "#db/schema/enrollment.ts";
import { inboxes } from "#db/schema/mail.ts";
import { isGrantInEffect } from "./granted-domains.ts";

/** The domain, and the organization that gets it. */
export type Taken = { organization_id: string; domain: string };

/** Mailboxes on a domain and below it. Steps through the distinct domains in the index, because there are few of them. */
function isOnOrBelow(domain: string): SQL {
  return sql`${inboxes.domain} in (
    with recursive used as (
      (select i.domain from ${inboxes} i order by i.domain limit 1)
      union all
      select (select i.domain from ${inboxes} i where i.domain > used.domain order by i.domain limit 1)
      from used where used.domain is not null
    ) select used.domain from used where used.domain = ${domain}::text or used.domain like '%.' || ${domain}::text)`;
}

/** Whether the organization of a mailbox holds a domain below this one, and the mailbox is there: then it is not a former one. */
function isHeldBelow(tx: Transaction, at: Date, domain: string): SQL {
  const isThere = sql`(${inboxes.domain} = ${domainGrants.domain} or ${inboxes.domain} like '%.' || ${domainGrants.domain})`;
  return exists(
    tx
      .select({ id: domainGrants.id })
      .from(domainGrants)
      .where(
        and(
          eq(domainGrants.organization_id, inboxes.organization_id),
          sql`${domainGrants.domain} like '%.' || ${domain}::text`,
          isThere,
          isGrantInEffect(at),
        ),
      ),
  );
}

/** The oldest ones, locked. `own`: of one organization. */
export function findFormer(tx: Transaction, at: Date, { organization_id, domain }: Taken, most: number, own?: SQL) {
  // Also reserved ones, which would become live when their payment is settled.
  const isLeft = ne(inboxes.status, "deleted");
  return tx
    .select({ id: inboxes.id, organization_id: inboxes.organization_id, address: inboxes.address })
    .from(inboxes)
    .where(
      and(
        isOnOrBelow(domain),
        ne(inboxes.organization_id, organization_id),
        isLeft,
        not(isHeldBelow(tx, at, domain)),
        own,
      ),
    )
    .orderBy(asc(inboxes.id))
    .limit(most)
    .for("update");
}

/** The oldest one, with the name of its organization. */
export async function firstFormer(tx: Transaction, at: Date, taken: Taken) {
  const [mailbox] = await findFormer(tx, at, taken, 1);
  if (!mailbox) return undefined;
  const [organization] = await tx
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.id, mailbox.organization_id));
  return { address: mailbox.address, organization: organization?.name ?? "" };
}
