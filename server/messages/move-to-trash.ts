// Moves deleted mail to the trash, and erases what is there.
import { and, eq, getTableColumns, lt, or, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf, EVERY_INBOX } from "#db/conditions.ts";
import { retentionPolicies } from "#db/schema/lists.ts";
import { inboxes, messages, trashedMessages } from "#db/schema/mail.ts";
import { record, recordByInbox } from "../activity/record.ts";
import type { Caller, Ctx, Services, System } from "../base/context.ts";
import { newId } from "../base/ids.ts";
import { isOwn } from "./columns.ts";
import { eraseTrashed, leaveQueues } from "./erase.ts";

const DAY_MS = 86_400_000;
const MESSAGES_PER_STEP = 200;

/**
 * Moves messages to the trash. The caller holds their threads. What waited to be sent is withdrawn. Their keys of idempotency and of duplicates become free.
 * @returns how many there were
 */
export async function moveToTrash(ctx: Ctx<Caller>, tx: Transaction, ids: string[]): Promise<number> {
  const { now } = ctx;
  await leaveQueues(tx, ids);
  const isNamed = anyOf(messages.id, ids);
  const trashIds = ids.map(() => newId());
  const numbered = sql`unnest(${sql.param(ids)}::uuid[], ${sql.param(trashIds)}::uuid[]) as n(id, trash_id)`;
  const at = now();
  await tx.insert(trashedMessages).select(
    tx
      .select({
        ...getTableColumns(messages),
        duplicate_key: sql<null>`null::bytea`.as("duplicate_key"),
        idempotency_key: sql<null>`null::text`.as("idempotency_key"),
        idempotency_hash: sql<null>`null::bytea`.as("idempotency_hash"),
        trash_id: sql<string>`n.trash_id`.as("trash_id"),
        deleted_at: sql<Date>`${at}::timestamptz`.as("deleted_at"),
      })
      .from(messages)
      .innerJoin(numbered, sql`n.id = ${messages.id}`)
      .where(isNamed),
  );
  const moved = await tx.delete(messages).where(isNamed).returning({ id: messages.id, inbox_id: messages.inbox_id });
  const placeOf = new Map(ids.map((id, n) => [id, trashPlace(trashIds[n] ?? "", at)]));
  const changes = moved.map((row) => ({
    kind: "message" as const,
    ...row,
    before: { trash: null },
    after: { trash: placeOf.get(row.id) },
  }));
  await recordByInbox(ctx, tx, changes);
  return moved.length;
}

/** Where a message is in the trash, as the activity of keys has it. */
export function trashPlace(trashId: string, deletedAt: Date): [id: string, deletedAt: string] {
  return [trashId, deletedAt.toISOString()];
}

/** When the trash is emptied of it. */
export function expiryOf({ settings }: Pick<Services, "settings">, deletedAt: Date): Date {
  return new Date(deletedAt.getTime() + settings.RETENTION_DAYS_TRASH * DAY_MS);
}

/** Records that a key erased messages. */
export async function recordErased(ctx: Ctx<Caller>, tx: Transaction, ids: string[]): Promise<void> {
  const final = "The message was erased permanently.";
  await record(
    ctx,
    tx,
    ids.map((id) => ({ kind: "message", id, before: {}, after: {}, final })),
  );
}

/** @returns whether the message was in the trash of a live mailbox of the caller */
export async function eraseOwnTrashed(ctx: Ctx<Caller>, id: string): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const [own] = await tx
      .select({ id: trashedMessages.id })
      .from(trashedMessages)
      .innerJoin(inboxes, and(eq(inboxes.id, trashedMessages.inbox_id), eq(inboxes.status, "live")))
      .where(and(eq(trashedMessages.id, id), isOwn(ctx, trashedMessages)));
    if (!own || (await eraseTrashed(tx, [own.id])) === 0) return false;
    await recordErased(ctx, tx, [own.id]);
    return true;
  });
}

/**
 * Worker job: erases what was deleted RETENTION_DAYS_TRASH ago, or is past the retention of its organization or mailbox. One batch.
 * @returns how many messages were erased
 */
export async function pruneTrash({ db, settings, now }: Ctx<System>): Promise<number> {
  const ago = (days: number) => new Date(now().getTime() - days * DAY_MS);
  const { id, created_at, deleted_at, organization_id, inbox_id } = trashedMessages;
  const { RETENTION_DAYS_TRASH, RETENTION_DAYS_MESSAGES } = settings;
  const isOver = sql`exists (select from ${retentionPolicies} where ${retentionPolicies.organization_id} = ${organization_id}
    and ${retentionPolicies.inbox_id} in (${inbox_id}, ${EVERY_INBOX})
    and ${created_at} < ${now()}::timestamptz - make_interval(days => ${retentionPolicies.message_days}))`;
  return db.transaction(async (tx) => {
    const old = await tx
      .select({ id })
      .from(trashedMessages)
      .where(
        or(
          lt(deleted_at, ago(RETENTION_DAYS_TRASH)),
          RETENTION_DAYS_MESSAGES === undefined ? undefined : lt(created_at, ago(RETENTION_DAYS_MESSAGES)),
          isOver,
        ),
      )
      .limit(MESSAGES_PER_STEP)
      .for("update", { skipLocked: true });
    return eraseTrashed(
      tx,
      old.map((row) => row.id),
    );
  });
}
