// reviews.get: a held message as it would leave, with all its revisions.
import { and, asc, eq } from "drizzle-orm";
import type { ReviewedContent } from "#db/message-parts.ts";
import { agentKeys, agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import { reviewRevisions, reviews } from "#db/schema/reviews.ts";
import { writeRecipients } from "../../base/addresses.ts";
import type { Services } from "../../base/context.ts";
import { noReview } from "./decide.ts";
import { isAuthor, isAuthorsAgent, isAuthorsEnrollment, reviewColumns } from "./list.ts";

export type WholeReview = Awaited<ReturnType<typeof findReview>>;

/** @throws ServiceError `message_not_found` */
export async function findReview({ db }: Pick<Services, "db">, organizationId: string, messageId: string) {
  const isThis = and(eq(reviews.message_id, messageId), eq(reviews.organization_id, organizationId));
  const { from_name, reply_to, recipient_names, headers, attachments, error } = messages;
  const [review] = await db
    .select({
      ...reviewColumns,
      id: reviews.message_id,
      hash: reviews.hash,
      inbox: inboxes.address,
      from_name,
      reply_to,
      recipient_names,
      headers,
      attachments,
      error,
      message_status: messages.status,
    })
    .from(reviews)
    .innerJoin(messages, eq(messages.id, reviews.message_id))
    .innerJoin(inboxes, and(eq(inboxes.id, reviews.inbox_id), eq(inboxes.status, "live")))
    .leftJoin(agentKeys, isAuthor)
    .leftJoin(agents, isAuthorsAgent)
    .leftJoin(enrollmentKeys, isAuthorsEnrollment)
    .where(isThis);
  if (!review) throw noReview();
  const { revision, content, hash, author, created_at } = reviewRevisions;
  const revisions = await db
    .select({ revision, content, hash, author, created_at })
    .from(reviewRevisions)
    .where(and(eq(reviewRevisions.message_id, messageId), eq(reviewRevisions.organization_id, organizationId)))
    .orderBy(asc(revision));
  const { reply_to: answers, recipient_names: names, ...rest } = review;
  return { ...rest, reply_to: writeRecipients(answers, names), revisions: revisions.map(withNames) };
}

/** Recipients as they are written in the headers. */
function withNames<Written extends { content: ReviewedContent }>(written: Written) {
  const { names = [], to, cc, ...rest } = written.content;
  return { ...written, content: { ...rest, to: writeRecipients(to, names), cc: writeRecipients(cc, names) } };
}
