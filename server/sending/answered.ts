// Finds the message to reply to or forward, with its header lines and its mailbox.
import { and, eq, isNull, sql } from "drizzle-orm";
import { byMessageId, hasMessageId } from "#db/conditions.ts";
import { rawMessages } from "#db/schema/content.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId } from "../base/ids.ts";
import { type InboxRow, inboxColumns } from "../base/tenancy.ts";
import { loadRaw } from "../blobs/load.ts";
import type { MessageRow } from "../messages/columns.ts";
import { findMessage, noMessage } from "../messages/find.ts";
import { readHeaders } from "../mime/headers.ts";
import { refusalReason } from "../receiving/automatic.ts";
import { submissionKey } from "./submission-key.ts";

/** More than the header block may have (server/mime/headers.ts). */
const BLOCK_BYTES = 131_072;

export type Answered = {
  message: MessageRow;
  inbox: InboxRow;
  /** Header lines as received, `[name, value]`; for outbound messages those that the author added. */
  headers: [string, string][];
};

/** @throws ServiceError `message_not_found`, as GET /v1/messages/{id} */
export async function findAnswered(ctx: Ctx<Caller>, wireId: string): Promise<Answered> {
  const message = await findMessage(ctx, wireId);
  const [inbox] = await ctx.db
    .select(inboxColumns)
    .from(inboxes)
    .where(and(eq(inboxes.id, message.inbox_id), eq(inboxes.status, "live")));
  if (message.quarantine !== null) {
    throw new ServiceError("reply_refused", "This message is in quarantine, so it cannot be answered or forwarded.", {
      fix: "If it is not spam, call POST /v1/messages/{id}/not-spam, and repeat.",
    });
  }
  if (!inbox) throw noMessage();
  return { message, inbox, headers: message.headers ?? (await headersOfRaw(ctx, message)) };
}

/**
 * The oldest message of a mailbox with a Message-ID: that of its mail, or the one with which a program submitted it. Whoever got that
 * mail can send another one with its Message-ID, which must not take its place.
 * @param messageId without angle brackets
 * @returns its id, as `findAnswered` takes it
 */
export async function findByMessageId(
  { db }: Ctx<Caller>,
  inbox: InboxRow,
  messageId: string,
): Promise<string | undefined> {
  const { id, organization_id, inbox_id, quarantine, idempotency_key } = messages;
  const isOwn = and(eq(organization_id, inbox.organization_id), isNull(quarantine));
  const [byId, [submitted]] = await Promise.all([
    db
      .select({ id })
      .from(messages)
      .where(and(hasMessageId(messages, { inbox: inbox.id, messageId }), isOwn))
      .orderBy(...byMessageId(messages))
      .limit(1),
    db
      .select({ id })
      .from(messages)
      .where(and(eq(inbox_id, inbox.id), eq(idempotency_key, submissionKey(messageId)), isOwn)),
  ]);
  const [row] = [...byId, ...(submitted ? [submitted] : [])].sort((a, b) => (a.id < b.id ? -1 : 1));
  return row && encodeId("msg", row.id);
}

/** Why it must not be answered; undefined if it may be. */
export function automaticRefusal(answered: Answered): ServiceError | undefined {
  const reason = refusalReason(answered);
  return reason ? new ServiceError("reply_refused", `This message must not be answered: ${reason}.`) : undefined;
}

/** For mail whose body could not be parsed: its header block always can. */
async function headersOfRaw(ctx: Ctx<Caller>, { id, direction }: Answered["message"]): Promise<[string, string][]> {
  if (direction === "outbound") return [];
  const start = sql<Buffer | null>`substring(${rawMessages.bytes} from 1 for ${BLOCK_BYTES})`;
  const [row] = await ctx.db
    .select({ bytes: start.mapWith(rawMessages.bytes) })
    .from(rawMessages)
    .where(eq(rawMessages.message_id, id));
  const raw = row && (row.bytes ?? (await loadRaw(ctx, id)));
  return raw ? readHeaders(raw).lines : [];
}
