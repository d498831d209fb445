// DELETE /v1/inboxes/{addr}: deletes a mailbox immediately and permanently; its row stays as a tombstone.
import { and, eq } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { findInbox } from "../base/tenancy.ts";
import { removeWebhooksOf } from "../webhooks/remove.ts";
import { forgetStorage } from "./storage.ts";

/**
 * In one transaction: the mailbox stops receiving mail, its webhooks are deleted, its sender identity is scheduled for
 * removal. Queued messages fail when they are due (messages/outbound/transmit.ts). The worker erases stored mail
 * (messages/erase.ts), which is not readable until then.
 * @returns the inbox's UUID
 * @throws ServiceError `inbox_not_found`, also on a second delete
 */
export async function removeInbox(ctx: Ctx<Caller>, addr: string): Promise<string> {
  const { id } = await findInbox(ctx, addr);
  const now = ctx.now();
  const closing = Boolean(ctx.outbound.identities);
  await ctx.db.transaction(async (tx) => {
    const own = and(eq(inboxes.id, id), eq(inboxes.organization_id, ctx.actor.organizationId));
    const { count } = await tx
      .update(inboxes)
      .set({
        status: "deleted",
        deleted_at: now,
        metadata: {},
        display_name: "",
        identity_status: closing ? "closing" : "closed",
        identity_attempts: 0,
        identity_next_attempt_at: closing ? now : null,
      })
      .where(and(own, eq(inboxes.status, "live")));
    if (count === 0) throw new ServiceError("inbox_not_found", "The inbox does not exist.");
    await removeWebhooksOf(tx, id);
  });
  ctx.signals.raise("erasures");
  if (closing) ctx.signals.raise("identities");
  return id;
}

/** Records that all mail of a deleted mailbox is erased. */
export async function markErased(tx: Transaction, inboxId: string, at: Date): Promise<void> {
  await forgetStorage(tx, inboxId);
  await tx.update(inboxes).set({ erased_at: at }).where(eq(inboxes.id, inboxId));
}
