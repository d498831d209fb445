// Tables that stop sending: the last recipients of mailboxes, and pauses that people set.
import { sql } from "drizzle-orm";
import { index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";

/**
 * The last recipients of a mailbox (server/recipients/limits/sending-pause.ts): for each, the message that it got, oldest first.
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

/**
 * What must send nothing: an organization, a mailbox, or a key with the keys below it. `cause` `revocation`: the key was
 * revoked, and its mail waits for a member.
 */
export const sendingPauses = pgTable(
  "sending_pauses",
  {
    /** Of the organization, the mailbox or the key. */
    target_id: uuid().notNull(),
    /** `organization`: a member or an agent paused it. Only operators end the pause of an operator. */
    cause: text({ enum: ["organization", "operator", "revocation"] }).notNull(),
    scope: text({ enum: ["organization", "inbox", "agent_key", "enrollment_key"] }).notNull(),
    organization_id: uuid().notNull(),
    reason: text(),
    /** As people read it. */
    paused_by: text().notNull(),
    /** A revocation: when the mail that waited was held. */
    held_at: moment("held_at"),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.target_id, t.cause] }),
    index("sending_pauses_organization").on(t.organization_id).where(sql`${t.cause} <> 'revocation'`),
    index("sending_pauses_to_hold").on(t.created_at).where(sql`${t.cause} = 'revocation' and ${t.held_at} is null`),
  ],
);
