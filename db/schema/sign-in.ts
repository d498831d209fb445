// Wrong passwords, counted where every process sees them.
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";

/** `bucket`: an account, a device of an account, or a client address (server/organizations/attempts.ts). */
export const signInAttempts = pgTable("sign_in_attempts", {
  bucket: text().primaryKey(),
  failures: integer().notNull(),
  last_at: moment("last_at").notNull(),
  /** The next attempt is refused before that time. */
  blocked_until: moment("blocked_until").notNull(),
});
