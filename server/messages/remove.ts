// DELETE /v1/messages/{id}, and the messages of DELETE /v1/threads/{id}: erases them immediately and updates their
// thread. Locks are taken in one order, which avoids deadlocks: the mailbox (shared, so that it is not deleted), the
// thread, the messages. Receiving locks mailboxes and threads in that order and waits for no message; sending locks a
// new message, then the thread; parsing and transmitting lock only messages.
import { setTimeout as delay } from "node:timers/promises";
import type { TransactionSql } from "postgres";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import { eraseMessages } from "./erase.ts";
import { noMessage } from "./find.ts";

const MESSAGES_PER_STEP = 500;
const STEPS = 2_000;
/** Retries until the worker that holds one of the messages releases it. */
const LOCKED_PAUSE_MS = 20;
const LOCKED_STEPS = 250;

type Thread = { id: string; inbox_id: string };

/** False if the mailbox is no longer live. */
async function lock(tx: TransactionSql, thread: Thread): Promise<boolean> {
  const live = await tx`select 1 from inboxes where id = ${thread.inbox_id} and status = 'live' for share`;
  if (live.length === 0) return false;
  await tx`select 1 from threads where id = ${thread.id} for update`;
  return true;
}

/** Updates the thread to its remaining messages, or deletes it. Mail that joins it concurrently creates it again. */
async function settle(tx: TransactionSql, { id }: Thread): Promise<boolean> {
  const [newest] = await tx<{ id: string }[]>`
    select id from messages where thread_id = ${id} order by id desc limit 1`;
  if (newest) await tx`update threads set last_message_id = ${newest.id} where id = ${id}`;
  else await tx`delete from threads where id = ${id}`;
  return newest !== undefined;
}

/**
 * A queued message is withdrawn; one that is being sent may still be delivered.
 * @returns the message's UUID
 * @throws ServiceError `message_not_found`, also on a second delete
 */
export async function removeMessage({ actor, sql }: Ctx<Caller>, wireId: string): Promise<string> {
  const id = decodeId("msg", wireId);
  const [found] = id
    ? await sql<{ thread_id: string; inbox_id: string }[]>`
        select thread_id, inbox_id from messages where id = ${id} and organization_id = ${actor.organizationId}
          ${actor.inboxIds ? sql`and inbox_id = any(${actor.inboxIds as string[]})` : sql``}`
    : [];
  if (!id || !found) throw noMessage();
  const thread = { id: found.thread_id, inbox_id: found.inbox_id };
  await sql.begin(async (tx) => {
    if (!(await lock(tx, thread)) || (await eraseMessages(tx, [id])) === 0) throw noMessage();
    await settle(tx, thread);
  });
  return id;
}

/** @returns how many were erased, and whether any are left: locked ones, or more than one batch */
async function eraseSome({ sql }: Ctx<Caller>, thread: Thread): Promise<{ erased: number; left: boolean }> {
  return sql.begin(async (tx) => {
    if (!(await lock(tx, thread))) return { erased: 0, left: false };
    // Locks several rows: waiting for one while holding others could deadlock, so locked rows are skipped.
    const rows = await tx<{ id: string }[]>`
      select id from messages where thread_id = ${thread.id} order by id limit ${MESSAGES_PER_STEP} for update skip locked`;
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await eraseMessages(tx, ids);
    return { erased: ids.length, left: await settle(tx, thread) };
  });
}

/**
 * Erases all messages of a thread, and then the thread. If interrupted, it leaves a shorter thread.
 * @param thread of a mailbox that the caller may see
 * @throws ServiceError `unavailable` if messages stayed locked, or new ones kept arriving
 */
export async function removeMessagesOf(ctx: Ctx<Caller>, thread: Thread): Promise<void> {
  let locked = 0;
  for (let step = 0; step < STEPS && locked < LOCKED_STEPS; step += 1) {
    const { erased, left } = await eraseSome(ctx, thread);
    if (!left) return;
    if (erased > 0) continue;
    locked += 1;
    await delay(LOCKED_PAUSE_MS);
  }
  throw new ServiceError("unavailable", "Some messages of this thread are in use. The others were deleted.", {
    headers: { "Retry-After": "5" },
  });
}
