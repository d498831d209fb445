// The tables whose rows have content, in the row or in an object. The sweep removes objects that none of them refers to.
import { attachments, rawMessages } from "#db/schema/content.ts";

/** `id`: the key of the table. */
export type ContentTable = {
  name: string;
  table: typeof rawMessages | typeof attachments;
  id: (typeof rawMessages)["message_id"] | (typeof attachments)["id"];
};

export const CONTENT_TABLES: ContentTable[] = [
  { name: "raw_messages", table: rawMessages, id: rawMessages.message_id },
  { name: "attachments", table: attachments, id: attachments.id },
];
