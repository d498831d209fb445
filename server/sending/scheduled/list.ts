// Lists the scheduled messages of an organization, for the dashboard.
import { and, desc, eq, lt } from "drizzle-orm";
import { inboxes, messages } from "#db/schema/mail.ts";
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
