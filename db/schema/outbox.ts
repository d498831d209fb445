// Tables of messages that are not queued yet.
import { sql } from "drizzle-orm";
import { index, pgTable, uuid } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";

/** When an outbound message leaves, if not immediately. The row stays after the message left. */
export const scheduledSends = pgTable(
  "scheduled_sends",
  {
    message_id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    /** The time that the caller chose. */
    send_at: moment("send_at").notNull(),
    /** The message that must still be the newest of the thread; null: any may be. */
    expected_last_message_id: uuid(),
    /** When the worker looks at it, or until when a worker has leased it; null: it is no longer scheduled. */
    due_at: moment("due_at"),
    /** When it was queued. */
    released_at: moment("released_at"),
  },
  (t) => [
    index("scheduled_sends_due").on(t.due_at).where(sql`${t.due_at} is not null`),
    index("scheduled_sends_inbox").on(t.inbox_id).where(sql`${t.due_at} is not null`),
  ],
);
