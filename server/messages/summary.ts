// The columns that show a message in a list.
import { sql } from "drizzle-orm";
import { inboxes, messages } from "#db/schema/mail.ts";
import { type MessageRow, recipientsColumn, sendAtColumn } from "./columns.ts";

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
  | "subject"
  | "read"
  | "labels"
  | "recipients"
  | "send_at"
  | "size"
  | "created_at"
> & { attachment_count: number };

const { id, thread_id, inbox_id, direction, status, from_address, from_name, to_addresses, attachments } = messages;
const { subject, read, labels, size, created_at } = messages;

/** The columns of SummaryRow, of `messages`. */
export const summaryColumns = sql`${id}, ${thread_id},
    (select ${inboxes.address} from ${inboxes} where ${inboxes.id} = ${inbox_id}) as inbox, ${direction}, ${status}, ${from_address},
    ${from_name}, ${to_addresses}, ${subject}, ${read}, ${labels}, jsonb_array_length(${attachments}) as attachment_count, ${size},
    ${created_at}, ${recipientsColumn} as recipients, ${sendAtColumn} as send_at`;
