// The table that pauses sending from a mailbox.
import { sql } from "drizzle-orm";
import { index, integer, pgTable, uuid } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";

/**
 * The last recipients of a mailbox (server/messages/limits/brakes.ts): for each, the message that it got, oldest first.
 * `bounced` and `complained` name the message of each of them that did. `paused_*`: why sending is paused, if it is.
 */
export const sendingStates = pgTable(
  "sending_states",
  {
    inbox_id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    recent: uuid().array().notNull(),
    bounced: uuid().array().notNull().default(sql`'{}'`),
    complained: uuid().array().notNull().default(sql`'{}'`),
    paused_at: moment("paused_at"),
    paused_recipients: integer().notNull().default(0),
    paused_bounced: integer().notNull().default(0),
    paused_complained: integer().notNull().default(0),
  },
  (t) => [index("sending_states_paused").on(t.organization_id, t.paused_at).where(sql`${t.paused_at} is not null`)],
);
