// The mailbox quota of enrollment keys: locked, then counted, inside the transaction that creates the mailboxes.
import { eq, sql } from "drizzle-orm";
import type { TransactionSql } from "postgres";
import type { Database, Transaction } from "#db/client.ts";
import { enrollmentKeys, organizations } from "#db/schema/enrollment.ts";
import type { Services } from "../base/context.ts";
import { ADDRESS_LOCK } from "../grants/hosted.ts";

type KeyRow = typeof enrollmentKeys.$inferSelect;

/** `prepaid`: mailboxes that are bought and not created yet; no number where the organization does not pay for mailboxes. */
export type Quota = Pick<KeyRow, "id" | "max_mailboxes" | "used_count"> & { prepaid?: KeyRow["prepaid"] | null };

/**
 * Locks the keys that are not revoked. In order of id, so that two processes cannot wait for each other. Takes the lock of
 * addresses as well: the next statement sees every account and invitation that was made before.
 */
export async function lockQuotas(
  tx: TransactionSql,
  keyIds: string[],
  { payments }: Pick<Services, "payments">,
): Promise<Quota[]> {
  const prepaid = payments
    ? tx`, case when (select paid_provisioning from organizations o where o.id = k.organization_id) then prepaid end as prepaid`
    : tx``;
  return tx<Quota[]>`
    select id, max_mailboxes, used_count ${prepaid},
      (select pg_advisory_xact_lock_shared(${ADDRESS_LOCK}))
    from enrollment_keys k where id = any(${keyIds}) and revoked_at is null order by id for no key update`;
}

/**
 * Adds the mailboxes to the `used_count` of their keys, which this transaction has locked.
 * @param spends the ids of the mailboxes that spend a prepaid mailbox
 */
export async function countMailboxes(
  tx: TransactionSql,
  inserted: { id: string; enrollment_key_id: string }[],
  spends: Set<string>,
): Promise<void> {
  const perKey = Map.groupBy(inserted, (row) => row.enrollment_key_id);
  const keys = [...perKey.keys()];
  const created = [...perKey.values()].map((rows) => rows.length);
  await tx`
    update enrollment_keys k set used_count = k.used_count + t.created
    from unnest(${keys}::uuid[], ${created}::int[]) as t(id, created)
    where k.id = t.id and k.id = any(${keys}::uuid[])`;
  if (spends.size === 0) return;
  const spent = [...perKey.values()].map((rows) => rows.filter(({ id }) => spends.has(id)).length);
  await tx`
    update enrollment_keys k set prepaid = k.prepaid - t.spent
    from unnest(${keys}::uuid[], ${spent}::int[]) as t(id, spent)
    where k.id = t.id and k.id = any(${keys}::uuid[])`;
}

/** Locks one key, also a revoked one: a payment that is settled is fulfilled. */
export async function lockQuota(tx: Transaction, keyId: string): Promise<void> {
  await tx
    .select({ id: enrollmentKeys.id })
    .from(enrollmentKeys)
    .where(eq(enrollmentKeys.id, keyId))
    .for("no key update");
}

/** Adds prepaid mailboxes: a create spends one before it asks for money. */
export async function addPrepaid(tx: Transaction, keyId: string, mailboxes: number): Promise<void> {
  const { max_mailboxes, prepaid } = enrollmentKeys;
  await tx
    .update(enrollmentKeys)
    .set({ max_mailboxes: sql`${max_mailboxes} + ${mailboxes}`, prepaid: sql`${prepaid} + ${mailboxes}` })
    .where(eq(enrollmentKeys.id, keyId));
}

/** Gives back the slot of a reserved mailbox that was not created. */
export async function giveSlotBack(tx: Transaction, keyId: string): Promise<void> {
  await tx
    .update(enrollmentKeys)
    .set({ used_count: sql`${enrollmentKeys.used_count} - 1` })
    .where(eq(enrollmentKeys.id, keyId));
}

/** The quota as it is now, of a revoked key too. `paid`: its organization pays for mailboxes. */
export async function readQuota(db: Database, keyId: string) {
  const [row] = await db
    .select({
      max_mailboxes: enrollmentKeys.max_mailboxes,
      used_count: enrollmentKeys.used_count,
      paid: organizations.paid_provisioning,
    })
    .from(enrollmentKeys)
    .innerJoin(organizations, eq(organizations.id, enrollmentKeys.organization_id))
    .where(eq(enrollmentKeys.id, keyId));
  if (!row) throw new Error(`the enrollment key ${keyId} has gone`);
  return row;
}
