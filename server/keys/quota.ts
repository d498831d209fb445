// The mailbox quota of enrollment keys: locked, then counted, inside the transaction that creates the mailboxes.
import type { Sql, TransactionSql } from "postgres";
import { ADDRESS_LOCK } from "../domains/hosted.ts";

/** `paid`: its organization pays for mailboxes; `prepaid` of them are bought and not created yet. */
export type Quota = { id: string; max_mailboxes: number; used_count: number; prepaid: number; paid: boolean };

/** What a batch of creates took of one key: mailboxes, and how many of them had been bought before. */
type Taken = { created: number; prepaid: number };

/**
 * Locks the keys that are not revoked. In order of id, so that two processes cannot wait for each other. Takes the lock of
 * addresses as well: the next statement sees every account and invitation that was made before.
 */
export async function lockQuotas(tx: TransactionSql, keyIds: string[]): Promise<Quota[]> {
  return tx<Quota[]>`
    select id, max_mailboxes, used_count, prepaid, (select pg_advisory_xact_lock_shared(${ADDRESS_LOCK})),
      (select paid_provisioning from organizations o where o.id = k.organization_id) as paid
    from enrollment_keys k where id = any(${keyIds}) and revoked_at is null order by id for no key update`;
}

/** What mailboxes took, by the UUIDs of their keys. `prepaid`: the ids of those that had been bought before. */
export function takenOf(
  inserted: { id: string; enrollment_key_id: string }[],
  prepaid: Set<string>,
): Map<string, Taken> {
  const perKey = Map.groupBy(inserted, (row) => row.enrollment_key_id);
  return new Map(
    [...perKey].map(([key, created]) => [
      key,
      { created: created.length, prepaid: created.filter(({ id }) => prepaid.has(id)).length },
    ]),
  );
}

/** Adds to `used_count` what was created with each key, by the key's UUID. The keys are locked by this transaction. */
export async function countMailboxes(tx: TransactionSql, taken: Map<string, Taken>): Promise<void> {
  const [keys, counts] = [[...taken.keys()], [...taken.values()]];
  await tx`
    update enrollment_keys k set used_count = k.used_count + t.created, prepaid = k.prepaid - t.prepaid
    from unnest(${keys}::uuid[], ${counts.map(({ created }) => created)}::int[],
      ${counts.map(({ prepaid }) => prepaid)}::int[]) as t(id, created, prepaid)
    where k.id = t.id and k.id = any(${keys}::uuid[])`;
}

/** Locks one key, revoked or not: what was paid is given all the same. */
export async function lockQuota(tx: TransactionSql, keyId: string): Promise<void> {
  await tx`select 1 from enrollment_keys where id = ${keyId} for no key update`;
}

/** Room for more mailboxes, bought: a create spends it before it asks for money. */
export async function addBought(tx: TransactionSql, keyId: string, mailboxes: number): Promise<void> {
  await tx`
    update enrollment_keys set max_mailboxes = max_mailboxes + ${mailboxes}, prepaid = prepaid + ${mailboxes}
    where id = ${keyId}`;
}

/** Gives the slot of a mailbox back that was reserved and never came to be. */
export async function giveSlotBack(tx: TransactionSql, keyId: string): Promise<void> {
  await tx`update enrollment_keys set used_count = used_count - 1 where id = ${keyId}`;
}

/** The quota as it is at this moment, revoked keys' too. */
export async function readQuota(sql: Sql, keyId: string): Promise<Quota> {
  const [row] = await sql<[Quota]>`
    select k.id, k.max_mailboxes, k.used_count, k.prepaid, o.paid_provisioning as paid
    from enrollment_keys k join organizations o on o.id = k.organization_id where k.id = ${keyId}`;
  return row;
}
