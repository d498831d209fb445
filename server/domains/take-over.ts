// Deletes the mailboxes of former organizations on a domain that another organization verifies: their mail is for it now.
import { and, asc, eq, ne, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Services } from "../base/context.ts";
import { removeInboxes } from "../inboxes/remove.ts";
import { writeServiceAct } from "../organizations/audit.ts";
import { noticesTo, writeNotices } from "../system-mail/write.ts";
import type { DomainRow } from "./find.ts";

const BATCH_MAILBOXES = 500;

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

type Taken = Pick<DomainRow, "organization_id" | "domain">;

/**
 * Deletes one batch. The caller holds the locks of grants and addresses, so no such mailbox can be created at the same time. The
 * last batch of each organization writes its audit line and the letter to its owners.
 * @returns how many mailboxes were deleted; 0 if none is left
 */
export async function takeOver(tx: Transaction, ctx: Services, taken: Taken): Promise<number> {
  const [former] = await findFormer(tx, taken, 1);
  if (!former) return 0;
  const own = eq(inboxes.organization_id, former.organization_id);
  const batch = await findFormer(tx, taken, BATCH_MAILBOXES, own);
  await removeInboxes(
    tx,
    ctx,
    former.organization_id,
    batch.map(({ id }) => id),
  );
  if (batch.length === BATCH_MAILBOXES && (await findFormer(tx, taken, 1, own)).length > 0) return batch.length;
  const subject = taken.domain;
  await writeServiceAct(tx, ctx, { organizationId: former.organization_id, action: "domains.takenOver", subject });
  const letter = letterTo(ctx.settings, taken.domain);
  await writeNotices(tx, await noticesTo(tx, former.organization_id, letter), ctx.now());
  return batch.length;
}

/** Whether a former organization has a mailbox on the domain or below it. */
export async function isUsedByFormer(tx: Transaction, taken: Taken): Promise<boolean> {
  return (await findFormer(tx, taken, 1)).length > 0;
}

function findFormer(tx: Transaction, { organization_id, domain }: Taken, most: number, own?: SQL) {
  // Also reserved ones, which would become live when their payment is settled.
  const isLeft = ne(inboxes.status, "deleted");
  return tx
    .select({ id: inboxes.id, organization_id: inboxes.organization_id })
    .from(inboxes)
    .where(and(isOnOrBelow(domain), ne(inboxes.organization_id, organization_id), isLeft, own))
    .orderBy(asc(inboxes.id))
    .limit(most)
    .for("update");
}

function letterTo({ PUBLIC_URL }: Services["settings"], domain: string) {
  const text = [
    `Another organization on ${PUBLIC_URL} proved that it owns the domain ${domain}, which your organization no longer holds.`,
    `The mailboxes of your organization on ${domain} and below it were deleted. They receive no more mail, and their stored mail is erased.`,
    "To go on, create mailboxes on another domain.",
  ];
  return { subject: `The mailboxes on ${domain} were deleted`, text: `${text.join("\n\n")}\n` };
}
