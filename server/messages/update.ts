// PATCH /v1/messages/{id}: changes the read state and the labels of a message.
import { and, eq, inArray } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { decodeId } from "../base/ids.ts";
import { isOwn, type MessageRow } from "./columns.ts";
import { findMessage, noMessage } from "./find.ts";

type Patch = { id: string; read?: boolean | undefined; labels?: string[] | undefined };

/**
 * Omitted fields stay; new labels replace the old ones, without duplicates, in their order.
 * @throws ServiceError `message_not_found`
 */
export async function updateMessage(ctx: Ctx<Caller>, { id: wireId, read, labels }: Patch): Promise<MessageRow> {
  const id = decodeId("msg", wireId);
  if (!id) throw noMessage();
  if (read !== undefined || labels) {
    const isLive = asInIndex(eq(inboxes.status, "live"));
    const live = ctx.db.select({ id: inboxes.id }).from(inboxes).where(isLive);
    await ctx.db
      .update(messages)
      .set({ read, labels: labels && [...new Set(labels)] })
      .where(and(eq(messages.id, id), isOwn(ctx, messages), inArray(messages.inbox_id, live)));
  }
  return findMessage(ctx, wireId);
}
