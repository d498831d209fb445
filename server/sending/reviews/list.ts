// reviews.list: lists held messages, newest first, waiting or decided ones.
import { and, desc, eq, lt, ne, sql } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { agentKeys, agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import { reviews } from "#db/schema/reviews.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { readCursor, toPage } from "../../base/cursor.ts";

const { message_id, status, cause, revision, decided_by, reason, decided_at, expires_at, created_at } = reviews;
const { subject, to_addresses, cc_addresses, bcc_addresses, recipient_names, thread_id } = messages;
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
  agent: agents.handle,
  enrollment_key: enrollmentKeys.name,
  enrollment_key_id: enrollmentKeys.id,
};
/** The agent key that wrote a message. Null: an earlier version did not note it. */
export const isAuthor = and(
  eq(agentKeys.id, sql`${messages.sent_by}[1]`),
  eq(agentKeys.organization_id, reviews.organization_id),
);
export const isAuthorsAgent = eq(agents.id, agentKeys.agent_id);
export const isAuthorsEnrollment = eq(enrollmentKeys.id, agents.enrollment_key_id);
const columns = {
  id: message_id,
  ...reviewColumns,
  subject,
  to_addresses,
  cc_addresses,
  bcc_addresses,
  recipient_names,
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
    .leftJoin(agentKeys, isAuthor)
    .leftJoin(agents, isAuthorsAgent)
    .leftJoin(enrollmentKeys, isAuthorsEnrollment)
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
