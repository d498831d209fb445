// DELETE /v1/webhooks/{id}: the endpoint gets nothing more; what was still owed to it is dropped with it.
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
