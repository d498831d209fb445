// Finds a message that a caller may see, without reading its bodies.
import type { AttachmentInfo } from "#db/message-parts.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId } from "../../base/ids.ts";

export type StoredMessage = {
  id: string;
  size: number;
  direction: "inbound" | "outbound";
  status: string;
  attachments: AttachmentInfo[];
};

/** @throws ServiceError `message_not_found`, also if it belongs to another organization */
export async function findStored({ actor, sql }: Ctx<Caller>, wireId: string): Promise<StoredMessage> {
  const id = decodeId("msg", wireId);
  const [row] = id
    ? await sql<StoredMessage[]>`
        select m.id, m.size, m.direction, m.status, m.attachments
        from messages m join inboxes i on i.id = m.inbox_id and i.status = 'live'
        where m.id = ${id} and m.organization_id = ${actor.organizationId}
          ${actor.inboxIds ? sql`and m.inbox_id = any(${actor.inboxIds as string[]})` : sql``}`
    : [];
  if (!row) throw new ServiceError("message_not_found", "The message does not exist.");
  return row;
}
