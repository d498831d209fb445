// Lists the scheduled and the queued messages of an organization, for the dashboard.
import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { inboxes, messageRecipients, messages } from "#db/schema/mail.ts";
import { scheduledSends } from "#db/schema/outbox.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { readCursor, toPage } from "../../base/cursor.ts";

const LIST = "scheduled";

/** Newest first. @throws ServiceError `invalid_cursor` */
export async function listScheduled(
  ctx: Ctx<Member>,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
) {
  const before = cursor === undefined ? undefined : lt(messages.id, readCursor(ctx, LIST, cursor));
  const isOwn = eq(messages.organization_id, ctx.actor.organizationId);
  const isLive = and(eq(inboxes.id, messages.inbox_id), eq(inboxes.status, "live"));
  const rows = await ctx.db
    .select({
      id: messages.id,
      thread_id: messages.thread_id,
      inbox: inboxes.address,
      to: messages.to_addresses,
      recipient_names: messages.recipient_names,
      subject: messages.subject,
      send_at: scheduledSends.send_at,
    })
    .from(scheduledSends)
    .innerJoin(messages, eq(messages.id, scheduledSends.message_id))
    .innerJoin(inboxes, isLive)
    .where(and(isOwn, eq(messages.status, "scheduled"), before))
    .orderBy(desc(messages.id))
    .limit(limit + 1);
  return toPage(ctx, LIST, rows, limit);
}

const QUEUED_MAX = 100;

/** Returns the messages with the earliest next attempt first, at most QUEUED_MAX. `reason`: why the last attempt failed, for a recipient or for all of them. */
export async function listQueued(ctx: Ctx<Member>) {
  const isOwn = eq(messages.organization_id, ctx.actor.organizationId);
  const isLive = and(eq(inboxes.id, messages.inbox_id), eq(inboxes.status, "live"));
  const reason = ctx.db
    .select({ reason: messageRecipients.reason })
    .from(messageRecipients)
    .where(and(eq(messageRecipients.message_id, messages.id), sql`${messageRecipients.reason} is not null`))
    .limit(1);
  return ctx.db
    .select({
      id: messages.id,
      thread_id: messages.thread_id,
      inbox: inboxes.address,
      to: messages.to_addresses,
      recipient_names: messages.recipient_names,
      subject: messages.subject,
      next_attempt_at: messages.next_attempt_at,
      reason: sql<string | null>`coalesce((${reason}), ${messages.error})`,
    })
    .from(messages)
    .innerJoin(inboxes, isLive)
    .where(and(isOwn, asInIndex(sql`${messages.status} in ('queued', 'sending')`)))
    .orderBy(asc(messages.next_attempt_at))
    .limit(QUEUED_MAX);
}
