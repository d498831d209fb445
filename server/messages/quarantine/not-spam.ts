// POST /v1/messages/{id}/not-spam: takes a message out of quarantine, and trusts its sender from now on.
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { messages } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { invalidField } from "../../base/errors.ts";
import { deliver } from "../../receiving/quarantine.ts";
import { addListEntry } from "../../recipients/lists/add.ts";
import { isOwn, type MessageRow } from "../columns.ts";
import { findMessage } from "../find.ts";

const REASON = "A message was not spam";

/**
 * The message is in its thread, and its event and deliveries are created. The sender is added to the list `trusted` of the mailbox
 * only if From is authenticated: anyone could write the address otherwise. Repeating it changes nothing.
 * @throws ServiceError `message_not_found`; `invalid_request` for an outbound message; those of `addListEntry`
 */
export async function markNotSpam(ctx: Ctx<Caller>, wireId: string): Promise<MessageRow> {
  const message = await findMessage(ctx, wireId);
  if (message.direction === "outbound") throw invalidField("id", "must be a message that the mailbox received");
  if (message.authentication?.aligned_from) {
    const named = { direction: "receive", list: "trusted", inbox: message.inbox } as const;
    await addListEntry(ctx, { ...named, entry: message.from_address, reason: REASON });
  }
  if (message.quarantine !== null) await deliver(ctx, message);
  await ctx.db
    .update(messages)
    .set({ spam: sql`${messages.spam} || '{"verdict": "ham"}'` })
    .where(and(eq(messages.id, message.id), isOwn(ctx, messages), isNotNull(messages.spam)));
  return findMessage(ctx, wireId);
}
