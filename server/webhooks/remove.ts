// DELETE /v1/webhooks/{id}: the endpoint gets nothing more; what was still owed to it, and its log, are dropped with it.
//
// Locks are taken in one order: the mailbox, the webhook, its deliveries. A replay (replay.ts) that has the webhook is waited
// for, and what it made goes too. Deliveries are never waited for: whoever writes many of them at once may wait for us. What is
// left of them belongs to no webhook, is seen by nobody, fails when it comes due (deliver.ts) and goes in time (prune.ts).
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

/**
 * @returns the webhook's UUID
 * @throws ServiceError `webhook_not_found`, on a second delete too
 */
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

/** Takes along the webhooks of a mailbox that is being deleted, inside that transaction. */
export async function removeWebhooksOf(tx: TransactionSql, inboxId: string): Promise<void> {
  const rows = await tx<{ id: string }[]>`
    select id from webhooks
    where organization_id = (select organization_id from inboxes where id = ${inboxId}) and inbox_id = ${inboxId}
    order by id for update`;
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await drop(tx, ids);
}
