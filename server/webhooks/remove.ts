// DELETE /v1/webhooks/{id}: stops all deliveries to the endpoint, and deletes its pending deliveries and its log. Locks
// are taken in one order: the mailbox, the webhook, its deliveries. A replay (replay.ts) that holds the webhook is
// waited for, and its deliveries are deleted too. Deliveries are never waited for, because a writer of many may be
// waiting for this transaction. Remaining ones belong to no webhook, are not visible, fail when they become due
// (deliver.ts) and are deleted later (prune.ts).
import type { TransactionSql } from "postgres";
import type { Caller, Ctx } from "../base/context.ts";
import { findWebhook, noWebhook } from "./find.ts";

const DROPPED_AT_ONCE = 10_000;

async function drop(tx: TransactionSql, ids: string[]): Promise<void> {
  await tx`
    with gone as (
      delete from deliveries where id = any(array(
        select id from deliveries where webhook_id = any(${ids}::uuid[]) limit ${DROPPED_AT_ONCE} for update skip locked))
      returning id)
    delete from delivery_attempts where delivery_id = any(array(select id from gone))`;
  await tx`delete from webhooks where id = any(${ids}::uuid[])`;
}

/** @returns the webhook's UUID\n@throws ServiceError `webhook_not_found`, also on a second delete */
export async function removeWebhook(ctx: Ctx<Caller>, wireId: string): Promise<string> {
  const { id } = await findWebhook(ctx, wireId);
  await ctx.sql.begin(async (tx) => {
    const { count } = await tx`
      select 1 from webhooks where id = ${id} and organization_id = ${ctx.actor.organizationId} for update`;
    if (count === 0) throw noWebhook();
    await drop(tx, [id]);
  });
  return id;
}

/** Deletes the webhooks of a mailbox, in the transaction that deletes the mailbox. */
export async function removeWebhooksOf(tx: TransactionSql, inboxId: string): Promise<void> {
  const rows = await tx<{ id: string }[]>`
    select id from webhooks
    where organization_id = (select organization_id from inboxes where id = ${inboxId}) and inbox_id = ${inboxId}
    order by id for update`;
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await drop(tx, ids);
}
