// DELETE /v1/inboxes/{addr}: deletes a mailbox immediately and permanently; its row stays as a tombstone.
import { and, eq, ne } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { inboxes } from "#db/schema/mail.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId } from "../base/ids.ts";
import { findInbox } from "../base/tenancy.ts";
import { type NewEvent, newEvent } from "../events/record.ts";
import { removeWebhooksOf } from "../webhooks/remove.ts";
import { forgetStorage } from "./storage/count.ts";

/**
 * In one transaction: the mailbox stops receiving mail, its webhooks are deleted, its sender identity is scheduled for
 * removal. Queued messages fail when they are due (sending/transmit.ts). The worker erases stored mail
 * (messages/erase.ts), which is not readable until then.
 * @returns the inbox's UUID
 * @throws ServiceError `inbox_not_found`, also on a second delete
 */
export async function removeInbox(ctx: Ctx<Caller>, addr: string): Promise<string> {
  const { id } = await findInbox(ctx, addr);
  const recorded = await ctx.db.transaction(async (tx) => {
    const removed = await removeInboxes(tx, ctx, ctx.actor.organizationId, [id]);
    if (removed.length === 0) throw new ServiceError("inbox_not_found", "The inbox does not exist.");
    await record(ctx, tx, [
      { kind: "inbox", id, before: {}, after: {}, final: "The mailbox was deleted with its mail." },
    ]);
    return ctx.eventLog.record(plainOf(tx), removed, ctx.now());
  });
  ctx.eventLog.announce(recorded);
  announceRemoved(ctx);
  return id;
}

/**
 * Deletes mailboxes with their webhooks, except those that are deleted already.
 * @returns an event of each, for the end of the transaction; then call `announceRemoved` after the commit
 */
export async function removeInboxes(
  tx: Transaction,
  { outbound, now }: Pick<Services, "outbound" | "now">,
  organizationId: string,
  ids: string[],
): Promise<NewEvent[]> {
  const closing = Boolean(outbound.identities);
  const at = now();
  const own = and(anyOf(inboxes.id, ids), eq(inboxes.organization_id, organizationId));
  const removed = await tx
    .update(inboxes)
    .set({
      status: "deleted",
      deleted_at: at,
      metadata: {},
      display_name: "",
      identity_status: closing ? "closing" : "closed",
      identity_attempts: 0,
      identity_next_attempt_at: closing ? at : null,
    })
    .where(and(own, ne(inboxes.status, "deleted")))
    .returning({ inbox_id: inboxes.id, address: inboxes.address });
  if (removed.length > 0) await removeWebhooksOf(tx, organizationId, ids);
  return removed.map((row) => inboxEvent("inbox.deleted", { organization_id: organizationId, ...row }));
}

export function inboxEvent(
  event: "inbox.created" | "inbox.deleted",
  { address, ...about }: { organization_id: string; inbox_id: string; address: string },
): NewEvent {
  return newEvent(about, { event, inbox: address, mailbox: { id: encodeId("inb", about.inbox_id) } });
}

/** Wakes the worker jobs that erase the mail and remove the sender identities of deleted mailboxes. */
export function announceRemoved({ outbound, signals }: Pick<Services, "outbound" | "signals">): void {
  signals.raise("erasures");
  if (outbound.identities) signals.raise("identities");
}

/** Records that all mail of a deleted mailbox is erased. */
export async function markErased(tx: Transaction, inboxId: string, at: Date): Promise<void> {
  await forgetStorage(tx, inboxId);
  await tx.update(inboxes).set({ erased_at: at }).where(eq(inboxes.id, inboxId));
}
