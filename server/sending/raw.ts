// GET /v1/messages/{id}/raw: the bytes of received mail as they are stored; sent mail is composed again from its row.
import { and, eq, inArray, sql } from "drizzle-orm";
import { inboxes, messages } from "#db/schema/mail.ts";
import { scheduledSends } from "#db/schema/outbox.ts";
import { reviews } from "#db/schema/reviews.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId, encodeId } from "../base/ids.ts";
import { isOwn } from "../messages/columns.ts";
import { findAttachments } from "../messages/files/attachments.ts";
import { findStored } from "../messages/files/find.ts";
import { rawMessage, slices } from "../messages/files/raw.ts";
import { hold, withAttaching } from "./files.ts";
import { mailOf, unsubscribeOf } from "./lease-queued.ts";

/** The files, and the mail with them in base64. */
const COMPOSING = 2.4;
/** The statuses of a message that leaves or has left. */
const LEAVES = ["queued", "sending", "sent", "delivered", "bounced", "complained"] as const;

/**
 * Sent mail has the bytes of its first transmission, without a DKIM signature and what the mail servers on the way add.
 * @throws ServiceError `message_not_found`, also for a message that has not left; `unavailable`, `content_unreadable`
 */
export async function rawOf(ctx: Ctx<Caller>, wireId: string) {
  const { direction } = await findStored(ctx, wireId);
  return direction === "inbound" ? rawMessage(ctx, wireId) : sentMail(ctx, wireId);
}

async function sentMail(ctx: Ctx<Caller>, wireId: string) {
  const { compose } = ctx.outbound;
  if (!compose)
    throw noRaw("The mail provider composes what is sent, so the service has no raw bytes of this message.");
  const row = await findSent(ctx, wireId);
  if (!row) {
    const fix = "Read GET /v1/messages/{id}: its `status` and `error` say what it waits for, or why it does not leave.";
    throw new ServiceError("message_not_found", "The message has not left, so it has no raw bytes.", { fix });
  }
  const raw = await withAttaching(ctx, async (share) => {
    const { load } = await findAttachments(ctx, wireId);
    hold(share, COMPOSING * row.size);
    const files = new Map((await load()).map(({ info, bytes }) => [info.id, bytes]));
    if (files.size < row.attachments.length) throw noRaw("The message does not exist.");
    return compose({ ...mailOf(row, files), ...unsubscribeOf(ctx, row) });
  });
  const filename = `${encodeId("msg", row.id)}.eml`;
  return { contentType: "message/rfc822", filename, size: raw.length, held: raw.length, body: slices(raw) };
}

const noRaw = (why: string) => new ServiceError("message_not_found", why);

const { id, inbox_id, from_address, from_name, to_addresses, cc_addresses, bcc_addresses, reply_to, recipient_names } =
  messages;
const { subject, headers, text, html, rfc_message_id, in_reply_to, references, list_unsubscribe, attachments, size } =
  messages;

async function findSent(ctx: Ctx<Caller>, wireId: string) {
  const [row] = await ctx.db
    .select({
      ...{
        id,
        inbox_id,
        from_address,
        from_name,
        to_addresses,
        cc_addresses,
        bcc_addresses,
        reply_to,
        recipient_names,
      },
      ...{ subject, headers, text, html, rfc_message_id, in_reply_to, references, list_unsubscribe, attachments, size },
      domain: inboxes.domain,
      // As lease-queued.ts dates it.
      left_at: sql`coalesce(${scheduledSends.released_at}, ${reviews.decided_at}, ${messages.created_at})`.mapWith(
        messages.created_at,
      ),
    })
    .from(messages)
    .innerJoin(inboxes, and(eq(inboxes.id, messages.inbox_id), eq(inboxes.status, "live")))
    .leftJoin(scheduledSends, eq(scheduledSends.message_id, messages.id))
    .leftJoin(reviews, and(eq(reviews.message_id, messages.id), eq(reviews.status, "approved")))
    .where(
      and(eq(messages.id, decodeId("msg", wireId) ?? ""), isOwn(ctx, messages), inArray(messages.status, [...LEAVES])),
    );
  return row;
}
