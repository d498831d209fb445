// When the recipients of an outbound message were counted.
import { sql } from "drizzle-orm";
import { messages } from "#db/schema/mail.ts";
import { scheduledSends } from "#db/schema/outbox.ts";
import { reviews } from "#db/schema/reviews.ts";

/** At its time if it was scheduled, with the approval if a member approved it that was not counted before, otherwise when it was stored. */
export const countedAt = sql`coalesce(
  (select ${scheduledSends.released_at} from ${scheduledSends} where ${scheduledSends.message_id} = ${messages.id}),
  (select ${reviews.decided_at} from ${reviews} where ${reviews.message_id} = ${messages.id} and ${reviews.status} = 'approved'
    and not ${reviews.counted}),
  ${messages.created_at})`.mapWith(messages.created_at);
