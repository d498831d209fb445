// Formats threads for the API.
import { encodeId } from "../../base/ids.ts";
import type { MessageRow } from "../columns.ts";
import { messageView, summaryView } from "../view.ts";
import type { ThreadRow } from "./find.ts";
import type { ThreadSummaryRow } from "./list.ts";

export function threadSummaryView(row: ThreadSummaryRow) {
  return {
    id: encodeId("thr", row.thread_id),
    inbox: row.inbox,
    subject: row.thread_subject,
    message_count: row.message_count,
    unread_count: row.unread_count,
    last_message_id: encodeId("msg", row.id),
    created_at: row.thread_created_at.toISOString(),
    last_message: summaryView(row),
  };
}

export function threadView(row: ThreadRow, messages: MessageRow[]) {
  return {
    id: encodeId("thr", row.id),
    inbox: row.inbox,
    subject: row.subject,
    message_count: row.message_count,
    unread_count: row.unread_count,
    last_message_id: encodeId("msg", row.last_message_id),
    created_at: row.created_at.toISOString(),
    messages: messages.map(messageView),
  };
}
