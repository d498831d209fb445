// The storage quota: bytes of stored mail of each mailbox and organization, counted in the transaction that stores or
// erases the mail. Which function to call:
//
// | in the transaction that …                              | call              | over a quota                         |
// |---|---|---|
// | stores one message, draft or file                       | `takeStorage`     | throws `storage_quota_exceeded`      |
// | stores it again with another size                       | `changeStorage`   | throws `storage_quota_exceeded`      |
// | stores many messages, checked before with `fitsStorage` | `insertStorage`   | fails with what `isOverQuota` recognizes |
// | erases one message, draft or file                       | `freeStorage`     | –                                    |
// | moves counted bytes elsewhere                           | `moveStorage`     | nothing is refused                   |
// | erases a mailbox                                        | `forgetStorage`   | –                                    |
// | does any of these, in a CTE or for many mailboxes      | `countStorage`    | fails with what `isOverQuota` recognizes |
import { eq, type SQL, sql } from "drizzle-orm";
import type { ISql, PendingQuery, Row } from "postgres";
import { plainOf, type Transaction } from "#db/client.ts";
import { EVERY_INBOX } from "#db/conditions.ts";
import { storageUsage } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import type { Settings } from "../../base/env.ts";
import { ServiceError } from "../../base/errors.ts";

/** The minimum size of a message: its row, indexes and event are larger than a short mail. */
export const STORED_MIN_BYTES = 4_096;
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
  plain: ISql,
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
    add(organization_id, EVERY_INBOX, bytes, quotas?.organization);
    if (inbox_id !== EVERY_INBOX) add(organization_id, inbox_id, bytes, quotas?.inbox);
  }
  return plain`
    insert into storage_usage as u (organization_id, inbox_id, bytes, quota)
    select organization_id, inbox_id, bytes, quota from json_to_recordset(${JSON.stringify([...sums.values()])}::text::json)
      as r(organization_id uuid, inbox_id uuid, bytes bigint, quota bigint)
    where ${condition} order by organization_id, inbox_id
    on conflict (organization_id, inbox_id) do update set bytes = greatest(0, u.bytes + excluded.bytes), quota = excluded.quota
    returning 1`;
}

/**
 * The condition that messages up to `s` surely fit into the quotas: `bytes_in_inbox` and `bytes_in_organization` are sums of
 * what `storedBytes` says. `insertStorage` must follow, since others may count at the same time.
 */
export function fitsStorage({ inbox, organization }: Quotas): SQL {
  const fits = (quota: number, inboxId: SQL, bytes: SQL) =>
    Number.isFinite(quota)
      ? sql`coalesce((select u.bytes from ${storageUsage} u
          where u.organization_id = s.organization_id and u.inbox_id = ${inboxId}), 0) + ${bytes} <= ${quota}::bigint`
      : sql`true`;
  const whole = fits(organization, sql`${EVERY_INBOX}::uuid`, sql`s.bytes_in_organization`);
  return sql`(${whole} and ${fits(inbox, sql`s.inbox_id`, sql`s.bytes_in_inbox`)})`;
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

/** `id`: the mailbox, or `EVERY_INBOX` for what is in none. */
export type Owner = { id: string; organization_id: string };

/** Whether `takeStorage` refused it. */
export function isStorageFull(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "storage_quota_exceeded";
}

/** @throws ServiceError `storage_quota_exceeded` */
export function takeStorage(ctx: Services, tx: Transaction, inbox: Owner, size: number): Promise<void> {
  return countBytes(ctx, tx, inbox, { size, bytes: storedBytes(size) });
}

/**
 * Counts a stored message anew that had another size.
 * @throws ServiceError `storage_quota_exceeded`
 */
export function changeStorage(
  ctx: Services,
  tx: Transaction,
  inbox: Owner,
  { size, before }: { size: number; before: number },
): Promise<void> {
  return countBytes(ctx, tx, inbox, { size, bytes: storedBytes(size) - storedBytes(before) });
}

/**
 * Counts the messages of the CTE `new_messages`, whose counted bytes the CTE `m` has, after the CTE `totals`; the body of a CTE. The
 * statement fails with what `isOverQuota` recognizes, if not all of them fit.
 */
export function insertStorage({ inbox, organization }: Quotas): SQL {
  const quota = (bytes: number) => (Number.isFinite(bytes) ? bytes : null);
  return sql`
    insert into storage_usage as u (organization_id, inbox_id, bytes, quota)
    select organization_id, owner, sum(bytes),
      case owner when ${EVERY_INBOX}::uuid then ${quota(organization)}::bigint else ${quota(inbox)}::bigint end
    from (
      select m.organization_id, unnest(array[${EVERY_INBOX}::uuid, m.inbox_id]) as owner, m.bytes
      from new_messages join m using (id)) each
    where (select count(*) from totals) >= 0
    group by 1, 2 order by 1, 2
    on conflict (organization_id, inbox_id) do update set bytes = greatest(0, u.bytes + excluded.bytes), quota = excluded.quota`;
}

async function countBytes(
  { settings }: Services,
  tx: Transaction,
  inbox: Owner,
  { size, bytes }: { size: number; bytes: number },
): Promise<void> {
  const change = { organization_id: inbox.organization_id, inbox_id: inbox.id, bytes };
  try {
    const plain = plainOf(tx);
    await countStorage(plain, [change], storageQuotas(settings), plain`true`);
  } catch (error) {
    if (!isOverQuota(error)) throw error;
    throw new ServiceError(
      "storage_quota_exceeded",
      `Its ${size} bytes exceed the storage quota of the mailbox or of the organization.`,
    );
  }
}

/** Gives back the storage of a message or draft of this size. */
export async function freeStorage(
  tx: Transaction,
  { size, ...of }: { organization_id: string; inbox_id: string; size: number },
): Promise<void> {
  await moveStorage(tx, { ...of, bytes: -storedBytes(size) });
}

/** Changes the counters by bytes that were counted before in another place: no quota refuses it. */
export async function moveStorage(tx: Transaction, { organization_id, inbox_id, bytes }: StorageChange): Promise<void> {
  const plain = plainOf(tx);
  await countStorage(plain, [{ organization_id, inbox_id, bytes }], undefined, plain`true`);
}

/** The columns `stored` and `organization_stored` of the mailbox `i`, in bytes. */
export function storageColumns(plain: ISql) {
  const bytes = (inboxId: PendingQuery<Row[]>) => plain`
    coalesce((select u.bytes from storage_usage u
      where u.organization_id = i.organization_id and u.inbox_id = ${inboxId}), 0)::float8`;
  return plain`${bytes(plain`i.id`)} as stored, ${bytes(plain`${EVERY_INBOX}::uuid`)} as organization_stored`;
}

/** Deletes the counter of a mailbox whose mail was erased. */
export async function forgetStorage(tx: Transaction, inboxId: string): Promise<void> {
  await tx.delete(storageUsage).where(eq(storageUsage.inbox_id, inboxId));
}
