// How messages look on the wire.
import { encodeId } from "../ids.ts";
import type { MessageRow, SummaryRow } from "./find.ts";

export function summaryView(row: SummaryRow) {
  const at = row.created_at.toISOString();
  return {
    id: encodeId("msg", row.id),
    thread_id: encodeId("thr", row.thread_id),
    inbox: row.inbox,
    direction: row.direction,
    status: row.status,
    from: row.from_address,
    to: row.to_addresses,
    subject: row.subject,
    ...(row.direction === "inbound" ? { received_at: at } : { created_at: at }),
    size: Number(row.size),
  };
}

export function messageView(row: MessageRow) {
  return {
    ...summaryView(row),
    from_name: row.from_name,
    cc: row.cc_addresses,
    reply_to: row.reply_to,
    text: row.text,
    html: row.html,
    attachments: row.attachments.map((file) => ({ ...file, id: encodeId("att", file.id) })),
    headers: (row.headers ?? []).map(([name, value]) => ({ name, value })),
    ...(row.direction === "outbound" && {
      bcc: row.bcc_addresses,
      sent_at: row.sent_at?.toISOString() ?? null,
      recipients: row.recipient_results ?? [],
      error: row.error,
    }),
  };
}
