// Creates the deliveries of events: in the statement that stores their cause, or after it in its transaction.
import type { PendingQuery, Row, Sql, TransactionSql } from "postgres";
import { newId } from "../../base/ids.ts";
import { DELIVERY_LEASE_MS, type DueDelivery } from "./due-delivery.ts";

/** `insert into deliveries`, the first `leased` of them leased to this process and the rest due now; for a CTE. */
export function insertDeliveries(
  sql: Sql,
  deliveries: DueDelivery[],
  { leased, now }: { leased: number; now: Date },
  condition: PendingQuery<Row[]>,
) {
  const lease = new Date(now.getTime() + DELIVERY_LEASE_MS);
  const rows = deliveries.map(({ id, organization_id, webhook_id, event_id }, i) => {
    return { id, organization_id, webhook_id, event_id, due: i < leased ? lease : now };
  });
  return sql`
    insert into deliveries (id, organization_id, webhook_id, event_id, status, next_attempt_at, created_at)
    select id, organization_id, webhook_id, event_id, 'pending', due, ${now}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r(id uuid, organization_id uuid, webhook_id uuid, event_id uuid, due timestamptz)
    where ${condition}`;
}

type DueEvent = { organization_id: string; webhook_id: string; event_id: string; event_kind: string };

/** One delivery of each, due now. */
export async function insertDueDeliveries(tx: TransactionSql, due: DueEvent[], now: Date): Promise<void> {
  if (due.length === 0) return;
  const rows = due.map((each) => ({ ...each, id: newId() }));
  await tx`
    insert into deliveries (id, organization_id, webhook_id, event_id, event_kind, status, next_attempt_at, created_at)
    select id, organization_id, webhook_id, event_id, event_kind, 'pending', ${now}::timestamptz, ${now}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r(id uuid, organization_id uuid, webhook_id uuid, event_id uuid, event_kind text)`;
}
