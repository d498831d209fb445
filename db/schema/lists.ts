// The allow and block lists of organizations and mailboxes, how long their mail is kept, and what becomes of their spam.
import { sql } from "drizzle-orm";
import { index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { SPAM_POLICIES } from "../message-parts.ts";
import { moment } from "./columns.ts";

/**
 * Addresses and domains that a mailbox may or may not write to (`send`) or get mail from (`receive`): for a whole
 * organization where `inbox_id` is all zeros. The rules are in server/recipients/lists/verdict.ts.
 */
export const listEntries = pgTable(
  "list_entries",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    direction: text({ enum: ["send", "receive"] }).notNull(),
    /** `trusted`: senders whose authenticated mail is never quarantined. */
    list: text({ enum: ["allow", "block", "trusted"] }).notNull(),
    /** An address or a domain, in lower case. */
    entry: text().notNull(),
    reason: text(),
    /** `member` also for entries of earlier versions, which did not store it. */
    set_by: text({ enum: ["member", "agent"] })
      .notNull()
      .default("member"),
    /** The agent key that added it; null: a member did. */
    set_by_key: uuid(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    // Finds the entries of an address.
    uniqueIndex("list_entries_entry").on(t.organization_id, t.direction, t.entry, t.inbox_id, t.list),
    // Lists entries, and finds whether a mailbox has a list at all.
    index("list_entries_list").on(t.inbox_id, t.organization_id, t.direction, t.list, t.id),
    // Finds whether members wrote an allow list, among many entries of agents.
    index("list_entries_allow")
      .on(t.inbox_id, t.organization_id, t.direction)
      .where(sql`${t.list} = 'allow' and ${t.set_by} = 'member'`),
  ],
);

/**
 * After how many days mail is erased: of a whole organization where `inbox_id` is all zeros. The shortest time that applies
 * counts, RETENTION_DAYS_MESSAGES included.
 */
export const retentionPolicies = pgTable(
  "retention_policies",
  { organization_id: uuid().notNull(), inbox_id: uuid().notNull(), message_days: integer().notNull() },
  (t) => [primaryKey({ columns: [t.organization_id, t.inbox_id] })],
);

/** What becomes of spam: in a whole organization where `inbox_id` is all zeros. That of the mailbox decides before it. */
export const spamPolicies = pgTable(
  "spam_policies",
  { organization_id: uuid().notNull(), inbox_id: uuid().notNull(), policy: text({ enum: SPAM_POLICIES }).notNull() },
  (t) => [primaryKey({ columns: [t.organization_id, t.inbox_id] })],
);
