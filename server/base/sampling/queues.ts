// Reads how many rows each queue has, how many are due, and for how long, from at most 10,000 rows of each.
import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Database } from "#db/client.ts";
import { domains, providerRemovals } from "#db/schema/domains.ts";
import { deliveries, notices } from "#db/schema/events.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import { scheduledSends } from "#db/schema/outbox.ts";
import { payments } from "#db/schema/payments.ts";

/** More rows of a queue are not counted. */
const COUNTED_MAX = 10_000;
const OVERDUE_MS = 60_000;

/** When a row of each queue is due, and which rows are in the queue, as its partial index says it. */
const QUEUES = {
  deliveries: [deliveries.next_attempt_at, sql`${deliveries.status} = 'pending'`],
  resends: [deliveries.resend_at, sql`${deliveries.status} = 'pending' and ${deliveries.resend_at} is not null`],
  outbound: [messages.next_attempt_at, sql`${messages.status} in ('queued', 'sending')`],
  bodies: [messages.next_attempt_at, sql`${messages.status} = 'received'`],
  scheduled: [scheduledSends.due_at, sql`${scheduledSends.due_at} is not null`],
  identities: [inboxes.identity_next_attempt_at, sql`${inboxes.identity_status} in ('opening', 'closing')`],
  notices: [notices.next_attempt_at, sql`${notices.next_attempt_at} is not null`],
  erasures: [inboxes.deleted_at, sql`${inboxes.status} = 'deleted' and ${inboxes.erased_at} is null`],
  domains: [domains.next_check_at, sql`${domains.next_check_at} is not null`],
  provider_removals: [providerRemovals.next_attempt_at, sql`${providerRemovals.next_attempt_at} is not null`],
  payments: [payments.next_look_at, sql`${payments.next_look_at} is not null`],
} satisfies Record<string, readonly [at: PgColumn, inQueue: SQL]>;

type Queue = keyof typeof QUEUES;
const QUEUE_NAMES = Object.keys(QUEUES) as Queue[];

/** `oldestSeconds`: how long the row that is due the longest has been due; 0 if none is. */
export type QueueSample = { queue: Queue; rows: number; due: number; overdue: number; oldestSeconds: number };

/** Rows that a worker holds are not due: their time is the end of its lease. */
function sampleOf(queue: Queue, now: Date): SQL {
  const [at, inQueue] = QUEUES[queue];
  // The oldest come first where the index is ordered by time. Mail to be parsed is ordered by organization.
  const order = queue === "bodies" ? sql`` : sql`order by ${at}`;
  return sql`
    select ${queue}::text as queue, (
        select count(*)::int from (select 1 from ${at.table} where ${inQueue} limit ${COUNTED_MAX}) counted) as rows,
      count(*)::int as due, (count(*) filter (where at <= ${overdueAt(now)}))::int as overdue,
      coalesce(extract(epoch from ${now.toISOString()}::timestamptz - min(at)), 0)::float8 as "oldestSeconds"
    from (
      select ${at} as at from ${at.table} where ${inQueue} and ${at} <= ${now.toISOString()}::timestamptz
      ${order} limit ${COUNTED_MAX}) due`;
}

function overdueAt(now: Date): SQL {
  return sql`${new Date(now.getTime() - OVERDUE_MS).toISOString()}::timestamptz`;
}

/** A sample of every queue, in one statement. */
export async function readQueues(db: Database, now: Date): Promise<QueueSample[]> {
  const all = QUEUE_NAMES.map((queue) => sql`(${sampleOf(queue, now)})`);
  return db.execute<QueueSample>(sql.join(all, sql` union all `));
}

/** Payments with an unknown result, and the age of the oldest. */
export async function readSettling(db: Database, now: Date): Promise<{ rows: number; seconds: number }> {
  const [read = { rows: 0, seconds: 0 }] = await db.execute<{ rows: number; seconds: number }>(sql`
    select count(*)::int as rows,
      coalesce(extract(epoch from ${now.toISOString()}::timestamptz - min(created_at)), 0)::float8 as seconds
    from (
      select ${payments.created_at} as created_at from ${payments}
      where ${payments.next_look_at} is not null and ${payments.status} in ('verified', 'settling', 'settled')
      order by ${payments.next_look_at} limit ${COUNTED_MAX}) settling`);
  return read;
}
