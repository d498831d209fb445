// Table of API calls by agent keys.
import { index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";

/**
 * One row for each API call with an agent key, kept for a week (server/calls). Bodies, queries and credentials are never in it. Rows
 * are written after the answer, so that some may be missing.
 */
export const apiCalls = pgTable(
  "api_calls",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    key_id: uuid().notNull(),
    /** `rest`, `trpc`, `mcp`, `compat` or `smtp`. */
    door: text().notNull(),
    method: text().notNull(),
    /** The path template, the tRPC procedure or the MCP tool; from a closed set. */
    route: text().notNull(),
    /** The path as it was called, without its query. */
    path: text().notNull(),
    /** Of HTTP. Of mail over SMTP: the reply code. */
    status: integer().notNull(),
    /** The error code; null: it succeeded. */
    error: text(),
    ms: integer().notNull(),
    /** As X-Request-Id has it. */
    request_id: text().notNull(),
    remote: text().notNull(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    index("api_calls_organization").on(t.organization_id, t.id),
    index("api_calls_key").on(t.key_id, t.id),
    index("api_calls_request").on(t.request_id),
  ],
);
