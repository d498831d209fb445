// Formats mailboxes for the API (specification §2).
import { encodeId } from "../base/ids.ts";
import type { InboxRow } from "../base/tenancy.ts";

export function inboxView(row: InboxRow) {
  return {
    id: encodeId("inb", row.id),
    address: row.address,
    display_name: row.display_name,
    domain: row.domain,
    status: "live" as const,
    created_at: row.created_at.toISOString(),
    metadata: row.metadata,
  };
}
