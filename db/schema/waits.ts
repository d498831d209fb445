// Table of where the waits of a key ended in a mailbox.
import { bigint, pgTable, primaryKey, uuid } from "drizzle-orm/pg-core";
import { agentKeys } from "./enrollment.ts";

/** The position in the event log of the newest message that a wait of the key returned: a wait without `after` starts behind it. */
export const waitEnds = pgTable(
  "wait_ends",
  {
    agent_key_id: uuid()
      .notNull()
      .references(() => agentKeys.id, { onDelete: "cascade" }),
    inbox_id: uuid().notNull(),
    position: bigint({ mode: "number" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.agent_key_id, t.inbox_id] })],
);
