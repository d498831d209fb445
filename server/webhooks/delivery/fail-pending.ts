// Fails the pending deliveries of a disabled webhook, whether a person or the service disabled it.
import { and, eq, lte, notExists, sql } from "drizzle-orm";
import type { Database } from "#db/client.ts";
import { asInIndex } from "#db/conditions.ts";
import { deliveries, webhooks } from "#db/schema/events.ts";

const DELIVERIES_PER_STEP = 2_000;

/** Why, and until when: deliveries created after `at`, and those of a webhook that is active again, are not failed. */
export type DisabledWebhook = { webhookId: string; organizationId: string; reason: string; at: Date };

function selectPending(db: Database, { webhookId, organizationId, at }: DisabledWebhook) {
  const { id, webhook_id, organization_id, status, created_at } = deliveries;
  const own = and(eq(webhook_id, webhookId), eq(organization_id, organizationId));
  const active = db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(and(eq(webhooks.id, webhookId), webhooks.active));
  return db
    .select({ id })
    .from(deliveries)
    .where(and(own, asInIndex(eq(status, "pending")), lte(created_at, at), notExists(active)));
}

/**
 * Runs one batch. `SKIP LOCKED` avoids a deadlock with a worker that holds the rows.
 * @returns how many it failed: 0 if none is left, or the rest is locked
 */
export async function failPending(db: Database, webhook: DisabledWebhook): Promise<number> {
  const pending = selectPending(db, webhook)
    .orderBy(deliveries.id)
    .limit(DELIVERIES_PER_STEP)
    .for("update", { skipLocked: true });
  const { at: completed_at, reason: last_error } = webhook;
  const { count } = await db
    .update(deliveries)
    .set({ status: "failed", next_attempt_at: null, resend_at: null, completed_at, last_error })
    .where(sql`${deliveries.id} = any(array${pending})`);
  return count;
}

export async function hasPending(db: Database, webhook: DisabledWebhook): Promise<boolean> {
  return (await selectPending(db, webhook).limit(1)).length > 0;
}
