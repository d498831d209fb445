// Wrong passwords, counted in the database for all processes.
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";

/** `bucket`: an account, a device of an account, or a client address (server/organizations/sign-in-attempts.ts). */
export const signInAttempts = pgTable("sign_in_attempts", {
  bucket: text().primaryKey(),
  failures: integer().notNull(),
  last_at: moment("last_at").notNull(),
  /** Attempts before this time are refused. */
  blocked_until: moment("blocked_until").notNull(),
});
