// The columns that show a message in a list.
import { sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { warningOf } from "#db/conditions.ts";
import type { Spam, Warning } from "#db/message-parts.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import { ownText } from "../extraction/html/own-text.ts";
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
} & Beginning;

/** The first characters of the new part. `beginning_html`: of the HTML of a sent message that has no text. */
type Beginning = { beginning: string; beginning_html: string | null };

/** Read from each body. White space is removed from it afterwards. */
const BEGINNING_CHARS = 600;
/** Read from HTML, from its body on, which is looked for behind so many characters of styles. */
const BEGINNING_HTML_CHARS = 8_192;
const HEAD_CHARS = 65_536;
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

type Bodies = Record<"direction" | "extracted_text" | "safe_text" | "text" | "html", PgColumn>;

const bodyIn = (html: PgColumn, tag: string) =>
  sql`strpos(lower(left(${html}, ${HEAD_CHARS}::int)), ${sql.raw(`'${tag}'`)})`;

/** The beginning of the new part; of mail that was parsed without one, of what a person sees. */
export const beginningOf = ({ direction, extracted_text, safe_text, text, html }: Bodies) => ({
  beginning: sql<string>`left(coalesce(${extracted_text}, ${safe_text}, ${text}, ''), ${BEGINNING_CHARS}::int)`,
  beginning_html: sql<string | null>`case when ${direction} = 'outbound' and ${text} is null
    then substr(${html}, greatest(1, ${bodyIn(html, "<body")}, ${bodyIn(html, "</style>")}), ${BEGINNING_HTML_CHARS}::int) end`,
});
export const beginningColumns = beginningOf(messages);

const listedFiles = sql`jsonb_path_query_array(${attachments}, ${sql.raw(`'$[0 to ${LISTED_FILES - 1}]'`)})`;

/** The columns of SummaryRow, of `messages`. */
export const summaryColumns = sql`${id}, ${thread_id},
    (select ${inboxes.address} from ${inboxes} where ${inboxes.id} = ${inbox_id}) as inbox, ${direction}, ${status}, ${from_address},
    ${from_name}, ${to_addresses}, ${cc_addresses}, ${recipient_names}, ${envelope_from}, ${envelope_to}, ${kind}, ${spam}->>'verdict' as spam_verdict, (${warningOf(messages)}) as warning, ${quarantine}, ${subject}, ${read}, ${labels}, jsonb_array_length(${attachments}) as attachment_count, ${listedFiles} as attachments, ${size},
    ${created_at}, ${recipientsColumn} as recipients, ${sendAtColumn} as send_at, ${beginningColumns.beginning} as beginning,
    ${beginningColumns.beginning_html} as beginning_html`;

/** The beginning of a message in one line, at most `chars` characters. */
export function previewOf({ beginning, beginning_html }: Beginning, chars: number): string {
  return oneLine(beginning_html === null ? beginning : ownText(beginning_html), chars);
}

/** In one line, at most `chars` characters. */
export function oneLine(text: string, chars: number): string {
  return [...text.replace(/\s+/g, " ").trim()].slice(0, chars).join("");
}
