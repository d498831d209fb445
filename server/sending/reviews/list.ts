// reviews.list: lists held messages, newest first, waiting or decided ones.
import { and, desc, eq, lt, ne } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import { reviews } from "#db/schema/reviews.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { readCursor, toPage } from "../../base/cursor.ts";

const { message_id, status, cause, revision, decided_by, reason, decided_at, expires_at, created_at } = reviews;
const { subject, to_addresses, cc_addresses, bcc_addresses, thread_id } = messages;
export const reviewColumns = {
  status,
  cause,
  revision,
  decided_by,
  reason,
  decided_at,
  expires_at,
  created_at,
  thread_id,
};
const columns = {
  id: message_id,
  ...reviewColumns,
  subject,
  to_addresses,
  cc_addresses,
  bcc_addresses,
  inbox: inboxes.address,
};
export type ListedReview = Awaited<ReturnType<typeof listReviews>>["rows"][number];

type Input = { decided: boolean; limit: number; cursor?: string | undefined };

/** @throws ServiceError `invalid_cursor` */
export async function listReviews(ctx: Ctx<Member>, { decided, limit, cursor }: Input) {
  const { organizationId } = ctx.actor;
  const list = `reviews:${organizationId}:${decided}`;
  const before = cursor === undefined ? undefined : readCursor(ctx, list, cursor);
  const isWanted = decided ? ne(status, "pending") : asInIndex(eq(status, "pending"));
  const rows = await ctx.db
    .select(columns)
    .from(reviews)
    .innerJoin(messages, eq(messages.id, message_id))
    .innerJoin(inboxes, and(eq(inboxes.id, reviews.inbox_id), eq(inboxes.status, "live")))
    .where(
      and(
        eq(reviews.organization_id, organizationId),
        isWanted,
        before === undefined ? undefined : lt(message_id, before),
      ),
    )
    .orderBy(desc(message_id))
    .limit(limit + 1);
  return toPage(ctx, list, rows, limit);
}
