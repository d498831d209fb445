// A deleted message on the wire.
import { encodeId } from "../../base/ids.ts";
import { PREVIEW_CHARS } from "../message-schema.ts";
import { expiryOf } from "../move-to-trash.ts";
import { previewOf } from "../summary.ts";
import type { listTrash } from "./list.ts";

type TrashedRow = Awaited<ReturnType<typeof listTrash>>["rows"][number];

export function trashedView(ctx: Parameters<typeof expiryOf>[0], row: TrashedRow) {
  return {
    id: encodeId("msg", row.id),
    thread_id: encodeId("thr", row.thread_id),
    inbox: row.inbox,
    direction: row.direction,
    from: row.from_address,
    from_name: row.from_name,
    to: row.to_addresses,
    subject: row.subject,
    preview: previewOf(row, PREVIEW_CHARS),
    attachment_count: row.attachment_count,
    size: row.size,
    created_at: row.created_at.toISOString(),
    deleted_at: row.deleted_at.toISOString(),
    expires_at: expiryOf(ctx, row.deleted_at).toISOString(),
  };
}
