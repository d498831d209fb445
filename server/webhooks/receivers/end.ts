// Deletes test receivers with their deliveries: a worker job when they have expired, and members earlier.
import { and, asc, eq, isNotNull, lte } from "drizzle-orm";
import { webhooks } from "#db/schema/events.ts";
import type { Ctx, Member, System } from "../../base/context.ts";
import { findWebhook, noWebhook } from "../find.ts";
import { dropWebhooks } from "../remove.ts";

const ROWS_MAX = 50;

/** Runs one batch; returns how many receivers it deleted. */
export async function endReceivers({ db, now }: Ctx<System>): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await tx
      .select({ id: webhooks.id })
      .from(webhooks)
      .where(lte(webhooks.expires_at, now()))
      .orderBy(asc(webhooks.expires_at))
      .limit(ROWS_MAX)
      .for("update", { skipLocked: true });
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await dropWebhooks(tx, ids);
    return rows.length;
  });
}

/** @throws ServiceError `webhook_not_found`, also for a webhook that is no test receiver */
export async function endReceiver(ctx: Ctx<Member>, wireId: string): Promise<void> {
  const { id } = await findWebhook(ctx, wireId);
  const own = and(eq(webhooks.id, id), eq(webhooks.organization_id, ctx.actor.organizationId));
  await ctx.db.transaction(async (tx) => {
    const [receiver] = await tx
      .select({ id: webhooks.id })
      .from(webhooks)
      .where(and(own, isNotNull(webhooks.expires_at)))
      .for("update");
    if (!receiver) throw noWebhook();
    await dropWebhooks(tx, [receiver.id]);
  });
}
