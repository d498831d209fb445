// Table of mailboxes that are leased to receive one code.
import { index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";
import { agentKeys } from "./enrollment.ts";

/**
 * The lease of a mailbox. Its mailbox is the one whose `client_id` names it (server/inboxes/leased.ts), so that a create whose process
 * ended is found too. The row is deleted with the mailbox.
 */
export const mailboxLeases = pgTable(
  "mailbox_leases",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    agent_key_id: uuid()
      .notNull()
      .references(() => agentKeys.id),
    /** Only mail of this address or domain counts. */
    sender: text(),
    expires_at: moment("expires_at").notNull(),
    /** When the code was taken. After that, no request returns it. */
    answered_at: moment("answered_at"),
    created_at: moment("created_at").notNull(),
  },
  (t) => [index("mailbox_leases_expiry").on(t.expires_at)],
);
