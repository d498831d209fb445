// DELETE /v1/messages/{id}, and the messages of DELETE /v1/threads/{id}: moves them to the trash, or erases them, and updates
// their thread. Locks are taken in one order, which avoids deadlocks: the mailbox (shared, so that it is not deleted), the
// thread, the messages. Receiving locks mailboxes and threads in that order and waits for no message; sending locks a
// new message, then the thread; parsing and transmitting lock only messages; a decision on a held message locks its
// review last.
import { setTimeout as delay } from "node:timers/promises";
import { and, desc, eq, isNull, type SQL } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { inboxes, messages, threads } from "#db/schema/mail.ts";
import type { Caller, Ctx, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import { isOwn } from "./columns.ts";
import { eraseMessages } from "./erase.ts";
import { noMessage } from "./find.ts";
import { eraseOwnTrashed, moveToTrash, recordErased } from "./move-to-trash.ts";

const MESSAGES_PER_STEP = 500;
const STEPS = 2_000;
/** Retries until the worker that holds one of the messages releases it. */
const LOCKED_PAUSE_MS = 20;
const LOCKED_STEPS = 250;

export type Thread = Pick<typeof threads.$inferSelect, "id" | "inbox_id">;

/** Locks the mailbox and the thread. False if the mailbox is no longer live. */
export async function lockThreadOf(tx: Transaction, thread: Thread): Promise<boolean> {
  const isLive = and(eq(inboxes.id, thread.inbox_id), eq(inboxes.status, "live"));
  const live = await tx.select({ id: inboxes.id }).from(inboxes).where(isLive).for("share");
  if (live.length === 0) return false;
  await tx.select({ id: threads.id }).from(threads).where(eq(threads.id, thread.id)).for("update");
  return true;
}

/** Updates the thread to its remaining messages, or deletes it. Mail that joins it concurrently creates it again. */
export async function settleThread(tx: Transaction, { id }: Pick<Thread, "id">): Promise<boolean> {
  const [newest] = await tx
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.thread_id, id), isNull(messages.quarantine)))
    .orderBy(desc(messages.id))
    .limit(1);
  if (newest) await tx.update(threads).set({ last_message_id: newest.id }).where(eq(threads.id, id));
  else await tx.delete(threads).where(eq(threads.id, id));
  return newest !== undefined;
}

/** `permanent`: erased immediately, in place of the trash. */
export type Removal = { permanent?: boolean | undefined };

/**
 * A queued message is withdrawn; one that is being sent may still be delivered. A message in the trash can be removed permanently.
 * @returns the message's UUID
 * @throws ServiceError `message_not_found`, also on a second delete; `insufficient_scope`
 */
export async function removeMessage(ctx: Ctx<Caller>, wireId: string, { permanent }: Removal = {}): Promise<string> {
  if (permanent) requirePurge(ctx);
  const id = decodeId("msg", wireId);
  const [thread] = id
    ? await ctx.db
        .select({ id: messages.thread_id, inbox_id: messages.inbox_id })
        .from(messages)
        .where(and(eq(messages.id, id), isOwn(ctx, messages)))
    : [];
  if (id && !thread && permanent && (await eraseOwnTrashed(ctx, id))) return id;
  if (!id || !thread) throw noMessage();
  const remove = removal(ctx, permanent);
  await ctx.db.transaction(async (tx) => {
    if (!(await lockThreadOf(tx, thread)) || (await remove(tx, [id])) === 0) throw noMessage();
    await settleThread(tx, thread);
  });
  return id;
}

function removal(ctx: Ctx<Caller>, permanent = false): typeof eraseMessages {
  return async (tx, ids) => {
    if (!permanent) return moveToTrash(ctx, tx, ids);
    const count = await eraseMessages(tx, ids);
    if (count > 0) await recordErased(ctx, tx, ids);
    return count;
  };
}

/** @throws ServiceError `insufficient_scope` */
function requirePurge({ actor }: Ctx<Caller>): void {
  if (actor.kind === "member" || actor.scopes.includes("mailbox:purge")) return;
  throw new ServiceError("insufficient_scope", "This key does not have the scope mailbox:purge.", {
    fix: "Delete without `permanent`: the mail moves to the trash, and is erased after RETENTION_DAYS_TRASH days.",
  });
}

/**
 * Removes a batch of the messages of a thread, and the thread if none is left.
 * @param only which messages; all by default. `remove`: what becomes of them; they are erased by default
 * @returns how many were removed, and whether any are left: locked or other ones, or more than one batch
 */
export async function removeSome(
  { db }: Pick<Services, "db">,
  thread: Thread,
  { only, remove = eraseMessages }: { only?: SQL | undefined; remove?: typeof eraseMessages } = {},
): Promise<{ removed: number; left: boolean }> {
  return db.transaction(async (tx) => {
    if (!(await lockThreadOf(tx, thread))) return { removed: 0, left: false };
    // Locks several rows: waiting for one while holding others could deadlock, so locked rows are skipped.
    const rows = await tx
      .select({ id: messages.id })
      .from(messages)
      .where(and(eq(messages.thread_id, thread.id), only))
      .orderBy(messages.id)
      .limit(MESSAGES_PER_STEP)
      .for("update", { skipLocked: true });
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await remove(tx, ids);
    return { removed: ids.length, left: await settleThread(tx, thread) };
  });
}

/**
 * Removes all messages of a thread, and then the thread. Quarantined mail stays in quarantine. If interrupted, it leaves a shorter thread.
 * @param thread of a mailbox that the caller may see
 * @throws ServiceError `unavailable` if messages stayed locked, or new ones kept arriving
 */
export async function removeMessagesOf(ctx: Ctx<Caller>, thread: Thread, { permanent }: Removal = {}): Promise<void> {
  if (permanent) requirePurge(ctx);
  const remove = removal(ctx, permanent);
  let locked = 0;
  for (let step = 0; step < STEPS && locked < LOCKED_STEPS; step += 1) {
    const { removed, left } = await removeSome(ctx, thread, { only: isNull(messages.quarantine), remove });
    if (!left) return;
    if (removed > 0) continue;
    locked += 1;
    await delay(LOCKED_PAUSE_MS);
  }
  throw new ServiceError("unavailable", "Some messages of this thread are in use. The others were deleted.", {
    headers: { "Retry-After": "5" },
  });
}
