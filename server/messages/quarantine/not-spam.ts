// POST /v1/messages/{id}/not-spam: takes a message out of quarantine, and trusts its sender from now on.
import { and, eq } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { provesSender } from "#db/message-parts.ts";
import { messages } from "#db/schema/mail.ts";
import { record } from "../../activity/record.ts";
import { readAddress } from "../../base/addresses.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { invalidField } from "../../base/errors.ts";
import { show } from "../../receiving/quarantine.ts";
import { addListEntry } from "../../recipients/lists/add.ts";
import { isOwn, type MessageRow } from "../columns.ts";
import { findMessage } from "../find.ts";

const REASON = "A message was not spam";
const HAM = "ham";
const DELIVERED = "Its event and webhooks were delivered.";

/**
 * The message is in its thread, and its event and deliveries are created. The sender is added to the list `trusted` of the mailbox
 * only if From is authenticated: anyone could write the address otherwise. Repeating it changes nothing.
 * @throws ServiceError `message_not_found`; `invalid_request` for an outbound message; those of `addListEntry`
 */
export async function markNotSpam(ctx: Ctx<Caller>, wireId: string): Promise<MessageRow> {
  const message = await findMessage(ctx, wireId);
  if (message.direction === "outbound") throw invalidField("id", "must be a message that the mailbox received");
  // An address that no list can have (of more than 254 octets) must not keep its mail in quarantine.
  if (provesSender(message.authentication) && readAddress(message.from_address)) {
    const named = { direction: "receive", list: "trusted", inbox: message.inbox } as const;
    await addListEntry(ctx, { ...named, entry: message.from_address, reason: REASON });
  }
  const recorded = await ctx.db.transaction(async (tx) => {
    const shown = message.quarantine === null ? undefined : await show(ctx, tx, message);
    await setHam(ctx, tx, message, shown !== undefined);
    return shown;
  });
  if (recorded) ctx.eventLog.announce(recorded);
  return findMessage(ctx, wireId);
}

async function setHam(ctx: Ctx<Caller>, tx: Transaction, message: MessageRow, isShown: boolean): Promise<void> {
  const isThis = and(eq(messages.id, message.id), isOwn(ctx, messages));
  const [row] = await tx.select({ spam: messages.spam }).from(messages).where(isThis).for("update");
  const spam = row?.spam;
  const isHam = !spam || spam.verdict === HAM;
  if (!isHam)
    await tx
      .update(messages)
      .set({ spam: { ...spam, verdict: HAM } })
      .where(isThis);
  const before = { ...(!isHam && { spam_verdict: spam.verdict }), ...(isShown && { quarantine: message.quarantine }) };
  const after = { ...(!isHam && { spam_verdict: HAM }), ...(isShown && { quarantine: null }) };
  if (Object.keys(before).length === 0) return;
  const change = { kind: "message", id: message.id, before, after, ...(isShown && { final: DELIVERED }) } as const;
  await record(ctx, tx, [change], { inbox_id: message.inbox_id });
}
