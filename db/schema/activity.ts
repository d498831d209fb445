// Table of what agent keys changed.
import { sql } from "drizzle-orm";
import { index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import type { Change, NotUndone } from "../activity-parts.ts";
import { bytea, moment } from "./columns.ts";

/**
 * One row for each change by an agent key, written in the transaction of the change (server/activity/record.ts). Bodies of mail
 * are never in it, and secrets only sealed.
 */
export const activity = pgTable(
  "activity",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    key_id: uuid().notNull(),
    agent_id: uuid().notNull(),
    /** The mailbox whose erasure takes the values out of `changes`. Null: they belong to no mailbox. */
    inbox_id: uuid(),
    /** The procedure: `messages.update`. */
    verb: text().notNull(),
    request_id: text().notNull(),
    changes: jsonb().$type<Change[]>().notNull(),
    /** Of a deleted webhook: its signing secret, encrypted with the id of this row as context. */
    secret: bytea(),
    /** When an undo processed it (server/undo). */
    undone_at: moment("undone_at"),
    /** The changes that the undo did not take back. */
    not_undone: jsonb("not_undone").$type<NotUndone[]>(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    index("activity_key").on(t.key_id, t.id),
    // The audit log reads what all agents of an organization did.
    index("activity_organization").on(t.organization_id, t.id),
    index("activity_inbox").on(t.inbox_id).where(sql`${t.inbox_id} is not null`),
  ],
);
