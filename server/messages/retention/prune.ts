// Worker job: erases mail past RETENTION_DAYS_MESSAGES, or past the shorter time of its organization or mailbox.
import { and, eq, lt, notInArray, type SQL, sql } from "drizzle-orm";
import { EVERY_INBOX } from "#db/conditions.ts";
import { retentionPolicies } from "#db/schema/lists.ts";
import { messages } from "#db/schema/mail.ts";
import type { Ctx, System } from "../../base/context.ts";
import { highestId } from "../../base/id-range.ts";
import { removeSome } from "../remove.ts";

const DAY_MS = 86_400_000;
const MESSAGES_PER_STEP = 200;

type Old = { id: string; inbox_id: string };

/** Mail that waits to be sent stays. */
const isFinal = notInArray(messages.status, ["scheduled", "held", "queued", "sending"]);

/**
 * Runs one batch of each kind, the oldest mail first.
 * @returns how many messages were erased; 0 if none was old enough
 */
export async function pruneMessages(ctx: Ctx<System>): Promise<number> {
  const { RETENTION_DAYS_MESSAGES: days } = ctx.settings;
  let erased = days === undefined ? 0 : await eraseOf(ctx, { days });
  for (const policy of await policiesWithOld(ctx)) erased += await eraseOf(ctx, policy);
  return erased;
}

type Policy = { days: number; organizationId?: string; inboxId?: string };

/** Erases a batch of the mail to which the policy applies. */
async function eraseOf(ctx: Ctx<System>, { days, organizationId, inboxId }: Policy): Promise<number> {
  const before = new Date(ctx.now().getTime() - days * DAY_MS);
  const isOver = and(
    lt(messages.created_at, before),
    isFinal,
    organizationId ? eq(messages.organization_id, organizationId) : undefined,
    inboxId ? eq(messages.inbox_id, inboxId) : undefined,
  );
  const old: Old[] = await ctx.db
    .select({ id: messages.thread_id, inbox_id: messages.inbox_id })
    .from(messages)
    .where(and(lt(messages.id, highestId(before)), isOver))
    .orderBy(messages.id)
    .limit(MESSAGES_PER_STEP);
  return eraseThreads(ctx, old, isOver);
}

async function eraseThreads(ctx: Ctx<System>, old: Old[], isOver: SQL | undefined): Promise<number> {
  const threads = new Map(old.map((thread) => [thread.id, thread]));
  let erased = 0;
  for (const thread of threads.values()) erased += (await removeSome(ctx, thread, { only: isOver })).removed;
  return erased;
}

/** Policies of one batch. */
const POLICIES_PER_STEP = 50;

/** The oldest final message of the policy's organization or mailbox, from an index. */
function oldest(scope: SQL): SQL {
  return sql`(select ${messages.created_at} as at from ${messages} where ${scope} and ${isFinal}
    order by ${messages.id} limit 1)`;
}

/** Policies whose oldest mail is old enough. */
async function policiesWithOld({ db, now }: Ctx<System>): Promise<Policy[]> {
  const { organization_id, inbox_id, message_days } = retentionPolicies;
  const ofAll = sql`${messages.organization_id} = ${organization_id}`;
  const ofOne = sql`${ofAll} and ${messages.inbox_id} = ${inbox_id}`;
  const at = sql`case when ${inbox_id} = ${EVERY_INBOX} then ${oldest(ofAll)} else ${oldest(ofOne)} end`;
  const rows = await db
    .select()
    .from(retentionPolicies)
    .where(sql`${at} < ${now()}::timestamptz - make_interval(days => ${message_days})`)
    .limit(POLICIES_PER_STEP);
  return rows.map((row) => ({
    days: row.message_days,
    organizationId: row.organization_id,
    ...(row.inbox_id !== EVERY_INBOX && { inboxId: row.inbox_id }),
  }));
}
