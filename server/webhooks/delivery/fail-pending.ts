// Fails the pending deliveries of a disabled webhook, whether a person or the service disabled it.
import type { Sql } from "postgres";

const DELIVERIES_PER_STEP = 2_000;

/** Why, and until when: deliveries created after `at`, and those of a webhook that is active again, are not failed. */
export type DisabledWebhook = { webhookId: string; organizationId: string; reason: string; at: Date };

function pending(sql: Sql, { webhookId, organizationId, at }: DisabledWebhook) {
  return sql`from deliveries where webhook_id = ${webhookId} and organization_id = ${organizationId}
    and status = 'pending' and created_at <= ${at}
    and not exists (select from webhooks w where w.id = ${webhookId} and w.active)`;
}

/**
 * Runs one batch. `SKIP LOCKED` avoids a deadlock with a worker that holds the rows.
 * @returns how many it failed: 0 if none is left, or the rest is locked
 */
export async function failPending(sql: Sql, webhook: DisabledWebhook): Promise<number> {
  const { count } = await sql`
    update deliveries set status = 'failed', next_attempt_at = null, resend_at = null, completed_at = ${webhook.at}, last_error = ${webhook.reason}
    where id = any(array(
      select id ${pending(sql, webhook)} order by id limit ${DELIVERIES_PER_STEP} for update skip locked))`;
  return count;
}

export async function hasPending(sql: Sql, webhook: DisabledWebhook): Promise<boolean> {
  return (await sql`select 1 ${pending(sql, webhook)} limit 1`).length > 0;
}
