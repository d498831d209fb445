// Tables of reviews: messages that a member approves before they leave.
import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import type { ReviewedContent } from "../message-parts.ts";
import { bytea, moment } from "./columns.ts";

/** Which messages of agents wait for a member: of a whole organization where `inbox_id` is all zeros. */
export const reviewPolicies = pgTable(
  "review_policies",
  {
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    /** `first_contact`: those with a recipient who never wrote to the mailbox and to whom no member approved a message. */
    review: text({ enum: ["none", "first_contact", "all"] }).notNull(),
    /** How long a message waits. Only of organizations. */
    ttl_seconds: integer(),
  },
  (t) => [primaryKey({ columns: [t.organization_id, t.inbox_id] })],
);

/** One for each message that was held. `hash`: of the content of the current revision (reviews/content-hash.ts). */
export const reviews = pgTable(
  "reviews",
  {
    message_id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    status: text({ enum: ["pending", "approved", "rejected", "expired"] }).notNull(),
    /** Why it was held: the policy, or its key was revoked. */
    cause: text({ enum: ["policy", "key_revoked"] })
      .notNull()
      .default("policy"),
    /** Whether its recipients were counted against the daily cap before it was held. */
    counted: boolean().notNull().default(false),
    revision: integer().notNull(),
    hash: bytea().notNull(),
    /** The message that must still be the newest of the thread when a member approves. Null: any. */
    expected_last_message_id: uuid(),
    /** The member or the address of the email, as people read it. */
    decided_by: text(),
    reason: text(),
    decided_at: moment("decided_at"),
    expires_at: moment("expires_at").notNull(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    index("reviews_organization").on(t.organization_id, t.message_id),
    index("reviews_pending").on(t.organization_id, t.message_id).where(sql`${t.status} = 'pending'`),
    index("reviews_inbox").on(t.inbox_id).where(sql`${t.status} = 'pending'`),
    index("reviews_due").on(t.expires_at).where(sql`${t.status} = 'pending'`),
  ],
);

/** What a message was in each revision. The first is the agent's. */
export const reviewRevisions = pgTable(
  "review_revisions",
  {
    message_id: uuid().notNull(),
    revision: integer().notNull(),
    organization_id: uuid().notNull(),
    content: jsonb().$type<ReviewedContent>().notNull(),
    hash: bytea().notNull(),
    author: text().notNull(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.message_id, t.revision] })],
);

/** Recipients of approved messages, in lower case: they are no first contact any more. */
export const approvedRecipients = pgTable(
  "approved_recipients",
  {
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    address: text().notNull(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.inbox_id, t.address] })],
);
