// The columns that are read to show a message: all except the search index.
import type { messages } from "#db/schema/mail.ts";
import type { Services } from "../base/context.ts";

type Unread = "search" | "duplicate_key" | "idempotency_key" | "idempotency_hash";

/** A message with the address of its mailbox, as `messageColumns` selects it. */
export type MessageRow = Omit<typeof messages.$inferSelect, Unread> & { inbox: string };

/** The columns of MessageRow, of `messages m` and `inboxes i`. */
export function messageColumns(sql: Services["sql"]) {
  return sql`m.id, m.organization_id, m.inbox_id, m.thread_id, m.direction, m.status, m.from_address, m.from_name,
    m.to_addresses, m.cc_addresses, m.bcc_addresses, m.reply_to, m.subject, m.rfc_message_id, m.in_reply_to,
    m.references_ids as references, m.headers, m.text, m.html, m.extracted_text, m.safe_text, m.extraction,
    m.authentication, m.security, m.read, m.labels, m.claimed_at, m.attachments, m.size, m.envelope_from, m.envelope_to,
    m.remote_ip, m.helo, m.recipient_results, m.provider_message_id, m.error, m.attempts, m.next_attempt_at, m.sent_at,
    m.created_at, i.address as inbox`;
}
