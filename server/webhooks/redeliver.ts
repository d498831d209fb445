// POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver: sends one delivery again, with the same ids.
import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { deliveries } from "#db/schema/events.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { commitKeyed } from "../base/idempotency.ts";
import { type DeliveryRow, findDelivery, noDelivery } from "./deliveries.ts";
import { findWebhook, nameOf, type WebhookRow } from "./find.ts";

export function webhookInactive(): ServiceError {
  return new ServiceError("webhook_inactive", "The webhook is disabled, so no deliveries are sent.");
}

export function recordDelivered(ctx: Ctx<Caller>, tx: Transaction, webhook: WebhookRow): Promise<void> {
  const final = "Deliveries to the endpoint are not taken back.";
  return record(ctx, tx, [{ kind: "webhook", id: webhook.id, name: nameOf(webhook), before: {}, after: {}, final }]);
}

/**
 * Makes a finished delivery due now; its schedule starts again, while the log continues its numbers. A pending one gets
 * one extra attempt, unless it is already due: its count of attempts and its next automatic retry stay. If the webhook
 * is disabled concurrently, the lease fails the delivery (deliver.ts).
 * @throws ServiceError `webhook_not_found`, `delivery_not_found`, `webhook_inactive`
 */
export async function redeliver(ctx: Ctx<Caller>, wireId: string, wireDeliveryId: string): Promise<DeliveryRow> {
  const webhook = await findWebhook(ctx, wireId);
  const { id } = await findDelivery(ctx, webhook, wireDeliveryId);
  if (!webhook.active) throw webhookInactive();
  const now = ctx.now();
  const { webhook_id, organization_id, status, attempts, next_attempt_at } = deliveries;
  const changed = await ctx.db.transaction(async (tx) => {
    const { count } = await tx
      .update(deliveries)
      .set({
        status: "pending",
        completed_at: null,
        attempts: sql`case when ${status} = 'pending' then ${attempts} else 0 end`,
        next_attempt_at: sql`case when ${status} = 'pending' then ${next_attempt_at} else ${now}::timestamptz end`,
        resend_at: sql`case when ${status} = 'pending' and ${next_attempt_at} > ${now} then ${now}::timestamptz end`,
      })
      .where(and(eq(deliveries.id, id), eq(webhook_id, webhook.id), eq(organization_id, ctx.actor.organizationId)));
    if (count === 0) throw noDelivery();
    await recordDelivered(ctx, tx, webhook);
    await commitKeyed(ctx, tx);
    // Before the row is unlocked: a fast attempt would change it.
    return findDelivery({ ...ctx, db: tx }, webhook, wireDeliveryId);
  });
  ctx.signals.raise("deliveries");
  return changed;
}
