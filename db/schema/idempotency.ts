// Table of the calls that carried an Idempotency-Key.
import { boolean, index, pgTable, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytea, moment } from "./columns.ts";
import { organizations } from "./enrollment.ts";

/** One key of one caller for one procedure, kept for a day (server/base/idempotency.ts). */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    id: uuid().primaryKey(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id),
    /** An agent key or a member's account. */
    caller_id: uuid().notNull(),
    /** SHA-256 of the procedure and the key. */
    key_hash: bytea().notNull(),
    /** SHA-256 of the input. */
    input_hash: bytea().notNull(),
    /** The run that may commit. */
    attempt: uuid().notNull(),
    /** Until then no other run begins. */
    leased_until: moment("leased_until").notNull(),
    /** Written in the transaction of the effect. */
    carried_out: boolean().notNull().default(false),
    /** The answer, encrypted. Null while the call runs, and for procedures that find their result again. */
    answer: bytea(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("idempotency_keys_key").on(t.organization_id, t.caller_id, t.key_hash),
    index("idempotency_keys_created").on(t.created_at),
  ],
);
