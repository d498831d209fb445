// Worker job: deletes the mailboxes of leases that have ended.
import { and, eq, lte } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { inboxes } from "#db/schema/mail.ts";
import { mailboxLeases } from "#db/schema/verifications.ts";
import type { Ctx, System } from "../../base/context.ts";
import type { NewEvent } from "../../events/record.ts";
import { leasedClientId } from "../../inboxes/leased.ts";
import { announceRemoved, removeInboxes } from "../../inboxes/remove.ts";

const BATCH_LEASES = 100;
/** A create may still be paid for. */
const RESERVED_PAUSE_MS = 60_000;

/**
 * Runs one batch.
 * @returns how many leases had ended
 */
export async function expireLeases(ctx: Ctx<System>): Promise<number> {
  const { ended, recorded } = await ctx.db.transaction(async (tx) => {
    const due = await tx
      .select({ id: mailboxLeases.id, organization_id: mailboxLeases.organization_id })
      .from(mailboxLeases)
      .where(lte(mailboxLeases.expires_at, ctx.now()))
      .orderBy(mailboxLeases.expires_at)
      .limit(BATCH_LEASES)
      .for("update", { skipLocked: true });
    const removed: NewEvent[] = [];
    for (const lease of due) removed.push(...(await endLease(tx, ctx, lease)));
    return { ended: due.length, recorded: await ctx.eventLog.record(plainOf(tx), removed, ctx.now()) };
  });
  ctx.eventLog.announce(recorded);
  if (recorded.events.length > 0) announceRemoved(ctx);
  return ended;
}

/**
 * Deletes the lease with its mailbox, if the create made one.
 * @returns the event of a mailbox that it deleted
 */
async function endLease(
  tx: Transaction,
  ctx: Ctx<System>,
  { id, organization_id }: Pick<typeof mailboxLeases.$inferSelect, "id" | "organization_id">,
): Promise<NewEvent[]> {
  const ofLease = and(eq(inboxes.organization_id, organization_id), eq(inboxes.client_id, leasedClientId(id)));
  const [inbox] = await tx.select({ id: inboxes.id, status: inboxes.status }).from(inboxes).where(ofLease);
  if (inbox?.status === "reserved") {
    const later = new Date(ctx.now().getTime() + RESERVED_PAUSE_MS);
    await tx.update(mailboxLeases).set({ expires_at: later }).where(eq(mailboxLeases.id, id));
    return [];
  }
  await tx.delete(mailboxLeases).where(eq(mailboxLeases.id, id));
  return inbox ? removeInboxes(tx, ctx, organization_id, [inbox.id]) : [];
}
