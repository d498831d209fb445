// Finds the recipients of drafts as they are now: a reply without recipients goes to the recipients that the answered message gives.
import { and, isNull } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { messages } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId, encodeId } from "../../base/ids.ts";
import { isOwn } from "../../messages/columns.ts";
import { replyRecipients } from "../recipients.ts";
import type { DraftRow } from "./find.ts";

const { id, direction, from_address, reply_to, to_addresses, cc_addresses, envelope_to } = messages;
const columns = { id, direction, from_address, reply_to, to_addresses, cc_addresses, envelope_to };

/**
 * @returns To and Cc of a draft; none if it has no recipient yet, or if the message that it answers is gone
 */
export async function recipientsOf(ctx: Ctx<Caller>, drafts: DraftRow[]): Promise<(draft: DraftRow) => string[]> {
  const open = drafts.filter(({ fields }) => fields.to.length === 0);
  const ids = open.flatMap(({ fields }) => (fields.in_reply_to && decodeId("msg", fields.in_reply_to)) || []);
  const rows =
    ids.length === 0
      ? []
      : await ctx.db
          .select(columns)
          .from(messages)
          .where(and(anyOf(id, ids), isOwn(ctx, messages), isNull(messages.quarantine)));
  const answered = new Map(rows.map((row) => [encodeId("msg", row.id), row]));
  return ({ fields, inbox }) => {
    if (fields.to.length > 0) return [...fields.to, ...fields.cc];
    const message = fields.in_reply_to === null ? undefined : answered.get(fields.in_reply_to);
    if (!message) return fields.cc;
    try {
      const { to, cc } = replyRecipients(message, inbox, fields.reply_all);
      return [...new Set([...to, ...fields.cc, ...cc])];
    } catch (error) {
      // It cannot be sent as it is, which its sending says.
      if (error instanceof ServiceError) return fields.cc;
      throw error;
    }
  };
}
