// Tables of the content of mail and attachments.
import { sql } from "drizzle-orm";
import { index, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bytea, moment } from "./columns.ts";

/**
 * The exact bytes of an inbound mail: in the row, or in an object outside the database, which `blob` names
 * (server/base/ports/blobs.ts).
 */
export const rawMessages = pgTable(
  "raw_messages",
  {
    message_id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    bytes: bytea(),
    blob: text(),
  },
  (t) => [index("raw_messages_blob").on(t.organization_id, t.blob).where(sql`${t.blob} is not null`)],
);

/** The bytes of an outbound message's attachments, stored like those of inbound mail. */
export const attachments = pgTable(
  "attachments",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    message_id: uuid().notNull(),
    bytes: bytea(),
    blob: text(),
    /** Of the content, in hex, where it is in an object. */
    sha256: text(),
  },
  (t) => [
    index("attachments_message").on(t.message_id),
    index("attachments_blob").on(t.organization_id, t.blob).where(sql`${t.blob} is not null`),
  ],
);

/**
 * Objects that no row referred to when the sweep listed them (server/blobs/sweep.ts). `removing_at`: since when a
 * sweep removes the object; until that has ended, nothing may refer to it.
 */
export const blobOrphans = pgTable(
  "blob_orphans",
  {
    organization_id: uuid().notNull(),
    blob: text().notNull(),
    found_at: moment("found_at").notNull(),
    removing_at: moment("removing_at"),
  },
  (t) => [primaryKey({ columns: [t.organization_id, t.blob] }), index("blob_orphans_found").on(t.found_at)],
);
