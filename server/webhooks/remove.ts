// DELETE /v1/webhooks/{id}: the endpoint gets nothing more; what was still owed to it is dropped with it.
import type { TransactionSql } from "postgres";
import type { Agent, Ctx } from "../context.ts";
import { findWebhook } from "./find.ts";

/**
 * @returns the webhook's UUID
 * @throws ServiceError `webhook_not_found`, on a second delete too
 */
export async function removeWebhook(ctx: Ctx<Agent>, wireId: string): Promise<string> {
  const { id } = await findWebhook(ctx, wireId);
  await ctx.sql.begin((tx) => [
    tx`delete from deliveries where webhook_id = ${id} and organization_id = ${ctx.actor.organizationId}`,
    tx`delete from webhooks where id = ${id} and organization_id = ${ctx.actor.organizationId}`,
  ]);
  return id;
}

/** Takes along the webhooks of a mailbox that is being deleted, inside that transaction. */
export async function removeWebhooksOf(tx: TransactionSql, inboxId: string): Promise<void> {
  await tx`delete from deliveries where webhook_id in (select id from webhooks where inbox_id = ${inboxId})`;
  await tx`delete from webhooks where inbox_id = ${inboxId}`;
}
