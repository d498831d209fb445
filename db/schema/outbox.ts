// Tables of messages that are not queued yet.
import { sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import type { AttachmentInfo, DraftFields } from "../message-parts.ts";
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
    // Finds what is due of each organization, so that they take turns.
    index("scheduled_sends_turns").on(t.organization_id, t.due_at).where(sql`${t.due_at} is not null`),
  ],
);

/** Until when a reply to an outbound message is expected. */
export const expectedReplies = pgTable(
  "expected_replies",
  {
    message_id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    thread_id: uuid().notNull(),
    /** The time that the caller chose. */
    reply_by: moment("reply_by").notNull(),
    /** When the worker looks for a reply; null: it has looked. */
    due_at: moment("due_at"),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    index("expected_replies_due").on(t.due_at).where(sql`${t.due_at} is not null`),
    index("expected_replies_inbox").on(t.inbox_id).where(sql`${t.due_at} is not null`),
  ],
);

/** A message that is being written. The bytes of its attachments are in `attachments`, under its id. */
export const drafts = pgTable(
  "drafts",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    /** Counts the changes, from 1. */
    revision: integer().notNull(),
    fields: jsonb().$type<DraftFields>().notNull(),
    attachments: jsonb().$type<AttachmentInfo[]>().notNull(),
    /** Octets of the bodies and attachments. */
    size: bigint({ mode: "number" }).notNull(),
    /** The message that it became; null: it was not sent. The row stays for a while, so that a repeated send finds the message. */
    sent_message_id: uuid(),
    created_at: moment("created_at").notNull(),
    updated_at: moment("updated_at").notNull(),
  },
  (t) => [
    index("drafts_inbox").on(t.inbox_id, t.id),
    index("drafts_unsent").on(t.organization_id, t.id).where(sql`${t.sent_message_id} is null`),
  ],
);

/**
 * What a draft was before an agent key changed, sent or deleted it (server/sending/drafts/versions.ts). The bytes of files that the draft no
 * longer has are in `attachments`, under this id. `size`: octets of what only this version has.
 */
export const draftVersions = pgTable(
  "draft_versions",
  {
    id: uuid().primaryKey(),
    draft_id: uuid().notNull(),
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    revision: integer().notNull(),
    fields: jsonb().$type<DraftFields>().notNull(),
    attachments: jsonb().$type<AttachmentInfo[]>().notNull(),
    size: bigint({ mode: "number" }).notNull(),
    created_at: moment("created_at").notNull(),
    updated_at: moment("updated_at").notNull(),
  },
  (t) => [index("draft_versions_inbox").on(t.inbox_id)],
);

/** A file that waits to be attached. Its bytes are in `attachments`, under its id. */
export const uploads = pgTable(
  "uploads",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    /** The agent or the account that uploaded it. */
    owner_id: uuid().notNull(),
    filename: text().notNull(),
    content_type: text().notNull(),
    size: bigint({ mode: "number" }).notNull(),
    created_at: moment("created_at").notNull(),
    expires_at: moment("expires_at").notNull(),
  },
  (t) => [index("uploads_expiry").on(t.expires_at), index("uploads_owner").on(t.organization_id, t.owner_id)],
);
