// Fails the pending deliveries of a disabled webhook, whether a person or the service disabled it.
import type { Sql } from "postgres";

const DELIVERIES_PER_STEP = 2_000;

/** Why, and until when: deliveries created after `at`, and those of a webhook that is active again, are not failed. */
export type Owed = { webhookId: string; organizationId: string; reason: string; at: Date };

function pending(sql: Sql, { webhookId, organizationId, at }: Owed) {
  return sql`from deliveries where webhook_id = ${webhookId} and organization_id = ${organizationId}
    and status = 'pending' and created_at <= ${at}
    and not exists (select from webhooks w where w.id = ${webhookId} and w.active)`;
}

/**
 * Runs one batch. `SKIP LOCKED` avoids a deadlock with a worker that holds the rows.
 * @returns how many it failed: 0 if none is left, or the rest is locked
 */
export async function failOwed(sql: Sql, owed: Owed): Promise<number> {
  const { count } = await sql`
    update deliveries set status = 'failed', next_attempt_at = null, resend_at = null, completed_at = ${owed.at}, last_error = ${owed.reason}
    where id = any(array(
      select id ${pending(sql, owed)} order by id limit ${DELIVERIES_PER_STEP} for update skip locked))`;
  return count;
}

export async function isOwed(sql: Sql, owed: Owed): Promise<boolean> {
  return (await sql`select 1 ${pending(sql, owed)} limit 1`).length > 0;
}
