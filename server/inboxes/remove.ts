// DELETE /v1/inboxes/{addr}: takes a mailbox out of service at once and for ever; its row stays as a tombstone.
import type { TransactionSql } from "postgres";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { findInbox } from "../base/tenancy.ts";
import { removeWebhooksOf } from "../webhooks/remove.ts";
import { forgetStorage } from "./storage.ts";

/**
 * In one transaction: the mailbox takes no more mail, its webhooks are gone, its sender identity is to be closed. What it
 * had queued to send fails when its turn comes (messages/transmit.ts). Its stored mail is erased by the worker
 * (messages/erase.ts), out of everybody's reach meanwhile.
 * @returns the inbox's UUID
 * @throws ServiceError `inbox_not_found`, on a second delete too
 */
export async function removeInbox(ctx: Ctx<Caller>, addr: string): Promise<string> {
  const { id } = await findInbox(ctx, addr);
  const now = ctx.now();
  const closing = Boolean(ctx.outbound.identities);
  await ctx.sql.begin(async (tx) => {
    const [removed] = await tx`
      update inboxes set status = 'deleted', deleted_at = ${now}, metadata = '{}', display_name = '',
        identity_status = ${closing ? "closing" : "closed"}, identity_attempts = 0,
        identity_next_attempt_at = ${closing ? now : null}
      where id = ${id} and organization_id = ${ctx.actor.organizationId} and status = 'live' returning id`;
    if (!removed) throw new ServiceError("inbox_not_found", "There is no such inbox.");
    await removeWebhooksOf(tx, id);
  });
  ctx.signals.raise("erasures");
  if (closing) ctx.signals.raise("identities");
  return id;
}

/** Notes that nothing of a deleted mailbox's mail is left. */
export async function markErased(tx: TransactionSql, inboxId: string, at: Date): Promise<void> {
  await forgetStorage(tx, inboxId);
  await tx`update inboxes set erased_at = ${at} where id = ${inboxId}`;
}
