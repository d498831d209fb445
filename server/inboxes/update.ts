// PATCH /v1/inboxes/{addr}: changes the display name, and merges metadata.
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { findInbox, type InboxRow } from "../base/tenancy.ts";
import { METADATA_KEYS } from "./schema.ts";

type Patch = {
  addr: string;
  display_name?: string | undefined;
  metadata?: Record<string, string | number | boolean | null> | undefined;
};

/** @throws ServiceError `inbox_not_found`; `invalid_request` if more than METADATA_KEYS keys would remain */
export async function updateInbox(ctx: Ctx<Caller>, patch: Patch): Promise<InboxRow> {
  const { id } = await findInbox(ctx, patch.addr);
  return ctx.sql.begin(async (tx) => {
    // jsonb_strip_nulls deletes the keys that the caller set to null.
    const [row] = await tx<InboxRow[]>`
      update inboxes set
        display_name = coalesce(${patch.display_name ?? null}, display_name),
        metadata = jsonb_strip_nulls(metadata || ${JSON.stringify(patch.metadata ?? {})}::text::jsonb)
      where id = ${id} and organization_id = ${ctx.actor.organizationId} and status = 'live'
      returning id, organization_id, address, domain, display_name, metadata, client_id, status, created_at`;
    if (!row) throw new ServiceError("inbox_not_found", "The inbox does not exist.");
    if (Object.keys(row.metadata).length > METADATA_KEYS) {
      const message = `at most ${METADATA_KEYS} keys`;
      throw new ServiceError("invalid_request", `metadata: ${message}`, { issues: [{ path: "metadata", message }] });
    }
    return row;
  });
}
