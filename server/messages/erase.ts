// Erases stored mail with all its data. Also a worker job that erases the mail of deleted mailboxes in batches.
import type { TransactionSql } from "postgres";
import type { Ctx, System } from "../base/context.ts";
import { markErased } from "../inboxes/remove.ts";
import { countStorage, storedBytes } from "../inboxes/storage.ts";

const MESSAGES_PER_STEP = 500;

/**
 * Erases message rows, raw mail and attachments. The event log keeps its entries until their retention ends.
 * @returns how many messages there were
 */
export async function eraseMessages(tx: TransactionSql, ids: string[]): Promise<number> {
  const [erased] = await Promise.all([
    tx<{ organization_id: string; inbox_id: string; size: string }[]>`
      delete from messages where id = any(${ids}::uuid[]) returning organization_id, inbox_id, size`,
    tx`delete from raw_messages where message_id = any(${ids}::uuid[])`,
    tx`delete from attachments where message_id = any(${ids}::uuid[])`,
  ]);
  const freed = erased.map(({ size, ...row }) => ({ ...row, bytes: -storedBytes(Number(size)) }));
  if (freed.length > 0) await countStorage(tx, freed, undefined, tx`true`);
  return erased.length;
}

/**
 * Runs one batch: some messages of one deleted mailbox, and after the last one its threads.
 * @returns how many messages and mailboxes it processed; 0 if nothing is left
 */
export async function eraseDeleted({ sql, now }: Ctx<System>): Promise<number> {
  return sql.begin(async (tx) => {
    const [inbox] = await tx<{ id: string }[]>`
      select id from inboxes where status = 'deleted' and erased_at is null
      order by deleted_at limit 1 for update skip locked`;
    if (!inbox) return 0;
    const rows = await tx<{ id: string }[]>`
      select id from messages where inbox_id = ${inbox.id} order by id limit ${MESSAGES_PER_STEP}`;
    await eraseMessages(
      tx,
      rows.map(({ id }) => id),
    );
    if (rows.length === MESSAGES_PER_STEP) return rows.length;
    await tx`delete from threads where inbox_id = ${inbox.id}`;
    await tx`delete from send_usage where inbox_id = ${inbox.id}`;
    await markErased(tx, inbox.id, now());
    return rows.length + 1;
  });
}
