// POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver: sends one delivery again, under the same ids.
import type { Caller, Ctx } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { type DeliveryRow, findDelivery, noDelivery } from "./deliveries.ts";
import { findWebhook } from "./find.ts";

export function webhookInactive(): ServiceError {
  return new ServiceError("webhook_inactive", "This webhook is disabled: nothing is sent to it.");
}

/**
 * Makes a delivery due now. `attempts` counts for the schedule, which starts anew for a delivery that was finished; the log
 * goes on counting. One that is pending keeps its schedule. A webhook that is disabled this moment has it failed when it is
 * claimed (deliver.ts).
 * @throws ServiceError `webhook_not_found`, `delivery_not_found`, `webhook_inactive`
 */
export async function redeliver(ctx: Ctx<Caller>, wireId: string, wireDeliveryId: string): Promise<DeliveryRow> {
  const webhook = await findWebhook(ctx, wireId);
  const { id } = await findDelivery(ctx, webhook, wireDeliveryId);
  if (!webhook.active) throw webhookInactive();
  const { count } = await ctx.sql`
    update deliveries set status = 'pending', attempts = case when status = 'pending' then attempts else 0 end,
      next_attempt_at = ${ctx.now()}, completed_at = null
    where id = ${id} and webhook_id = ${webhook.id} and organization_id = ${ctx.actor.organizationId}`;
  if (count === 0) throw noDelivery();
  ctx.signals.raise("deliveries");
  return findDelivery(ctx, webhook, wireDeliveryId);
}
