// PATCH /v1/messages/{id}: changes the read state and the labels of a message.
import type { Caller, Ctx } from "../base/context.ts";
import { decodeId } from "../base/ids.ts";
import type { MessageRow } from "./columns.ts";
import { findMessage, noMessage } from "./find.ts";

type Patch = { id: string; read?: boolean | undefined; labels?: string[] | undefined };

/**
 * Omitted fields stay; new labels replace the old ones, without duplicates, in their order.
 * @throws ServiceError `message_not_found`
 */
export async function updateMessage(ctx: Ctx<Caller>, { id: wireId, read, labels }: Patch): Promise<MessageRow> {
  const { actor, sql } = ctx;
  const id = decodeId("msg", wireId);
  if (!id) throw noMessage();
  if (read !== undefined || labels) {
    await sql`
      update messages set read = coalesce(${read ?? null}, read),
        labels = coalesce(${labels ? [...new Set(labels)] : null}::text[], labels)
      where id = ${id} and organization_id = ${actor.organizationId}
        and inbox_id in (select id from inboxes where status = 'live')
        ${actor.inboxIds ? sql`and inbox_id = any(${actor.inboxIds as string[]})` : sql``}`;
  }
  return findMessage(ctx, wireId);
}
