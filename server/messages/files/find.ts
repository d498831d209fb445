// Finds a message that a caller may see, without reading its bodies.
import { and, eq } from "drizzle-orm";
import { inboxes, messages } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import { decodeId } from "../../base/ids.ts";
import { isOwn, type Reach } from "../columns.ts";
import { noMessage } from "../find.ts";

/** Who reads files: a caller, or the holder of a signed link. */
export type Reader = Services & { actor: Reach };

const { id, size, direction, status, attachments, reading } = messages;
const storedColumns = { id, size, direction, status, attachments, reading };
export type StoredMessage = Pick<typeof messages.$inferSelect, keyof typeof storedColumns>;

/** @throws ServiceError `message_not_found`, also if it belongs to another organization */
export async function findStored(ctx: Reader, wireId: string): Promise<StoredMessage> {
  const id = decodeId("msg", wireId);
  const [row] = id
    ? await ctx.db
        .select(storedColumns)
        .from(messages)
        .innerJoin(inboxes, and(eq(inboxes.id, messages.inbox_id), eq(inboxes.status, "live")))
        .where(and(eq(messages.id, id), isOwn(ctx, messages)))
    : [];
  if (!row) throw noMessage();
  return row;
}
