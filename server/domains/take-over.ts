// Deletes the mailboxes of former organizations on a domain that another organization gets: their mail is for it now.
import { eq } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Services } from "../base/context.ts";
import type { NewEvent } from "../events/record.ts";
import { findFormer, type Taken } from "../grants/former-mailboxes.ts";
import { lockAddresses } from "../grants/hosted.ts";
import { announceRemoved, removeInboxes } from "../inboxes/remove.ts";
import { writeServiceAct } from "../organizations/audit.ts";
import { foreignLine } from "../system-mail/foreign.ts";
import { noticesTo, writeNotices } from "../system-mail/write.ts";

const BATCH_MAILBOXES = 500;
const DOMAIN_MAX_CHARS = 253;

/** Transactions of one call. */
const CLEARING_MAX = 200;

/** How the other organization got the domain. */
type How = "verification" | "grant";

/**
 * Deletes the mailboxes of former organizations, in transactions of their own.
 * @param next locks grants, and returns what is taken over; undefined if nothing is
 * @returns how many mailboxes were deleted
 */
export async function clearFormer(
  ctx: Services,
  how: How,
  next: (tx: Transaction) => Promise<Taken | undefined>,
): Promise<number> {
  let cleared = 0;
  for (let turn = 0; turn < CLEARING_MAX; turn += 1) {
    const recorded = await ctx.db.transaction(async (tx) => {
      const taken = await next(tx);
      if (!taken) return;
      await lockAddresses(tx);
      return ctx.eventLog.record(plainOf(tx), await takeOver(tx, ctx, taken, how), ctx.now());
    });
    if (!recorded || recorded.events.length === 0) break;
    ctx.eventLog.announce(recorded);
    cleared += recorded.events.length;
  }
  if (cleared > 0) announceRemoved(ctx);
  return cleared;
}

/**
 * Deletes one batch. The caller holds the locks of grants and addresses, so no such mailbox can be created at the same time. The
 * last batch of each organization writes its audit line and the email to its owners.
 * @returns the event of each mailbox that was deleted
 */
async function takeOver(tx: Transaction, ctx: Services, taken: Taken, how: How): Promise<NewEvent[]> {
  const [former] = await findFormer(tx, ctx.now(), taken, 1);
  if (!former) return [];
  const own = eq(inboxes.organization_id, former.organization_id);
  const batch = await findFormer(tx, ctx.now(), taken, BATCH_MAILBOXES, own);
  const removed = await removeInboxes(
    tx,
    ctx,
    former.organization_id,
    batch.map(({ id }) => id),
  );
  if (batch.length === BATCH_MAILBOXES && (await findFormer(tx, ctx.now(), taken, 1, own)).length > 0) return removed;
  const subject = taken.domain;
  await writeServiceAct(tx, ctx, { organizationId: former.organization_id, action: "domains.takenOver", subject });
  const email = emailTo(ctx.settings, taken.domain, how);
  const to = { organizationId: former.organization_id, chosen: "domain" as const };
  await writeNotices(tx, ctx, await noticesTo(tx, ctx, to, email));
  return removed;
}

/** Whether a former organization has a mailbox on the domain or below it. */
export async function isUsedByFormer(tx: Transaction, at: Date, taken: Taken): Promise<boolean> {
  return (await findFormer(tx, at, taken, 1)).length > 0;
}

function emailTo({ PUBLIC_URL }: Services["settings"], name: string, how: How) {
  const domain = foreignLine(name, DOMAIN_MAX_CHARS);
  const cause = {
    verification: `Another organization on ${PUBLIC_URL} proved that it owns the domain ${domain}, which your organization no longer holds.`,
    grant: `The operator of ${PUBLIC_URL} granted the domain ${domain}, which your organization no longer holds, to another organization.`,
  };
  const text = [
    cause[how],
    `The mailboxes of your organization on ${domain} and below it were deleted. They receive no more mail, and their stored mail is erased.`,
    "To go on, create mailboxes on another domain.",
  ];
  return { topic: "mailboxes_deleted" as const, text: `${text.join("\n\n")}\n` };
}
