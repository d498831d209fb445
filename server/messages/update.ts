// Changes the read state and the labels of a message (PATCH /v1/messages/{id}), and marks messages that a member opened as read.
import { and, eq, inArray } from "drizzle-orm";
import { anyOf, asInIndex } from "#db/conditions.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import type { Caller, Ctx, Member } from "../base/context.ts";
import { decodeId } from "../base/ids.ts";
import { isOwn, type MessageRow } from "./columns.ts";
import { findMessage, noMessage } from "./find.ts";

type Patch = { id: string; read?: boolean | undefined; labels?: string[] | undefined };

function liveInboxes({ db }: Ctx<Caller>) {
  return db
    .select({ id: inboxes.id })
    .from(inboxes)
    .where(asInIndex(eq(inboxes.status, "live")));
}

/**
 * Omitted fields stay; new labels replace the old ones, without duplicates, in their order.
 * @throws ServiceError `message_not_found`
 */
export async function updateMessage(ctx: Ctx<Caller>, { id: wireId, read, labels }: Patch): Promise<MessageRow> {
  const id = decodeId("msg", wireId);
  if (!id) throw noMessage();
  if (read !== undefined || labels) {
    await ctx.db
      .update(messages)
      .set({ read, labels: labels && [...new Set(labels)] })
      .where(and(eq(messages.id, id), isOwn(ctx, messages), inArray(messages.inbox_id, liveInboxes(ctx))));
  }
  return findMessage(ctx, wireId);
}

/**
 * Unknown ones are left out.
 * @returns how many messages are read now
 * @throws ServiceError `message_not_found` if there is none of them
 */
export async function markRead(ctx: Ctx<Member>, wireIds: string[]): Promise<number> {
  const ids = wireIds.flatMap((id) => decodeId("msg", id) ?? []);
  const marked = await ctx.db
    .update(messages)
    .set({ read: true })
    .where(and(anyOf(messages.id, ids), isOwn(ctx, messages), inArray(messages.inbox_id, liveInboxes(ctx))))
    .returning({ id: messages.id });
  if (marked.length === 0) throw noMessage();
  return marked.length;
}
