// The mailbox quota of enrollment keys: locked, then counted, inside the transaction that creates the mailboxes.
import type { TransactionSql } from "postgres";

export type Quota = { id: string; max_mailboxes: number; used_count: number };

/** Locks the keys that are not revoked. In order of id, so that two processes cannot wait for each other. */
export async function lockQuotas(tx: TransactionSql, keyIds: string[]): Promise<Quota[]> {
  return tx<Quota[]>`
    select id, max_mailboxes, used_count from enrollment_keys
    where id = any(${keyIds}) and revoked_at is null order by id for no key update`;
}

/** Adds to `used_count` what was created with each key, by the key's UUID. The keys are locked by this transaction. */
export async function countMailboxes(tx: TransactionSql, created: Map<string, number>): Promise<void> {
  await tx`
    update enrollment_keys k set used_count = k.used_count + t.created
    from unnest(${[...created.keys()]}::uuid[], ${[...created.values()]}::int[]) as t(id, created)
    where k.id = t.id`;
}
