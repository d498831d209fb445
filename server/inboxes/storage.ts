// The storage quota: bytes of stored mail of each mailbox and organization, counted in the transaction that stores or
// erases the mail.
import type { ISql, PendingQuery, Row, Sql, TransactionSql } from "postgres";
import type { Services } from "../base/context.ts";
import type { Settings } from "../base/env.ts";

/** The minimum size of a message: its row, indexes and event are larger than a short mail. */
export const STORED_MIN_BYTES = 4_096;
/** The row of a whole organization; the lowest UUID, so that it is locked before those of its mailboxes. */
const WHOLE_ORGANIZATION = "00000000-0000-0000-0000-000000000000";
const CHECK_VIOLATION = "23514";
const CONSTRAINT = "storage_usage_within_quota";

/** Bytes; `Infinity` without a quota. */
export type Quotas = { inbox: number; organization: number };
export type StorageChange = { organization_id: string; inbox_id: string; bytes: number };

export function storageQuotas(settings: Settings): Quotas {
  const { STORAGE_QUOTA_PER_INBOX, STORAGE_QUOTA_PER_ORGANIZATION } = settings;
  return {
    inbox: STORAGE_QUOTA_PER_INBOX || Number.POSITIVE_INFINITY,
    organization: STORAGE_QUOTA_PER_ORGANIZATION || Number.POSITIVE_INFINITY,
  };
}

/** The counted size of a message of this size (`messages.size`). */
export function storedBytes(size: number): number {
  return Math.max(size, STORED_MIN_BYTES);
}

/**
 * Adds to the counters of mailboxes and organizations; a statement, or the body of a CTE. The counters stay locked
 * until the commit, always in the same order: lock mailboxes, threads and messages before, and only `event_positions`
 * after. Fails with an error that `isOverQuota` recognizes, if a counter would exceed its quota.
 * @param quotas undefined when mail is erased, because a counter above its quota may decrease
 * @param condition nothing is counted if it is false
 */
export function countStorage(
  sql: ISql,
  changes: StorageChange[],
  quotas: Quotas | undefined,
  condition: PendingQuery<Row[]>,
) {
  const sums = new Map<string, StorageChange & { quota: number | null }>();
  const add = (organization_id: string, inbox_id: string, bytes: number, quota = Number.POSITIVE_INFINITY) => {
    const key = `${organization_id} ${inbox_id}`;
    const before = sums.get(key)?.bytes ?? 0;
    sums.set(key, { organization_id, inbox_id, bytes: before + bytes, quota: Number.isFinite(quota) ? quota : null });
  };
  for (const { organization_id, inbox_id, bytes } of changes) {
    add(organization_id, WHOLE_ORGANIZATION, bytes, quotas?.organization);
    add(organization_id, inbox_id, bytes, quotas?.inbox);
  }
  return sql`
    insert into storage_usage as u (organization_id, inbox_id, bytes, quota)
    select organization_id, inbox_id, bytes, quota from json_to_recordset(${JSON.stringify([...sums.values()])}::text::json)
      as r(organization_id uuid, inbox_id uuid, bytes bigint, quota bigint)
    where ${condition} order by organization_id, inbox_id
    on conflict (organization_id, inbox_id) do update set bytes = greatest(0, u.bytes + excluded.bytes), quota = excluded.quota
    returning 1`;
}

/** Whether a statement failed because a counter would exceed its quota. */
export function isOverQuota(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    error.code === CHECK_VIOLATION &&
    "constraint_name" in error &&
    error.constraint_name === CONSTRAINT
  );
}

/** The columns `stored` and `organization_stored` of the mailbox `i`, in bytes. */
export function storageColumns(sql: ISql) {
  const bytes = (inboxId: PendingQuery<Row[]>) => sql`
    coalesce((select u.bytes from storage_usage u
      where u.organization_id = i.organization_id and u.inbox_id = ${inboxId}), 0)::float8`;
  return sql`${bytes(sql`i.id`)} as stored, ${bytes(sql`${WHOLE_ORGANIZATION}::uuid`)} as organization_stored`;
}

/** The mailbox's usage of its quota, for the API. */
export async function readStorage({ sql, settings }: Services, inbox: { id: string; organization_id: string }) {
  const [row] = await sql<{ bytes: number }[]>`
    select bytes::float8 as bytes from storage_usage
    where organization_id = ${inbox.organization_id} and inbox_id = ${inbox.id}`;
  return { used_bytes: row?.bytes ?? 0, limit_bytes: settings.STORAGE_QUOTA_PER_INBOX || null };
}

/** Live mailboxes that use at least `share` of their quota, the fullest first; `address` null: the organization. */
export async function fullStorage(
  { sql, settings }: { sql: Sql; settings: Settings },
  organizationId: string,
  share: number,
  limit: number,
): Promise<{ address: string | null; used: number; quota: number }[]> {
  const { STORAGE_QUOTA_PER_INBOX: perInbox, STORAGE_QUOTA_PER_ORGANIZATION: perOrganization } = settings;
  return sql`
    select i.address, u.bytes::float8 as used, q.quota::float8 as quota
    from storage_usage u
    left join inboxes i on i.id = u.inbox_id and i.status = 'live'
    cross join lateral (select case when u.inbox_id = ${WHOLE_ORGANIZATION} then ${perOrganization}::bigint
      else ${perInbox}::bigint end as quota) q
    where u.organization_id = ${organizationId} and (i.id is not null or u.inbox_id = ${WHOLE_ORGANIZATION})
      and q.quota > 0 and u.bytes >= q.quota * ${share}::float8
    order by u.bytes / q.quota::float8 desc, u.inbox_id limit ${limit}`;
}

/** Deletes the counter of a mailbox whose mail was erased. */
export async function forgetStorage(tx: TransactionSql, inboxId: string): Promise<void> {
  await tx`delete from storage_usage where inbox_id = ${inboxId}`;
}

/**
 * Counts all stored mail again. Mail that arrives during the count waits.
 * @returns how many mailboxes have stored mail, and its total bytes
 */
export async function recountStorage({ sql }: Pick<Services, "sql">): Promise<{ mailboxes: number; bytes: number }> {
  return sql.begin(async (tx) => {
    // The lock waits for running changes of counters and blocks new ones: each message is counted once.
    await tx`lock table storage_usage in exclusive mode`;
    await tx`delete from storage_usage`;
    await tx`
      insert into storage_usage (organization_id, inbox_id, bytes)
      select organization_id, coalesce(inbox_id, ${WHOLE_ORGANIZATION}), sum(greatest(size, ${STORED_MIN_BYTES}::bigint))
      from messages group by grouping sets ((organization_id, inbox_id), (organization_id))`;
    const [row] = await tx<[{ mailboxes: number; bytes: number }]>`
      select count(*)::int as mailboxes, coalesce(sum(bytes), 0)::float8 as bytes from storage_usage
      where inbox_id <> ${WHOLE_ORGANIZATION}`;
    return row;
  });
}
