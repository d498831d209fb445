// A worker job: erases the stored mail of deleted mailboxes, some messages at a time, until nothing of it is left.
import type { Ctx, System } from "../context.ts";
import { markErased } from "../inboxes/remove.ts";

const MESSAGES_PER_STEP = 500;

/**
 * One step: raw mail, attachments and message rows of one deleted mailbox; then its threads, and it is done.
 * The event log keeps what was announced for as long as it keeps events.
 * @returns how many messages and mailboxes it dealt with; 0 when nothing is left to do
 */
export async function eraseDeleted({ sql, now }: Ctx<System>): Promise<number> {
  return sql.begin(async (tx) => {
    const [inbox] = await tx<{ id: string }[]>`
      select id from inboxes where status = 'deleted' and erased_at is null
      order by deleted_at limit 1 for update skip locked`;
    if (!inbox) return 0;
    const erased = await tx<{ id: string }[]>`
      delete from messages 
      where id = any(array(select id from messages where inbox_id = ${inbox.id} limit ${MESSAGES_PER_STEP}))
      returning id`;
    const ids = erased.map((row) => row.id);
    await Promise.all([
      tx`delete from raw_messages where message_id = any(${ids})`,
      tx`delete from attachments where message_id = any(${ids})`,
    ]);
    if (ids.length === MESSAGES_PER_STEP) return ids.length;
    await tx`delete from threads where inbox_id = ${inbox.id}`;
    await tx`delete from send_usage where inbox_id = ${inbox.id}`;
    await markErased(tx, inbox.id, now());
    return ids.length + 1;
  });
}
