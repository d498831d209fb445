// The columns that show a message in a list.
import { sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { warningOf } from "#db/conditions.ts";
import type { Spam, Warning } from "#db/message-parts.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import { type MessageRow, recipientsColumn, sendAtColumn } from "./columns.ts";
import { LISTED_FILES } from "./message-schema.ts";

export type SummaryRow = Pick<
  MessageRow,
  | "id"
  | "thread_id"
  | "inbox"
  | "direction"
  | "status"
  | "from_address"
  | "from_name"
  | "to_addresses"
  | "cc_addresses"
  | "recipient_names"
  | "envelope_from"
  | "envelope_to"
  | "kind"
  | "quarantine"
  | "subject"
  | "read"
  | "labels"
  | "recipients"
  | "send_at"
  | "size"
  | "created_at"
> & {
  spam_verdict: Spam["verdict"] | null;
  warning: Warning | null;
  attachment_count: number;
  /** The first of them. */
  attachments: MessageRow["attachments"];
  /** The first characters of the new part. */
  beginning: string;
};

/** Read from each body. White space is removed from it afterwards. */
const BEGINNING_CHARS = 600;

const {
  id,
  thread_id,
  inbox_id,
  direction,
  status,
  from_address,
  from_name,
  to_addresses,
  cc_addresses,
  recipient_names,
  envelope_from,
  envelope_to,
  kind,
  attachments,
  spam,
  quarantine,
} = messages;
const { subject, read, labels, size, created_at } = messages;

/** The beginning of the new part; of mail that was parsed without one, of what a person sees. */
export const beginningOf = ({
  extracted_text,
  safe_text,
  text,
}: Record<"extracted_text" | "safe_text" | "text", PgColumn>) =>
  sql<string>`left(coalesce(${extracted_text}, ${safe_text}, ${text}, ''), ${BEGINNING_CHARS}::int)`;
export const beginningColumn = beginningOf(messages);

const listedFiles = sql`jsonb_path_query_array(${attachments}, ${sql.raw(`'$[0 to ${LISTED_FILES - 1}]'`)})`;

/** The columns of SummaryRow, of `messages`. */
export const summaryColumns = sql`${id}, ${thread_id},
    (select ${inboxes.address} from ${inboxes} where ${inboxes.id} = ${inbox_id}) as inbox, ${direction}, ${status}, ${from_address},
    ${from_name}, ${to_addresses}, ${cc_addresses}, ${recipient_names}, ${envelope_from}, ${envelope_to}, ${kind}, ${spam}->>'verdict' as spam_verdict, (${warningOf(messages)}) as warning, ${quarantine}, ${subject}, ${read}, ${labels}, jsonb_array_length(${attachments}) as attachment_count, ${listedFiles} as attachments, ${size},
    ${created_at}, ${recipientsColumn} as recipients, ${sendAtColumn} as send_at, ${beginningColumn} as beginning`;

/** In one line, at most `chars` characters. */
export function oneLine(beginning: string, chars: number): string {
  return [...beginning.replace(/\s+/g, " ").trim()].slice(0, chars).join("");
}
